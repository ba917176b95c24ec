/** Tests which ends of a call the specification permits after answers of every kind. */
import { classify } from "#domain/classification/Classification"
import * as Expectation from "#kit/fuzz/cases/Expectation"
import * as HandlerFailure from "#kit/fuzz/cases/HandlerFailure"
import type { FuzzAnswer } from "#kit/fuzz/cases/FuzzCase"
import * as Subject from "#kit/fuzz/cases/Subject"
import { assert, describe, it } from "@effect/vitest"
import { RefundOrder, SearchOrders } from "../../../../examples/orders/Tools.ts"
import { tools } from "../tools.ts"

describe("Expectation", () => {
  const context = { arguments: { customer_id: "C-9921" }, at: 0 }
  const ends = (name: string, answer: FuzzAnswer) => {
    const tool = [...tools, SearchOrders, RefundOrder].find(({ toolName }) => toolName === name)
    // the name is that of a tool in the list
    const { ends, evidence } = Expectation.ofAnswer(Subject.make(tool as never), answer, context)
    return [ends.join(" "), evidence]
  }
  const text = (text: string): FuzzAnswer => ({ _tag: "Text", text })
  const status = (status: number, headers = {}): FuzzAnswer => ({ _tag: "Response", status, headers, body: "" })

  it("3 lists the ends that each answer permits, and the evidence of the effect of a write", () => {
    assert.deepStrictEqual(ends("write_plain", text(`{"id":"1"}`)), ["Success", "committed"])
    assert.deepStrictEqual(ends("write_plain", text(`{"id":1}`)), ["SchemaMismatch", "committed"])
    assert.deepStrictEqual(ends("write_plain", text(`{"id":"`)), ["SchemaMismatch", "any"])
    assert.deepStrictEqual(ends("write_plain", text("<html>")), ["SchemaMismatch", "answered"])
    assert.deepStrictEqual(ends("write_plain", text("OK")), ["SchemaMismatch", "answered"])
    const [failures, evidence] = ends("write_plain", text("Internal Server Error"))
    assert.include(failures, "Transient")
    assert.notInclude(failures, "Success")
    assert.strictEqual(evidence, "answered")
    assert.deepStrictEqual(ends("write_plain", text("")), ["SchemaMismatch", "committed"])
    assert.deepStrictEqual(ends("write_plain", status(204)), ["SchemaMismatch", "committed"])
    assert.deepStrictEqual(ends("write_plain", status(202)), ["SchemaMismatch", "answered"])
    assert.deepStrictEqual(ends("write_plain", text(`{"id":1,"error":"no"}`))[1], "any")
    assert.deepStrictEqual(ends("write_nothing", text("")), ["Success", "committed"])
    assert.deepStrictEqual(ends("write_plain", { _tag: "Cut", text: `{"id":"1"}` }), ["Transient", "unknown"])
    assert.deepStrictEqual(ends("write_plain", { _tag: "Silence" }), ["Transient", "unknown"])
    assert.deepStrictEqual(ends("write_plain", { _tag: "Crash", crash: "dies" }), ["Permanent", "unknown"])
    assert.deepStrictEqual(ends("write_plain", status(408)), ["Transient", "unknown"])
    assert.deepStrictEqual(ends("write_plain", status(429)), ["Transient", "none"])
    assert.deepStrictEqual(ends("write_plain", status(403)), ["Permanent", "none"])
    assert.deepStrictEqual(ends("write_plain", status(503)), ["Transient", "unknown"])
    assert.deepStrictEqual(ends("write_plain", status(503, { "Retry-After": "1" })), ["Transient", "none"])
    for (const fault of ["refused", "unresolved"] as const) {
      assert.deepStrictEqual(ends("write_plain", { _tag: "Fault", fault }), ["Transient", "none"])
    }
    assert.strictEqual(
      ends("search_orders", text(`{"orders":[`))[0],
      "SchemaMismatch PartialData SemanticGarbage Permanent"
    )
    assert.strictEqual(ends("read_text", text("anything"))[0], "Success")
    assert.deepStrictEqual(ends("read_checked", text(`{"id":"long"}`))[0], "Permanent")
  })

  it("13.6 agrees with the classifier on every failure, and no odd value is a valid result", () => {
    for (const name of HandlerFailure.names) {
      const { tags } = HandlerFailure.named(name)
      assert.include(
        tags,
        classify(HandlerFailure.named(name).make(), { access: "read", arguments: { q: "a" } }).tag,
        name
      )
    }
    const subject = Subject.make(SearchOrders)
    const result = { orders: [], has_more: false, next_cursor: null }
    assert.isTrue(subject.isResult(result))
    for (const name of HandlerFailure.oddNames)
      assert.isFalse(subject.isResult(HandlerFailure.withOdd(result, name)), name)
  })
})
