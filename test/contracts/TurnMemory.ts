/** Tests that every layer of TurnMemory must pass. The rules are pure functions, which are tested in `test/domain`. */
import * as LoopDetector from "#domain/loop/LoopDetector"
import * as TurnHistory from "#domain/turn/TurnHistory"
import { TurnMemory } from "#services/TurnMemory"
import { assert, describe, it } from "@effect/vitest"
import { Effect, type Layer } from "effect"
import { turn } from "./values.ts"

const nextTurn = { ...turn, turn: "2" }
const otherConversation = { ...turn, conversation: "2" }
const otherTenant = { ...turn, tenant: "2" }
const otherPrincipal = { ...turn, principal: "ann" }
const others = [otherConversation, otherTenant, otherPrincipal, { ...turn, principal: "bob" }]

export const turnMemoryContract = (name: string, layer: Layer.Layer<TurnMemory>): void => {
  describe(`TurnMemory (${name})`, () => {
    const using = <A, E>(use: (memory: TurnMemory["Service"]) => Effect.Effect<A, E>) =>
      Effect.flatMap(TurnMemory, use).pipe(Effect.provide(layer))

    const answered = ({ modifyTurn }: TurnMemory["Service"], where = turn) =>
      modifyTurn(where, (history) => [TurnHistory.previous(history, "a"), history])
    const answer = ({ modifyTurn }: TurnMemory["Service"], value: unknown, where = turn) =>
      modifyTurn(where, (history) => [undefined, TurnHistory.answered(history, "a", value)])

    it.effect("4.6 stores the history of each turn separately", () =>
      using((memory) =>
        Effect.gen(function* () {
          assert.deepStrictEqual(yield* answered(memory), [])
          yield* answer(memory, 1)
          yield* answer(memory, 2)
          assert.deepStrictEqual(yield* answered(memory, { ...turn }), [1, 2])
          for (const other of [nextTurn, ...others]) assert.deepStrictEqual(yield* answered(memory, other), [])
        })
      )
    )

    it.effect("4.6 changes in one step: no concurrent change is lost", () =>
      using((memory) =>
        Effect.gen(function* () {
          yield* Effect.all(
            Array.from({ length: TurnHistory.heldResults }, (_, i) => answer(memory, i)),
            { concurrency: "unbounded" }
          )
          assert.lengthOf(yield* answered(memory), TurnHistory.heldResults)
        })
      )
    )

    it.effect("7.3 the state of loops belongs to a conversation, and counts restart in another turn", () =>
      using(({ endTurn, modifyLoop }) =>
        Effect.gen(function* () {
          const step = (where: typeof turn) =>
            modifyLoop(where, (state) => {
              const { state: after, verdict } = LoopDetector.step(state, {
                tool: "a",
                access: "read",
                key: "a {}",
                turn: where.turn,
                outcome: { _tag: "Success", digest: "same" }
              })
              return [verdict._tag, after]
            })
          assert.strictEqual(yield* step(turn), "Proceed")
          yield* endTurn(turn)
          assert.strictEqual(yield* step(turn), "Tell")
          assert.strictEqual(yield* step(nextTurn), "Proceed")
          assert.strictEqual(yield* step(nextTurn), "Tell")
          for (const other of others) assert.strictEqual(yield* step(other), "Proceed")
        })
      )
    )

    it.effect("4.6 ending a turn removes only its history", () =>
      using((memory) =>
        Effect.gen(function* () {
          yield* answer(memory, 1)
          yield* answer(memory, 2, nextTurn)
          yield* memory.endTurn(turn)
          yield* memory.endTurn({ ...turn, turn: "never started" })
          assert.deepStrictEqual([yield* answered(memory), yield* answered(memory, nextTurn)], [[], [2]])
        })
      )
    )

    it.effect("4.5 a value in a text of the conversation is found in any turn", () =>
      using(({ endTurn, hasSeen, saw }) =>
        Effect.gen(function* () {
          assert.isFalse(yield* hasSeen(turn, "o-77"))
          yield* saw(turn, "Where is o-77?")
          yield* saw(turn, "And o-78?")
          yield* endTurn(turn)
          assert.deepStrictEqual(
            [
              yield* hasSeen(turn, "o-77"),
              yield* hasSeen(nextTurn, "o-78"),
              yield* hasSeen(turn, "o-79"),
              yield* hasSeen(otherConversation, "o-77"),
              yield* hasSeen(otherTenant, "o-77"),
              yield* hasSeen(otherPrincipal, "o-77")
            ],
            [true, true, false, false, false, false]
          )
        })
      )
    )

    it.effect("4.5 a value is not found across two texts", () =>
      using(({ hasSeen, saw }) =>
        Effect.gen(function* () {
          yield* saw(turn, "o-7")
          yield* saw(turn, "8")
          assert.isFalse(yield* hasSeen(turn, "o-78"))
        })
      )
    )
  })
}
