/** Tests which values state an error with the fields of an envelope, and what each field says. */
import { assert, describe, it } from "@effect/vitest"
import { type DeclaredError, errorOf, markOf, of, StatedError } from "#domain/classification/DeclaredError"
import { QuotedError } from "#domain/classification/QuotedError"
import { nothingDone } from "#domain/failure/StatedEffect"

const long = (length: number): string => "x".repeat(length)
const message = "It failed."
const coded = { code: "X_1", message }
const text = JSON.stringify(coded)
const plain = { code: "x_1", words: message }
const url = (length: number): string => `https://a.example/${long(length - 18)}`
const throwing = Object.defineProperty({ message }, "code", {
  enumerable: true,
  get: () => {
    throw new Error("no")
  }
})

/** The statements of each error that are present; undefined if the value does not state an error. */
const rows: ReadonlyArray<readonly [what: string, error: unknown, stated: Partial<DeclaredError> | undefined]> = [
  ["a code in `error`", { error: "X_1", message }, plain],
  ["a code in `code` alongside an empty `error`", { error: " ", code: "X_1", message }, plain],
  ["a code in `code` alongside a number in `error`", { error: 7, code: "X_1", message }, plain],
  ["a code in `type` alongside null in `error`", { type: "X_1", error: null, message }, plain],
  ["the first of two codes", { error: "X_2", code: "X_1", message }, { code: "x_2", words: message }],
  ["a code of 48 characters", { error: long(48), message }, { code: long(48), words: message }],
  ["a code of 49 characters", { error: long(49), message }, undefined],
  ["a sentence in `error`", { error: "Not so!", ...coded }, { code: "x_1", words: "Not so! It failed." }],
  ["a class", { error_class: "transient", message }, { tag: "Transient", words: message }],
  ["a class with a space", { error_class: "Semantic Garbage", message }, { tag: "SemanticGarbage", words: message }],
  ["an unknown class", { error_class: "OddClass", message }, { code: "odd_class", words: message }],
  ["a class and a code", { error_class: "resource", ...coded }, { ...plain, tag: "Resource" }],
  ["a class in `code`", { code: "Transient", message }, { tag: "Transient", words: message }],
  ["partial data", { code: "PartialData", message }, { words: message }],
  ["a code of the guard", { code: "timeout", message }, { words: message }],
  ["a person", { human_review: true, message }, { tag: "HumanReview", words: message }],
  ["a person in a code", { code: "requires_human_approval", message }, { tag: "HumanReview", words: message }],
  [
    "a person and a class",
    { human_review: true, error_class: "permanent", message },
    { tag: "HumanReview", words: message }
  ],
  ["a person as text", { human_review: "true", message }, undefined],
  ["no person", { human_review: false, message }, undefined],
  ["no person, with a code", { human_review: false, ...coded }, plain],
  ["a message alone", { message }, undefined],
  ["a code alone", { code: "X_1" }, undefined],
  ["a code with a blank message", { code: "X_1", message: " " }, undefined],
  ["a code with a field of data", { ...coded, other: 1 }, undefined],
  ["a code and `retryable`", { code: "X_1", retryable: false }, { code: "x_1", words: "x_1", retryable: false }],
  ["a code and an undefined `retryable`", { code: "X_1", retryable: undefined }, undefined],
  ["`retryable` as text", { code: "X_1", retryable: "no" }, { code: "x_1", words: "x_1" }],
  ["`retryable` as a number", { ...coded, retryable: 1 }, plain],
  ["a message in an object", { error: { message }, data: 1 }, { words: message }],
  ["a code in an object", { error: { code: "X_1" } }, { code: "x_1", words: "x_1" }],
  ["an object without both", { error: { odd: 1 } }, undefined],
  ["an object with a blank message", { error: { message: " " } }, undefined],
  ["an Error in `error`", { error: new Error("x") }, undefined],
  ["an Error with a code", Object.assign(new Error("x"), coded), undefined],
  ["an object without a prototype", Object.assign(Object.create(null), coded), plain],
  [
    "a list of fields",
    { ...coded, fields: ["a", { field: "b" }, { path: "c" }, { name: "d" }, { odd: 1 }, 7, "", long(120), long(121)] },
    { ...plain, fields: ["a", "b", "c", "d", long(120)] }
  ],
  [
    "messages by field",
    { ...coded, fields: { a: "is bad", b: "is odd" } },
    { code: "x_1", words: "It failed. a: is bad; b: is odd", fields: ["a", "b"] }
  ],
  [
    "fields with a message",
    { ...coded, fields: [{ field: "b", message: "is odd" }, "c"] },
    { code: "x_1", words: "It failed. b: is odd; c", fields: ["b", "c"] }
  ],
  ["a text in `fields`", { ...coded, fields: "a" }, plain],
  [
    "more than 20 fields",
    { ...coded, fields: Array.from({ length: 21 }, (_, n) => `f${n}`) },
    { ...plain, fields: Array.from({ length: 20 }, (_, n) => `f${n}`) }
  ],
  ["a hint", { ...coded, hint: "Do it." }, { ...plain, hint: "Do it." }],
  ["a blank hint", { ...coded, hint: " " }, plain],
  ["a hint of 201 characters", { ...coded, hint: long(201) }, { ...plain, hint: `${long(199)}…` }],
  ["an address", { ...coded, approval_url: "https://a.example/1" }, { ...plain, approvalUrl: "https://a.example/1" }],
  [
    "an address without TLS",
    { ...coded, approval_url: "http://a.example" },
    { ...plain, approvalUrl: "http://a.example" }
  ],
  ["an address of 500 characters", { ...coded, approval_url: url(500) }, { ...plain, approvalUrl: url(500) }],
  ["an address of 501 characters", { ...coded, approval_url: url(501) }, plain],
  ["words before an address", { ...coded, approval_url: "see https://a.example/1" }, plain],
  ["words behind an address", { ...coded, approval_url: "https://a.example/1 now" }, plain],
  ["an address of FTP", { ...coded, approval_url: "ftp://a.example/1" }, plain],
  ["a JSON text", text, plain],
  ["a JSON text behind space", ` \n ${text}`, plain],
  ["a JSON text behind a word", `x ${text}`, undefined],
  ["a cut JSON text", text.slice(0, -1), undefined],
  ["a list in a JSON text", `[${text}]`, undefined],
  ["a JSON text of 16,384 characters", text.padEnd(16_384), plain],
  ["a JSON text of 16,385 characters", text.padEnd(16_385), undefined],
  ["a text", "It failed.", undefined],
  ["the JSON body of a response", { status: 400, headers: {}, body: text }, plain],
  ["the object body of a response", { status: 400, headers: {}, body: coded }, plain],
  ["a body without headers", { status: 400, body: text }, undefined],
  ["a response in a response", { headers: {}, body: { headers: {}, body: coded } }, undefined],
  [
    "a response with an error",
    { headers: {}, error: { code: "X_2", message }, body: coded },
    { code: "x_2", words: message }
  ],
  ["an error of the server behind the tool", new QuotedError("x", coded), undefined],
  ["an error that the answer states", new StatedError("x", coded), plain],
  ["nothingDone around an error", nothingDone(coded), plain],
  ["a number", 7, undefined],
  ["null", null, undefined],
  ["a list", [coded], undefined],
  ["a getter that throws", throwing, undefined]
]

