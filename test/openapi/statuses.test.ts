/** Every failure has a status that the document describes, and one that our own classification reads as no other kind. */
import { classifyResponse } from "#domain/classification/Classification"
import { errorClass } from "#domain/envelope/EnvelopeError"
import { codes } from "#domain/failure/FailureCode"
import { meanings, statusOf, titles } from "#src/openapi/StatusOf"
import { assert, describe, it } from "@effect/vitest"

const rows = Object.entries(codes).flatMap(([code, { tag }]) => {
  const name = errorClass(tag)
  return name === "partial_data"
    ? []
    : [{ code, tag, status: (effect: "none" | "unknown") => statusOf(name, code, effect) }]
})

describe("the statuses of failures", () => {
  it("are all described, and have their title", () => {
    const used = new Set(rows.flatMap(({ status }) => [status("none"), status("unknown")]))
    for (const status of used) assert.property(meanings, String(status))
    assert.deepStrictEqual(Object.keys(titles), Object.keys(meanings))
  })

  it("say by 503 alone that a write may be sent again at once: never where its effect is not known", () => {
    for (const { code, status } of rows) assert.notStrictEqual(status("unknown"), 503, code)
  })

  it("tell another guard the same of what happened, where it knows nothing but the status", () => {
    for (const { code, status } of rows) {
      const read = classifyResponse({ status: status("unknown"), headers: {}, body: "" }, { access: "write" })
      // a status of the client's fault says that nothing was done: none of those stands for an effect that is not known
      if (code === "outcome_unknown" || code === "timeout" || code === "unavailable") {
        assert.strictEqual(read?.sideEffect, "unknown", code)
      }
    }
    assert.strictEqual(statusOf("transient", "a_code_of_a_tool", "none"), 503)
  })
})
