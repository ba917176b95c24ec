/** Tests what each recogniser finds and what it accepts in the results of tools without a precise contract. */
import { assert, describe, it } from "@effect/vitest"
import { ok } from "#domain/tool/Verdict"
import * as Recognisers from "#src/checks/Recognisers"

const { cutAt, failedItems, markedPartial, placeholderPage } = Recognisers

/** Returns a recogniser whose verdict has `true` instead of the stated failure. */
const plain =
  (recogniser: Recognisers.Recogniser): Recognisers.Recogniser =>
  (result) => {
    const verdict = recogniser(result)
    return verdict._tag === "Garbage" && "statedFailure" in verdict
      ? { ...verdict, statedFailure: verdict.statedFailure !== undefined }
      : verdict
  }

const errorPage = plain(Recognisers.errorPage)
const errorText = plain(Recognisers.errorText)
const hiddenFailure = plain(Recognisers.hiddenFailure)
const hiddenMessage = plain(Recognisers.hiddenMessage)
const htmlPage = plain(Recognisers.htmlPage)
const innerError = plain(Recognisers.innerError)
const statedError = plain(Recognisers.statedError)

const stop = "The answer contains no data. Use another tool or tell the user; the same call returns the same answer."
const rewrite = "Check the arguments and call again with others, or use another tool."
const wait = "The tool's upstream is failing for now. Use another tool, or tell the user to try later."

const failure = (message: string, hint: string) => ({
  _tag: "Garbage" as const,
  code: "hidden_failure",
  detail: `The answer is a failure: ${message}`,
  hint,
  statedFailure: true
})

/** Returns an MCP result with one text. */
const mcp = (text: string, isError: boolean) => ({ content: [{ type: "text", text }], isError })

/** Returns an MCP result as a Python client prints it. */
const printedByPython = (text: string, isError: "True" | "False") =>
  `meta=None content=[TextContent(type='text', text='${text}', annotations=None)] isError=${isError}`

/** Results that are not failures, although some look like failures. */
const successes: ReadonlyArray<readonly [what: string, result: unknown]> = [
  ["a grep without matches", { stdout: "", stderr: "", exitCode: 1 }],
  ["a grep without matches, as text", "\n\nCommand exited with code 1"],
  [
    "a failed test run",
    " FAIL  test/orders.test.ts\nAssertionError: expected 1 to equal 2\n\nTests  1 failed | 20 passed"
  ],
  ["a failed test run of one line", "AssertionError: expected 1 to equal 2"],
  ["a failed test run as data", { success: false, error: null, message: "2 of 40 tests failed" }],
  ["an empty list that answers the question", { orders: [], page: 1, has_more: false }],
  ["an empty list", []],
  ["an empty text", ""],
  ["a count of errors", "Errors: 0, warnings: 3"],
  ["no error", "error: none"],
  ["no error, as data", { error: null, result: { id: 7 } }],
  ["a log that contains errors", "12:00 INFO start\nError: 503 Service Unavailable\n12:01 INFO retried"],
  ["a log that begins with an error", "Error: connection refused\n12:01 INFO connected\n12:02 INFO done"],
  ["an article about errors", "Error handling in Rust: a guide"],
  ["a listing", "error.log\naccess.log"],
  ["an entity with a field named isError", { data: { id: 7, isError: true, text: "disk full" } }],
  [
    "a batch with one failed item",
    {
      results: [
        { id: 1, isError: true },
        { id: 2, isError: false }
      ]
    }
  ],
  ["an MCP success", mcp("3 orders", false)],
  ["an MCP success as a Python client prints it", printedByPython("3 orders", "False")],
  ["source code about MCP", "return { isError: true, content: [] }"],
  ["a success message next to an empty error", { error: "", message: "Order created" }],
  ["a success that mentions a failure", { error: "", message: "User not found, created a new one" }],
  ["a message next to data", { error: "", message: "endpoint does not exist in v1", data: [{ id: 1 }] }],
  ["data next to an error", { error: "Message error...", response: "{'result': [{'title': 'Fido'}]}" }],
  ["a successful status", { error: "", response: "{'meta': {'code': 200, 'message': 'Success'}, 'data': [{}]}" }],
  ["an HTML page", "<!DOCTYPE html><html><head><title>How to treat a 503</title></head></html>"],
  ["a sentence that quotes an error", "The page tells how to mend 'permission denied': join the group."],
  ["a list of statuses and their meanings", "404: Not Found\n500: Internal Server Error"],
  ["a standard error in statistics", "Standard error: 0.5"],
  ["an empty answer with a message", { results: [], message: "No orders matched" }],
  ["a job that failed", { id: 7, name: "build", status: "failed", error: "2 tests failed" }],
  ["jobs that failed", [{ id: 7, name: "build", error: "exit 2" }]],
  ["a validation that found errors", { valid: false, errors: [{ line: 2 }], source: "a.mmd" }],
  ["a delivery that failed", "Delivery failed: nobody at home. Next try tomorrow."],
  ["a command without output", "(no output)\n\nCommand exited with code 1"],
  ["a number", 503],
  ["undefined", undefined]
]