const presentIn = (declared: DeclaredError | undefined): unknown =>
  declared &&
  Object.fromEntries(
    Object.entries(declared).filter(([, value]) => value !== undefined && !(Array.isArray(value) && value.length === 0))
  )

describe("the statements of an error", () => {
  for (const [what, error, stated] of rows)
    it(`5.1 ${what} ${stated === undefined ? "states no error" : "is read"}`, () =>
      assert.deepStrictEqual(presentIn(of(error)), stated))
})

const retryable = { code: "X_1", retryable: true }

/** The mark and the words of each answer. */
const answers: ReadonlyArray<readonly [what: string, answer: unknown, mark?: string | undefined, words?: string]> = [
  ["only an error", { error: { ...retryable, message } }, "error", message],
  ["only an error, without a message", { ok: false, error: retryable }, "error", "x_1"],
  ["an error with a trace", { success: false, trace_id: "t", error: { code: "X_1", fields: [] } }, "error", "x_1"],
  ["an error of a successful answer", { ok: true, error: retryable }, undefined, "x_1"],
  ["an error of an answer with success", { success: true, error: retryable }, undefined, "x_1"],
  ["an error without fields of errors", { error: coded }, undefined, message],
  ["an error with an undefined field", { error: { ...coded, retryable: undefined } }, undefined, message],
  ["an error with a field of data", { error: { ...retryable, odd: 1 } }, undefined, "x_1"],
  ["an error alongside data", { data: 1, error: retryable }, undefined, "x_1"],
  ["a code in `error`", { error: "X_1", message }, "error", message],
  ["a code in `error_type`", { error_type: "X_1", message }, "error_type", message],
  ["a class", { error_class: "X_1", message }, "error_class", message],
  [
    "a code in `error_type` alongside a sentence",
    { error: "No!", error_type: "X_1", message },
    "error_type",
    "No! It failed."
  ],
  ["a code in `code`", coded, undefined, message],
  ["a person", { human_review: true, message }, undefined, message],
  [
    "a class alone",
    { error_class: "transient", retryable: true },
    "error_class",
    "The tool reported a failure without a message."
  ],
  ["a code alone", { error: "X_1" }],
  ["an empty error", { error: {} }],
  ["a number", 7],
  ["null", null],
  ["a list", []]
]

describe("an answer that states an error", () => {
  for (const [what, answer, mark, words] of answers)
    it(`5.1 ${what} is ${mark === undefined ? "not marked" : `marked by ${mark}`}, with its words`, () => {
      assert.strictEqual(markOf(answer), mark)
      const error = errorOf(answer)
      assert.strictEqual(error?.message, words)
      if (error !== undefined) assert.strictEqual(error.evidence, answer)
    })
})
