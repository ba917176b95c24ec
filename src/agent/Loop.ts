/** The loop of a run: executes rounds until the run ends. */
import type { Turn } from "#domain/turn/Turn"
import * as IncrementalRepair from "#domain/transcript/IncrementalRepair"
import * as Transcript from "#domain/transcript/Transcript"
import * as Prompt from "effect/ai/Prompt"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"
import type { AgentEnd } from "./AgentEnd.ts"
import type { AgentEvent } from "./AgentEvent.ts"
import type { Requirements, RunOptions } from "./AgentOptions.ts"
import { compacting } from "./RunCompaction.ts"
import { equip } from "./RunTools.ts"
import type { GuardedTurn } from "#src/guard/Guard"
import * as Round from "./Round.ts"
import * as RoundEnd from "./RoundEnd.ts"
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
  /** What ends the run from outside. Default: from the options. */
  readonly stop?: Stop.Stop
}

/** Executes the run from its first round to its end. */
export const loop = <Tools extends AnyTool>({
  emit,
  guard,
  options: given,
  steps,
  stop: stopping,
  turn
}: Run<Tools>): Effect.Effect<AgentEnd, never, Requirements<Tools> | Scope.Scope> =>
  Effect.gen(function* () {
    const stop = stopping ?? (yield* Stop.watch(given))
    const equipped = equip(given.tools, guard)
    const options = { ...given, tools: equipped.tools }
    const compacted = compacting(given.compaction, { guard, turn, emit, steps, stop })
    const reader = yield* Layer.build(equipped.layer)
    const mended = ({ changes, prompt }: Transcript.Repaired, round: number) =>
      changes.length === 0
        ? Effect.succeed(prompt)
        : Effect.as(emit({ _tag: "HistoryRepaired", round, changes }), prompt)
    let transcript = yield* mended(Transcript.repair(Prompt.make(options.prompt)), 1)
    const seenIds = new Set(Transcript.callIds(transcript))
    let looked = 0
    let usage = Spending.none
    let failures = 0
    for (const text of userTexts(transcript)) yield* guard.saw(turn, text)
    while (true) {
      const limit = Spending.limitReached(options, usage)
      if (limit !== undefined) return { _tag: "LimitReached", limit, transcript, usage }
      const stopped = yield* Stop.stopped(stop)
      if (stopped !== undefined) return { ...RoundEnd.stopped(stopped), transcript, usage }
      const round = usage.rounds + 1
      yield* emit({ _tag: "RoundStarted", round })
      const before = yield* compacted(transcript, round)
      const offered = equipped.offered(before, before === transcript ? looked : 0)
      looked = before.content.length
      const context = { options, offered, guard, turn, emit, round, transcript: before, seenIds, stop, steps }
      const made = yield* Effect.provide(Round.make(context), reader)
      transcript = yield* mended(IncrementalRepair.repair(made.transcript, before), round)
      for (const id of Transcript.callIds(transcript, before.content.length)) seenIds.add(id)
      usage = Spending.add(usage, made.spent, options.price)
      const { model } = made.spent
      yield* emit({ _tag: "RoundEnded", round, usage, ...(model === undefined ? {} : { model }) })
      failures = made.result._tag === "Failed" ? failures + 1 : 0
      const decided = RoundEnd.decide(made, { guard, turn, emit, round, stop, failures, steps })
      const end = yield* steps.ended(round, decided)
      if (end !== undefined) return { ...end, transcript, usage }
    }
  })

/** The texts that the conversation has shown so far: ids in them may be used. */
const userTexts = (prompt: Prompt.Prompt): ReadonlyArray<string> =>
  prompt.content
    .filter(({ role }) => role !== "assistant")
    .map(({ content }) => (typeof content === "string" ? content : JSON.stringify(content)))
