/** Tests that every failure has a status that the document describes and that the classifier reads correctly. */
import { classifyResponse } from "#domain/classification/Classification"
import { errorClass } from "#domain/envelope/EnvelopeError"
import type { SideEffect } from "#domain/failure/Failure"
import { codes } from "#domain/failure/FailureCode"
import { meanings, statusOf, titles } from "#src/openapi/ResponseStatus"
import { assert, describe, it } from "@effect/vitest"

const rows = Object.entries(codes).flatMap(([code, { tag }]) => {
  const name = errorClass(tag)
  return name === "partial_data" ? [] : [{ code, tag, status: (effect: SideEffect) => statusOf(name, code, effect) }]
})

describe("the statuses of failures", () => {
  it("all have a description and a title", () => {
    const used = new Set(rows.flatMap(({ status }) => [status("none"), status("unknown")]))
    for (const status of used) assert.property(meanings, String(status))
    assert.deepStrictEqual(Object.keys(titles), Object.keys(meanings))
  })

  it("3.3 are never 503 if something was or may have been done, because 503 allows clients to send a write again", () => {
    for (const { code, status } of rows) {
      for (const effect of ["unknown", "committed"] as const) assert.notStrictEqual(status(effect), 503, code)
    }
  })

  it("3.3 never let another guard infer from the status alone that nothing was done if something was or may have been done", () => {
    for (const { code, status } of rows) {
      for (const effect of ["unknown", "committed"] as const) {
        const read = classifyResponse({ status: status(effect), headers: {}, body: "" }, { access: "write" })
        assert.strictEqual(read?.sideEffect, "unknown", `${code} ${effect}`)
      }
    }
    assert.strictEqual(statusOf("permanent", "not_found", "none"), 404)
    assert.strictEqual(statusOf("transient", "a_code_of_a_tool", "none"), 503)
  })
})
