/** Tests which errors of a handler are declared refusals, and the sentence of each. */
import { assert, describe, it } from "@effect/vitest"
import { Cause, Schema } from "effect"
import { isEnclosed, read } from "#domain/classification/RefusalReader"
import { done, nothingDone, unknown } from "#domain/failure/StatedEffect"
import * as DeclaredRefusal from "#domain/tool/DeclaredRefusal"

class OutOfStock extends Schema.TaggedError<OutOfStock>()("OutOfStock", {
  sku: Schema.String,
  available: Schema.Int
}) {}
class TicketClosed extends Schema.TaggedError<TicketClosed>()("TicketClosed", { message: Schema.String }) {}
class Full extends Schema.TaggedError<Full>()("Full", { seats: Schema.Unknown, api_key: Schema.String }) {}
class Many extends Schema.TaggedError<Many>()("Many", {
  a: Schema.Boolean,
  b: Schema.Null,
  c: Schema.Array(Schema.Int),
  d: Schema.String,
  e: Schema.Int,
  f: Schema.Int,
  g: Schema.Int,
  h: Schema.String
}) {}
class Empty extends Schema.TaggedError<Empty>()("SeatTaken", {}) {}

const declared = [OutOfStock, TicketClosed, Full, Many, Empty].map((error) => DeclaredRefusal.make("t", error))
const stock = new OutOfStock({ sku: "A-1", available: 2 })
const closed = new TicketClosed({ message: "Ticket 7\nis closed." })
const plain = { _tag: "OutOfStock", sku: "A-1", available: 2 }
const throwing = (key: string) =>
  Object.defineProperty({ _tag: "OutOfStock" }, key, {
    enumerable: true,
    get: () => {
      throw new Error("no")
    }
  })

const caught = (cause: unknown) => new Cause.UnknownError(cause)
const together = (...causes: ReadonlyArray<Cause.Cause<unknown>>) => causes.reduce((a, b) => Cause.combine(a, b))

/** The causes of a failed handler, and the sentence of the refusal; undefined if the cause is not a refusal. */
const rows: ReadonlyArray<readonly [what: string, cause: Cause.Cause<unknown>, sentence: string | undefined]> = [
  ["an instance", Cause.fail(stock), "Out of stock: sku A-1, available 2."],
  ["a value that decodes", Cause.fail(plain), "Out of stock: sku A-1, available 2."],
  ["a value that does not decode", Cause.fail({ _tag: "OutOfStock", sku: 1 }), undefined],
  ["another tag", Cause.fail({ ...plain, _tag: "Other" }), undefined],
  ["a value without a tag", Cause.fail({ sku: "A-1", available: 2 }), undefined],
  ["a string", Cause.fail("OutOfStock"), undefined],
  ["null", Cause.fail(null), undefined],
  ["a getter that throws", Cause.fail(throwing("sku")), undefined],
  ["an instance as a defect", Cause.die(stock), "Out of stock: sku A-1, available 2."],
  ["a value that decodes as a defect", Cause.die(plain), undefined],
  ["an instance in a rejected promise", Cause.fail(caught(stock)), "Out of stock: sku A-1, available 2."],
  ["an instance in nothingDone", Cause.fail(nothingDone(stock)), "Out of stock: sku A-1, available 2."],
  ["nothingDone in a rejected promise", Cause.fail(caught(nothingDone(stock))), "Out of stock: sku A-1, available 2."],
  ["an instance in done", Cause.fail(done(stock)), undefined],
  ["an instance in unknown", Cause.fail(unknown(stock)), undefined],
  ["two refusals", together(Cause.fail(closed), Cause.fail(stock)), "Ticket 7 is closed."],
  ["a refusal and an error", together(Cause.fail(stock), Cause.fail(new Error("x"))), undefined],
  ["an error and a refusal", together(Cause.fail(new Error("x")), Cause.fail(stock)), undefined],
  ["a refusal and a crash", together(Cause.fail(stock), Cause.die(new Error("x"))), undefined],
  ["a refusal and an interruption", together(Cause.fail(stock), Cause.interrupt(1)), undefined],
  ["no reason", Cause.empty, undefined],
  ["a message", Cause.fail(closed), "Ticket 7 is closed."],
  ["no fields", Cause.fail(new Empty()), "Seat taken."],
  ["a secret and an object", Cause.fail(new Full({ seats: { left: 0 }, api_key: "k-1" })), "Full."],
  ["a field that cannot be encoded", Cause.fail(new Full({ seats: 1n, api_key: "k-1" })), "Full."],
  [
    "more than four scalars, and a long text",
    Cause.fail(new Many({ a: true, b: null, c: [1], d: "x".repeat(61), e: 1, f: 2, g: 3, h: "y" })),
    "Many: a true, e 1, f 2, g 3."
  ],
  [
    "a text of 60 characters",
    Cause.fail(new OutOfStock({ sku: "x".repeat(60), available: 0 })),
    `Out of stock: sku ${"x".repeat(60)}, available 0.`
  ]
]

describe("declared refusals", () => {
  for (const [what, cause, sentence] of rows) {
    it(`3.5 ${what} ${sentence === undefined ? "is not a refusal" : `is the refusal "${sentence}"`}`, () =>
      assert.strictEqual(read(declared, cause)?.sentence, sentence))
  }

  it("3.5 a refusal has its declaration, its error and its fields as JSON", () => {
    const found = read(declared, Cause.fail(plain))
    assert.strictEqual(found?.declared, declared[0])
    assert.deepStrictEqual(found?.json, plain)
    assert.instanceOf(found?.error, OutOfStock)
    assert.deepStrictEqual(read(declared, Cause.fail(new Full({ seats: 1n, api_key: "k" })))?.json, { _tag: "Full" })
    assert.strictEqual(read(declared, Cause.fail(stock))?.error, stock)
    assert.isUndefined(read([], Cause.fail(stock)))
  })

  it("3.5 a message is cut at 400 characters", () => {
    const sentence = read(declared, Cause.fail(new TicketClosed({ message: "x".repeat(500) })))?.sentence
    assert.strictEqual(sentence?.length, 400)
  })

  const wrapped = (error: unknown, times: number): unknown =>
    times === 0 ? error : new Error("outer", { cause: wrapped(error, times - 1) })
  const enclosed: ReadonlyArray<readonly [what: string, cause: Cause.Cause<unknown>, isEnclosed: boolean]> = [
    ["an instance", Cause.fail(stock), true],
    ["an instance below another error", Cause.fail(wrapped(stock, 1)), true],
    ["an instance eleven causes deep", Cause.fail(wrapped(stock, 11)), true],
    ["an instance twelve causes deep", Cause.fail(wrapped(stock, 12)), false],
    ["a value that only decodes", Cause.fail({ cause: plain }), false],
    ["an error without a cause", Cause.fail(new Error("x")), false],
    ["a string as a cause", Cause.fail(wrapped("OutOfStock", 1)), false],
    ["null as a cause", Cause.fail(wrapped(null, 1)), false],
    ["a getter that throws", Cause.fail(throwing("cause")), false],
    ["a defect", Cause.die(stock), false],
    ["an interruption", Cause.interrupt(1), false],
    ["two failures", together(Cause.fail(stock), Cause.fail(closed)), false],
    ["no failure", Cause.empty, false]
  ]
  for (const [what, cause, expected] of enclosed) {
    it(`3.5 ${what} ${expected ? "proves" : "does not prove"} that a refusal caused the error`, () => {
      assert.strictEqual(isEnclosed(declared, cause), expected)
      assert.isFalse(isEnclosed([], cause))
    })
  }
})
