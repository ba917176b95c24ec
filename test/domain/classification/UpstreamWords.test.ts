/** Tests how errors of upstreams are quoted. */
import * as UpstreamWords from "#domain/classification/UpstreamWords"
import { QuotedError } from "#domain/classification/QuotedError"
import { classify, classifyResponse } from "#domain/classification/Classification"
import { assert, describe, it } from "@effect/vitest"
import { Duration } from "effect"
import { growth } from "../../support/cpuTime.ts"

const { ofText } = UpstreamWords

describe("UpstreamWords", () => {
  it("3.3 quotes all lines of a text without its stack", () => {
    const crash = [
      "Error: Command failed: node job.js",
      "job.js:1",
      "throw new Error('no seats left')",
      "^",
      "",
      "Error: no seats left",
      "    at Object.<anonymous> (job.js:1:7)",
      "    at Module._compile (node:internal/modules/cjs/loader:1554:14)",
      "",
      "Node.js v24"
    ].join("\n")
    assert.strictEqual(
      ofText(crash),
      "Error: Command failed: node job.js job.js:1 throw new Error('no seats left') Error: no seats left Node.js v24"
    )
    const python =
      'Traceback (most recent call last):\n  File "a.py", line 3, in f\n    g()\nValueError: no city\nUse another.'
    assert.strictEqual(ofText(python), "ValueError: no city Use another.")
    assert.strictEqual(ofText("usage: move <from> <to>\nList<String>"), "usage: move <from> <to> List<String>")
  })

  it("3.3 quotes the texts of a JSON body with the fields that they concern", () => {
    for (const [body, words] of [
      [
        {
          type: "about:blank",
          title: "Invalid order",
          status: 422,
          detail: "2 fields are wrong.",
          errors: [
            { pointer: "#/name", detail: "must not be empty" },
            { pointer: "#/age", detail: "must be positive" }
          ]
        },
        "Invalid order; 2 fields are wrong. #/name: must not be empty; #/age: must be positive"
      ],
      [{ title: "Validation failed.", errors: { Name: ["is required"] } }, "Validation failed. Name: is required"],
      [{ detail: [{ loc: ["body", "items", 0, "qty"], msg: "field required" }] }, "body.items.0.qty: field required"],
      [{ title: "Bad", "invalid-params": [{ name: "color", reason: "not a color" }] }, "Bad; color: not a color"],
      [{ errors: [{ source: { pointer: "/data/name" }, title: "Too short" }] }, "/data/name: Too short"],
      [{ error: { code: 429, message: "Slow down." } }, "Slow down."],
      [{ error: "invalid_grant", error_description: "Token expired" }, "invalid_grant; Token expired"],
      [{ ok: false, error: "channel_not_found" }, "channel_not_found"],
      [{ code: 17 }, '{"code":17}'],
      [{}, ""],
      [[], ""]
    ] as const)
      assert.strictEqual(ofText(JSON.stringify(body)), words)
  })

  it("3.3 quotes the visible text of a page, and Chinese", () => {
    const page =
      "<!DOCTYPE html><html><head><title>502 Bad Gateway</title><style>p{}</style></head><body><p>No route</p><script>alert(1)</script></body></html>"
    assert.strictEqual(ofText(page), "502 Bad Gateway No route")
    assert.strictEqual(ofText("错误：\n找不到文件 🗂️"), "错误： 找不到文件 🗂️")
  })

  it("3.3 shows no control characters, terminal colours or characters that change the direction", () => {
    assert.strictEqual(ofText("\u001b[31mred\u001b[0m\u0000 a\u202eb\u200bc\u{e0041} \u0085d"), "red abc d")
    assert.strictEqual(ofText("\ud800 half"), "\ufffd half")
    assert.strictEqual(ofText(" \u0000\n\u200b"), "")
  })

  it("4.15 leaves out the last word instead of cutting it, because the word may be a secret", () => {
    assert.strictEqual(
      ofText(`${"x".repeat(700)} ${"y".repeat(290)} ghp_${"z".repeat(36)}`),
      `${"x".repeat(700)} ${"y".repeat(290)}…`
    )
    assert.strictEqual(ofText("x".repeat(2_000)).length, 1_000)
  })

  for (const [what, textOf] of [
    ["one word", (length) => "x".repeat(length * 125)],
    ["lines", (length) => "a\n".repeat(length * 62)],
    ["start tags", (length) => `<html>${"<script ".repeat(length / 4)}`],
    ["comments in a page", (length) => `<html>${"<!--".repeat(length / 2)}`],
    ["comments", (length) => "<!--".repeat(length / 2)],
    ["braces", (length) => "{".repeat(length * 62)],
    ["nested lists", (length) => `{"error":${"[".repeat(length)}${"]".repeat(length)}}`],
    [
      "many errors",
      (length) =>
        JSON.stringify({
          errors: Object.fromEntries(Array.from({ length: length / 16 }, (_, n) => [`f${n}`, "bad"]))
        })
    ]
  ] satisfies ReadonlyArray<readonly [string, (length: number) => string]>) {
    it(`3.3 does linear work for a long text of ${what}, and quotes at most 1,000 characters`, () => {
      const [short, long] = [textOf(1_024), textOf(8_192)]
      assert.isAtMost(ofText(long).length, 1_000)
      assert.isBelow(
        growth(
          () => void ofText(short),
          () => void ofText(long)
        ),
        28
      )
    })
  }

  it("3.3 does linear work for many long texts in one value, and quotes at most 1,000 characters", () => {
    const valueOf = (length: number) => {
      const long = Array.from({ length: 12 }, (_, n) => `${"a".repeat(length + n)}b${"a".repeat(n)}`)
      return { errors: long, details: long, messages: long, hint: Object.fromEntries(long.map((key) => [key, key])) }
    }
    const [short, long] = [valueOf(62_500), valueOf(500_000)]
    assert.isAtMost(UpstreamWords.ofValue(long).length, 1_000)
    assert.isBelow(
      growth(
        () => void UpstreamWords.ofValue(short),
        () => void UpstreamWords.ofValue(long)
      ),
      28
    )
  })
})

