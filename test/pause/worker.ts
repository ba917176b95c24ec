/** Calls tools, and stops its own process with SIGSTOP at the point in its order: `node worker.ts ORDER`. */
import * as IdempotencyKeysRedis from "#layers/IdempotencyKeysRedis"
import * as IdempotencyKeysSql from "#layers/IdempotencyKeysSql"
import * as Postgres from "#layers/Postgres"
import * as RedisNode from "#layers/RedisNode"
import * as SqliteNode from "#layers/SqliteNode"
import * as Pipeline from "#pipeline/Pipeline"
import type { Stage } from "#pipeline/call/Stage"
import { IdempotencyKeys } from "#services/IdempotencyKeys"
import { Guard } from "#src/guard/Guard"
import * as GuardedTool from "#src/tool/GuardedTool"
import { Effect, Layer, Option, Redacted, Schema } from "effect"
import { appendFileSync, existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { isChecked, type Mode, type Order, type Point } from "./plan.ts"

const order: Order = JSON.parse(process.argv[2] ?? "")

let awaited = order.modes.length
let release = () => {}
const released = new Promise<void>((resolve) => (release = resolve))

/**
 * Waits until all calls have arrived at the point of the order. The last one stops the process. After SIGCONT the calls
 * continue before any timer fires.
 */
const arrive = async (point: Point): Promise<void> => {
  if (point !== order.point) return
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

/** Returns the effects that an upstream has done. */
const effectsOf = (mode: Mode): ReadonlyArray<Done> => {
  const path = join(order.folder, mode)
  if (!existsSync(path)) return []
  return readFileSync(path, "utf8")
    .trimEnd()
    .split("\n")
    .map((line): Done => JSON.parse(line))
}

/** Does an effect, unless the upstream knows the key or has seen a higher token. */
const act = (mode: Mode, done: Done): void => {
  const before = effectsOf(mode)
  if (mode === "honoured key" && before.some(({ key }) => key === done.key)) return
  if (mode === "fencing token" && before.some(({ token }) => token > done.token)) throw new Error("409 Conflict: stale")
  appendFileSync(join(order.folder, mode), `${JSON.stringify(done)}\n`)
}

const Which = Schema.Struct({ mode: Schema.String })
const Effects = Schema.Struct({ done: Schema.Boolean })

class Look extends GuardedTool.Service<Look>()("look", {
  description: "Returns whether the effect happened. Read-only.",
  access: "read",
  parameters: Which,
  success: Effects
}) {}
const look = Look.layer(({ mode }) => Effect.sync(() => ({ done: effectsOf(mode as Mode).length > 0 })))

// the tools of all modes differ only in their definitions
const service = GuardedTool.Service<{ readonly _: "act" }>() as unknown as (
  name: string,
  definition: object
) => GuardedTool.AnyTool

const toolOf = (mode: Mode) => {
  const tool = service(`act_${mode.replaceAll(/\W+/gu, "_")}`, {
    description: "Does something once.",
    access: "write",
    parameters: Which,
    success: Effects,
    timeout: "3 seconds",
    deadline: "3500 millis",
    retry: { attempts: 1 },
    idempotency: { mode: "derived", upstreamHonoursKey: mode === "honoured key" },
    ...(mode.startsWith("lookup") || mode === "fencing token"
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
      await arrive("before the check")
      if (isChecked(mode)) await Effect.runPromise(ensureLease)
      await arrive("before the effect")
      act(mode, { key: idempotencyKey, token: fencingToken })
      await arrive("after the effect")
      return { done: true }
    })
  return { mode, tool, layer: tool.layer(handler as never) as Layer.Layer<never> }
}

const keys = order.store.startsWith("postgres:")
  ? IdempotencyKeysSql.layer.pipe(Layer.provide(Postgres.layer({ url: Redacted.make(order.store) })))
  : order.store.startsWith("redis:")
    ? IdempotencyKeysRedis.layerWith({ prefix: `toolguard-pause-${order.folder}:` }).pipe(
        Layer.provide(RedisNode.layer({ url: Redacted.make(order.store) }))
      )
    : IdempotencyKeysSql.layer.pipe(Layer.provide(SqliteNode.layer({ filename: order.store })))

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
  Layer.provideMerge(Guard.memory)
)

/** Calls the tool until its action is no longer running in the other process. Returns the answer to its caller. */
const tell = (mode: Mode, tool: GuardedTool.AnyTool): Effect.Effect<string, never, Guard> =>
  Effect.matchEffect(tool.call({ mode }) as Effect.Effect<unknown, { readonly code: string }, Guard>, {
    onSuccess: () => Effect.succeed("success"),
    onFailure: ({ code }) =>
      order.point === undefined && code === "in_progress"
        ? Effect.delay(tell(mode, tool), "100 millis")
        : Effect.succeed(code)
  })

await Effect.forEach(
  order.modes.map(toolOf),
  ({ layer, mode, tool }) =>
    tell(mode, tool).pipe(
      (telling) => Guard.turn(telling, { conversation: order.folder, turn: mode }),
      Effect.map((told) => process.stdout.write(`${JSON.stringify({ [mode]: told })}\n`)),
      Effect.provide(layer)
    ),
  { concurrency: "unbounded" }
).pipe(Effect.provide(Layer.merge(guard, look)), Effect.runPromise)
process.exit(0)
