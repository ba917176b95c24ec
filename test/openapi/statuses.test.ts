/** Tests that every failure has a status that the document describes and that the classifier reads correctly. */
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

/** Codes with a 4xx status, whose calls were refused or did nothing. */
const clientErrors: ReadonlySet<string> = new Set(
  `unknown_tool invalid_json truncated_arguments arguments_too_large invalid_arguments unseen_id
   key_conflict invalid_request unknown_reference conflicting_value rate_limited in_progress
   quota_exceeded run_budget_exceeded unauthorized not_found wrong_state refused
   requires_human_approval approval_denied approval_expired no_person loop_detected
   retry_budget_exceeded`.split(/\s+/u)
)

describe("the statuses of failures", () => {
  it("all have a description and a title", () => {
    const used = new Set(rows.flatMap(({ status }) => [status("none"), status("unknown")]))
    for (const status of used) assert.property(meanings, String(status))
    assert.deepStrictEqual(Object.keys(titles), Object.keys(meanings))
  })

  it("are never 503 if the side effect is unknown, because 503 allows clients to send a write again", () => {
    for (const { code, status } of rows) assert.notStrictEqual(status("unknown"), 503, code)
  })

  it("let another guard infer from the status alone whether a write may have been done", () => {
    for (const { code, status } of rows) {
      const read = classifyResponse({ status: status("unknown"), headers: {}, body: "" }, { access: "write" })
      assert.strictEqual(read?.sideEffect, clientErrors.has(code) ? "none" : "unknown", code)
    }
    assert.strictEqual(statusOf("transient", "a_code_of_a_tool", "none"), 503)
  })
})
