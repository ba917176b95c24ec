/**
 * The agent loop: asks the model, runs its calls through the guard, and repeats until the run ends [11.1].
 *
 * **Details**
 *
 * - Every end is a typed value (`AgentEnd`) with the transcript and the usage; a run does not fail.
 * - Each call is answered exactly once, as a tool result, in the order of the calls, whatever happens to it.
 * - The calls of a round run concurrently; identical reads run once and all are answered.
 */
import { both, type CallEvent, CallObserver } from "#services/CallObserver"
import { CurrentTurn } from "#services/CurrentTurn"
import { Drain } from "#services/Drain"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import type { AgentEnd } from "./AgentEnd.ts"
import type { AgentEvent } from "./AgentEvent.ts"
import { checkSettings, emitterOf, type Requirements, type RunOptions } from "./AgentOptions.ts"
import * as EventBuffer from "./EventBuffer.ts"
import { GuardedTurn, newTurn } from "#src/guard/Guard"
import { loop } from "./Loop.ts"
import * as RunTools from "./RunTools.ts"
import { live } from "./Steps.ts"
import { withdrawing } from "./Withdrawal.ts"
import type { AnyTool } from "#src/tool/ToolClass"

export type { Price, Prices, PriceTable, Requirements, RunOptions } from "./AgentOptions.ts"
export { checkpointed, type CheckpointOptions, resume, type ResumeOptions } from "./CheckpointedRun.ts"

/**
 * Runs rounds until the run ends (`AgentEnd`). Dies with a `RangeError` if options are not valid or contradict each
 * other [2.12].
 */
export const run = <Tools extends AnyTool>(
  options: RunOptions<Tools>
): Effect.Effect<AgentEnd, never, Requirements<Tools>> =>
  Effect.gen(function* () {
    const guard = yield* GuardedTurn
    yield* RunTools.admit(options.tools, guard)
    checkSettings(options)
    const turn = yield* newTurn(options.turn)
    const emit = emitterOf(options.onEvent)
    const drain = yield* guard.policy(Drain)
    const executed = loop({ options, guard, turn, emit, steps: live }).pipe(
      Effect.scoped,
      withdrawing({ withdraw: guard.withdraw(turn), isNamed: options.turn?.conversation !== undefined }),
      Effect.provideService(CurrentTurn, turn),
      Effect.ensuring(guard.endTurn(turn)),
      Effect.tap((end) => emit({ _tag: "End", end }))
    )
    return yield* drain === undefined ? executed : drain.track(executed, "a run")
  })

/** How many events can wait for a slow reader. Default: 256 events and 65,536 characters of text. */
export type Buffer = Partial<EventBuffer.BufferLimits>

/**
 * Returns the same run as a stream of events. The last event is `End`. Closing the stream early interrupts the run and
 * its handlers.
 *
 * A slow reader slows the run: pieces of text are joined, and other events wait for room, except events inside calls. See
 * `buffer`.
 */
export const stream = <Tools extends AnyTool>({
  buffer,
  ...options
}: RunOptions<Tools> & { readonly buffer?: Buffer }): Stream.Stream<AgentEvent, never, Requirements<Tools>> => {
  const observe = emitterOf(options.onEvent)
  return streamOf(
    (emit) => run({ ...options, onEvent: (event) => Effect.andThen(emit(event), observe(event)) }),
    buffer
  )
}

/**
 * Returns any run as a stream of its events, for example a run with a journal:
 * `Agent.streamOf((onEvent) => Agent.checkpointed({ ...options, onEvent }))`. The stream fails as the run does.
 */
export const streamOf = <E, R>(
  run: (onEvent: (event: AgentEvent) => Effect.Effect<void>) => Effect.Effect<unknown, E, R>,
  buffer?: Buffer
): Stream.Stream<AgentEvent, E, R> =>
  Stream.unwrap(
    Effect.gen(function* () {
      const eventBuffer = EventBuffer.make<E>({ ...EventBuffer.defaults, ...buffer })
      const outer = yield* CallObserver
      const observer = both(outer, (event: CallEvent) => void eventBuffer.offerUnsafe(event))
      yield* run(eventBuffer.offer).pipe(
        Effect.provideService(CallObserver, observer),
        Effect.onExit(eventBuffer.end),
        Effect.forkScoped({ startImmediately: true })
      )
      return Stream.fromPull(Effect.succeed(eventBuffer.take))
    })
  )
