/**
 * [4.7, 12.2] The budget of a run that is gone on with: what its answered calls have spent is counted again.
 *
 * The attempts of a call before its last one have failed, since it was tried again.
 */
import type { Outcome } from "#domain/call/Outcome"
import type { Turn } from "#domain/turn/Turn"
import type { Budgets } from "#services/Budgets"
import * as Effect from "effect/Effect"
import { compared, isProgress, limitOf } from "#pipeline/stages/budget"
import type { CompiledTool } from "#pipeline/call/CompiledTool"
import type { Sha256 } from "#pipeline/record/Digests"
import { refuse } from "#pipeline/call/Refusal"

/** Counts the units of one call, and what it came to. A store that does not answer counts nothing. */
export const recount = (
  { budgets, sha256 }: { readonly budgets: Budgets["Service"]; readonly sha256: Sha256 },
  turn: Turn,
  tool: CompiledTool,
  { key, units }: { readonly key: string; readonly units: number },
  outcome: Outcome
): Effect.Effect<void> => {
  const { definition } = tool
  const limit = limitOf(definition)
  const answered = compared(tool, outcome, sha256, "")
  const tried = refuse({ name: definition.name, traceId: "" }, "interrupted", { detail: "It was tried again." })
  const spend = (unit: number) =>
    Effect.flatMap(budgets.spend(turn, key, limit), (spending) => {
      if (spending._tag === "Exhausted") return Effect.void
      const outcome = unit === units ? answered : tried
      const isLast = unit === units && (spending.remaining === 0 || limit.onlyAfterTransient)
      return Effect.asVoid(budgets.settle(turn, key, { outcome, digest: outcome.digest ?? "", isLast }))
    })
  const all = Effect.forEach(
    Array.from({ length: units }, (_, index) => index + 1),
    spend,
    { discard: true }
  )
  return Effect.ignore(
    Effect.andThen(all, isProgress(definition, answered) ? budgets.progress(turn, key) : Effect.void)
  )
}
