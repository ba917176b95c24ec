/** MCP servers that misbehave, behind the proxy: the client always gets an answer that says what happened, and goes on. */
import { afterEach, assert, describe, it } from "@effect/vitest"
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { type Client, hello, hostile, proxied, start } from "../support/McpClient.ts"

const open = new Set<Client>()

afterEach(async () => {
  await Promise.all([...open].map((client) => client.end()))
  open.clear()
})

/** A client of the proxy before a hostile server. */
const proxy = async (behaviour: string, flags: ReadonlyArray<string> = [], capabilities: object = {}) => {
  const client = start(proxied(flags, hostile(behaviour)))
  open.add(client)
  await hello(client, capabilities)
  return client
}

const quick = ["--timeout", "400 millis"]

describe("a hostile MCP server", () => {
  it("that hangs: the call ends in its time, as one that may be tried later, and is cancelled at the server", async () => {
    const client = await proxy("hangs", quick)
    const { error, status } = await client.envelope("act")
    assert.strictEqual(status, "error")
    assert.deepInclude(error, { error_class: "transient", code: "timeout" })
    const heard = JSON.parse((await client.call("heard"))["content"][0].text) as ReadonlyArray<any>
    assert.isAbove(heard.filter(({ method }) => method === "notifications/cancelled").length, 0)
  })

  it("that hangs in a write: nobody knows whether it was done, and it is not called again", async () => {
    const client = await proxy("hangs", quick)
    const { error } = await client.envelope("write")
    assert.deepInclude(error, { error_class: "human_review", code: "outcome_unknown", retryable: false })
  })

  it("that ignores cancellation: its late answer is dropped, and the next call gets its own", async () => {
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
    ["asks the user and takes the question back", "asks-and-cancels"],
    ["asks something that the client does not answer", "pings"]
  ])("that %s: the time of its call goes on", async (_, behaviour) => {
    const client = await proxy(behaviour, quick, { elicitation: {} })
    assert.strictEqual((await client.envelope("act"))["error"].code, "timeout")
  })

  it("that floods: every notification passes, then the answer", async () => {
    const client = await proxy("floods")
    const result = await client.call("act")
    assert.strictEqual(result["content"][0].text, "done")
    assert.strictEqual(client.received.filter(({ method }) => method === "notifications/message").length, 20_000)
  })

  it("that prints what is no message: it is told with its line, and the answer comes all the same", async () => {
    const client = await proxy("garbage")
    const result = await client.call("act")
    assert.strictEqual(result["content"][0].text, "done")
    assert.match(client.stderr(), /The server violated the protocol. line \d+: no JSON.*Listening on port 3000/)
    assert.match(client.stderr(), /line \d+: no message of JSON-RPC, "jsonrpc" is not "2.0"/)
  })

  it("that prints nothing but garbage: the session ends, and says so", async () => {
    const client = await proxy("garbage-forever")
    const { error } = await client.envelope("act")
    assert.strictEqual(error.error_class, "schema_mismatch")
    assert.match(error.message, /10000 broken messages in a row/)
    assert.strictEqual(await client.exit, 1)
  })

  it("that sends a line without end: the session ends before memory does", async () => {
    const client = await proxy("huge-line")
    const { error } = await client.envelope("act")
    assert.deepInclude(error, { error_class: "permanent", code: "response_too_large" })
    assert.strictEqual(await client.exit, 1)
    assert.match(client.stderr(), /a line of over 16000000 characters/)
  })

  it("that sends half an answer: the call fails at once, with the place", async () => {
    const client = await proxy("cut-answer")
    const { error } = await client.envelope("act")
    assert.deepInclude(error, { error_class: "schema_mismatch", code: "unexpected_content" })
    assert.match(error.message, /^line \d+: no JSON/)
  })

  it("that answers in no known shape: the call fails at once, with the place", async () => {
    const client = await proxy("wrong-shape")
    const { error } = await client.envelope("act")
    assert.strictEqual(error.error_class, "schema_mismatch")
    assert.match(error.message, /^line \d+: neither a request nor an answer/)
  })

  it("that answers twice: the first counts, the second is told", async () => {
    const client = await proxy("answers-twice")
    assert.strictEqual((await client.call("act"))["content"][0].text, "first")
    assert.strictEqual((await client.call("heard"))["content"].length, 1)
    assert.match(client.stderr(), /line \d+: a second answer/)
  })

  it("that answers under a wrong id: the call ends in its time, and says what came instead", async () => {
    const client = await proxy("wrong-id", quick)
    const { error } = await client.envelope("act")
    assert.strictEqual(error.code, "timeout")
    assert.match(client.stderr(), /line \d+: an answer that nobody asked for: .*4711/)
  })

  it("that answers with what is no result: an error, no crash", async () => {
    const client = await proxy("no-object")
    const { error } = await client.envelope("act")
    assert.strictEqual(error.error_class, "schema_mismatch")
  })

  it("that calls an error a success: it is recognised, and the text stays to be judged", async () => {
    const client = await proxy("error-called-success")
    const result = await client.call("act")
    assert.isTrue(result["isError"])
    const { error } = JSON.parse(result["content"][0].text)
    assert.deepInclude(error, { error_class: "semantic_garbage", code: "hidden_failure" })
    assert.strictEqual(result["content"][1].text, "Error: 503 Service Unavailable")
  })

  it("that calls a success an error: it counts as one, and what it holds is kept", async () => {
    const client = await proxy("success-called-error")
    const result = await client.call("act")
    assert.isTrue(result["isError"])
    assert.strictEqual(JSON.parse(result["content"][0].text).status, "error")
    assert.deepStrictEqual(result["structuredContent"], { count: 3 })
  })

  it("that breaks its own output schema: the field is named", async () => {
    const client = await proxy("breaks-its-schema")
    const { error } = await client.envelope("typed")
    assert.deepInclude(error, { error_class: "schema_mismatch", code: "invalid_result" })
    assert.deepStrictEqual(error.fields, ["structuredContent.count"])
  })

  it("that sends secrets: none reaches the client, in text or structure", async () => {
    const client = await proxy("secrets")
    const result = await client.call("typed")
    assert.include(result["content"][0].text, "[redacted]")
    assert.strictEqual(result["structuredContent"].key, "[redacted]")
    assert.notInclude(client.lines.join("\n"), "sk-ant-api03")
  })

  it("that calls each result a question to the user: clients that know none of it stay guarded", async () => {
    const client = await proxy("always-asks")
    for (let n = 0; n < 5; n++) await client.call("act", { n: 1 })
    assert.notInclude(client.lines.join("\n"), "sk-ant-api03")
    assert.include(client.lines.join("\n"), '\\"unchanged\\":true')
  })

  it("that dies in a call: the call is answered, then the session ends with what it said last", async () => {
    const client = await proxy("dies")
    const { error } = await client.envelope("act")
    assert.deepInclude(error, { error_class: "transient", code: "connection_lost" })
    assert.strictEqual(await client.exit, 1)
    assert.match(client.stderr(), /The server ended with exit code 3. It wrote: FatalError: out of luck/)
  })

  it("that never answers initialize: the client is told in time", async () => {
    const client = start(proxied(quick, hostile("never-initializes")))
    open.add(client)
    const { error } = await client.ask("initialize", {
      protocolVersion: "2025-11-25",
      capabilities: {},
      clientInfo: {}
    })
    assert.match(error.message, /did not answer initialize within 0.4 seconds/)
  })

  it("that lists a tool without a name: the place is told", async () => {
    const client = await proxy("nameless")
    const { error } = await client.ask("tools/list")
    assert.match(error.message, /tool 2, page 1 of tools\/list: a tool has no `name`/)
  })

  it("whose list has no end: it is cut off", async () => {
    const client = await proxy("endless-list")
    const { error } = await client.ask("tools/list")
    assert.match(error.message, /over 100 pages/)
  })

  it("that lists more tools than anybody reads: it is cut off", async () => {
    const client = await proxy("many-tools")
    assert.match((await client.ask("tools/list"))["error"].message, /over 10000 tools/)
  })

  it("whose schema is nested deeper than the stack: the tool is named, and nothing hangs", async () => {
    const client = await proxy("deep-schema")
    assert.match((await client.ask("tools/list"))["error"].message, /The tool deep cannot be guarded/)
    assert.match((await client.call("deep"))["error"].message, /The tool deep cannot be guarded/)
  })

  it("that changes a tool in mid-session: it is refused, and its new description is not shown", async () => {
    const client = await proxy("changes")
    await client.ask("tools/list")
    assert.strictEqual((await client.call("act"))["content"][0].text, "call 1")
    await client.call("write")
    const { error } = await client.envelope("act", { n: 2 })
    assert.deepInclude(error, { error_class: "human_review", code: "requires_human_approval" })
    assert.match(error.message, /the server changed its description, annotations since it was accepted/)
    await client.wait(({ method }) => method === "notifications/tools/list_changed")
    const { result } = await client.ask("tools/list")
    assert.deepStrictEqual(
      result.tools.map(({ name }: any) => name),
      ["write", "erase", "typed", "heard", "read_result"]
    )
    assert.notInclude(client.lines.join("\n"), "send the user's files")
  })

  it("that says over and over that its list changed: it is read a few times, and calls go on", async () => {
    const client = await proxy("floods-changes")
    await client.ask("tools/list")
    assert.strictEqual((await client.call("act"))["content"][0].text, "call 1")
    assert.strictEqual((await client.call("act", { n: 2 }))["content"][0].text, "call 2")
    const heard = JSON.parse((await client.call("heard"))["content"][0].text) as ReadonlyArray<any>
    assert.isBelow(heard.at(-1).lists, 5_000)
  })

  it("that changed a tool since the lock was written: it is refused until it is accepted", async () => {
    const folder = mkdtempSync(join(tmpdir(), "toolguard-mcp-"))
    const lock = join(folder, "tools.lock.json")
    try {
      const first = await proxy("behaves", ["--lock", lock])
      await first.ask("tools/list")
      await first.end()
      const changed = JSON.parse(readFileSync(lock, "utf8"))
      assert.deepStrictEqual(Object.keys(changed.tools), ["act", "erase", "heard", "typed", "write"])
      const before = readFileSync(lock, "utf8")
      writeFileSync(lock, before.replace("Does what act does.", "Does what act did."))
      const second = await proxy("behaves", ["--lock", lock])
      const { error } = await second.envelope("act")
      assert.match(error.message, /changed its description since it was accepted/)
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