const failureRecognisers: ReadonlyArray<readonly [name: string, recogniser: Recognisers.Recogniser]> = [
  ["innerError", innerError],
  ["hiddenMessage", hiddenMessage],
  ["statedError", statedError],
  ["errorText", errorText],
  ["errorPage", errorPage],
  ["hiddenFailure", hiddenFailure]
]

for (const [name, recogniser] of failureRecognisers) {
  describe(name, () => {
    for (const [what, result] of successes) {
      it(`3.4 accepts ${what}`, () => assert.deepStrictEqual(recogniser(result), ok))
    }
  })
}

describe("innerError", () => {
  it("3.4 finds a failure by the flag of an MCP result", () => {
    assert.deepStrictEqual(innerError(mcp("no such table: project", true)), failure("no such table: project", rewrite))
    assert.deepStrictEqual(innerError({ is_error: true, content: "boom" }), failure("boom", stop))
    assert.deepStrictEqual(innerError({ isError: true }), failure("isError is true, without a message", stop))
  })

  it("3.4 finds a failure by the flag inside a result that is marked as a success", () => {
    const inner = JSON.stringify(mcp("Failed to launch the browser", true))
    assert.deepStrictEqual(innerError(mcp(inner, false)), failure("Failed to launch the browser", stop))
    assert.deepStrictEqual(
      innerError(printedByPython(inner.replaceAll("'", "\\'"), "False")),
      failure("Failed to launch the browser", stop)
    )
    assert.deepStrictEqual(
      innerError(printedByPython("Unknown tool: excel_read", "True")),
      failure("Unknown tool: excel_read", rewrite)
    )
  })

  it("3.4 quotes one line of at most 160 characters", () => {
    assert.deepStrictEqual(innerError(mcp(`a\n  b${"c".repeat(200)}`, true)), failure(`a b${"c".repeat(156)}…`, stop))
  })
})

describe("hiddenMessage", () => {
  it("3.4 finds a failure message next to an empty error", () => {
    assert.deepStrictEqual(
      hiddenMessage({ error: "", message: "Endpoint '/search/shows' does not exist" }),
      failure("Endpoint '/search/shows' does not exist", stop)
    )
    for (const error of [null, {}, [], false]) {
      assert.deepStrictEqual(hiddenMessage({ error, msg: "Too many requests" }), failure("Too many requests", wait))
    }
  })

  it("3.4 finds the message in a wrapped answer, as JSON or as a Python repr", () => {
    const wrapped = [
      `{"error": "", "response": "{'message': \\"genre must be an integer: thriller\\"}"}`,
      { error: "", response: `{"message": "genre must be an integer: thriller"}` },
      { error: "", data: { message: "genre must be an integer: thriller", success: false } }
    ]
    for (const result of wrapped) {
      assert.deepStrictEqual(hiddenMessage(result), failure("genre must be an integer: thriller", rewrite))
    }
  })

  it("3.4 trusts a status more than the message", () => {
    assert.deepStrictEqual(
      hiddenMessage({ error: "", message: "Something odd", status: "422" }),
      failure("Something odd", rewrite)
    )
  })
})

describe("statedError", () => {
  it("3.4 finds an error without data", () => {
    assert.deepStrictEqual(
      statedError({ error: "Presentation 'p1' not found.", response: "" }),
      failure("Presentation 'p1' not found.", rewrite)
    )
    assert.deepStrictEqual(statedError(`{"error": {"message": "quota exceeded"}}`), failure("quota exceeded", stop))
    assert.deepStrictEqual(
      statedError({ status: "error", message: "no such layout", data: [] }),
      failure("no such layout", rewrite)
    )
  })
})

