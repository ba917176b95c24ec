/** Counts the tokens of envelopes that report a model's mistakes, with a real tokenizer and the whole pipeline. */
import { Guard } from "#src/guard/Guard"
import * as GuardedTool from "#src/tool/GuardedTool"
import * as Toolbox from "#src/tool/Toolbox"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { countTokens } from "gpt-tokenizer/encoding/o200k_base"

class PlaceOrder extends GuardedTool.Service<PlaceOrder>()("place_order", {
  description: "Places an order. Writes.",
  access: "write",
  parameters: Schema.Struct({
    customer_id: Schema.String,
    lines: Schema.Array(Schema.Struct({ sku: Schema.String, quantity: Schema.Int, unit_cents: Schema.Int }))
  }),
  success: Schema.Struct({ order_id: Schema.String })
}) {}

const tools = Toolbox.make(PlaceOrder)
const layers = [PlaceOrder.layerTest(() => Effect.succeed({ order_id: "O-1" })), Guard.layerMemory] as const
const badLine = { sku: 1, quantity: "two", unit_cents: null }

const mistakes = [
  {
    name: "a missing field",
    tool: "place_order",
    args: JSON.stringify({ lines: [] }),
    most: 90,
    says: "customer_id: Required"
  },
  {
    name: "12 violations in a nested array",
    tool: "place_order",
    args: JSON.stringify({ customer_id: "C-1", lines: [badLine, badLine, badLine, badLine] }),
    most: 200,
    says: "(+8 more)"
  },
  { name: "unparseable arguments", tool: "place_order", args: `{"customer_id": C-1}`, most: 90, says: "position 16" },
  { name: "an unknown tool", tool: "place_orders", args: "{}", most: 90, says: "place_order" }
]

/** Replaces the random part of an id by the one that takes most tokens: its letters and digits alternate. */
const withLongestId = (text: string) => text.replace(/tr_[0-9a-f]{8}/u, "tr_7d6c1f3f")

describe("tokens of an envelope", () => {
  for (const { args, most, name, says, tool } of mistakes) {
    it.effect(`5.5 the envelope for ${name} has fewer than ${most} tokens and says what to do`, () =>
      Effect.gen(function* () {
        const { text } = yield* tools.answer({ name: tool, arguments: args, callId: "call_1" })
        assert.isBelow(countTokens(withLongestId(text)), most)
        const { error } = JSON.parse(text)
        assert.include(error.message + error.hint, says)
        assert.strictEqual(error.next_step, "fix_arguments")
        assert.isAtMost(JSON.stringify(error).length, 600)
      }).pipe(Effect.provide([...layers]))
    )
  }

  it.effect("5.5 the envelope for 20 KB of junk has at most 700 characters", () =>
    Effect.gen(function* () {
      const junk = "x".repeat(20_000)
      const calls = [`{"customer_id": ${junk}`, JSON.stringify({ [junk]: junk, customer_id: [junk] }), junk]
      for (const args of calls) {
        const { text } = yield* tools.answer({ name: "place_order", arguments: args, callId: "call_1" })
        assert.isAtMost(text.length, 700)
      }
      const { text } = yield* tools.answer({ name: junk, arguments: "{}", callId: "call_1" })
      assert.isAtMost(text.length, 700)
    }).pipe(Effect.provide([...layers]))
  )
})
