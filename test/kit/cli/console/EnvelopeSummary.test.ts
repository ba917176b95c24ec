/** Tests the one-line summary of an envelope. */
import { assert, describe, it } from "@effect/vitest"
import * as EnvelopeSummary from "#kit/cli/console/EnvelopeSummary"

const line = (value: unknown, args: unknown = {}): string => EnvelopeSummary.line(JSON.stringify(value), args)

describe("EnvelopeSummary", () => {
  it("shows the length of lists, and other results unchanged", () => {
    assert.strictEqual(line({ status: "success", data: { orders: [1, 2], page: 1 } }), "2 orders")
    assert.strictEqual(line({ status: "success", data: [1, 2, 3] }), "3 items")
    assert.strictEqual(line({ status: "success", data: { id: 1 } }), `{"id":1}`)
    assert.strictEqual(line({ status: "success", data: null, empty: true }), "null · empty")
    assert.strictEqual(
      line({ status: "success", data: 1, _idempotent: true, unchanged: true }),
      "1 · idempotent · unchanged"
    )
    assert.strictEqual(line({ status: "success", data: 1, executed: false, notice: "…" }), "1 · not executed")
    assert.strictEqual(line({ status: "success", preview: { bytes: 20_000 } }), "a preview")
  })

  it("shows the next step, and only those next arguments that differ from the call's", () => {
    const error = { next_step: "continue", hint: "Go on.", next: { customer_id: "C-9921", cursor: "O-1037" } }
    assert.strictEqual(
      line({ status: "partial", data: { orders: [1] }, error }, { customer_id: "C-9921" }),
      `1 orders · continue {"cursor":"O-1037"} · Go on.`
    )
    assert.strictEqual(line({ status: "error", error: { next_step: "stop", hint: "Stop." } }), "stop · Stop.")
  })

  it("shows a text that is not an envelope on one line", () => {
    assert.strictEqual(EnvelopeSummary.line("SyntaxError: bad\n    at x", {}), "SyntaxError: bad at x")
    assert.strictEqual(EnvelopeSummary.line(`{"status":"shipped"}`, {}), `{"status":"shipped"}`)
  })
})