describe("errorText", () => {
  it("3.4 finds a text that is only an error", () => {
    assert.deepStrictEqual(
      ["Error: 503 Service Unavailable", "502 Bad Gateway", "HTTP/1.1 504 Gateway Timeout", "Service Unavailable"].map(
        (text) => errorText(text)
      ),
      ["Error: 503 Service Unavailable", "502 Bad Gateway", "HTTP/1.1 504 Gateway Timeout", "Service Unavailable"].map(
        (text) => failure(text, wait)
      )
    )
    assert.deepStrictEqual(errorText("Forbidden"), failure("Forbidden", stop))
    assert.deepStrictEqual(errorText("ValueError: bad shape "), failure("ValueError: bad shape", rewrite))
    assert.deepStrictEqual(
      errorText("Failed to retrieve exchange rates"),
      failure("Failed to retrieve exchange rates", wait)
    )
    assert.deepStrictEqual(
      errorText("Error executing tool add_slide: x"),
      failure("Error executing tool add_slide: x", stop)
    )
  })

  it("3.4 finds the error in a wrapped answer", () => {
    assert.deepStrictEqual(
      errorText(mcp("Error: 503 Service Unavailable", false)),
      failure("Error: 503 Service Unavailable", wait)
    )
    assert.deepStrictEqual(errorText({ error: "", response: "Forbidden" }), failure("Forbidden", stop))
  })

  it("3.4 finds an error of several lines that begins with a status", () => {
    assert.deepStrictEqual(
      errorText("503 Service Unavailable\n\nNo server is available to handle this request."),
      failure("503 Service Unavailable", wait)
    )
  })

  it("3.4 accepts a text that is too long for an error message", () => {
    assert.deepStrictEqual(errorText(`Error: ${"x".repeat(600)}`), ok)
  })
})

describe("errorText, wordings of errors", () => {
  it("3.4 finds errors by their wording, even if more lines follow", () => {
    for (const text of [
      "\u274c Error: no such shop",
      "ERROR:\nNo replacement was performed.",
      "# Search Failed\n\nError searching for chairs",
      "Database error: no such table: shop",
      "<tool_use_error>String to replace not found.</tool_use_error>",
      "Error: 2 validation errors for Order\nid\n  Field required [type=missing, input_value={}, input_type=dict]",
      "Oops, something is not right: invalid date",
      "\u9519\u8bef: \u53c2\u6570",
      "An API key is required to read these data",
      "curl: (6) Could not resolve host: shop.example",
      "TypeError: x is not a function\n    at find (/srv/a.js:1:2)\n    at main (/srv/a.js:3:4)",
      "The city is ambiguous.\n\nFix the errors and try again."
    ]) {
      assert.strictEqual(errorText(text)._tag, "Garbage", text)
    }
  })
})

describe("htmlPage", () => {
  it("3.4 finds an HTML page where data was expected", () => {
    assert.deepStrictEqual(
      htmlPage(`\uFEFF<!-- cached -->\n<!DOCTYPE HTML>\n<html><head><title> Sign in </title>`),
      failure(`an HTML page "Sign in"`, stop)
    )
    assert.deepStrictEqual(htmlPage({ data: "<html></html>" }), failure(`an HTML page ""`, stop))
  })

  it("3.4 accepts other markup, and text about HTML", () => {
    for (const text of [
      "<svg></svg>",
      "<p>One order.</p>",
      "Write <html> first.",
      `{"html": 1}`,
      `<?xml version="1.0"?><a/>`
    ]) {
      assert.deepStrictEqual(htmlPage(text), ok)
    }
  })
})

describe("errorPage", () => {
  it("3.4 finds a page whose title or heading is an error", () => {
    const page = (head: string) => `<!doctype html><html><head>${head}</head></html>`
    assert.deepStrictEqual(errorPage(page("<title>502 Bad Gateway</title>")), failure("502 Bad Gateway", wait))
    assert.deepStrictEqual(errorPage(page("<h1>Forbidden</h1>")), failure("Forbidden", stop))
    assert.deepStrictEqual(
      errorPage(page("<title>Access denied | shop</title>")),
      failure("Access denied | shop", stop)
    )
  })
})

describe("hiddenFailure", () => {
  it("3.4 finds flags, inner errors, messages, error texts and error pages, but accepts ordinary pages", () => {
    assert.deepStrictEqual(
      [
        mcp("boom", true),
        { error: "", message: "Too many requests" },
        { error: "no such layout" },
        "Failed to fetch the page",
        "<html><title>502 Bad Gateway</title></html>",
        "<html><title>Orders</title></html>"
      ].map((result) => hiddenFailure(result)._tag),
      ["Garbage", "Garbage", "Garbage", "Garbage", "Garbage", "Ok"]
    )
  })
})

describe("placeholderPage", () => {
  it("3.4 finds a page without content", () => {
    assert.deepStrictEqual(placeholderPage("# a/b\n\na/b | Docs\n\nLoading...\n"), {
      _tag: "Garbage",
      code: "placeholder_page",
      detail: "The page has no content: Loading...",
      hint: "The page requires a browser, a login or consent, or does not exist. Use another page or another tool."
    })
    for (const text of [
      "Please enable JavaScript to run this app.",
      "Checking your browser before accessing shop.example",
      "Before you continue to the shop, accept all cookies",
      "## Log in\n\nEmail\n\nPassword",
      "Sorry, the page you are looking for does not exist."
    ]) {
      assert.strictEqual(placeholderPage(mcp(text, false))._tag, "Garbage", text)
    }
  })

  it("3.4 accepts pages with content", () => {
    for (const text of [
      "Loading a lorry: a guide. Put heavy chairs in first.",
      "# Cookies\n\nMix flour and sugar.",
      `Please log in. ${"We sell chairs. ".repeat(100)}`
    ]) {
      assert.deepStrictEqual(placeholderPage(text), ok)
    }
    for (const [, result] of successes.filter(([what]) => what !== "a list of statuses and their meanings")) {
      assert.deepStrictEqual(placeholderPage(result), ok)
    }
  })
})

