/**
 * The processes that the clients of a storm call, in virtual time. Each has its own guard, with the defaults and the
 * layers in memory. In a shared deployment the circuits and the retry quota of all are in Redis.
 */
import * as CircuitsRedis from "#layers/CircuitsRedis"
import * as RetryQuotaRedis from "#layers/RetryQuotaRedis"
import { DatabasePlace } from "#services/DatabaseUnavailable"
import { Guard } from "#src/guard/Guard"
import * as GuardedTool from "#src/tool/GuardedTool"
import * as Toolbox from "#src/tool/Toolbox"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as Redis from "effect/persistence/Redis"
import * as Schema from "effect/Schema"
import * as Scope from "effect/Scope"
import * as Dice from "../simulate/Dice.ts"
import type * as World from "../simulate/World.ts"
import type { Request } from "./Upstream.ts"
import * as VirtualRedis from "./VirtualRedis.ts"

/** How many processes the clients call, and the Redis that these share. */
export interface Deployment {
  readonly processes: number
  readonly shared?: {
    readonly redis: Redis.Redis["Service"]
    /** The start of all keys. */
    readonly prefix: string
  }
}

/** The wait that a failed call states, in milliseconds. */
export interface Failed {
  readonly hintMillis: number | undefined
}

/** A process, and the call that its clients make, as a program or as a model does. */
export interface Member {
  readonly process: World.Process
  readonly call: (number: number, caller: "program" | "model") => Effect.Effect<unknown, Failed>
}

export interface Fleet {
  readonly members: ReadonlyArray<Member>
  /** Runs the world until the condition holds, or for `millis`. */
  readonly runUntil: (isDone: () => boolean, millis: number) => Promise<void>
  readonly close: () => Promise<void>
}

class Look extends GuardedTool.Service<Look>()("look", {
  description: "Reads a row. Read-only.",
  access: "read",
  parameters: Schema.Struct({ number: Schema.Int }),
  success: Schema.Boolean
}) {}

const toolbox = Toolbox.make(Look)

/** Creates the processes. Without a deployment the clients make requests of the upstream, without a guard. */
export const make = async (
  world: World.World,
  seed: number,
  request: Request,
  deployment: Deployment | undefined
): Promise<Fleet> => {
  const replies = VirtualRedis.make(world)
  const scope = Scope.makeUnsafe()
  const runUntil = async (isDone: () => boolean, millis: number) => {
    const limits = { millis, events: Number.POSITIVE_INFINITY }
    while (world.runUntil(() => replies.isBehind() || isDone(), limits) === "done" && replies.isBehind()) {
      await replies.caughtUp()
    }
  }
  const guarded = async (process: World.Process, { shared }: Deployment): Promise<Member> => {
    const stores = shared === undefined ? Layer.empty : storesOf(shared, replies.of(shared.redis, process))
    const layers = Layer.mergeAll(
      Look.layer(() => request),
      Guard.layerMemoryWith(stores),
      Logger.layer([])
    )
    let built: Context.Context<Look | Guard> | undefined
    Effect.runForkWith(process.context)(
      Effect.map(Layer.buildWithScope(Layer.fresh(layers), scope), (context) => void (built = context))
    )
    await runUntil(() => built !== undefined, 1_000)
    if (built === undefined) throw new Error("The guard of a process was not built.")
    const services = Context.merge(process.context, built)
    return {
      process,
      call: (number, caller) => Effect.provideContext(caller === "model" ? asked(number) : called(number), services)
    }
  }
  const members: Array<Member> = []
  for (let number = 0; number < (deployment?.processes ?? 1); number += 1) {
    const process = world.spawn(`p${number}`, Dice.make(seed, `process ${number}`))
    const unguarded = Effect.mapError(request, () => ({ hintMillis: undefined }))
    members.push(deployment === undefined ? { process, call: () => unguarded } : await guarded(process, deployment))
  }
  return {
    members,
    runUntil,
    close: async () => {
      let isClosed = false
      Effect.runFork(Effect.map(Scope.close(scope, Exit.void), () => (isClosed = true)))
      await runUntil(() => isClosed, Number.POSITIVE_INFINITY)
    }
  }
}

/** Makes a call as a program does, which reads `retryAfter`. */
const called = (number: number): Effect.Effect<unknown, Failed, Guard | Look> =>
  Effect.mapError(Look.call({ number }), (failure) => ({
    hintMillis:
      "retryAfter" in failure && failure.retryAfter !== undefined ? Duration.toMillis(failure.retryAfter) : undefined
  }))

/** Makes a call as a model does, which reads `retry_after_ms`. Each call is a turn of its own. */
const asked = (number: number): Effect.Effect<unknown, Failed, Guard | Look> =>
  Effect.flatMap(toolbox.answer({ name: "look", arguments: { number }, callId: `${number}` }), ({ outcome, text }) =>
    outcome._tag === "Success"
      ? Effect.void
      : Effect.fail({ hintMillis: (JSON.parse(text) as Envelope).error.retry_after_ms })
  )

/** The part of an envelope that a client reads. */
interface Envelope {
  readonly error: { readonly retry_after_ms?: number }
}

const storesOf = ({ prefix }: { readonly prefix: string }, redis: Redis.Redis["Service"]) =>
  Layer.mergeAll(CircuitsRedis.layerWith({ prefix }), RetryQuotaRedis.layerWith({ prefix })).pipe(
    Layer.provide(Layer.succeed(Redis.Redis, redis)),
    Layer.provide(Layer.succeed(DatabasePlace, "Redis"))
  )
