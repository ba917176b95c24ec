/**
 * Tests MCP servers that never stop sending, or never read: a command that lists their tools, a backend that calls them
 * and the proxy in front of them end with an error, with little CPU time and memory.
 */
import { afterAll, assert, describe, it } from "@effect/vitest"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { root } from "../support/sources.ts"
import { bundle } from "../support/bundle.ts"
import { bundled, proxied } from "../support/command.ts"
import { hello, start } from "../support/McpClient.ts"
import { bounds, run, usage, usageOf } from "./commands/measure.ts"

const folder = mkdtempSync(join(tmpdir(), "floods-"))
afterAll(() => rmSync(folder, { recursive: true }))

const server = join(root, "test/hostile/mcp/floods.ts")
const backend = await bundle("test/hostile/mcp/backend.ts")

describe("an MCP server that floods", () => {
  it.each([
    ["notifications without end", "60", /The server sent more than 10000 messages/],
    ["empty lines without end", "60", /The server sent more than 100000000 bytes/],
    ["standard error without end", "60", /The server sent more than 20000000 bytes to its standard error/],
    ["a line without end", "60", /a message of more than 10000000 characters/],
    ["20,000 tools in a page", "60", /The server.s list has more than 10000 tools/],
    ["pages of 8 MB", "60", /The server's list has more than 32 million characters/]
  ])("13.3 the command ends after %s and says why", async (behaviour, seconds, sentence) => {
    const args = ["lint", "--mcp", "--timeout", seconds, "--", process.execPath, server, behaviour]
    const { code, cpu, megabytes, output } = await run(bundled, args, folder)
    assert.strictEqual(code, 1)
    assert.match(output.replace(/\s+/gu, " "), sentence)
    assert.isBelow(cpu, bounds.cpu)
    assert.isBelow(megabytes, bounds.megabytes)
  })
})

const waste = /The server sent too many empty or broken lines/
const sent = /The server sent too much that answers no request/

/** The behaviours of a server whose tool is called, and the error that the call ends with. */
const inCalls: ReadonlyArray<readonly [behaviour: string, error: RegExp]> = [
  ["answers with unknown ids without end", /10000 broken messages in a row. line \d+: an answer to an unknown request/],
  ["answers and notifications without end", sent],
  ["notifications without end", sent],
  ["requests without end", sent],
  ["questions without end", sent],
  ["progress without end", sent],
  ["lists of a million messages", waste],
  ["messages of 5,000,000 objects", waste],
  ["messages of 500,000 objects", sent],
  ["empty lines without end", waste],
  ["a line without end", /a line of over 16000000 characters/],
  ["standard error without end", /No answer|timed out|did not answer|did not finish/]
]

describe("an MCP server that floods when its tool is called", () => {
  it.each(inCalls)(
    "13.3, 13.7 a backend gets an error after %s, and its connection ends",
    async (behaviour, sentence) => {
      const { cpu, megabytes, output } = await run(backend, [server, behaviour], folder)
      assert.match(output, sentence)
      assert.isBelow(cpu, bounds.cpu)
      assert.isBelow(megabytes, bounds.megabytes)
    }
  )

  // one behaviour for each way in which the connection can end, because the proxy connects like the backend
  const ofProxy = ["answers with unknown ids", "requests", "messages of 500,000", "a line", "standard error"]
  const inProxy = inCalls.filter(([behaviour]) => ofProxy.some((start) => behaviour.startsWith(start)))
  it.each(inProxy)("13.3, 13.7 the proxy answers the call with an error after %s", async (behaviour, sentence) => {
    const file = join(folder, "proxy.json")
    // only a flood of standard error ends by the time limit
    const timeout = behaviour.startsWith("standard error") ? "4 seconds" : "60 seconds"
    const [node = "", ...args] = proxied(["--timeout", timeout], [process.execPath, server, behaviour, "call"])
    const client = start([node, "--import", usage, ...args], { env: { HOSTILE_USAGE: file } })
    await hello(client, {})
    const { error } = await client.envelope("act")
    assert.match(error.message, sentence)
    await client.end()
    const { cpu, megabytes } = usageOf(file)
    assert.isBelow(cpu, bounds.cpu)
    assert.isBelow(megabytes, bounds.megabytes)
  })

  it("13.3, 13.7 a call is not sent after 100 MB of an input that is never read", async () => {
    const args = [server, "input is never read", "200"]
    const { cpu, megabytes, output } = await run(backend, args, folder)
    assert.match(output, /does not read its input/)
    assert.isBelow(cpu, bounds.cpu)
    assert.isBelow(megabytes, bounds.megabytes)
  })
})
