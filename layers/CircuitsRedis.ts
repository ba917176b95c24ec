/**
 * Shares circuits between processes through Redis: one state of `Circuit` for each tool [4.11].
 *
 * **Details**
 *
 * - Each attempt reads the state, and each counted outcome changes it. A change is written only if the state has not
 *   changed since it was read; otherwise the change is computed again. After 20 conflicts, the change is dropped.
 * - Redis provides the time. A state is deleted one hour after it was last written; the wait of an open circuit is
 *   added to this hour.
 *
 * **Gotchas**
 *
 * While Redis is unavailable, every attempt runs uncounted, and a warning is logged once a minute.
 */
import * as Circuit from "#domain/tool/Circuit"
import { Circuits } from "#services/Circuits"
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Redis from "effect/persistence/Redis"
import * as Random from "effect/Random"
import * as Schema from "effect/Schema"
import * as CircuitOutcome from "#layers/internal/stores/CircuitOutcome"
import * as Fallback from "#layers/internal/redis/Fallback"

export interface CircuitsRedisOptions {
  /** The prefix of every key. Default `toolguard:`. */
  readonly prefix?: string
}

const maxConflicts = 20

const idleMillis = 3_600_000

const times = { epoch: Schema.Finite, openings: Schema.Finite, until: Schema.Finite }

const State = Schema.fromJsonString(
  Schema.Union([
    Schema.TaggedStruct("Closed", { epoch: Schema.Finite, outcomes: Schema.String }),
    Schema.TaggedStruct("Open", { ...times, from: Schema.Finite }),
    Schema.TaggedStruct("Probing", { ...times, openedMillis: Schema.Finite }),
    Schema.TaggedStruct("Ramp", { ...times, running: Schema.Finite, credits: Schema.Finite })
  ])
)
const decode = Schema.decodeUnknownOption(State)

/** Parses a stored state. A missing or damaged state is read as closed; the next change replaces a damaged state. */
const stateOf = (text: string): Circuit.CircuitState => Option.getOrElse(decode(text), () => Circuit.closed)

/**
 * Writes `after` if the stored state is `before`. Returns whether it wrote, the stored state, and the time of Redis.
 * With an empty `after` it only reads.
 */
const swapScript = Redis.script((key: string, ...args: readonly [string, string, number]) => [key, ...args], {
  numberOfKeys: 1,
  lua: `
local time = redis.call("TIME")
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local state = redis.call("GET", KEYS[1]) or ""
local written = "0"
if ARGV[2] ~= "" and state == ARGV[1] then
  redis.call("SET", KEYS[1], ARGV[2], "PX", ARGV[3])
  state = ARGV[2]
  written = "1"
end
return {written, state, string.format("%.0f", now)}`
}).withReturnType<readonly [written: string, state: string, now: string]>()

/** A state as it was read. */
interface ReadState {
  readonly text: string
  readonly state: Circuit.CircuitState
  /** The time of Redis minus the time of this process, in milliseconds. */
  readonly ahead: number
}

/** The decision about an attempt: the wait in milliseconds if it is rejected, and the state that was read. */
interface Admission {
  readonly value: number | undefined
  readonly read: ReadState
}

/** The result of a step from a state. */
interface Step<A> {
  readonly value: A
  /** The next state; undefined if nothing needs to be written. */
  readonly next: Circuit.CircuitState | undefined
}

/** Keeps circuits in the Redis of the context. */
export const layerWith = ({ prefix = "toolguard:" }: CircuitsRedisOptions): Layer.Layer<Circuits, never, Redis.Redis> =>
  Layer.effect(
    Circuits,
    Effect.gen(function* () {
      const redis = yield* Redis.Redis
      const orElse = yield* Fallback.make("Every attempt runs in the meantime.")
      const script = redis.eval(swapScript)

      const swap = Effect.fnUntraced(function* (tool: string, before: string, after: string, millis: number) {
        const [written, text, now] = yield* script(`${prefix}circuits:${tool}`, before, after, millis)
        const local = yield* Clock.currentTimeMillis
        return { isWritten: written === "1", text, state: stateOf(text), ahead: Number(now) - local }
      })

      const read = (tool: string): Effect.Effect<ReadState, Redis.RedisError> => swap(tool, "", "", 1)

      /**
       * Applies a step to the state, and applies it again if another attempt has changed the state since it was read.
       */
      const modify = Effect.fnUntraced(function* <A>(
        tool: string,
        known: ReadState,
        step: (state: Circuit.CircuitState, now: number) => Effect.Effect<Step<A>>
      ) {
        let current = known
        for (let conflicts = 0; ; conflicts += 1) {
          const now = (yield* Clock.currentTimeMillis) + current.ahead
          const { next, value } = yield* step(current.state, now)
          const isOver = conflicts === maxConflicts
          if (next === undefined || isOver) return { value, read: current }
          const open = "until" in next ? Math.max(0, next.until - now) : 0
          const result = yield* swap(tool, current.text, JSON.stringify(next), Math.ceil(open + idleMillis))
          if (result.isWritten) return { value, read: result }
          current = result
        }
      })

      const admit = (tool: string, policy: Circuit.CircuitPolicy) =>
        Effect.flatMap(read(tool), (first) =>
          modify(tool, first, (state, now) =>
            Circuit.isClosed(state)
              ? Effect.succeed({ value: undefined, next: undefined })
              : Effect.map(Random.next, (random) => {
                  const admission = Circuit.admit(policy, state, now, random)
                  return admission._tag === "Admitted"
                    ? { value: undefined, next: admission.state }
                    : { value: admission.retryAfterMillis, next: undefined }
                })
          )
        )

      const record = (
        tool: string,
        policy: Circuit.CircuitPolicy,
        admitted: ReadState,
        outcome: Circuit.CircuitOutcome
      ) => {
        const { epoch } = admitted.state
        return modify(tool, admitted, (state, now) => {
          const after = Circuit.record(policy, state, epoch, outcome, now, 0)
          if (state.epoch !== epoch || (after === state && outcome === "ignored"))
            return Effect.succeed({ value: undefined, next: undefined })
          // only an opening draws a random number, so that other failures do not change the random delays of retries
          return after === state || after._tag !== "Open" || outcome !== "failure"
            ? Effect.succeed({ value: undefined, next: after })
            : Effect.map(Random.next, (random) => ({
                value: undefined,
                next: Circuit.record(policy, state, epoch, outcome, now, random)
              }))
        })
      }

      return {
        execute: (tool, policy, attempt, onRejected) =>
          Effect.uninterruptibleMask((restore) =>
            Effect.flatMap(
              restore(orElse<Admission | undefined>(admit(tool, policy), () => undefined)),
              (admission) => {
                if (admission === undefined) return restore(attempt)
                const { read, value: wait } = admission
                return wait === undefined
                  ? Effect.onExit(restore(attempt), (exit) =>
                      orElse(Effect.asVoid(record(tool, policy, read, CircuitOutcome.of(exit))), () => undefined)
                    )
                  : Effect.succeed(onRejected({ retryAfter: Duration.millis(wait) }))
              }
            )
          )
      }
    })
  )

/** Keeps circuits in the Redis of the context, with the default prefix. */
export const layer: Layer.Layer<Circuits, never, Redis.Redis> = layerWith({})
