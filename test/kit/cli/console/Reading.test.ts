/** What a model reads, in few words. */
import { assert, describe, it } from "@effect/vitest"
import * as Reading from "#kit/cli/console/Reading"

const line = (value: unknown, args: unknown = {}): string => Reading.line(JSON.stringify(value), args)

describe("Reading", () => {
  it("tells lists by their length, and other results as they are", () => {
    assert.strictEqual(line({ status: "success", data: { orders: [1, 2], page: 1 } }), "2 orders")
    assert.strictEqual(line({ status: "success", data: [1, 2, 3] }), "3 items")
    assert.strictEqual(line({ status: "success", data: { id: 1 } }), `{"id":1}`)
    assert.strictEqual(line({ status: "success", data: null, empty: true }), "null · empty")
    assert.strictEqual(
      line({ status: "success", data: 1, _idempotent: true, unchanged: true }),
      "1 · idempotent · unchanged"
    )
    assert.strictEqual(line({ status: "success", preview: { bytes: 20_000 } }), "a preview")
  })

  it("tells what the model is to do, and of the next arguments those that change", () => {
    const error = { next_step: "continue", hint: "Go on.", next: { customer_id: "C-9921", cursor: "O-1037" } }
    assert.strictEqual(
      line({ status: "partial", data: { orders: [1] }, error }, { customer_id: "C-9921" }),
      `1 orders · continue {"cursor":"O-1037"} · Go on.`
    )
    assert.strictEqual(line({ status: "error", error: { next_step: "stop", hint: "Stop." } }), "stop · Stop.")
  })

  it("gives what is no envelope as it is, on one line", () => {
    assert.strictEqual(Reading.line("SyntaxError: bad\n    at x", {}), "SyntaxError: bad at x")
    assert.strictEqual(Reading.line(`{"status":"shipped"}`, {}), `{"status":"shipped"}`)
  })
})
