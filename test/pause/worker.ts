/** Calls tools, and stops its own process with SIGSTOP at the point in its task: `node worker.ts TASK`. */
import * as ApprovalsSql from "#layers/ApprovalsSql"
import * as EscalationHttp from "#layers/EscalationHttp"
import * as IdempotencyKeysRedis from "#layers/IdempotencyKeysRedis"
import * as IdempotencyKeysSql from "#layers/IdempotencyKeysSql"
import * as Postgres from "#layers/Postgres"
import * as RedisNode from "#layers/RedisNode"
import * as SqliteNode from "#layers/SqliteNode"
import * as Pipeline from "#pipeline/Pipeline"
import type { Stage } from "#pipeline/call/Stage"
import { Approvals } from "#services/Approvals"
import { IdempotencyKeys } from "#services/IdempotencyKeys"
import { Guard } from "#src/guard/Guard"
import * as GuardedTool from "#src/tool/GuardedTool"
import { Effect, Layer, Option, Redacted, Schema } from "effect"
import { appendFileSync, existsSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { isChecked, isLookedUp, type Mode, type Point, type Task } from "./plan.ts"

const task: Task = JSON.parse(process.argv[2] ?? "")

let awaited = task.modes.length
let release = () => {}
const released = new Promise<void>((resolve) => (release = resolve))

/**
 * Waits until all calls have arrived at the point of the task. The last one stops the process. After SIGCONT the calls
 * continue before any timer fires.
 */
const arrive = async (point: Point): Promise<void> => {
  if (point !== task.point) return
  awaited -= 1
  if (awaited === 0) {
    process.stdout.write("stopping\n")
    process.kill(process.pid, "SIGSTOP")
    release()
  }
  return released
}
const arriveAt = (point: Point) => Effect.promise(() => arrive(point))

interface Done {
  readonly key: string
  readonly token: number
}

/** Returns the effects that an upstream has performed. */
const effectsOf = (mode: Mode): ReadonlyArray<Done> => {
  const path = join(task.folder, mode)
  if (!existsSync(path)) return []
  return readFileSync(path, "utf8")
    .trimEnd()
    .split("\n")
    .map((line): Done => JSON.parse(line))
}

/** Performs an effect, unless the upstream knows the key or has seen a higher token. */
const act = (mode: Mode, done: Done): void => {
  const before = effectsOf(mode)
  if (mode === "honoured key" && before.some(({ key }) => key === done.key)) return
  if (mode === "fencing token" && before.some(({ token }) => token > done.token)) throw new Error("409 Conflict: stale")
  appendFileSync(join(task.folder, mode), `${JSON.stringify(done)}\n`)
}

const Which = Schema.Struct({ mode: Schema.String })
const Effects = Schema.Struct({ done: Schema.Boolean })

class Look extends GuardedTool.Service<Look>()("look", {
  description: "Returns whether the effect happened. Read-only.",
  access: "read",
  parameters: Which,
  success: Effects
}) {}
const look = Look.layer(({ mode }) =>
  Effect.tap(
    Effect.sync(() => ({ done: effectsOf(mode as Mode).length > 0 })),
    arriveAt("lookup answered")
  )
)

// the tools of all modes differ only in their definitions
const service = GuardedTool.Service<{ readonly _: "act" }>() as unknown as (
  name: string,
  definition: object
) => GuardedTool.AnyTool

/** True if the first attempt of a process fails without a response, so that its effect is looked up. */
const isRetried = task.point === "lookup answered"

const toolOf = (mode: Mode) => {
  let attempts = 0
  const tool = service(`act_${mode.replaceAll(/\W+/gu, "_")}`, {
    description: "Does something once.",
    access: "write",
    parameters: Which,
    success: Effects,
    timeout: "3 seconds",
    deadline: "3500 millis",
    retry: isRetried ? { attempts: 2, base: "1 millis" } : { attempts: 1 },
    ...(mode === "approval" ? { access: "destructive", approval: "confirm" } : {}),
    idempotency: { mode: "derived", upstreamHonoursKey: mode === "honoured key" },
    ...(isLookedUp(mode)
      ? {
          reconcile: {
            tool: Look,
            arguments: (which: typeof Which.Type) => which,
            found: ({ done }: typeof Effects.Type) => (done ? Option.some({ done: true }) : Option.none())
          }
        }
      : {})
  })
  const handler = (_: unknown, { ensureLease, fencingToken = 0, idempotencyKey }: GuardedTool.HandlerContext) =>
    Effect.tryPromise(async () => {
      attempts += 1
      if (isRetried && attempts === 1) throw Object.assign(new Error("socket hang up"), { code: "ECONNRESET" })
      await arrive("before the check")
      if (isChecked(mode)) await Effect.runPromise(ensureLease)
      await arrive("before the effect")
      act(mode, { key: idempotencyKey, token: fencingToken })
      await arrive("after the effect")
      return { done: true }
    })
  return { mode, tool, layer: tool.layer(handler as never) as Layer.Layer<never> }
}

/** The database of approvals. Redis keeps no approvals. */
const database = task.store.startsWith("postgres:")
  ? Postgres.layer({ url: Redacted.make(task.store), maxConnections: 3 })
  : SqliteNode.layer({
      filename: task.store.startsWith("redis:") ? join(task.folder, "approvals.db") : task.store
    })

const keys = task.store.startsWith("redis:")
  ? IdempotencyKeysRedis.layerWith({ prefix: `toolguard-pause-${task.folder}:` }).pipe(
      Layer.provide(RedisNode.layer({ url: Redacted.make(task.store) }))
    )
  : IdempotencyKeysSql.layer

/** A person approves the first request of all processes, as soon as it is opened. */
const approveFirst = (approvals: Approvals["Service"], id: string) =>
  Effect.suspend(() => {
    const marker = join(task.folder, "approved")
    if (existsSync(marker)) return Effect.void
    writeFileSync(marker, "")
    return approvals.decide(id, { verdict: "approve", by: "ann", reason: "" })
  })

const approvals = Layer.effect(
  Approvals,
  Effect.map(Approvals, (approvals) => ({
    ...approvals,
    open: (opening) => Effect.tap(approvals.open(opening), ({ request }) => approveFirst(approvals, request.id)),
    consume: (...args) => Effect.tap(approvals.consume(...args), arriveAt("approval consumed"))
  }))
).pipe(Layer.provide(ApprovalsSql.layer))

const pausingKeys = Layer.effect(
  IdempotencyKeys,
  Effect.map(IdempotencyKeys, (keys) => ({
    ...keys,
    claim: (...args) => Effect.tap(keys.claim(...args), arriveAt("claim answered")),
    renew: (...args) => Effect.tap(keys.renew(...args), arriveAt("renewal answered")),
    complete: (...args) => Effect.andThen(arriveAt("before complete"), keys.complete(...args))
  }))
).pipe(Layer.provide(keys))

const pausing: Stage = {
  name: "pause before claim",
  make: Effect.succeed(
    (tool) => (next) =>
      tool.definition.access === "read" ? next : (call) => Effect.andThen(arriveAt("before claim"), next(call))
  )
}

const guard = Guard.layerOf(Pipeline.insertBefore("claim", pausing)(Pipeline.stages)).pipe(
  Layer.provideMerge(pausingKeys),
  Layer.provideMerge(EscalationHttp.layer({ publicUrl: "https://inbox.example" })),
  Layer.provideMerge(approvals),
  Layer.provideMerge(database),
  Layer.provideMerge(Guard.memory)
)

/** Calls the tool until its action is no longer running in the other process. Returns the answer to its caller. */
const answerTo = (mode: Mode, tool: GuardedTool.AnyTool, isApproved = false): Effect.Effect<string, never, Guard> =>
  Effect.matchEffect(tool.call({ mode }) as Effect.Effect<unknown, { readonly code: string }, Guard>, {
    onSuccess: () => Effect.succeed("success"),
    onFailure: ({ code }) =>
      task.point === undefined && code === "in_progress"
        ? Effect.delay(answerTo(mode, tool, isApproved), "100 millis")
        : !isApproved && code === "requires_human_approval"
          ? answerTo(mode, tool, true)
          : Effect.succeed(code)
  })

await Effect.forEach(
  task.modes.map(toolOf),
  ({ layer, mode, tool }) =>
    answerTo(mode, tool).pipe(
      (calling) => Guard.turn(calling, { conversation: task.folder, turn: mode }),
      Effect.map((answer) => process.stdout.write(`${JSON.stringify({ [mode]: answer })}\n`)),
      Effect.provide(layer)
    ),
  { concurrency: "unbounded" }
).pipe(Effect.provide(Layer.merge(guard, look)), Effect.runPromise)
process.exit(0)
