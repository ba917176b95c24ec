/** Tests the open questions to MCP clients without sessions. */
import * as Elicitation from "#src/mcp/serve/Elicitation"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"

describe("open questions to clients without sessions", () => {
  it.effect(
    "8.3 beyond 10,000 open questions, the principal with the most loses its oldest, and another loses none",
    () =>
      Effect.gen(function* () {
        const { open, take } = Elicitation.questions()
        const other = yield* open("binding", "other")
        const [first, second] = [yield* open("binding", "many"), yield* open("binding", "many")]
        for (let n = 2; n < 10_000; n += 1) yield* open("binding", "many")
        assert.isTrue(yield* take(other, "binding", "other"))
        assert.isFalse(yield* take(first, "binding", "many"))
        assert.isTrue(yield* take(second, "binding", "many"))
      })
  )

  it.effect("10.3 an answer to another call of the same principal is refused, and ends the question", () =>
    Effect.gen(function* () {
      const { open, take } = Elicitation.questions()
      const state = yield* open("binding", "owner")
      assert.isFalse(yield* take(state, "binding of another call", "owner"))
      assert.isFalse(yield* take(state, "binding", "owner"))
    })
  )

  it.effect("8.3 an answer of another principal is refused, and leaves the question open", () =>
    Effect.gen(function* () {
      const { open, take } = Elicitation.questions()
      const state = yield* open("binding", "owner")
      assert.isFalse(yield* take(state, "binding", "other"))
      assert.isTrue(yield* take(state, "binding", "owner"))
      assert.isFalse(yield* take(state, "binding", "owner"))
    })
  )
})
