/** Tests the rules for declared refusals that are checked when a tool is defined. */
import { checkCodes } from "#src/checks/CheckCodes"
import * as GuardedTool from "#src/tool/GuardedTool"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { sources } from "../support/sources.ts"

const base = {
  description: "Cancels an order. Writes.",
  access: "write",
  parameters: Schema.Struct({ id: Schema.String }),
  success: Schema.Struct({ ok: Schema.Boolean })
}

// the cast removes type checking, so that tests can make mistakes that the compiler refuses
const define = GuardedTool.Service<never>() as unknown as (name: string, definition: object) => GuardedTool.AnyTool

/** Returns the message of the RangeError for a definition with these refusals. */
const messageOf = (refusals: ReadonlyArray<unknown>, more: object = {}): string => {
  try {
    void define("cancel_order", { ...base, ...more, refusals })
  } catch (error) {
    assert.instanceOf(error, RangeError)
    return (error as RangeError).message
  }
  return "accepted"
}

const tagged = (tag: string, fields: Schema.Struct.Fields = {}) => Schema.TaggedStruct(tag, fields)

describe("refusals of a definition", () => {
  it("3.5 are rejected with the place and the remedy if they are not tagged errors", () => {
    const rule = "is not a tagged error; write a class of Schema.TaggedError with fields, one entry for each class."
    const union = Schema.Union([tagged("A"), tagged("B")])
    const untagged = Schema.Struct({ _tag: Schema.String })
    for (const entry of [Schema.String, union, untagged, { error: "OutOfStock" }, { as: "Permanent" }, null, 5]) {
      assert.strictEqual(messageOf([tagged("Closed"), entry]), `cancel_order: refusals[1] ${rule}`)
    }
  })

  it("3.5 are rejected with the field and the remedy if an entry has an unknown field or a hint that is not a sentence", () => {
    const error = tagged("Closed")
    for (const hint of [5, null, " ", {}]) {
      assert.match(
        messageOf([{ error, hint }]),
        /^cancel_order: refusals\[0\]: `hint` is .*; write one sentence on what the model should do next\.$/
      )
    }
    assert.strictEqual(
      messageOf([{ error, hnt: "Wait." }]),
      "cancel_order: refusals[0]: `hnt` is not a field here; did you mean `hint`?"
    )
  })

  it("3.5 are rejected if they are not a list", () => {
    const rule = "cancel_order: `refusals` is not a list; write `refusals: [OutOfStock]`."
    for (const refusals of [tagged("Closed"), { closed: tagged("Closed") }, "Closed", 5]) {
      assert.strictEqual(messageOf(refusals as unknown as ReadonlyArray<unknown>), rule)
    }
  })

  it("3.5 are rejected if two of them have the same tag or code", () => {
    assert.deepStrictEqual(
      [messageOf([tagged("Closed"), tagged("Closed")]), messageOf([tagged("OrderClosed"), tagged("order-closed")])],
      [
        'cancel_order: refusals[1] has the tag "Closed", like another refusal of the tool; give each a different tag.',
        'cancel_order: refusals[1] has the tag "order-closed", whose code order_closed is also that of "OrderClosed"; give one of them a different tag.'
      ]
    )
  })

  it("3.5 are rejected if the tag is a failure class, or if the guard or a check has the same code", () => {
    assert.deepStrictEqual(
      [
        ...["ToolArgError", "SchemaMismatch", "PartialData", "SemanticGarbage"].map((tag) => messageOf([tagged(tag)])),
        ...["Transient", "Resource", "Permanent", "HumanReview"].map((tag) => messageOf([tagged(tag)]))
      ],
      [
        "ToolArgError",
        "SchemaMismatch",
        "PartialData",
        "SemanticGarbage",
        "Transient",
        "Resource",
        "Permanent",
        "HumanReview"
      ].map(
        (tag) =>
          `cancel_order: refusals[0] has the tag "${tag}" of one of the guard's failures; give it another tag, such as OutOfStock.`
      )
    )
    assert.deepStrictEqual(
      [
        messageOf([tagged("NotFound")]),
        messageOf([tagged("EmptyResult")]),
        messageOf([tagged("SoldOut")], { checks: { soldOut: () => ({ _tag: "Ok" }) } })
      ],
      [
        'cancel_order: refusals[0] has the tag "NotFound", whose code not_found is one of the guard\'s; use another tag.',
        'cancel_order: refusals[0] has the tag "EmptyResult", whose code empty_result is also that of a check; use another tag.',
        'cancel_order: refusals[0] has the tag "SoldOut", whose code sold_out is also that of a check; use another tag.'
      ]
    )
  })

  it("3.5 are rejected with a class other than Permanent and ToolArgError, and with a tag without letters", () => {
    assert.deepStrictEqual(
      [messageOf([{ error: tagged("Closed"), as: "Transient" }]), messageOf([tagged("!")])],
      [
        'cancel_order: refusals[0] (Closed) has the class "Transient"; write "Permanent" or "ToolArgError" as `as`.',
        'cancel_order: refusals[0] has the tag "!", from which no code can be derived; use letters and digits.'
      ]
    )
  })

  it("3.5 are rejected by the same rules in a dynamic tool", () => {
    assert.throws(
      () =>
        GuardedTool.dynamic("cancel_order", {
          access: "write",
          refusals: [tagged("NotFound")],
          handler: () => Effect.succeed({})
        }),
      'cancel_order: refusals[0] has the tag "NotFound"'
    )
  })

  it("4.10 the codes of all ready-made checks are listed, so that no refusal can have one", () => {
    // a check of stated verdicts only marks a result; its failure gets its default code from the pipeline
    const files = ["src/checks/*.ts", "src/pipeline/answer/ClassifiedFailure.ts"]
    const used = files
      .flatMap((pattern) => [...sources(pattern).values()])
      .flatMap((source) => [...source.matchAll(/\b(?:code: |ownCode \?\? )"(\w+)"/g)].map(([, code]) => code!))
    assert.deepStrictEqual([...new Set(used)].toSorted(), [...checkCodes].toSorted())
  })
})
