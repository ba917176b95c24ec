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
import { CallObserver } from "#services/CallObserver"
import { CurrentTurn } from "#services/CurrentTurn"
import * as Transcript from "#domain/Transcript"
import * as Prompt from "effect/ai/Prompt"
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Queue from "effect/Queue"
import * as Stream from "effect/Stream"
import type { AgentEnd, Usage } from "./AgentEnd.ts"
import type { AgentEvent } from "./AgentEvent.ts"
import type { Price, Requirements, RunOptions } from "./AgentOptions.ts"
import { Guard, newTurn } from "./Guard.ts"
import * as Round from "./Round.ts"
import * as RoundEnd from "./RoundEnd.ts"
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
    const emit = options.onEvent ?? (() => Effect.void)
    const end = yield* loop(options, guard, turn, emit).pipe(
      Effect.provideService(CurrentTurn, turn),
      Effect.ensuring(guard.endTurn(turn))
    )
    yield* emit({ _tag: "End", end })
    return end
  })

/** The same run as a stream of events. The last one is `End`; leaving the stream early interrupts the run. */
export const stream = <Tools extends AnyTool>(
  options: RunOptions<Tools>
): Stream.Stream<AgentEvent, never, Requirements<Tools>> =>
  Stream.callback((queue) => {
    const onEvent = (event: AgentEvent) =>
      Effect.andThen(options.onEvent?.(event) ?? Effect.void, Effect.asVoid(Queue.offer(queue, event)))
    const observer = (event: AgentEvent) => {
      Queue.offerUnsafe(queue, event)
    }
    return run({ ...options, onEvent }).pipe(
      Effect.provideService(CallObserver, observer),
      Effect.andThen(Queue.end(queue)),
      Effect.asVoid
    )
  })

const loop = <Tools extends AnyTool>(
  options: RunOptions<Tools>,
  guard: Guard["Service"],
  turn: Turn,
  emit: (event: AgentEvent) => Effect.Effect<void>
): Effect.Effect<AgentEnd, never, Requirements<Tools>> =>
  Effect.gen(function* () {
    const startedAt = yield* Clock.currentTimeMillis
    const deadline =
      options.maxTime === undefined
        ? Infinity
        : startedAt + Duration.toMillis(Duration.fromInputUnsafe(options.maxTime))
    let transcript = Prompt.make(options.prompt)
    let usage = noUsage
    for (const text of userTexts(transcript)) yield* guard.saw(turn, text)
    while (true) {
      const limit = limitReached(options, usage, deadline - (yield* Clock.currentTimeMillis))
      if (limit !== undefined) return { _tag: "LimitReached", limit, transcript, usage }
      const round = usage.rounds + 1
      const repaired = Transcript.repair(transcript)
      if (repaired.changes.length > 0) yield* emit({ _tag: "HistoryRepaired", round, changes: repaired.changes })
      transcript = repaired.prompt
      yield* emit({ _tag: "RoundStarted", round })
      const made = yield* Round.make({ options, guard, turn, emit, round, transcript, deadline })
      transcript = made.transcript
      usage = add(usage, made.spent, options.price)
      yield* emit({ _tag: "RoundEnded", round, usage })
      const end = yield* RoundEnd.decide(made, { guard, turn, emit, round })
      if (end !== undefined) return { ...end, transcript, usage }
    }
  })

type Limits = Pick<RunOptions<AnyTool>, "maxCost" | "maxRounds" | "maxTokens">

const limitReached = (
  { maxCost = Infinity, maxRounds = 50, maxTokens = Infinity }: Limits,
  usage: Usage,
  millisLeft: number
): "rounds" | "tokens" | "time" | "cost" | undefined =>
  usage.rounds >= maxRounds
    ? "rounds"
    : usage.inputTokens + usage.outputTokens >= maxTokens
      ? "tokens"
      : usage.cost >= maxCost
        ? "cost"
        : millisLeft <= 0
          ? "time"
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
