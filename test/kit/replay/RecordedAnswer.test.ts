/** Tests how recorded answers are classified by their shapes and phrases, with answers that only look like failures. */
import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { hiddenFailureIn } from "#domain/answers/HiddenFailure"
import { answersIn } from "#domain/answers/WrappedAnswers"
import { isCommand } from "#kit/replay/CommandAnswer"
import { classify } from "#kit/replay/RecordedAnswer"
import { needsParsing } from "#kit/replay/Prefilter"
import { answer, labelled, ownAnswers, printed } from "./answers.ts"

/** Texts by label, from unflagged answers of `lookup`. */
const families: Readonly<Record<string, ReadonlyArray<string>>> = {
  ok: [
    "",
    "[]",
    "null",
    "three chairs",
    '{"chairs": [], "has_more": false}',
    '{"error": null, "chairs": [{"id": 7}]}',
    '{"error": "", "response": "{\'chairs\': []}"}',
    '{"message": "Order created"}',
    '{"results": [], "message": "No chairs matched"}',
    '{"id": 7, "name": "build", "status": "failed", "error": "2 tests failed"}',
    '{"legal": false, "move": "e9"}',
    "No chairs found.",
    "Your phone cannot send pictures.",
    "Delivery failed: nobody at home. Next try tomorrow.",
    "# Errors\n\nError: 503 means that the service is away.\n",
    "The page tells how to mend 'permission denied': join the group.",
    "2025-01-01 ERROR connection refused\n2025-01-01 INFO connected",
    "404: Not Found\n500: Internal Server Error",
    "Standard error: 0.5"
  ],
  tool_arg: [
    "Error: 'query' must not be empty",
    "Invalid date: 31 February",
    "missing required parameter: shop",
    '{"error": "chair not found"}',
    '{"success": false, "message": "unknown colour: blue chairs"}',
    '{"detail": [{"loc": ["query", "q"], "msg": "field required"}]}',
    '{"type": "about:blank", "title": "Bad Request", "status": 400}',
    '{"results": [{"name": "a", "error": "chair not found"}, {"name": "b", "error": "chair not found"}]}',
    "2 validation errors:\n```json\n[]\n```\n\nFix the errors and try again."
  ],
  unknown_tool: [
    "Unknown tool: lookup",
    "lookup is not a valid tool, try one of [find]",
    "Error: No tool named lookup"
  ],
  schema_mismatch: [
    "Output validation error: 'price' is a required property",
    "Error: Unexpected token '<', \"<!DOCTYPE \"... is not valid JSON"
  ],
  partial_data: [
    "chair 1\nchair 2\n\n[431 more lines in file. Use offset=825 to continue]",
    "chair 1\n<error>Content truncated. Call again with a start_index of 5000 to get more content.</error>",
    "Found 250 chairs, showing first 20:\n1. a\n2. b",
    '{"chairs": [{"id": 1}], "next_cursor": "abc"}',
    '{"chairs": [{"id": 1, "name": "A cha...',
    `{"chairs": "${"x".repeat(9_988)}`,
    '{"results": [{"name": "a", "data": {"id": 1}}, {"name": "b", "success": false, "error": "no such chair"}]}'
  ],
  semantic_garbage: [
    '{"error": "", "response": ""}',
    '{"error": "", "response": "<html><head><title>Domain parked</title></head></html>"}'
  ],
  transient: [
    "Error: 503 Service Unavailable",
    "Failed to fetch the prices: fetch failed",
    "Tool call timed out.",
    '{"error": {"message": "Too many requests"}}',
    '{"error": "", "response": "{\'message\': \'You have exceeded the rate limit per minute\'}"}',
    '{"error": "request invalid, status_code=502", "response": ""}',
    "upstream connect error or disconnect/reset before headers"
  ],
  resource: [
    '{"message": "You have exceeded the MONTHLY quota for requests"}',
    "Error: no space left on device",
    "Tool call limit reached: 3 of 3 calls used."
  ],
  permanent: [
    '{"error": "", "response": "{\'message\': \'You are not subscribed to this API.\'}"}',
    '{"ok": false, "error": "missing_scope"}',
    '{"message": "Missing Authentication Token"}',
    "Error: This booking is non-refundable",
    "Error: spawn ffmpeg ENOENT",
    "# Search Failed\n\nError searching for chairs: (sqlite3.OperationalError) no such table: shop",
    "TypeError: Cannot read properties of undefined\n    at find (/srv/a.js:1:2)\n    at main (/srv/a.js:3:4)"
  ]
}

