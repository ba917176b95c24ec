/** Reads, cancels and forgets the durable runs of a database, for `toolguard runs`. */
import { inWords } from "effect-toolguard/internal/domain/text/TimeSpan"
import { shown } from "effect-toolguard/internal/domain/text/VisibleText"
import * as DurableRunsSql from "effect-toolguard/layers/DurableRunsSql"
import {
  DurableRuns,
  type DurableRunsListing,
  type DurableRunsStore,
  type DurableRunState,
  type DurableRunSummary,
  type DurableRunsUnavailable,
  isEnded
} from "effect-toolguard/services/DurableRuns"
import type { RunKey } from "effect-toolguard/services/Checkpoints"
import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as Clock from "effect/Clock"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { failed, open } from "#kit/cli/console/Database"
import { database, json } from "#kit/cli/console/Flags"
import * as Json from "#kit/cli/console/Json"
import { misuse, type Problem, problem } from "#kit/cli/console/Problem"
import * as Screen from "#kit/cli/console/Screen"

const store = {
  service: DurableRuns,
  layer: DurableRunsSql.layer,
  table: "toolguard_runs",
  contents: "runs"
} as const

const states = {
  running: "Running",
  suspended: "Suspended",
  cancelling: "Cancelling",
  ended: "Ended",
  cancelled: "Cancelled",
  failed: "Failed"
} as const satisfies Readonly<Record<string, DurableRunState>>

const using = <A>(
  database: Option.Option<string>,
  use: (runs: DurableRunsStore) => Effect.Effect<A, Problem | DurableRunsUnavailable>
): Effect.Effect<A, Problem> =>
  // the layer provides the store, so the default `undefined` does not occur
  Effect.flatMap(DurableRuns, (runs) => use(runs!)).pipe(
    Effect.provide(open(store, database)),
    Effect.mapError((error) =>
      error._tag === "DurableRunsUnavailable" ? failed(error, "Check the database and try again.") : error
    )
  )

const named = (name: string, metavar: string, description: string) =>
  Flag.String(name).pipe(Flag.withMetavar(metavar), Flag.withDescription(description), Flag.optional)

const tenant = Flag.String("tenant").pipe(
  Flag.withMetavar("<name>"),
  Flag.withDescription("Tenant of the run. Default: default"),
  Flag.withDefault("default")
)

/** The flags that select durable runs in a list. */
export const selection = {
  state: Flag.Literals("state", ["running", "suspended", "cancelling", "ended", "cancelled", "failed"]).pipe(
    Flag.withDescription("Only durable runs in this state"),
    Flag.optional
  ),
  agent: named("agent", "<name>", "Only durable runs of this agent"),
  tenant: named("tenant", "<name>", "Only runs of this tenant. Default: all tenants"),
  principal: named("principal", "<name>", "Only runs of this principal"),
  before: named("before", "<page>", "Continue the list of durable runs where the last page ended"),
  limit: Flag.Int("limit").pipe(
    Flag.withDescription("Maximum number of durable runs, up to 500. Default: 50"),
    Flag.withDefault(50)
  )
}

interface Selection {
  readonly state: Option.Option<keyof typeof states>
  readonly agent: Option.Option<string>
  readonly tenant: Option.Option<string>
  readonly principal: Option.Option<string>
  readonly before: Option.Option<string>
  readonly limit: number
}

/** True if the flags select durable runs only. */
export const isDurableOnly = ({ agent, before, state }: Selection): boolean =>
  [agent, before, state].some(Option.isSome)

/** Lists durable runs, newest first. */
export const page = (database: Option.Option<string>, selection: Selection) => {
  const listing: DurableRunsListing = {
    state: Option.getOrUndefined(Option.map(selection.state, (name) => states[name])),
    agent: Option.getOrUndefined(selection.agent),
    tenant: Option.getOrUndefined(selection.tenant),
    principal: Option.getOrUndefined(selection.principal),
    before: Option.getOrUndefined(selection.before),
    limit: selection.limit
  }
  return using(database, ({ list }) => list(listing))
}

const inWordsOf: Readonly<Record<DurableRunState, string>> = {
  Running: "running",
  Suspended: "suspended: waits for a person",
  Cancelling: "cancelling",
  Ended: "ended",
  Cancelled: "cancelled",
  Failed: "failed with a defect"
}

/** Returns the id and the owner of a run, in one line. */
export const nameOf = (screen: Screen.Screen, { principal, run, tenant }: RunKey): string => {
  const owner = principal === undefined ? "" : `  principal ${shown(principal)}`
  return `${screen.styled("bold", shown(run))}  tenant ${shown(tenant)}${owner}`
}

