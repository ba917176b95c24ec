/** Tests that different durable runs do not share a turn. */
import * as DurableTurn from "#domain/turn/DurableTurn"
import { assert, describe, it } from "@effect/vitest"

const names = ["a", "a/b", "a%2Fb", "b/c", "c", "%", ""]

describe("DurableTurn", () => {
  it("8.3 no two runs with slashes and escapes in their names share a turn, and the names can be read", () => {
    const all = names.flatMap((agent) => names.map((run) => ({ agent, run })))
    const ids = all.map(({ agent, run }) => DurableTurn.idOf(agent, run))
    assert.strictEqual(new Set(ids).size, all.length)
    assert.deepStrictEqual(ids.map(DurableTurn.read), all)
    assert.strictEqual(DurableTurn.idOf("OrderAgent", "ticket 4711"), "OrderAgent/ticket 4711")
    assert.isUndefined(DurableTurn.read("no durable run"))
  })
})