describe("classify", () => {
  for (const [label, texts] of Object.entries(families)) {
    for (const text of texts) {
      it(`3.4 finds ${label}: ${JSON.stringify(text.slice(0, 70))}`, () =>
        assert.strictEqual(labelled(answer(text)), label))
      it(`3.4 finds ${label} as a client prints it: ${JSON.stringify(text.slice(0, 60))}`, () => {
        const wrapped = labelled(
          answer(printed(text), { arguments: { tool_name: "lookup", params: { query: "blue chairs" } } })
        )
        assert.strictEqual(wrapped, label)
      })
    }
  }

  it("3.4 reports class, code and detail", () => {
    assert.deepStrictEqual(classify(answer("Error: 503 Service Unavailable")), {
      _tag: "Failure",
      class: "Transient",
      code: "unavailable",
      detail: "Error: 503 Service Unavailable"
    })
    assert.deepStrictEqual(classify(answer("a\n[12 more lines in file. Use offset=9 to continue]")), {
      _tag: "Partial",
      detail: "Use offset=9 to continue"
    })
    assert.deepStrictEqual(classify(answer("three chairs")), { _tag: "Success" })
  })

  it("3.4 advice after an error belongs to the error, also in brackets, and other lines do not", () => {
    const advice = [
      "[Analyze the error above and try a different approach.]",
      "[Try a different approach.]",
      "(Please check the path.)",
      "Analyse the error above."
    ]
    for (const line of advice) {
      assert.strictEqual(labelled(answer(`Error: timeout\n\n${line}`)), "transient", line)
      assert.strictEqual(
        labelled(
          answer(`Error: old_text not found

${line}`)
        ),
        "tool_arg",
        line
      )
    }
    const play = "Error: the play\nA comedy in two acts.\nFirst given in 1990.\nIts hero is a clerk.\n[Analyzed by Ada]"
    assert.strictEqual(labelled(answer(play)), "ok")
  })

  it("3.4 relies on the log's flag if the text is inconclusive", () => {
    assert.strictEqual(labelled(answer("Nope", { isError: true })), "permanent")
    assert.strictEqual(labelled(answer("The file must be read first.", { isError: true })), "tool_arg")
  })

  it("3.4 prefers the inner flag to the outer one", () => {
    assert.strictEqual(labelled(answer(printed("'path' is a required property", true))), "tool_arg")
    assert.strictEqual(labelled(answer(printed("three chairs", false))), "ok")
  })

  it("3.4 attributes a missing object to the arguments only if they name it", () => {
    const of = (text: string, args: object) => labelled(answer(text, { arguments: args }))
    assert.strictEqual(of("Error: user not found", { email: "a@b.example" }), "tool_arg")
    assert.strictEqual(of("Error: user not found", {}), "permanent")
    assert.strictEqual(of("Error: order W-1 not found", { order_id: "W-1" }), "tool_arg")
    assert.strictEqual(of("Error: no such table: shop", { query: "chairs" }), "permanent")
    assert.strictEqual(of("Error: no such table: shop", { sql: "select * from shop" }), "tool_arg")
    assert.strictEqual(of("ENOENT: no such file, open '/home/x/notes.md'", { path: "~/notes.md" }), "tool_arg")
  })
})