/** Prints a durable run as two lines. */
export const print = (screen: Screen.Screen, now: number, run: DurableRunSummary): void => {
  screen.line(`${nameOf(screen, run)}  agent ${shown(run.agent)}`)
  const end = run.end === undefined ? "" : ` (${shown(run.end)})`
  const changed = `${isEnded(run) ? "ended" : "changed"} ${inWords(now - run.changedAt)} ago`
  screen.line(`  ${inWordsOf[run.state]}${end}, started ${inWords(now - run.startedAt)} ago, ${changed}`)
}

/** The flag that names the principal of one run. */
export const principal = named("principal", "<name>", "Principal of the run. Default: none")

const key = {
  run: Argument.String("run").pipe(Argument.withDescription("Id of the durable run")),
  agent: named("agent", "<name>", "Agent of the run, if several agents have a run with this id"),
  tenant,
  principal,
  database,
  json
}

interface Key {
  readonly run: string
  readonly agent: Option.Option<string>
  readonly tenant: string
  readonly principal: Option.Option<string>
}

/** Finds the one run that the flags name. */
const find = (runs: DurableRunsStore, options: Key) =>
  Effect.gen(function* () {
    const principal = Option.getOrNull(options.principal)
    const agent = Option.getOrUndefined(options.agent)
    const { runs: found } = yield* runs.list({ run: options.run, tenant: options.tenant, principal, agent, limit: 500 })
    const [first] = found
    if (found.length > 1) {
      return yield* misuse(
        `Several agents have a run ${shown(options.run)}: ${found.map(({ agent }) => shown(agent)).join(", ")}.`,
        "Name one with --agent."
      )
    }
    if (first === undefined) {
      return yield* problem(
        `There is no durable run ${shown(options.run)}.`,
        "Run toolguard runs list, and name the tenant with --tenant and the principal with --principal."
      )
    }
    // a crash may have prevented the end from being stored in the row
    return (yield* runs.find(first.agent, first.execution)) ?? first
  })

const withNow = <A>(use: (screen: Screen.Screen, now: number) => A) =>
  Effect.flatMap(Screen.make(false), (screen) => Effect.map(Clock.currentTimeMillis, (now) => use(screen, now)))

export const show = Command.make(
  "show",
  key,
  Effect.fnUntraced(function* (options) {
    const run = yield* using(options.database, (runs) => find(runs, options))
    if (options.json) return yield* Console.log(Json.text({ run }))
    yield* withNow((screen, now) => {
      print(screen, now, run)
      screen.line(`  conversation ${shown(run.conversation)}, execution ${shown(run.execution)}`)
    })
  })
).pipe(Command.withShortDescription("Show the state of a durable run"))

export const cancel = Command.make(
  "cancel",
  key,
  Effect.fnUntraced(function* (options) {
    const [before, run] = yield* using(options.database, (runs) =>
      Effect.gen(function* () {
        const found = yield* find(runs, options)
        return [found, (yield* runs.cancel(found.agent, found.execution)) ?? found] as const
      })
    )
    if (options.json) return yield* Console.log(Json.text({ run }))
    yield* Console.log(
      isEnded(before)
        ? `${shown(run.run)} had already ended. Nothing was changed.`
        : isEnded(run)
          ? `${shown(run.run)} ended before it could be cancelled.`
          : `Cancellation of ${shown(run.run)} requested. An active runner stops it within a second; otherwise it ends when a runner starts.`
    )
  })
).pipe(
  Command.withShortDescription("Cancel a durable run"),
  Command.withDescription(`Cancels a durable run. No further step starts, a running handler is interrupted, and pending
  requests to people are withdrawn. Effects of earlier calls remain.

  A runner applies the cancellation. If no runner is active, the run ends when the next one starts.`)
)

export const forget = Command.make(
  "forget",
  key,
  Effect.fnUntraced(function* (options) {
    const { left, removed } = yield* using(options.database, (runs) =>
      Effect.gen(function* () {
        const run = yield* find(runs, options)
        if (!isEnded(run)) {
          return yield* problem(
            `The run ${shown(run.run)} has not ended.`,
            "Cancel it with toolguard runs cancel, and forget it after its end."
          )
        }
        return yield* runs.forget(run)
      })
    )
    if (options.json) return yield* Console.log(Json.text({ removed, left }))
    yield* withNow((screen) => {
      for (const { count, store } of removed) screen.line(`removed ${count}  ${shown(store)}`)
      for (const { reason, store } of left) screen.line(`not removed  ${shown(store)}: ${shown(reason)}`)
    })
  })
).pipe(
  Command.withShortDescription("Erase a durable run that has ended"),
  Command.withDescription(`Erases a durable run that has ended: its row, its journal in the workflow engine, and its
  approvals, unknown outcomes, artifacts, call records, budgets and idempotency keys in the stores
  of its database. This cannot be undone.

  Encrypted stores need their key: TOOLGUARD_AT_REST_KEY.`)
)
