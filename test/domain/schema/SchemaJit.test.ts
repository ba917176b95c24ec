/** Tests which schemas are compiled to JavaScript, by the functions that are created from text. */
import * as Contract from "#domain/schema/Contract"
import { resultCodec } from "#pipeline/call/ToolCompiler"
import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"

const Order = () => Schema.Struct({ id: Schema.String, lines: Schema.Array(Schema.Struct({ cents: Schema.Int })) })
const order = { id: "O-1", lines: [{ cents: 5 }] }

/** Runs `f` with another `Function`. Returns the result, and the number of functions that name a field of an order. */
const counting = <A>(f: () => A, create = globalThis.Function): readonly [A, number] => {
  const original = globalThis.Function
  let count = 0
  const counted = (...args: ReadonlyArray<string>) => {
    // schemas without fields, such as `Schema.Int`, are shared by all tools
    if (args.at(-1)?.includes("lines") === true) count += 1
    return create(...args)
  }
  globalThis.Function = Object.assign(counted, { prototype: original.prototype }) as FunctionConstructor
  try {
    return [f(), count]
  } finally {
    globalThis.Function = original
  }
}

const forbidden = (() => {
  throw new EvalError("Code generation from strings disallowed for this context")
}) as unknown as FunctionConstructor

describe("the schemas of a tool", () => {
  it("2.3 are compiled at their first use, without a line in the program", () => {
    const [contract, before] = counting(() => Contract.makeUnsafe("find_order", Order()))
    assert.strictEqual(before, 0)
    const [decoded, count] = counting(() => contract.decode(order))
    assert.deepStrictEqual(decoded, contract.decode(order))
    assert.isAbove(count, 0)
    assert.isAbove(counting(() => resultCodec(Order(), "value", false).decode(order))[1], 0)
  })

  it("2.3 are interpreted, with the same results, where code cannot be generated", () => {
    const [results] = counting(() => {
      const { decode } = Contract.makeUnsafe("find_order", Order())
      return [decode(order), decode({ id: 1 })]
    }, forbidden)
    assert.deepStrictEqual(
      results.map(({ _tag }) => _tag),
      ["Success", "Failure"]
    )
  })

  for (const name of ['"]; throw 1; //', "`${process.exit()}`", "'\n\u2028", "\\", "</script>"]) {
    it(`2.3 keep the field ${JSON.stringify(name)} a name when they are compiled`, () => {
      const { decode } = resultCodec(Schema.Struct({ [name]: Schema.Int }), "value", false)
      assert.deepStrictEqual(
        [{ [name]: 1 }, { [name]: "x" }, {}].map((value) => decode(value)._tag),
        ["Success", "Failure", "Failure"]
      )
    })
  }

  it("2.3 are not compiled if they are those of another server", () => {
    const [decoded, count] = counting(() => resultCodec(Order(), "value", true).decode(order))
    assert.strictEqual(decoded._tag, "Success")
    assert.strictEqual(count, 0)
  })
})
