/**
 * Budgets in this process, dropped at the end of their turn.
 *
 * At most 10,000 turns of each tenant are kept, and 100,000 in all. Beyond a limit, the least recently used turn is
 * forgotten. If it makes another call, its budgets start again. Approvals, denials of a person and idempotency keys are
 * not affected, because they are not kept here.
 */
import * as Budget from "#domain/turn/Budget"
import * as Turn from "#domain/turn/Turn"
import { Budgets } from "#services/Budgets"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as TurnStates from "#layers/internal/stores/TurnStates"

export const layer: Layer.Layer<Budgets> = Layer.sync(Budgets, () => {
  const turns = TurnStates.make({ keyOf: Turn.key, initial: () => Budget.empty })
  return {
    isShared: false,
    spend: (turn, key, limit, spender) => turns.modify(turn, (budget) => Budget.spend(budget, key, limit, spender)),
    settle: (turn, key, settlement) => turns.modify(turn, (budget) => Budget.settle(budget, key, settlement)),
    refund: (turn, key, isRepeat) => turns.modify(turn, (budget) => [undefined, Budget.refund(budget, key, isRepeat)]),
    progress: (turn, key) => turns.modify(turn, (budget) => [undefined, Budget.progress(budget, key)]),
    end: (turn) => Effect.sync(() => turns.end(turn))
  }
})
