/** Tests answers that deny the action of their tool, with and without a contract that declares the field. */
import { Guard } from "#src/guard/Guard"
import * as CallLogMemory from "#layers/CallLogMemory"
import { CallLog } from "#services/CallLog"
import * as GuardedTool from "#src/tool/GuardedTool"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { ask, response, settled, tool, type Tool, within } from "./support.ts"

const logged = Guard.layerMemoryWith(CallLogMemory.layer)

const sideEffects = Effect.gen(function* () {
  const records = yield* (yield* CallLog).records
  return records.map(({ sideEffect }) => sideEffect)
})

describe("an answer that denies the action of its tool", () => {
  const denied = { id: "o-1", refunded: false }

  it.effect("3.3 is a result that proves nothing if the contract declares the field", () => {
    const success = Schema.Struct({ id: Schema.String, refunded: Schema.Boolean })
    const refund = tool("refund_order", { access: "write", success }, denied)
    return Effect.gen(function* () {
      assert.deepStrictEqual(yield* settled(refund.tool.call({ q: "typed" })), denied)
      const { envelope } = yield* ask([refund.tool], "refund_order", '{"q":"a"}')
      assert.deepStrictEqual(envelope.data, denied)
      assert.match(envelope.notice ?? "", /^The answer says that "refunded" is false\. It is not known what was done/)
      assert.deepStrictEqual(yield* sideEffects, ["unknown", "unknown"])
    }).pipe(within([refund.layer], logged))
  })

  for (const answer of [
    denied,
    { warning: "Nothing was changed" },
    { failed: 2, refunded: 0 },
    { paymentStatus: "DECLINED" }
  ]) {
    it.effect(`3.3 ${JSON.stringify(answer)} is not reported as done if it also breaks the contract`, () => {
      const success = Schema.Struct({ cents: Schema.Int })
      const value = tool("refund_order", { access: "write", success }, answer)
      const sent = tool("refund_payment", { access: "write", success }, response(200, JSON.stringify(answer)))
      return Effect.gen(function* () {
        for (const one of [value, sent]) {
          const [failure, , sideEffect] = yield* settled(one.tool.call({ q: "a" })) as Effect.Effect<
            ReadonlyArray<string>
          >
          assert.deepStrictEqual([failure, sideEffect], ["Permanent", "unknown"])
        }
      }).pipe(within([value.layer, sent.layer]))
    })
  }

  it.effect("3.4 the value false that the call requested is a plain success", () => {
    const answer = { slug: "pricing", published: false }
    // the types of a dynamic tool are known only at run time
    const publish = GuardedTool.dynamic("publish_page", {
      access: "write",
      description: "Publishes a page, or saves it as a draft. Writes.",
      parameters: { type: "object" },
      handler: () => Effect.succeed(answer)
    } as never) as unknown as Tool
    return Effect.gen(function* () {
      const draft = yield* ask([publish], "publish_page", '{"published":false}')
      assert.deepStrictEqual(draft.envelope, { status: "success", data: answer })
      const refused = yield* ask([publish], "publish_page", '{"published":true}')
      assert.deepStrictEqual([refused.envelope.status, refused.envelope.error.side_effect], ["error", "unknown"])
    }).pipe(within([]))
  })
})
