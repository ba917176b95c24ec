/**
 * Shares circuits between processes through Redis: one state of `Circuit` for each tool [4.11].
 *
 * **Details**
 *
 * - Each attempt reads the state, and each counted outcome changes it. The steps that wait while a process exchanges the
 *   state with Redis are made together in its next exchange, so that a crowd of callers needs few of them.
 * - A change is written only if the state has not changed since it was read; otherwise the steps are made again from the
 *   new state. After 20 conflicts, the change is dropped.
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
import * as Timeout from "#layers/internal/stores/Timeout"

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
 * Writes `after` if the stored state is `before` and the caller's time is right within a second. Returns whether it wrote,
 * the stored state, and the time of Redis. With an empty `after` it only reads.
 */
const swapScript = Redis.script((key: string, ...args: readonly [string, string, number, number]) => [key, ...args], {
  numberOfKeys: 1,
  lua: `
local time = redis.call("TIME")
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local state = redis.call("GET", KEYS[1]) or ""
local written = "0"
if ARGV[2] ~= "" and state == ARGV[1] and math.abs(now - ARGV[4]) <= 1000 then
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

/** The decision about an attempt: the wait in milliseconds if it is rejected, and the epoch in which it was made. */
interface Admission {
  readonly value: number | undefined
  readonly epoch: number
}

/** The result of a step from a state. */
interface Step {
  readonly value: number | undefined
  /** The next state; the same if nothing needs to be written. */
  readonly next: Circuit.CircuitState
}

/** A step that waits for an exchange. */
interface Waiting {
  readonly step: (state: Circuit.CircuitState, now: number) => Step
  /** Returns the step that gives the admission back if its caller was interrupted; absent for an outcome. */
  readonly undone?: (epoch: number) => Waiting["step"]
  readonly resume: (result: Effect.Effect<Admission, unknown>) => void
  isInterrupted: boolean
}

/** The steps of a tool that wait, and the state as it was last read. */
interface Exchange {
  readonly waiting: Array<Waiting>
  known: ReadState
  isRunning: boolean
}

const unread = (): ReadState => ({ text: "", state: Circuit.closed, ahead: 0 })

/** Keeps circuits in the Redis of the context. */
export const layerWith = ({ prefix = "toolguard:" }: CircuitsRedisOptions): Layer.Layer<Circuits, never, Redis.Redis> =>
  Layer.effect(
    Circuits,
    Effect.gen(function* () {
      const redis = yield* Redis.Redis
      const orElse = yield* Fallback.make("Every attempt runs in the meantime.")
      const script = redis.eval(swapScript)

      const swap = Effect.fnUntraced(function* (
        tool: string,
        before: string,
        after: string,
        millis: number,
        at: number
      ) {
        const [written, text, now] = yield* script(`${prefix}circuits:${tool}`, before, after, millis, Math.round(at))
        const local = yield* Clock.currentTimeMillis
        return { isWritten: written === "1", text, state: stateOf(text), ahead: Number(now) - local }
      })

      const context = yield* Effect.context<never>()
      const exchanges = new Map<string, Exchange>()

      /** Makes the steps from the state as it is in Redis. Fails if Redis does not respond. */
      const exchanged = Effect.fnUntraced(function* (tool: string, exchange: Exchange, steps: ReadonlyArray<Waiting>) {
        for (let conflicts = 0; ; conflicts += 1) {
          const { known } = exchange
          const now = (yield* Clock.currentTimeMillis) + known.ahead
          let state = known.state
          const admissions = steps.map(({ step }) => {
            const { next, value } = step(state, now)
            state = next
            return { value, epoch: next.epoch }
          })
          const isChanged = state !== known.state
          const open = "until" in state ? Math.max(0, state.until - now) : 0
          const after = isChanged ? JSON.stringify(state) : ""
          const result = yield* swap(tool, known.text, after, Math.ceil(open + idleMillis), now)
          exchange.known = result
          const isOnTime = Math.abs(result.ahead - known.ahead) <= 1_000
          const isCurrent = isChanged ? result.isWritten : isOnTime && result.text === known.text
          if (isCurrent || conflicts === maxConflicts) return admissions
        }
      })

      /** Makes the steps that wait, until none does. */
      const run = (tool: string, exchange: Exchange): Effect.Effect<void> =>
        Effect.suspend(() => {
          const steps = exchange.waiting.splice(0).filter(({ isInterrupted }) => !isInterrupted)
          if (steps.length === 0) {
            exchange.isRunning = false
            return Effect.void
          }
          return Effect.matchCauseEffect(Timeout.within(exchanged(tool, exchange, steps), Duration.seconds(1)), {
            onSuccess: (admissions) =>
              Effect.sync(() => {
                for (const [index, { isInterrupted, resume, undone }] of steps.entries()) {
                  const admission = admissions[index] as Admission // every step has one
                  resume(Effect.succeed(admission))
                  if (isInterrupted && undone !== undefined && admission.value === undefined)
                    exchange.waiting.unshift({
                      step: undone(admission.epoch),
                      resume: () => undefined,
                      isInterrupted: false
                    })
                }
              }),
            onFailure: (cause) =>
              Effect.sync(() => {
                for (const { resume } of steps) resume(Effect.failCause(cause))
              })
          }).pipe(Effect.andThen(run(tool, exchange)))
        })

      const modify = (tool: string, made: Pick<Waiting, "step" | "undone">): Effect.Effect<Admission, unknown> =>
        Effect.callback((resume) => {
          const exchange = exchanges.get(tool) ?? { waiting: [], known: unread(), isRunning: false }
          exchanges.set(tool, exchange)
          const waiting: Waiting = { ...made, resume, isInterrupted: false }
          exchange.waiting.push(waiting)
          const interrupted = Effect.sync(() => {
            waiting.isInterrupted = true
          })
          if (exchange.isRunning) return interrupted
          exchange.isRunning = true
          Effect.runForkWith(context)(run(tool, exchange))
          return interrupted
        })
      /** Makes a step with the random numbers of the caller. */
      const withRandom = (tool: string, made: (random: () => number) => Pick<Waiting, "step" | "undone">) =>
        Effect.flatMap(Random.Random, (random) =>
          modify(
            tool,
            made(() => random.nextDoubleUnsafe())
          )
        )

      return {
        execute: (tool, policy, attempt, onRejected) => {
          const admission = orElse<Admission | undefined>(
            withRandom(tool, (random) => ({
              step: admit(policy, random),
              undone: (epoch) => record(policy, epoch, "ignored", random)
            })),
            () => undefined
          )
          return Effect.uninterruptibleMask((restore) =>
            Effect.flatMap(restore(admission), (admitted) => {
              if (admitted === undefined) return restore(attempt)
              const { epoch, value: wait } = admitted
              return wait === undefined
                ? Effect.onExit(restore(attempt), (exit) => {
                    const step = withRandom(tool, (random) => ({
                      step: record(policy, epoch, CircuitOutcome.of(exit), random)
                    }))
                    return orElse(Effect.asVoid(step), () => undefined)
                  })
                : Effect.succeed(onRejected({ retryAfter: Duration.millis(wait) }))
            })
          )
        }
      }
    })
  )

const admit =
  (policy: Circuit.CircuitPolicy, random: () => number): Waiting["step"] =>
  (state, now) => {
    if (Circuit.isClosed(state)) return { value: undefined, next: state }
    const admission = Circuit.admit(policy, state, now, random())
    return admission._tag === "Admitted"
      ? { value: undefined, next: admission.state }
      : { value: admission.retryAfterMillis, next: state }
  }

const record =
  (
    policy: Circuit.CircuitPolicy,
    epoch: number,
    outcome: Circuit.CircuitOutcome,
    random: () => number
  ): Waiting["step"] =>
  (state, now) => {
    const after = Circuit.record(policy, state, epoch, outcome, now, 0)
    // only an opening draws a random number, so that other failures do not change the random delays of retries
    return after === state || after._tag !== "Open" || outcome !== "failure"
      ? { value: undefined, next: after }
      : { value: undefined, next: Circuit.record(policy, state, epoch, outcome, now, random()) }
  }

/** Keeps circuits in the Redis of the context, with the default prefix. */
export const layer: Layer.Layer<Circuits, never, Redis.Redis> = layerWith({})
