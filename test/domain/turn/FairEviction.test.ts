/** Tests which entry is forgotten at a limit that all owners share, and that servers follow this rule. */
import { oldestOfLargest } from "#domain/turn/FairEviction"
import { Budgets } from "#services/Budgets"
import * as BudgetsMemory from "#layers/BudgetsMemory"
import { CurrentTurn } from "#services/CurrentTurn"
import { Guard } from "#src/guard/Guard"
import * as Sessions from "#src/mcp/serve/Sessions"
import * as Turns from "#src/openapi/Turns"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"

const entry = (owner: string, id: number, isRunning = false) => ({ owner, id, isRunning })
const choice = {
  ownerOf: ({ owner }: ReturnType<typeof entry>) => owner,
  mayForget: ({ isRunning }: ReturnType<typeof entry>) => !isRunning
}

describe("oldestOfLargest", () => {
  it("8.3 chooses the oldest entry that may be forgotten, of the owner with the most entries", () => {
    const entries = [entry("ann", 1), entry("bob", 2, true), entry("bob", 3), entry("bob", 4), entry("eve", 5)]
    assert.strictEqual(oldestOfLargest(entries, choice)?.id, 3)
  })

  it("8.3 chooses from the next owner if the largest has nothing that may be forgotten, and nothing without entries", () => {
    const entries = [entry("ann", 1), entry("bob", 2, true), entry("bob", 3, true)]
    assert.strictEqual(oldestOfLargest(entries, choice)?.id, 1)
    assert.isUndefined(oldestOfLargest(entries.slice(1), choice))
    assert.isUndefined(oldestOfLargest([], choice))
  })
})

const many = 10_001

describe("a server with clients of two principals", () => {
  it.effect(
    "8.3 if one principal opens 10,001 MCP sessions, the session of another principal keeps its conversation",
    () =>
      Effect.gen(function* () {
        const { within } = yield* Sessions.make("10 minutes")
        const conversationOf = (principal: string, id: string) =>
          within(id, { principal }, (turn) => Effect.succeed(turn.conversation))
        const alice = yield* conversationOf("alice", "s")
        const bob = yield* conversationOf("bob", "0")
        for (let n = 1; n < many; n += 1) yield* conversationOf("bob", String(n))
        assert.strictEqual(yield* conversationOf("alice", "s"), alice)
        assert.notStrictEqual(yield* conversationOf("bob", "0"), bob)
      }).pipe(Effect.provide(Guard.layerMemory))
  )

  it.effect("8.3 if one principal names 10,001 turns over HTTP, no turn of another principal ends", () =>
    Effect.gen(function* () {
      const ended: Array<string | undefined> = []
      const counting = Layer.effect(
        Budgets,
        Effect.map(Budgets, (budgets) => ({
          ...budgets,
          end: (turn) =>
            Effect.andThen(
              Effect.sync(() => void ended.push(turn.principal)),
              budgets.end(turn)
            )
        }))
      ).pipe(Layer.provide(BudgetsMemory.layer))
      yield* Effect.gen(function* () {
        const { within } = yield* Turns.make
        const ids = (principal: string, turn: number) => ({ principal, conversation: "c", turn: String(turn) })
        yield* within(CurrentTurn, ids("alice", 0))
        for (let n = 0; n < many; n += 1) yield* within(CurrentTurn, ids("bob", n))
        assert.deepStrictEqual(ended, ["bob", "bob"])
      }).pipe(Effect.scoped, Effect.provide(Guard.layerMemoryWith(counting)))
    })
  )
})
