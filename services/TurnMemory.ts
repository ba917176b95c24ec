/**
 * Stores the history of a turn (failures to recall, results, denials) and of a conversation (loops, texts that the
 * model saw).
 *
 * The rules are pure functions in `src/domain`, and a layer only stores their states. Both `modify` functions are
 * atomic.
 *
 * Contract: `test/contracts/TurnMemory.ts`.
 */
import type { LoopState } from "#domain/loop/LoopDetector"
import type { Turn } from "#domain/turn/Turn"
import type { TurnHistory } from "#domain/turn/TurnHistory"
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"

export class TurnMemory extends Context.Service<
  TurnMemory,
  {
    /**
     * False if the state is only in this process, where tools with the same id can be kept apart. Default true [2.10].
     */
    readonly isShared?: boolean
    /** Changes the history of the turn by `f`, and returns the first element of its pair. */
    readonly modifyTurn: <A>(turn: Turn, f: (history: TurnHistory) => readonly [A, TurnHistory]) => Effect.Effect<A>
    /** Changes the loop detector of the conversation by `f`, and returns the first element of its pair. */
    readonly modifyLoop: <A>(turn: Turn, f: (state: LoopState) => readonly [A, LoopState]) => Effect.Effect<A>
    /** Deletes the history of the turn. The history of the conversation stays. */
    readonly endTurn: (turn: Turn) => Effect.Effect<void>
    /** Stores a text that the model has seen in the conversation. */
    readonly saw: (turn: Turn, text: string) => Effect.Effect<void>
    /** True if a value occurs as a whole word in any stored text of the conversation. */
    readonly hasSeen: (turn: Turn, value: string) => Effect.Effect<boolean>
  }
>()("effect-toolguard/TurnMemory") {}
