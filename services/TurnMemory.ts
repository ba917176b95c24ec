/**
 * What is remembered of a turn (failures to recall, results, denials) and of a conversation (loops, what was seen).
 *
 * The rules are pure folds in `src/domain`; a layer only stores their states. Both `modify` functions are atomic.
 */
import type { LoopState } from "#domain/loop/LoopDetector"
import type { Turn } from "#domain/turn/Turn"
import type { TurnHistory } from "#domain/turn/TurnHistory"
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"

export class TurnMemory extends Context.Service<
  TurnMemory,
  {
    readonly modifyTurn: <A>(turn: Turn, f: (history: TurnHistory) => readonly [A, TurnHistory]) => Effect.Effect<A>
    readonly modifyLoop: <A>(turn: Turn, f: (state: LoopState) => readonly [A, LoopState]) => Effect.Effect<A>
    /** Forgets the turn; what belongs to the conversation stays. */
    readonly endTurn: (turn: Turn) => Effect.Effect<void>
    /** Remembers a text that the conversation has shown to the model. */
    readonly saw: (turn: Turn, text: string) => Effect.Effect<void>
    /** Whether a value stands in any text of the conversation. */
    readonly hasSeen: (turn: Turn, value: string) => Effect.Effect<boolean>
  }
>()("effect-toolguard/TurnMemory") {}
