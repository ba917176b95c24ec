/**
 * The agent loop: asks the model, runs its calls through the guard, and goes on until there is an end (SPEC 11).
 *
 * **Details**
 *
 * - Every end is a typed value (`AgentEnd`) with the transcript and the usage; a run does not fail.
 * - Each call is answered exactly once, as a tool result, in the order of the calls, whatever happened to it.
 * - The calls of a round run concurrently; equal reads run once and all are answered.
 *
 * **Example** (A run with a scripted model)
 *
 * See the README: "Two minutes".
 */
import type { Turn } from "#domain/Turn"
import { type CallEvent, CallObserver } from "#services/CallObserver"
import { CurrentTurn } from "#services/CurrentTurn"
import * as Transcript from "#domain/Transcript"
import * as Prompt from "effect/ai/Prompt"
import * as Effect from "effect/Effect"
import * as Queue from "effect/Queue"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import type { AgentEnd, Usage } from "./AgentEnd.ts"
import type { AgentEvent } from "./AgentEvent.ts"
import type { Price, Requirements, RunOptions } from "./AgentOptions.ts"
import { Guard, newTurn } from "./Guard.ts"
import * as Round from "./Round.ts"
import * as RoundEnd from "./RoundEnd.ts"
import * as Stop from "./Stop.ts"
import type { AnyTool } from "./ToolClass.ts"

export type { Price, Requirements, RunOptions } from "./AgentOptions.ts"

const noUsage: Usage = { rounds: 0, calls: 0, attempts: 0, inputTokens: 0, outputTokens: 0, cost: 0 }

/** Runs rounds until the model answers without calls, a limit is reached, the run loops, a person must decide, or it is interrupted. */
export const run = <Tools extends AnyTool>(
  options: RunOptions<Tools>
): Effect.Effect<AgentEnd, never, Requirements<Tools>> =>
  Effect.gen(function* () {
    const guard = yield* Guard
    const turn = yield* newTurn(options.turn)
    const emit = telling(options.onEvent)
    const end = yield* loop(options, guard, turn, emit).pipe(
      Effect.scoped,
      Effect.provideService(CurrentTurn, turn),
      Effect.ensuring(guard.endTurn(turn))
    )
    yield* emit({ _tag: "End", end })
    return end
  })

/** Tells an event. A listener that breaks ends no run. */
const telling =
  (onEvent: RunOptions<AnyTool>["onEvent"]) =>
  (event: AgentEvent): Effect.Effect<void> =>
    onEvent === undefined
      ? Effect.void
      : Effect.catchCause(
          Effect.suspend(() => onEvent(event)),
          (cause) => Effect.logWarning(`onEvent failed at ${event._tag}`, cause)
        )

/** The same run as a stream of events. The last one is `End`; leaving the stream early interrupts the run. */
export const stream = <Tools extends AnyTool>(
  options: RunOptions<Tools>
): Stream.Stream<AgentEvent, never, Requirements<Tools>> =>
  Stream.callback((queue) => {
    const tell = telling(options.onEvent)
    const onEvent = (event: AgentEvent) => Effect.andThen(Queue.offer(queue, event), tell(event))
    return Effect.flatMap(CallObserver, (outer) => {
      const observer = (event: CallEvent) => {
        Queue.offerUnsafe(queue, event)
        outer?.(event)
      }
      return run({ ...options, onEvent }).pipe(
        Effect.provideService(CallObserver, observer),
        Effect.andThen(Queue.end(queue)),
        Effect.asVoid
      )
    })
  })

const loop = <Tools extends AnyTool>(
  options: RunOptions<Tools>,
  guard: Guard["Service"],
  turn: Turn,
  emit: (event: AgentEvent) => Effect.Effect<void>
): Effect.Effect<AgentEnd, never, Requirements<Tools> | Scope.Scope> =>
  Effect.gen(function* () {
    const stop = yield* Stop.watch(options)
    const mended = (prompt: Prompt.Prompt, round: number) => {
      const { changes, prompt: transcript } = Transcript.repair(prompt)
      if (changes.length === 0) return Effect.succeed(transcript)
      return Effect.as(emit({ _tag: "HistoryRepaired", round, changes }), transcript)
    }
    let transcript = yield* mended(Prompt.make(options.prompt), 1)
    let usage = noUsage
    let failures = 0
    for (const text of userTexts(transcript)) yield* guard.saw(turn, text)
    while (true) {
      const limit = limitReached(options, usage)
      if (limit !== undefined) return { _tag: "LimitReached", limit, transcript, usage }
      const stopped = yield* Stop.stopped(stop)
      if (stopped !== undefined) return { ...RoundEnd.stopped(stopped), transcript, usage }
      const round = usage.rounds + 1
      yield* emit({ _tag: "RoundStarted", round })
      const made = yield* Round.make({ options, guard, turn, emit, round, transcript, stop })
      transcript = yield* mended(made.transcript, round)
      usage = add(usage, made.spent, options.price)
      yield* emit({ _tag: "RoundEnded", round, usage })
      failures = made.result._tag === "Failed" ? failures + 1 : 0
      const end = yield* RoundEnd.decide(made, { guard, turn, emit, round, stop, failures })
      if (end !== undefined) return { ...end, transcript, usage }
    }
  })

type Limits = Pick<RunOptions<AnyTool>, "maxCost" | "maxRounds" | "maxTokens">

const limitReached = (
  { maxCost = Infinity, maxRounds = 50, maxTokens = Infinity }: Limits,
  usage: Usage
): "rounds" | "tokens" | "cost" | undefined =>
  usage.rounds >= maxRounds
    ? "rounds"
    : usage.inputTokens + usage.outputTokens >= maxTokens
      ? "tokens"
      : usage.cost >= maxCost
        ? "cost"
        : undefined

const add = (usage: Usage, spent: Round.Spent, price: Price | undefined): Usage => ({
  rounds: usage.rounds + 1,
  calls: usage.calls + spent.calls,
  attempts: usage.attempts + spent.attempts,
  inputTokens: usage.inputTokens + spent.inputTokens,
  outputTokens: usage.outputTokens + spent.outputTokens,
  cost:
    price === undefined
      ? 0
      : usage.cost +
        (spent.inputTokens * price.inputPerMillion + spent.outputTokens * price.outputPerMillion) / 1_000_000
})

/** What the conversation has shown so far: ids in it may be used. */
const userTexts = (prompt: Prompt.Prompt): ReadonlyArray<string> =>
  prompt.content
    .filter(({ role }) => role !== "assistant")
    .map(({ content }) => (typeof content === "string" ? content : JSON.stringify(content)))
