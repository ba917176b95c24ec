/**
 * Shortens old results when a run's conversation exceeds the limit of its compaction, and stores the whole results as
 * artifacts [9.3].
 */
import * as Compaction from "#domain/transcript/Compaction"
import type * as Prompt from "effect/ai/Prompt"
import * as Effect from "effect/Effect"
import type { RoundContext } from "./RoundCalls.ts"
import * as Stop from "./Stop.ts"
import type { AnyTool } from "#src/tool/ToolClass"

type Context = Pick<RoundContext<AnyTool>, "emit" | "guard" | "steps" | "stop" | "turn">

/**
 * Compacts the conversation before a round.
 *
 * A result that cannot be stored stays in the conversation. The next round tries again.
 */
export const compacting = (
  compaction: Compaction.Options | undefined,
  { emit, guard, steps, stop, turn }: Context
): ((prompt: Prompt.Prompt, round: number) => Effect.Effect<Prompt.Prompt>) => {
  if (compaction === undefined) return Effect.succeed
  const planner = Compaction.planner(compaction)
  const textOf = (shortening: Compaction.Shortening): Effect.Effect<string | undefined> => {
    const { callId, text, whole } = shortening
    if (whole === undefined || !guard.isKeeping) return Effect.sync(() => text(undefined))
    return Effect.map(steps.keep(callId, guard.keep(turn, whole.value)), (url) =>
      url === undefined ? undefined : text(url)
    )
  }
  const compact = (prompt: Prompt.Prompt, round: number) =>
    Effect.gen(function* () {
      const texts = new Map<string, string>()
      for (const shortening of planner.plan(prompt)) {
        const text = yield* textOf(shortening)
        if (text !== undefined) texts.set(shortening.callId, text)
      }
      if (texts.size === 0) return prompt
      const compacted = Compaction.replace(prompt, texts)
      const [tokensBefore, tokensAfter] = [planner.tokens(prompt), planner.tokens(compacted)]
      yield* emit({ _tag: "Compacted", round, callIds: [...texts.keys()], tokensBefore, tokensAfter })
      return compacted
    })
  return (prompt, round) =>
    Stop.until(stop, compact(prompt, round)).pipe(
      Effect.map((compacted) => (compacted._tag === "Done" ? compacted.value : prompt)),
      // an `estimate` function that throws must not end the run
      Effect.catchDefect((defect) =>
        Effect.as(Effect.logWarning("The conversation could not be compacted", defect), prompt)
      )
    )
}
