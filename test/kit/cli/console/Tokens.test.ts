/** Tests the count of tokens: exact for ordinary text, fast and approximate for hostile text. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { countTokens } from "gpt-tokenizer/encoding/o200k_base"
import { orders } from "../../../../examples/orders/Data.ts"
import * as Tokens from "#kit/cli/console/Tokens"

describe("Tokens", () => {
  it.effect("counts ordinary text as the tokenizer does", () =>
    Effect.gen(function* () {
      const count = yield* Tokens.load
      for (const text of ["", "hello world", JSON.stringify(orders), "Grüße, 世界! 👩‍👩‍👧"]) {
        assert.strictEqual(count(text), countTokens(text))
      }
      assert.strictEqual(count("hello world"), 2)
    })
  )

  it.effect("counts control tokens as ordinary text", () =>
    Effect.gen(function* () {
      const count = yield* Tokens.load
      assert.isAbove(count("<|endoftext|>"), 1)
    })
  )

  it.effect("counts 200,000 repeated letters, spaces or signs approximately", () =>
    Effect.gen(function* () {
      const count = yield* Tokens.load
      assert.strictEqual(count("a".repeat(200_000)), 25_000)
      assert.isAbove(count(" ".repeat(200_000)), 1_000)
      assert.isAbove(count("-=".repeat(100_000)), 10_000)
    })
  )
})
