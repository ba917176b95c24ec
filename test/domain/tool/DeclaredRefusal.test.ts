import * as DeclaredRefusal from "#domain/tool/DeclaredRefusal"
import * as Failure from "#domain/failure/Failure"
import { assert, describe, it } from "@effect/vitest"
import { Result, Schema } from "effect"

class OutOfStock extends Schema.TaggedError<OutOfStock>()("OutOfStock", { until: Schema.Date }) {}
class TicketClosed extends Schema.TaggedError<TicketClosed>()("TicketClosed", { ticket: Schema.String }) {}

/** Returns the error with which an entry is refused. */
const fault = (input: unknown): unknown => {
  try {
    // the cast is needed because the compiler would refuse some of the entries
    return DeclaredRefusal.make("buy: refusals[0]", input as DeclaredRefusal.RefusalInput).tag
  } catch (error) {
    assert.instanceOf(error, RangeError)
    return error.message
  }
}

describe("DeclaredRefusal.make", () => {
  it("3.5 a schema alone is Permanent and has the hint of its class; an entry may set both", () => {
    const hint = "Offer another date."
    const { code, failureClass, hint: none, schema, tag } = DeclaredRefusal.make("buy", OutOfStock)
    assert.deepStrictEqual(
      [tag, code, failureClass, none, schema],
      ["OutOfStock", "out_of_stock", "Permanent", undefined, OutOfStock]
    )
    const stated = DeclaredRefusal.make("buy", { error: OutOfStock, as: "ToolArgError", hint })
    assert.deepStrictEqual([stated.failureClass, stated.hint, stated.schema], ["ToolArgError", hint, OutOfStock])
  })

  it("3.5 an error is encoded as JSON and decoded to an instance of its class", () => {
    const { decode, encode, is } = DeclaredRefusal.make("buy", OutOfStock)
    const error = new OutOfStock({ until: new Date(0) })
    const json = { _tag: "OutOfStock", until: "1970-01-01T00:00:00.000Z" }
    assert.deepStrictEqual([is(error), is(json)], [true, false])
    assert.deepStrictEqual(Result.getOrThrow(encode(error)), json)
    const decoded = Result.getOrThrow(decode(json))
    assert.instanceOf(decoded, OutOfStock)
    assert.deepStrictEqual((decoded as OutOfStock).until, new Date(0))
    assert.isTrue(Result.isFailure(decode({ ...json, until: 5 })))
  })

  it("3.5 the tag is the one literal text of `_tag`, whatever the other fields", () => {
    const rule =
      "buy: refusals[0] is not a tagged error; write a class of Schema.TaggedError with fields, one entry for each class."
    const cases: ReadonlyArray<readonly [input: unknown, tag: string]> = [
      [Schema.Struct({ kind: Schema.Literal("Kind"), _tag: Schema.tag("Closed") }), "Closed"],
      [Schema.Struct({ kind: Schema.Literal("Kind") }), rule],
      [Schema.Struct({}), rule],
      [Schema.Struct({ _tag: Schema.Literal(5) }), rule],
      [Schema.Struct({ _tag: Schema.Literals(["A", "B"]) }), rule],
      [Schema.Literal("Closed"), rule],
      [undefined, rule],
      ["OutOfStock", rule],
      [[OutOfStock], rule],
      [{ hint: "Wait." }, rule]
    ]
    assert.deepStrictEqual(
      cases.map(([input]) => fault(input)),
      cases.map(([, tag]) => tag)
    )
  })

  it("3.5 a field that JSON cannot represent is refused with the remedy and the cause", () => {
    const keyed = Schema.Struct({ _tag: Schema.tag("Closed"), [Symbol.for("key")]: Schema.String })
    try {
      DeclaredRefusal.make("close: refusals[0]", keyed)
      assert.fail("the refusal was accepted")
    } catch (error) {
      assert.instanceOf(error, RangeError)
      assert.strictEqual(
        error.message,
        "close: refusals[0] (Closed) has a field that JSON cannot represent; use fields such as Schema.String, Schema.Finite or a Schema.Struct of these."
      )
      assert.instanceOf(error.cause, Error)
    }
  })
})

describe("DeclaredRefusal.codeOf", () => {
  it("3.5 returns a tag in snake_case, in at most 64 characters", () => {
    const cases: Readonly<Record<string, string>> = {
      OutOfStock: "out_of_stock",
      HTTPError: "http_error",
      NoHTTPAnswer: "no_http_answer",
      Order2Closed: "order2_closed",
      "shop/OutOfStock": "shop_out_of_stock",
      "order -- closed": "order_closed",
      "__Closed!?": "closed",
      "!": "",
      ["X".repeat(80)]: "x".repeat(64)
    }
    assert.deepStrictEqual(
      Object.keys(cases).map((tag) => DeclaredRefusal.codeOf(tag)),
      Object.values(cases)
    )
  })
})

describe("DeclaredRefusal.revive", () => {
  const declared = [DeclaredRefusal.make("buy", OutOfStock), DeclaredRefusal.make("buy", TicketClosed)]
  const details = { tool: "buy", detail: "It is closed.", sideEffect: "none" } as const
  const json = { _tag: "TicketClosed", ticket: "T-7" }
  const revived = (failure: Failure.Failure) => DeclaredRefusal.revive(declared, failure)

  it("3.5 returns the error of the handler itself, or decodes the stored error", () => {
    const cause = new TicketClosed({ ticket: "T-7" })
    const refused = { ...details, refusal: json }
    assert.strictEqual(revived(Failure.make("Permanent", "ticket_closed", { ...refused, cause })), cause)
    const decoded = revived(Failure.make("ToolArgError", "ticket_closed", refused))
    assert.instanceOf(decoded, TicketClosed)
    assert.deepStrictEqual({ ...decoded }, { ...cause })
  })

  it("3.5 of two refusals with one code, as of two fallbacks, the one that decodes the stored error counts", () => {
    const other = DeclaredRefusal.make("sell", Schema.TaggedStruct("TicketClosed", { seat: Schema.Int }))
    const failure = Failure.make("Permanent", "ticket_closed", { ...details, refusal: json })
    assert.instanceOf(DeclaredRefusal.revive([other, ...declared], failure), TicketClosed)
  })

  it("3.5 returns undefined for a failure without a refusal, with another code, or with other fields", () => {
    const cause = new TicketClosed({ ticket: "T-7" })
    assert.deepStrictEqual(
      [
        revived(Failure.make("Permanent", "ticket_closed", { ...details, cause })),
        revived(Failure.make("Transient", "ticket_closed", { ...details, cause })),
        revived(Failure.make("Permanent", "ticket_open", { ...details, refusal: json })),
        revived(Failure.make("Permanent", "ticket_closed", { ...details, refusal: { _tag: "TicketClosed" } }))
      ],
      [undefined, undefined, undefined, undefined]
    )
  })
})