describe("classify, commands", () => {
  const bash = (text: string, isError = true) =>
    labelled({ tool: "bash", arguments: { command: "npm test" }, isError, text })

  it("3.4 a command that ran succeeded, regardless of its output", () => {
    for (const text of [
      "(no output)\n\nCommand exited with code 1",
      " FAIL  a.test.ts\nAssertionError: expected 1 to equal 2\n\nCommand exited with code 1",
      "a.ts(1,1): error TS2304: Cannot find name 'x'.\n\nCommand exited with code 2",
      "cat: nofile: No such file or directory\n\nCommand exited with code 1"
    ]) {
      assert.strictEqual(bash(text), "ok")
    }
    assert.strictEqual(bash("Error: could not load cache\nmake: *** [build] Error 1", false), "ok")
    assert.strictEqual(bash("Error: 503 Service Unavailable", false), "ok")
    assert.strictEqual(
      bash("Traceback (most recent call last):\nKeyError: 'a'\n[The command completed with exit code 1.]"),
      "ok"
    )
  })

  it("3.4 distinguishes the tool's own errors from the command's output", () => {
    assert.strictEqual(bash("listening\n\nCommand timed out after 60 seconds"), "transient")
    assert.strictEqual(bash("bash: line 1: rg: command not found\n\nCommand exited with code 127"), "permanent")
    assert.strictEqual(bash("Error: command denied by policy", false), "permanent")
    assert.strictEqual(bash("built\n[The command has no new output after 10 seconds.]", false), "partial_data")
  })

  it("3.4 an object that has only an error is the tool's own, unless the command may have printed it", () => {
    const of = (answer: object, command = "make build") =>
      labelled({ tool: "shell", arguments: { command }, isError: false, text: JSON.stringify(answer) })
    const timeout = { error: "The command timed out after 30 seconds." }
    assert.strictEqual(of(timeout), "transient")
    assert.strictEqual(of(timeout, "curl https://a.example"), "transient")
    assert.strictEqual(of({ error: "Permission denied", pid: 7 }), "permanent")
    assert.strictEqual(of({ success: false, error: "command denied by policy" }, "cat a"), "permanent")
    assert.strictEqual(of({ error: "Permission denied" }, "curl https://a.example"), "ok")
    for (const beside of [{ output: "built" }, { exit_code: 1 }, { success: true }, { ok: true }]) {
      assert.strictEqual(of({ error: "Permission denied", ...beside }), "ok", JSON.stringify(beside))
    }
    assert.strictEqual(of({ error: "" }), "ok")
  })

  it("3.4 recognises a command inside another tool's arguments, and does not mistake an editor for one", () => {
    assert.isTrue(isCommand("execute-tool", { tool_name: "start_process", params: { command: "ls" } }))
    assert.isTrue(isCommand("run", { cmd: "ls -l" }))
    assert.isFalse(isCommand("str_replace_editor", { command: "view", path: "/a" }))
    assert.isFalse(isCommand("search", { query: "bash" }))
  })
})

describe("classify, pages", () => {
  const page = (text: string) =>
    labelled({ tool: "fetch_page", arguments: { url: "https://a.example" }, isError: false, text })

  it("3.4 a placeholder page has no content", () => {
    for (const text of [
      "# a/b\n\na/b | Docs\n\nLoading...\n",
      "Just a moment...\n\nEnable JavaScript and cookies to continue",
      "Please verify you are a human",
      "We use cookies. Accept all Reject all Manage preferences",
      "## Sign in\n\nEmail\n\nPassword\n\n[Forgot password?](/x)",
      "404\n\nThis page could not be found.",
      "[object Object]"
    ]) {
      assert.strictEqual(page(text), "semantic_garbage", text)
    }
  })

  it("3.4 a page with content passes, whatever its subject", () => {
    assert.strictEqual(page("# Cookies\n\nMix flour and sugar. Bake for 12 minutes."), "ok")
    assert.strictEqual(page(`# Prices\n\nSign in to your account to buy. ${"We sell chairs. ".repeat(100)}`), "ok")
    assert.strictEqual(page("<html><head><title>Example</title></head><body>For examples.</body></html>"), "ok")
    assert.strictEqual(
      labelled({ tool: "read_file", arguments: { path: "/a.md" }, isError: false, text: "Loading..." }),
      "ok"
    )
  })
})