describe("a quoted error", () => {
  const write = { access: "write" } as const

  it("3.3 is classified by its evidence and quoted, but its own statuses prove no side effect", () => {
    const error = new QuotedError("No such order: a-1.", { status: 404, message: "No such order: a-1." })
    assert.deepInclude(classify(error, { ...write, arguments: { id: "a-1" } }), {
      tag: "ToolArgError",
      code: "unknown_reference",
      detail: "No such order: a-1.",
      sideEffect: "unknown",
      isAnswered: true
    })
  })

  it("4.11 has the wait that a field states, in seconds or milliseconds by its name, and is then Transient", () => {
    for (const [fields, millis] of [
      [{ retry_after: 7 }, 7_000],
      [{ retryAfter: "7" }, 7_000],
      [{ retryAfterSeconds: 7 }, 7_000],
      [{ retry_after_ms: 700 }, 700],
      [{ retryAfterMs: 700 }, 700],
      [{ error: { retryAfterMillis: 700 } }, 700]
    ] as const) {
      const { code, retryAfter, tag } = classify(
        new QuotedError("not today", { message: "not today", ...fields }),
        write
      )
      assert.deepStrictEqual(
        [tag, code, retryAfter && Duration.toMillis(retryAfter)],
        ["Transient", "temporary_failure", millis]
      )
    }
    assert.strictEqual(classify(new QuotedError("not today", { message: "not today" }), write).tag, "Permanent")
  })

  it("3.3 a response is quoted with its title, detail and errors", () => {
    const body = JSON.stringify({
      title: "Conflict",
      detail: "Version 3 is older.",
      errors: [{ field: "v", message: "old" }]
    })
    const classified = classifyResponse({ status: 409, headers: {}, body }, write)
    assert.strictEqual(classified?.detail, "Conflict; Version 3 is older. v: old")
    assert.strictEqual(classified?.sideEffect, "none")
  })
})
