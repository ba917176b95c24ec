/**
 * `toolguard runs`: lists, exports, imports and removes the runs whose checkpoints are in a database, and lists, shows,
 * cancels and forgets its durable runs.
 */
import * as CheckpointFile from "effect-toolguard/internal/domain/journal/CheckpointFile"
import { inWords } from "effect-toolguard/internal/domain/text/TimeSpan"
import { shown } from "effect-toolguard/internal/domain/text/VisibleText"
import * as CheckpointsSql from "effect-toolguard/layers/CheckpointsSql"
import { type CheckpointError, Checkpoints, type RunKey, type RunSummary } from "effect-toolguard/services/Checkpoints"
import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as Clock from "effect/Clock"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import { hash } from "node:crypto"
import { readFileSync } from "node:fs"
import * as Json from "#kit/cli/console/Json"
import { failed, open } from "#kit/cli/console/Database"
import { database, json } from "#kit/cli/console/Flags"
import { type Problem, problem, unreadable } from "#kit/cli/console/Problem"
import * as Durable from "./DurableRuns.ts"
import * as NewFile from "./NewFile.ts"
import * as Screen from "#kit/cli/console/Screen"

const sha256 = (text: string): string => hash("sha256", text, "hex")

const store = {
  service: Checkpoints,
  layer: CheckpointsSql.layer,
  table: "toolguard_runs",
  contents: "runs"
} as const

/** Runs an effect with the checkpoints of a database. Errors of the store become a `Problem`. */
const using = <A>(
  database: Option.Option<string>,
  use: (checkpoints: Checkpoints["Service"]) => Effect.Effect<A, Problem | CheckpointError>,
  mayCreate = false
): Effect.Effect<A, Problem> =>
  Effect.flatMap(Checkpoints, use).pipe(
    Effect.provide(open(store, database, mayCreate)),
    Effect.mapError((error) => {
      if (error._tag === "CheckpointsUnavailable") {
        return failed(error, "Check the database and try again. A run is changed completely or not at all.")
      }
      return error._tag === "CheckpointRefused"
        ? problem(`The run ${shown(error.run)} is refused: ${error.detail}`, "Nothing was changed.")
        : error
    })
  )

const run = Argument.String("run").pipe(Argument.withDescription("Id of the run"))
const file = (description: string) => Argument.String("file").pipe(Argument.withDescription(description))
const tenant = Flag.String("tenant").pipe(
  Flag.withMetavar("<name>"),
  Flag.withDescription("Tenant of the run. Default: default"),
  Flag.withDefault("default")
)

const keyOf = (options: {
  readonly run: string
  readonly tenant: string
  readonly principal: Option.Option<string>
}): RunKey => ({
  tenant: options.tenant,
  ...(Option.isNone(options.principal) ? {} : { principal: options.principal.value }),
  run: options.run
})

const isRun =
  ({ principal, run, tenant }: RunKey) =>
  (summary: RunSummary): boolean =>
    summary.run === run && summary.tenant === tenant && summary.principal === principal

const stateOf = ({ isCompleted, isInUse }: RunSummary): string =>
  isCompleted ? "completed" : isInUse ? "in use" : "interrupted"

const list = Command.make(
  "list",
  { ...Durable.selection, database, json },
  Effect.fnUntraced(function* (options) {
    const all = Durable.isDurableOnly(options) ? [] : yield* using(options.database, ({ list }) => list)
    const tenant = Option.getOrUndefined(options.tenant)
    const principal = Option.getOrUndefined(options.principal)
    const runs = all.filter(
      (run) =>
        (tenant === undefined || run.tenant === tenant) && (principal === undefined || run.principal === principal)
    )
    const durable = yield* Durable.page(options.database, options)
    if (options.json) return yield* Console.log(Json.text({ runs, durable }))
    const screen = yield* Screen.make(false)
    const now = yield* Clock.currentTimeMillis
    for (const summary of runs) {
      const { createdAt, updatedAt, written } = summary
      screen.line(Durable.nameOf(screen, summary))
      const times = `started ${inWords(now - createdAt)} ago, last row ${inWords(now - updatedAt)} ago`
      screen.line(`  ${stateOf(summary)}, ${written} rows, ${times}`)
    }
    for (const run of durable.runs) Durable.print(screen, now, run)
    const count = runs.length + durable.runs.length
    screen.line(count === 0 ? "There are no runs." : count === 1 ? "One run." : `${count} runs.`)
    if (durable.next !== undefined) screen.line(`There are more durable runs: --before ${durable.next}`)
  })
).pipe(
  Command.withShortDescription("List runs with checkpoints, oldest first, and durable runs, newest first"),
  Command.withDescription(`Lists the runs with checkpoints, oldest first, and the durable runs, newest first, of all tenants.

  --state, --agent and --before select durable runs only.`)
)

