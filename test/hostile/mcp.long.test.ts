/** Tests misbehaving MCP servers behind the proxy: each call of the client gets an answer that says what happened. */
import { afterEach, assert, describe, it } from "@effect/vitest"
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { proxied } from "../support/command.ts"
import { type Client, hello, hostile, start } from "../support/McpClient.ts"

const open = new Set<Client>()

afterEach(async () => {
  await Promise.all([...open].map((client) => client.end()))
  open.clear()
})

/** Starts a client of a proxy in front of a hostile server. */
const proxy = async (behaviour: string, flags: ReadonlyArray<string> = [], capabilities: object = {}) => {
  const client = start(proxied(flags, hostile(behaviour)))
  open.add(client)
  await hello(client, capabilities)
  return client
}

const quick = ["--timeout", "400 millis"]

describe("a hostile MCP server", () => {
  it("that hangs: the call times out as transient and is cancelled at the server", async () => {
    const client = await proxy("hangs", quick)
    const { error, status } = await client.envelope("act")
    assert.strictEqual(status, "error")
    assert.deepInclude(error, { error_class: "transient", code: "timeout" })
    const received = JSON.parse((await client.call("received"))["content"][0].text) as ReadonlyArray<any>
    assert.isAbove(received.filter(({ method }) => method === "notifications/cancelled").length, 0)
  })

  it("that hangs in a write: the outcome is unknown, and the write is not retried", async () => {
    const client = await proxy("hangs", quick)
    const { error } = await client.envelope("write")
    assert.deepInclude(error, { error_class: "human_review", code: "outcome_unknown", retryable: false })
  })

  it("that ignores cancellation: its late answer is dropped, and the next call gets its own answer", async () => {
    const client = await proxy("answers-late", quick)
    const { error } = await client.envelope("act", { n: 1 })
    assert.strictEqual(error.code, "timeout")
    const second = await client.call("act", { n: 2 })
    assert.strictEqual(second["content"][0].text, "late 2")
    const last = await client.call("act", { n: 3 })
    assert.strictEqual(last["content"][0].text, "late 3")
    assert.notInclude(client.stderr(), "violated the protocol")
  })

  it.each([
    ["asks the user and cancels the question", "asks-and-cancels"],
    ["sends a ping that the client does not answer", "pings"]
  ])("that %s: the timeout of the call still applies", async (_, behaviour) => {
    const client = await proxy(behaviour, quick, { elicitation: {} })
    assert.strictEqual((await client.envelope("act"))["error"].code, "timeout")
  })

  it("that floods: every notification reaches the client, and then the answer", async () => {
    const client = await proxy("floods")
    const result = await client.call("act")
    assert.strictEqual(result["content"][0].text, "done")
    assert.strictEqual(client.received.filter(({ method }) => method === "notifications/message").length, 20_000)
  })

  it("that prints invalid messages: each is reported with its line, and the answer still arrives", async () => {
    const client = await proxy("garbage")
    const result = await client.call("act")
    assert.strictEqual(result["content"][0].text, "done")
    assert.match(client.stderr(), /The server violated the protocol. line \d+: not valid JSON.*Listening on port 3000/)
    assert.match(client.stderr(), /line \d+: not a JSON-RPC message, "jsonrpc" is not "2.0"/)
  })

  it("that prints only garbage: the session ends with an error that says so", async () => {
    const client = await proxy("garbage-forever")
    const { error } = await client.envelope("act")
    assert.strictEqual(error.error_class, "schema_mismatch")
    assert.match(error.message, /10000 broken messages in a row/)
    assert.strictEqual(await client.exit, 1)
  })

  it("that sends an endless line: the session ends before memory is exhausted", async () => {
    const client = await proxy("huge-line")
    const { error } = await client.envelope("act")
    assert.deepInclude(error, { error_class: "permanent", code: "response_too_large" })
    assert.strictEqual(await client.exit, 1)
    assert.match(client.stderr(), /a line of over 16000000 characters/)
  })

  it("that sends a truncated answer: the call fails immediately and names the line", async () => {
    const client = await proxy("cut-answer")
    const { error } = await client.envelope("act")
    assert.deepInclude(error, { error_class: "schema_mismatch", code: "unexpected_content" })
    assert.match(error.message, /^line \d+: not valid JSON/)
  })

  it("that answers with an unknown kind of message: the call fails immediately and names the line", async () => {
    const client = await proxy("wrong-shape")
    const { error } = await client.envelope("act")
    assert.strictEqual(error.error_class, "schema_mismatch")
    assert.match(error.message, /^line \d+: neither a request nor an answer/)
  })

  it("that answers twice: the first answer counts, and the second is reported", async () => {
    const client = await proxy("answers-twice")
    assert.strictEqual((await client.call("act"))["content"][0].text, "first")
    assert.strictEqual((await client.call("received"))["content"].length, 1)
    assert.match(client.stderr(), /line \d+: a second answer/)
  })

  it("that answers with a wrong id: the call times out, and the wrong answer is reported", async () => {
    const client = await proxy("wrong-id", quick)
    const { error } = await client.envelope("act")
    assert.strictEqual(error.code, "timeout")
    assert.match(client.stderr(), /line \d+: an answer to an unknown request: .*4711/)
  })

  it("that answers with a result that is not an object: the call fails with schema_mismatch", async () => {
    const client = await proxy("no-object")
    const { error } = await client.envelope("act")
    assert.strictEqual(error.error_class, "schema_mismatch")
  })

  it("that marks an error as a success: the error is recognised, and its text is kept", async () => {
    const client = await proxy("error-called-success")
    const result = await client.call("act")
    assert.isTrue(result["isError"])
    const { error } = JSON.parse(result["content"][0].text)
    assert.deepInclude(error, { error_class: "transient", code: "unavailable" })
    assert.strictEqual(result["content"][1].text, "Error: 503 Service Unavailable")
  })

  it("that marks a success as an error: it counts as an error, and its content is kept", async () => {
    const client = await proxy("success-called-error")
    const result = await client.call("act")
    assert.isTrue(result["isError"])
    assert.strictEqual(JSON.parse(result["content"][0].text).status, "error")
    assert.deepStrictEqual(result["structuredContent"], { count: 3 })
  })

  it("that violates its own output schema: the error names the field", async () => {
    const client = await proxy("breaks-its-schema")
    const { error } = await client.envelope("typed")
    assert.deepInclude(error, { error_class: "schema_mismatch", code: "invalid_result" })
    assert.deepStrictEqual(error.fields, ["structuredContent.count"])
  })

  it("that sends secrets: no secret reaches the client, in text or in structured content", async () => {
    const client = await proxy("secrets")
    const result = await client.call("typed")
    assert.include(result["content"][0].text, "[redacted]")
    assert.strictEqual(result["structuredContent"].key, "[redacted]")
    assert.notInclude(client.lines.join("\n"), "sk-ant-api03")
  })

  it("that marks each result as input_required: older clients remain guarded", async () => {
    const client = await proxy("always-asks")
    for (let n = 0; n < 5; n++) await client.call("act", { n: 1 })
    assert.notInclude(client.lines.join("\n"), "sk-ant-api03")
    assert.include(client.lines.join("\n"), '\\"unchanged\\":true')
  })

  it("that exits in a call: the call is answered, then the session ends and reports its last output", async () => {
    const client = await proxy("dies")
    const { error } = await client.envelope("act")
    assert.deepInclude(error, { error_class: "permanent", code: "tool_failed" })
    assert.strictEqual(await client.exit, 1)
    assert.match(client.stderr(), /The server ended with exit code 3. It wrote: FatalError: out of luck/)
  })

  it("that never answers initialize: the client gets an error after the timeout", async () => {
    const client = start(proxied(quick, hostile("never-initializes")))
    open.add(client)
    const { error } = await client.ask("initialize", {
      protocolVersion: "2025-11-25",
      capabilities: {},
      clientInfo: {}
    })
    assert.match(error.message, /did not answer initialize within 0.4 seconds/)
  })

  it("that lists a tool without a name, and a name twice: the entries are left out and reported, and the others work", async () => {
    const client = await proxy("nameless")
    const { result } = await client.ask("tools/list")
    assert.deepStrictEqual(
      result.tools.map(({ description, name }: any) => [name, description === "other"]),
      ["act", "write", "erase", "typed", "received", "read_result"].map((name) => [name, false])
    )
    assert.strictEqual((await client.call("act"))["content"][0].text, "call 1")
    assert.match(client.stderr(), /tool 1, page 1 of tools\/list: it is left out, because it has no `name`: \{"descri/)
    assert.match(client.stderr(), /tool 7, .*: it is left out, because an earlier tool has the same name: act/)
  })

  it("whose list is endless: reading stops at 100 pages", async () => {
    const client = await proxy("endless-list")
    const { error } = await client.ask("tools/list")
    assert.match(error.message, /over 100 pages/)
  })

  it("that lists too many tools: reading stops at 10000 tools", async () => {
    const client = await proxy("many-tools")
    assert.match((await client.ask("tools/list"))["error"].message, /over 10000 tools/)
  })

  it("whose schema is nested deeper than the call stack: the tool is left out and reported once, and the others work", async () => {
    const client = await proxy("deep-schema")
    for (let list = 0; list < 2; list++) {
      const { result } = await client.ask("tools/list")
      assert.deepStrictEqual(
        result.tools.map(({ name }: any) => name),
        ["act", "write", "erase", "typed", "received", "read_result"]
      )
    }
    assert.strictEqual((await client.call("act"))["content"][0].text, "call 1")
    assert.strictEqual((await client.envelope("deep"))["error"].code, "unknown_tool")
    const reports = client.stderr().match(/The tool deep is left out, .*/gu)
    assert.deepStrictEqual(reports, [
      "The tool deep is left out, because it cannot be guarded: its definition is nested more than 1000 levels deep"
    ])
  })

  it("that changes a tool during the session: the tool is refused, and its new description is hidden", async () => {
    const client = await proxy("changes")
    await client.ask("tools/list")
    assert.strictEqual((await client.call("act"))["content"][0].text, "call 1")
    await client.call("write")
    const { error } = await client.envelope("act", { n: 2 })
    assert.deepInclude(error, { error_class: "human_review", code: "requires_human_approval" })
    assert.match(error.message, /the server changed the tool's description, annotations since the tool was accepted/)
    await client.wait(({ method }) => method === "notifications/tools/list_changed")
    const { result } = await client.ask("tools/list")
    assert.deepStrictEqual(
      result.tools.map(({ name }: any) => name),
      ["write", "erase", "typed", "received", "read_result"]
    )
    assert.notInclude(client.lines.join("\n"), "send the user's files")
  })

  it("that sends 5,000 list_changed notifications: the list is not read for each notification, and calls work", async () => {
    const client = await proxy("floods-changes")
    await client.ask("tools/list")
    assert.strictEqual((await client.call("act"))["content"][0].text, "call 1")
    assert.strictEqual((await client.call("act", { n: 2 }))["content"][0].text, "call 2")
    const received = JSON.parse((await client.call("received"))["content"][0].text) as ReadonlyArray<any>
    assert.isBelow(received.at(-1).lists, 5_000)
  })

  it("that changed a tool after the lock was written: the tool is refused until it is accepted", async () => {
    const folder = mkdtempSync(join(tmpdir(), "toolguard-mcp-"))
    const lock = join(folder, "tools.lock.json")
    try {
      const first = await proxy("behaves", ["--lock", lock])
      await first.ask("tools/list")
      await first.end()
      const changed = JSON.parse(readFileSync(lock, "utf8"))
      assert.deepStrictEqual(Object.keys(changed.tools), ["act", "erase", "received", "typed", "write"])
      const before = readFileSync(lock, "utf8")
      writeFileSync(lock, before.replace("Does what act does.", "Does what act did."))
      const second = await proxy("behaves", ["--lock", lock])
      const { error } = await second.envelope("act")
      assert.match(error.message, /changed the tool's description since the tool was accepted/)
      assert.include(second.stderr(), "--accept")
      await second.end()
      const third = await proxy("behaves", ["--lock", lock, "--accept"])
      assert.isUndefined((await third.call("act"))["isError"])
      await third.end()
      assert.strictEqual(readFileSync(lock, "utf8"), before)
    } finally {
      rmSync(folder, { recursive: true })
    }
  })
})