describe("classify, partial answers", () => {
  const of = (text: string, args: object) => labelled(answer(text, { arguments: args }))

  it("3.4 one page of several is complete if the arguments limit the number of items", () => {
    const rows = '{"chairs": [{"id": 1}], "has_more": true}'
    assert.deepStrictEqual([of(rows, { query: "x" }), of(rows, { query: "x", limit: 1 })], ["partial_data", "ok"])
    assert.strictEqual(of(rows, { query: "x", page: 1 }), "partial_data")
    const read = "[Reading 5 lines from line 9 (total: 2000 lines, 1986 remaining)]\n\na\nb"
    assert.deepStrictEqual([of(read, { path: "/a" }), of(read, { path: "/a", length: 5 })], ["partial_data", "ok"])
    assert.strictEqual(
      of("a\n[9 more lines in file. Use offset=3 to continue]", { offset: 1, limit: 2 }),
      "partial_data"
    )
  })

  it("3.4 code that mentions truncation is complete", () => {
    for (const text of [
      'const cut = (line: string) => line.slice(0, 100) + "... (truncated)";\n',
      "// results are truncated to 50 KB\nexport const limit = 50\n",
      "| step | of |\n| 1 of 4 | bake |\n",
      "Step 1 of 4: bake.\nStep 4 of 4: serve."
    ]) {
      assert.strictEqual(of(text, { path: "/a.ts" }), "ok", text)
    }
  })
})

describe("classify on labelled answers", () => {
  it("3.4 reaches its targets in every class", () => {
    const rows = ownAnswers.map((row) => ({ row, found: labelled(row) }))
    const isRight = ({ found, row }: (typeof rows)[number]) => [row.label, ...row.accept].includes(found)
    for (const label of new Set(rows.map(({ row }) => row.label))) {
      const own = rows.filter(({ row }) => row.label === label)
      const said = rows.filter(({ found }) => found === label)
      assert.isAtLeast(own.filter(isRight).length / own.length, 0.95, `recall of ${label}`)
      assert.isAtLeast(said.filter(isRight).length / said.length, 0.95, `precision of ${label}`)
    }
    assert.isAtLeast(rows.filter(isRight).length / rows.length, 0.98)
  })

  it("3.4 the prefilter skips no failure that the rules would find", () => {
    const passed = ownAnswers.filter(
      ({ arguments: args, text, tool }) =>
        !needsParsing(text) && !isCommand(tool, args) && hiddenFailureIn(answersIn(text)) !== undefined
    )
    assert.deepStrictEqual(
      passed.map(({ text }) => text),
      []
    )
  })
})

describe("classify, hostile answers", () => {
  it.prop("3.4 is total and deterministic", [Schema.String, Schema.Boolean], ([text, isError]) => {
    for (const one of [text, `{"error": ${text}`, printed(text), `Error: ${text}`]) {
      const recorded = answer(one, { isError })
      assert.deepStrictEqual(classify(recorded), classify(recorded))
    }
  })

  it("3.4 classifies long, deeply nested and malformed texts", () => {
    for (const text of [
      "[".repeat(50_000),
      '{"a":'.repeat(20_000),
      `meta=None content=[${"TextContent(".repeat(5_000)}`,
      `{"error": "${"a ".repeat(40_000)}"}`,
      "Error: ".repeat(2_000),
      `${"- ".repeat(3_000)}error`,
      "\u0000\ud800Error: \udfff",
      `Contents of https://a.example:\n${"# a\n".repeat(370)}`,
      `${"not ".repeat(150)}found`,
      " ".repeat(100_000)
    ]) {
      assert.include(["Success", "Partial", "Failure"], classify(answer(text))._tag)
      assert.include(["Success", "Partial", "Failure"], classify(answer(text, { isError: true }))._tag)
    }
  })
})
