/** Tests whole envelopes of results that are stored, partial or accompanied by parts, as text and as value. */
import { assert, describe, it } from "@effect/vitest"
import { failed, type Outcome, success } from "#domain/call/Outcome"
import * as Envelope from "#domain/envelope/Envelope"
import * as Failure from "#domain/failure/Failure"

const read: Envelope.RenderOptions = { access: "read", encode: (value) => value }
const fields = { tool: "a", code: "more", detail: "More.", hint: "", sideEffect: "none", traceId: "" } as const

/** Renders an outcome, checks that its text and its value agree, and returns the value and the kind of its content. */
const rendered = (outcome: Outcome, options: Partial<Envelope.RenderOptions> = {}) => {
  const { shows, text } = Envelope.render(outcome, { ...read, ...options })
  const value: unknown = JSON.parse(text)
  assert.strictEqual(text, JSON.stringify(Envelope.make(outcome, { ...read, ...options })))
  return [shows, value]
}

const parts = [{ type: "file", media_type: "image/png", bytes: 7 }] as const
const long = "x".repeat(10_239)
const preview = (note: string, first: string) => ({
  bytes: 10_241,
  structure: "string of 10239 characters",
  first,
  note
})
const asked = "Only the beginning: the result is too large. Ask for less, or for one part at a time."
const lost =
  "Only the beginning: the result is too large, and it could not be stored. Ask for less, or for one part at a time."
const kept = "Only the beginning. Read the rest with read_result: page by page, or a part by its path."

const error = {
  error_class: "partial_data",
  code: "more",
  message: "More.",
  hint: "Ask for less, so that the answer is complete.",
  next_step: "fix_arguments",
  retryable: false
}

describe("Envelope, stored results", () => {
  it("4.14 the preview says whether the rest was stored, and only then has its link", () => {
    for (const [options, note, link] of [
      [{}, asked, {}],
      [{ kept: { _tag: "Lost" } }, lost, {}],
      [{ kept: { _tag: "Kept", url: 'artifact://"1' } }, kept, { resource_url: 'artifact://"1' }]
    ] as const)
      for (const json of [undefined, JSON.stringify(long)]) {
        const [shows, value] = rendered(success(long), { ...options, json })
        const { first } = (value as { preview: { first: string } }).preview
        assert.match(first, /^x+…$/)
        assert.deepStrictEqual(
          [shows, value],
          ["preview", { status: "success", preview: preview(note, first), ...link }]
        )
        assert.strictEqual(JSON.stringify((value as { preview: unknown }).preview).length, 10_238)
      }
  })

  it("5.1 a partial result has its data or its preview, its error, and the fallback that answered", () => {
    const partial = failed(new Failure.PartialData({ ...fields, data: [1] }))
    assert.deepStrictEqual(rendered(partial), ["data", { status: "partial", data: [1], error }])
    assert.deepStrictEqual(rendered({ ...partial, usedFallback: "b" }, { json: "[2]" }), [
      "data",
      { status: "partial", data: [2], error, used_fallback: "b" }
    ])
    const large = { ...failed(new Failure.PartialData({ ...fields, data: long })), usedFallback: "b" }
    const [shows, value] = rendered(large, { kept: { _tag: "Kept", url: "u" } })
    assert.strictEqual(shows, "preview")
    assert.deepStrictEqual(Object.keys(value as object), [
      "status",
      "preview",
      "resource_url",
      "error",
      "used_fallback"
    ])
  })

  it("5.1 an envelope as a value has the encoded result itself, and only the fields that are set", () => {
    const data = { a: [1] }
    const envelope = Envelope.make(success(data), read)
    assert.strictEqual("data" in envelope && envelope.data, data)
    assert.deepStrictEqual(Object.keys(Envelope.make(success(long), read)), ["status", "preview"])
    assert.deepStrictEqual(Object.keys(Envelope.make(failed(new Failure.PartialData({ ...fields, data })), read)), [
      "status",
      "data",
      "error"
    ])
  })

  it("4.16 notes on parts accompany whole and partial results, but not errors", () => {
    assert.deepStrictEqual(rendered(success([1]), { parts }), ["data", { status: "success", data: [1], parts }])
    assert.deepStrictEqual(rendered(success([]), { parts }), [
      "data",
      { status: "success", data: [], empty: true, parts }
    ])
    assert.deepStrictEqual(rendered(success([1]), { parts: [] }), ["data", { status: "success", data: [1] }])
    const partial = failed(new Failure.PartialData({ ...fields, data: [1] }))
    assert.deepStrictEqual(rendered(partial, { parts }), ["data", { status: "partial", data: [1], error, parts }])
    const [shows, value] = rendered(failed(new Failure.Permanent(fields)), { parts })
    assert.deepStrictEqual([shows, Object.keys(value as object)], ["error", ["status", "error"]])
  })

  it("5.4 a write whose result JSON cannot represent is reported as done, and an undefined result as null", () => {
    for (const outcome of [success(1n), failed(new Failure.PartialData({ ...fields, data: 1n }))])
      for (const access of ["write", "destructive"] as const)
        assert.deepStrictEqual(rendered(outcome, { access, tool: "pay", traceId: "t" }), [
          "error",
          {
            status: "error",
            error: {
              error_class: "schema_mismatch",
              code: "done_unreadable",
              message: "The tool's result cannot be written as JSON.",
              hint: "The action was done; its answer could not be read. Do not call again.",
              next_step: "stop",
              side_effect: "committed",
              retryable: false,
              trace_id: "t"
            }
          }
        ])
    assert.deepStrictEqual(rendered(success(undefined)), ["data", { status: "success", data: null, empty: true }])
    assert.deepStrictEqual(rendered(success(1), { encode: () => undefined }), [
      "data",
      { status: "success", data: null, empty: true }
    ])
  })

  it("7.1 a failure has the notice of the loop detector, unless the detector lets it proceed", () => {
    const failure = failed(new Failure.Permanent({ ...fields, hint: "Stop." }))
    const hint = (loop: object) =>
      (rendered({ ...failure, loop } as Outcome)[1] as { error: { hint: string } }).error.hint
    assert.strictEqual(hint({ _tag: "Proceed" }), "Stop.")
    assert.strictEqual(hint({ _tag: "Tell", pattern: "cycle", count: 2, reason: "Again." }), "Again. Stop.")
  })
})