describe("failedItems", () => {
  const batch = (...results: ReadonlyArray<object>) => JSON.stringify({ results })
  const failed = { source: "b.pdf", success: false, error: "no such file" }

  it("3.4 says how many items failed", () => {
    assert.deepStrictEqual(failedItems(batch({ source: "a.pdf", data: { pages: 3 } }, failed)), {
      _tag: "Partial",
      next: undefined,
      narrow: "The other items are done. Call again only for those that failed, following their messages.",
      detail: "1 of 2 items failed: no such file"
    })
    assert.strictEqual(
      failedItems({ "/a": { result: "ok" }, "/b": { result: "error", reason: "locked" } })._tag,
      "Partial"
    )
    assert.strictEqual(failedItems("/a: text\n---\n/b: Error - no such file")._tag, "Partial")
  })

  it("3.4 reports a failure if all items failed", () => {
    assert.deepStrictEqual(hiddenFailure(batch(failed, failed)), failure("no such file", rewrite))
  })

  it("3.4 accepts lists of entities", () => {
    assert.deepStrictEqual(failedItems([{ id: 7, name: "build", status: "failed", error: "exit 2" }]), ok)
    for (const [, result] of successes) assert.deepStrictEqual(failedItems(result), ok)
  })
})

describe("markedPartial", () => {
  it("3.4 finds a result that says that it is incomplete", () => {
    assert.deepStrictEqual(markedPartial("a\nb\n\n[431 more lines in file. Use offset=825 to continue]"), {
      _tag: "Partial",
      next: undefined,
      narrow: "Request the next part as the answer says, or request less.",
      detail: "The answer says: Use offset=825 to continue"
    })
    for (const result of [
      "a\n<error>Content truncated.</error>",
      "a\n... (truncated, 5000 characters total)",
      "Page 1 of 5\n\na",
      "Showing results 1-10 of 57\na",
      "a\n... and 1,204 more entries",
      "a\nProcess is still running.",
      `${"x\n".repeat(5_000)}[... output truncated ...]\n${"x\n".repeat(5_000)}`,
      { orders: [1], has_more: true },
      { orders: [1], next_cursor: "abc" }
    ]) {
      assert.strictEqual(markedPartial(result)._tag, "Partial", JSON.stringify(result).slice(0, 80))
    }
  })

  it("3.4 accepts complete results, an empty page, and code that mentions truncation", () => {
    for (const result of [
      "Page 5 of 5\n\na",
      "Showing results 1-3 of 3\na",
      'const cut = (line: string) => line.slice(0, 9) + "... (truncated)"',
      "// results are truncated to 50 KB",
      "Step 1 of 4: bake.",
      { orders: [], has_more: true },
      { orders: [1], next_cursor: null }
    ]) {
      assert.deepStrictEqual(markedPartial(result), ok, JSON.stringify(result))
    }
    for (const [, result] of successes) assert.deepStrictEqual(markedPartial(result), ok)
  })
})

describe("cutAt", () => {
  const cut = {
    _tag: "Partial",
    next: undefined,
    narrow: "Request a smaller part of it.",
    detail: "The text is cut at exactly 10000 characters."
  } as const

  it("3.4 finds a text of exactly 10,000 characters", () => {
    assert.deepStrictEqual(cutAt()("x".repeat(10_000)), cut)
    assert.deepStrictEqual(cutAt()(`[${"1,".repeat(5_000)}`.slice(0, 10_000)), cut)
    assert.deepStrictEqual(cutAt()(mcp("x".repeat(10_000), false)), cut)
  })

  it("2.8 says what to make smaller, and accepts another length", () => {
    assert.deepStrictEqual(cutAt({ length: 4_096, narrow: "Read fewer lines." })("x".repeat(4_096)), {
      ...cut,
      narrow: "Read fewer lines.",
      detail: "The text is cut at exactly 4096 characters."
    })
  })

  it("3.4 accepts a text with one character fewer or more, a complete line, and complete JSON", () => {
    assert.deepStrictEqual(cutAt()("x".repeat(9_999)), ok)
    assert.deepStrictEqual(cutAt()("x".repeat(10_001)), ok)
    assert.deepStrictEqual(cutAt()(`${"x".repeat(9_999)}\n`), ok)
    assert.deepStrictEqual(cutAt()(JSON.stringify(["x".repeat(9_996)])), ok)
    for (const [, result] of successes) assert.deepStrictEqual(cutAt()(result), ok)
  })
})
