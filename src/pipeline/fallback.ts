/**
 * [4.12] Tries the declared alternatives in order, where the tool itself cannot answer and nothing has happened.
 *
 * Each alternative is a guarded call of its own. Never after a denial, a pending approval or `unauthorized`, and none
 * after one that did something or may have.
 */
import type { Failed, Outcome } from "#domain/Outcome"
import type { Fallback } from "#domain/ToolDefinition"
import * as Effect from "effect/Effect"
import * as Call from "./Call.ts"
import type { Stage } from "./Stage.ts"

export const fallback: Stage = {
  name: "fallback",
  make: Effect.succeed((tool, dispatch) => (next) => {
    const { fallbacks } = tool.definition
    if (fallbacks.length === 0) return next
    return (call) =>
      Effect.flatMap(next(call), (first) => {
        if (!isReplaceable(first)) return Effect.succeed(first)
        const attempt = (index: number): Effect.Effect<Outcome> => {
          const alternative = fallbacks[index]
          if (alternative === undefined) {
            return Effect.succeed({ ...(first as Failed), tried: fallbacks.map(({ tool: { toolName } }) => toolName) })
          }
          const name = alternative.tool.toolName
          Call.decide(call, "fallback", "tried", name)
          const args = mapped(alternative, call)
          if (args === undefined) return attempt(index + 1)
          return Effect.flatMap(dispatch(alternative.tool, args.value, call, "alternative"), (outcome) =>
            isFinal(outcome)
              ? Effect.succeed({ ...outcome, usedFallback: outcome.usedFallback ?? name })
              : attempt(index + 1)
          )
        }
        return attempt(0)
      })
  })
}

const isReplaceable = (outcome: Outcome): boolean => {
  if (outcome._tag === "Success" || outcome.failure.sideEffect !== "none") return false
  switch (outcome.failure._tag) {
    case "Permanent":
      return outcome.failure.code !== "unauthorized" && outcome.failure.code !== "store_unavailable"
    case "Transient":
      return outcome.failure.code !== "in_progress" // the same action is running: another way would do it twice
    case "SchemaMismatch":
      return true
    default:
      return false
  }
}

/** An answer, something that was or may have been done, or a person's word: no other alternative is tried after it. */
const isFinal = (outcome: Outcome): boolean =>
  outcome._tag === "Success" ||
  outcome.failure._tag === "PartialData" ||
  outcome.failure.sideEffect !== "none" ||
  decisions.has(outcome.failure.code)

const decisions: ReadonlySet<string> = new Set(["approval_denied", "approval_expired", "requires_human_approval"])

/** The alternative's arguments; undefined where its mapping throws. */
const mapped = (alternative: Fallback, call: Call.Call): { readonly value: unknown } | undefined => {
  try {
    return { value: alternative.arguments(call.arguments) }
  } catch {
    Call.decide(call, "fallback", "failed", `the mapping to ${alternative.tool.toolName} failed`)
    return undefined
  }
}