const exporting = Command.make(
  "export",
  { run, file: file("File to create; it must not exist"), tenant, principal: Durable.principal, database },
  Effect.fnUntraced(function* (options) {
    const key = keyOf(options)
    const [found, summary] = yield* using(options.database, (checkpoints) =>
      Effect.all([checkpoints.find(key), Effect.map(checkpoints.list, (all) => all.find(isRun(key)))])
    )
    if (found === undefined) return yield* unknown(options.run)
    yield* NewFile.write(options.file, CheckpointFile.write(sha256, found))
    if (summary?.isInUse === true) {
      yield* Console.error("A process is executing this run: do not resume the copy as well.")
    }
    yield* Console.log(`${shown(options.run)}: wrote ${found.written} rows to ${options.file}.`)
  })
).pipe(
  Command.withShortDescription("Write a run to a file"),
  Command.withDescription(`Writes a run to a file, for support or for another database.

  The file contains the run's conversation, with the results of its tools. Only the owner of the
  file can read it. Protect it like the database.`)
)

const importing = Command.make(
  "import",
  { file: file("File written by toolguard runs export"), database },
  Effect.fnUntraced(function* (options) {
    const text = yield* Effect.try({
      try: () => readFileSync(options.file, "utf8"),
      catch: (error) => unreadable(options.file, error, "Choose another file.")
    })
    const copy = CheckpointFile.read(sha256, text)
    if (Result.isFailure(copy)) {
      const [what, remedy] = copy.failure
      return yield* problem(`${options.file} is refused. ${what}`, remedy)
    }
    const { run, written } = copy.success
    yield* using(options.database, ({ put }) => put(copy.success), true)
    yield* Console.log(`${shown(run)}: ${written} rows were imported. Resume it with Agent.resume.`)
  })
).pipe(
  Command.withShortDescription("Read a run from a file into the database"),
  Command.withDescription(`Reads a run from a file into the database. Creates the database file and the tables if they do
  not exist.

  Refuses a file that is damaged, has a different version or is not an exported run, and a run whose
  id already exists. Resume a run in one place only: remove it from the other database.`)
)

const remove = Command.make(
  "remove",
  { run, tenant, principal: Durable.principal, database },
  Effect.fnUntraced(function* (options) {
    const key = keyOf(options)
    yield* using(options.database, (checkpoints) =>
      Effect.gen(function* () {
        const summary = (yield* checkpoints.list).find(isRun(key))
        if (summary === undefined) return yield* unknown(options.run)
        if (summary.isInUse) {
          return yield* problem(
            `A process owns the run ${shown(options.run)}.`,
            "Stop that process, or wait until its lease expires."
          )
        }
        return yield* checkpoints.remove(key)
      })
    )
    yield* Console.log(`Removed ${shown(options.run)}.`)
  })
).pipe(
  Command.withShortDescription("Remove a run with all its rows"),
  Command.withDescription(`Removes a run and all its rows. This cannot be undone: export the run first.

  The effects of its calls remain. A new run with the same id starts from the beginning, with the
  same idempotency keys.`)
)

const unknown = (run: string) =>
  problem(
    `There is no run ${shown(run)}.`,
    "Run toolguard runs list, and name the tenant with --tenant and the principal with --principal."
  )

export const runs = Command.make("runs").pipe(
  Command.withShortDescription("List, move, cancel and remove runs"),
  Command.withDescription(`Lists the runs in the database of the guard's stores. Runs with checkpoints are exported, imported
  and removed; durable runs are shown, cancelled and forgotten.`),
  Command.withExamples([
    { command: "toolguard runs list --database stores.db", description: "List the runs and their states" },
    { command: "toolguard runs export job-17 job-17.jsonl", description: "Copy a run, for support" },
    {
      command: "toolguard runs import job-17.jsonl --database postgres://app@db/app",
      description: "Move it to PostgreSQL"
    },
    { command: "toolguard runs remove job-17", description: "Remove it" },
    { command: "toolguard runs list --state suspended", description: "List the durable runs that wait for people" },
    { command: "toolguard runs cancel ticket-4711 --tenant acme", description: "Cancel a durable run" }
  ]),
  Command.withSubcommands([list, exporting, importing, remove, Durable.show, Durable.cancel, Durable.forget])
)
