/** Executes the rounds of a run until the run ends. */
import * as PersonAnswer from "#domain/approval/PersonAnswer"
import { isModelMistake } from "#domain/classification/ModelFailure"
import type { Turn } from "#domain/turn/Turn"
import { Drain } from "#services/Drain"
import * as IncrementalRepair from "#domain/transcript/IncrementalRepair"
import * as Transcript from "#domain/transcript/Transcript"
import * as Prompt from "effect/ai/Prompt"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"
import type { AgentEnd, EndDecision } from "./AgentEnd.ts"
import type { AgentEvent } from "./AgentEvent.ts"
import type { Requirements, RunOptions } from "./AgentOptions.ts"
import { compacting } from "./RunCompaction.ts"
import { traced } from "./RunSpan.ts"
import * as RunTools from "./RunTools.ts"
import type { GuardedTurn } from "#src/guard/Guard"
import * as Round from "./Round.ts"
import * as RoundEnd from "./RoundEnd.ts"
import * as RunNotice from "./RunNotice.ts"
import * as Spending from "./RunUsage.ts"
import type { Steps } from "./Steps.ts"
import * as Stop from "./Stop.ts"
import type { AnyTool } from "#src/tool/ToolClass"

/** The context of a run. */
interface Run<Tools extends AnyTool> {
  readonly options: RunOptions<Tools>
  readonly guard: GuardedTurn["Service"]
  readonly turn: Turn
  readonly emit: (event: AgentEvent) => Effect.Effect<void>
  readonly steps: Steps
  /** Completes when the run must stop. Default: derived from the options. */
  readonly stop?: Stop.Stop
}

/** Executes the run from its first round to its end, inside its span. */
export const loop = <Tools extends AnyTool>(
  run: Run<Tools>
): Effect.Effect<AgentEnd, never, Requirements<Tools> | Scope.Scope> => traced(run.turn, rounds(run))

const rounds = <Tools extends AnyTool>({
  emit,
  guard,
  options: runOptions,
  steps,
  stop: runStop,
  turn
}: Run<Tools>): Effect.Effect<AgentEnd, never, Requirements<Tools> | Scope.Scope> =>
  Effect.gen(function* () {
    const stop = runStop ?? (yield* Stop.watch(runOptions))
    const drain = yield* guard.policy(Drain)
    const runTools = RunTools.make(runOptions.tools, guard)
    const options = { ...runOptions, tools: runTools.tools }
    const compact = compacting(runOptions.compaction, { guard, turn, emit, steps, stop })
    const readResult = yield* Layer.build(runTools.layer)
    const emitRepair = ({ changes, prompt }: Transcript.RepairedTranscript, round: number) =>
      changes.length === 0
        ? Effect.succeed(prompt)
        : Effect.as(emit({ _tag: "HistoryRepaired", round, changes }), prompt)
    let transcript = yield* emitRepair(Transcript.repair(Prompt.make(options.prompt)), 1)
    const seenIds = new Set(Transcript.callIds(transcript))
    let scanned = 0
    let usage = Spending.none
    let mistakes = 0
    for (const text of foreignTexts(transcript)) yield* guard.saw(turn, text)
    /** Returns the end of the run. At a limit, informs a person first if the escalation policy says so. */
    const endWith = (decided: EndDecision) =>
      Effect.as(
        decided._tag === "LimitReached"
          ? RunNotice.limitReached(decided.limit, { guard, turn, round: Math.max(1, usage.rounds), steps })
          : Effect.void,
        { ...decided, transcript, usage }
      )
    while (true) {
      const limit = Spending.limitReached(options, usage)
      if (limit !== undefined) return yield* endWith({ _tag: "LimitReached", limit })
      const stopped = yield* Stop.stopped(stop)
      if (stopped !== undefined) return yield* endWith(RoundEnd.stopped(stopped))
      if (drain?.isDraining() === true) {
        if (typeof steps.atShutdown === "object") return yield* steps.atShutdown.handOver
        return yield* endWith({ _tag: "Interrupted" })
      }
      const round = usage.rounds + 1
      yield* emit({ _tag: "RoundStarted", round })
      const before = yield* compact(transcript, round)
      const offered = runTools.offered(before, before === transcript ? scanned : 0)
      scanned = before.content.length
      const context = { options, offered, guard, turn, emit, round, transcript: before, seenIds, stop, steps, drain }
      const result = yield* Effect.provide(Round.make(context), readResult)
      transcript = yield* emitRepair(IncrementalRepair.repair(result.transcript, before), round)
      for (const id of Transcript.callIds(transcript, before.content.length)) seenIds.add(id)
      usage = Spending.add(usage, result.spent, options.price)
      const { model } = result.spent
      yield* emit({ _tag: "RoundEnded", round, usage, ...(model === undefined ? {} : { model }) })
      if (result.result._tag !== "Failed") mistakes = 0
      // a failure of the provider is not a response of the model
      else if (isModelMistake(result.result.error)) mistakes += 1
      const messages: Array<string> = []
      const onAnswer = (answer: PersonAnswer.PersonAnswer) => void messages.push(PersonAnswer.messageOf(answer))
      const decided = RoundEnd.decide(result, { guard, turn, emit, round, stop, mistakes, steps, drain, onAnswer })
      const end = yield* steps.end(round, decided)
      if (end !== undefined) return yield* endWith(end)
      for (const text of messages) {
        yield* guard.saw(turn, text)
        transcript = Prompt.concat(transcript, text)
      }
    }
  })

/** Returns the texts that the model did not write. Ids that occur in them have a known origin. */
const foreignTexts = (prompt: Prompt.Prompt): ReadonlyArray<string> =>
  prompt.content
    .filter(({ role }) => role !== "assistant")
    .map(({ content }) => (typeof content === "string" ? content : JSON.stringify(content)))
