/** Tests what a failure loses before a model reads it. */
import { assert, describe, it } from "@effect/vitest"
import * as Failure from "#domain/failure/Failure"
import * as Redaction from "#domain/redaction/Redaction"

const finders = Redaction.makeFinders()
const path = "/home/u/a.md"
const hidden = "[redacted]/a.md"

const failure = (fields: Partial<ConstructorParameters<typeof Failure.Permanent>[0]> = {}) =>
  new Failure.Permanent({
    tool: "read_file",
    code: "refused",
    detail: "no",
    hint: "Tell the user.",
    sideEffect: "none",
    traceId: "t-1",
    ...fields
  })

const redact = (before: Failure.Failure, input?: unknown) => Redaction.redactFailure(finders, before, input)

/** Compares all fields, because the assertion compares only the messages of errors. */
const redacts = (before: Failure.Failure, after: Failure.Failure, input?: unknown) =>
  assert.deepStrictEqual({ ...redact(before, input) }, { ...after })

describe("a failure", () => {
  it("4.15 without secrets and paths is returned as it is", () => {
    const refusal = { reason: "OutOfStock", items: ["a", { left: 3 }], note: null }
    for (const before of [failure(), failure({ fields: ["a", "b"] }), failure({ refusal }), failure({ fields: [] })])
      assert.strictEqual(redact(before), before)
  })

  it("4.15 loses them in each of its texts alone", () => {
    redacts(failure({ detail: path }), failure({ detail: hidden }))
    redacts(failure({ hint: path }), failure({ hint: hidden }))
    redacts(failure({ fields: ["a", path] }), failure({ fields: ["a", hidden] }))
  })

  it("4.15 loses them in the error of a declared refusal, which keeps its form", () => {
    const refusal = (at: string, password: string) => ({
      reason: "Locked",
      at: [{ line: 1 }, at],
      by: { at, ok: true },
      password
    })
    redacts(failure({ refusal: refusal(path, "hunter2Xy9") }), failure({ refusal: refusal(hidden, "[redacted]") }))
    redacts(failure({ refusal: [path] }), failure({ refusal: [hidden] }))
    redacts(failure({ refusal: path }), failure({ refusal: hidden }))
    redacts(failure({ refusal: { at: path } }), failure({ refusal: { at: path } }), { path })
  })

  it("4.15 is cut to 8,192 characters in each text but its fields", () => {
    const long = "x ".repeat(5_000)
    const cut = long.slice(0, 8_192)
    redacts(
      failure({ detail: long, hint: long, fields: [long], refusal: { note: long } }),
      failure({ detail: cut, hint: cut, fields: [long], refusal: { note: cut } })
    )
  })
})

describe("paths in the arguments", () => {
  const detail = (input: unknown) => redact(failure({ detail: path }), input).detail

  it("4.15 are kept, wherever they are in the arguments", () => {
    for (const input of [path, { path }, { files: [{ path }] }, ["x", path], { a: null, path }])
      assert.strictEqual(detail(input), path, JSON.stringify(input))
    for (const input of [undefined, null, 3, { path: "/home/u/b.md" }]) assert.strictEqual(detail(input), hidden)
  })

  it("4.15 are read up to 200 texts, 20 levels and 100,000 characters each", () => {
    const list = (others: number) => [...Array<string>(others).fill("x"), path]
    assert.deepStrictEqual([detail(list(199)), detail(list(200))], [path, hidden])
    const nested = (levels: number) => {
      let value: unknown = path
      for (let level = 0; level < levels; level++) value = [value]
      return value
    }
    assert.deepStrictEqual([detail(nested(20)), detail(nested(21))], [path, hidden])
    const after = (characters: number) => `${"x".repeat(characters - path.length)}${path}`
    assert.deepStrictEqual([detail(after(100_000)), detail(after(100_001))], [path, hidden])
  })
})
