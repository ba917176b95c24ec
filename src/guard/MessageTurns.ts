/**
 * Starts a turn at each message of the user that a host sends within one `Guard.turn`, as an effect/ai `Chat` may do.
 *
 * A message is new if the history has more messages of the user than before, or if the last message of the user
 * differs.
 */
import type { Turn } from "#domain/turn/Turn"
import type * as Prompt from "effect/ai/Prompt"
import * as Effect from "effect/Effect"

/** The messages of the user in a turn of a host. */
interface Messages {
  readonly count: number
  readonly last: string
  /** The turn of the last message. */
  readonly turn: Turn
  /** The number of turns so far. */
  readonly turns: number
}

/** Maps the messages of the user in a host's turn to turns. */
interface MessageTurns {
  /** Returns the turn of the last message of the user in a history. If that message is new, the previous turn ends. */
  readonly of: (turn: Turn, history: Prompt.Prompt) => Effect.Effect<Turn>
  /** Returns the turn of the last message, if it is not the host's turn. */
  readonly last: (turn: Turn) => Turn | undefined
}

/** Creates the turns. `end` ends a turn. */
export const make = (end: (turn: Turn) => Effect.Effect<void>): MessageTurns => {
  const known = new WeakMap<Turn, Messages>()
  return {
    of: (turn, history) =>
      Effect.suspend(() => {
        const texts = history.content.filter(({ role }) => role === "user")
        const last = JSON.stringify(texts.at(-1)?.content ?? "")
        const before = known.get(turn)
        const seen = { count: texts.length, last }
        if (before === undefined) {
          known.set(turn, { ...seen, turn, turns: 1 })
          return Effect.succeed(turn)
        }
        if (seen.count <= before.count && last === before.last) {
          known.set(turn, { ...before, ...seen })
          return Effect.succeed(before.turn)
        }
        const turns = before.turns + 1
        // a JSON list, because a host may name its turns `ticket-1` and `ticket-1/2`
        const next: Turn = { ...turn, turn: JSON.stringify(["message", turns, turn.turn]) }
        known.set(turn, { ...seen, turn: next, turns })
        return Effect.as(end(before.turn), next)
      }),
    last: (turn) => {
      const messages = known.get(turn)
      return messages === undefined || messages.turn === turn ? undefined : messages.turn
    }
  }
}
