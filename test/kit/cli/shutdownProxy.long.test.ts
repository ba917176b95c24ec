/** Stops processes of `toolguard mcp proxy` with SIGTERM, with and without a running request. */
import { afterAll, assert, describe, it } from "@effect/vitest"
import { spawn } from "node:child_process"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { endOf, endWithTest } from "../../support/children.ts"
import { proxied } from "../../support/command.ts"
import { hello, type Message, start } from "../../support/McpClient.ts"
import { root } from "../../support/sources.ts"
import { startBank } from "./Bank.ts"

const folder = mkdtempSync(join(tmpdir(), "toolguard-shutdown-"))
afterAll(() => rmSync(folder, { recursive: true }))

/** An MCP server whose tool posts to a bank. It answers a call and a prompt when the bank answers. */
const server = join(folder, "server.mjs")
writeFileSync(
  server,
  `import { createInterface } from "node:readline"
const [bank] = process.argv.slice(2)
const inputSchema = { type: "object", properties: { bill: { type: "string" } } }
const results = {
  initialize: { protocolVersion: "2025-11-25", capabilities: { tools: {}, prompts: {} }, serverInfo: { name: "bank", version: String(process.pid) } },
  "tools/list": { tools: [{ name: "pay", description: "Pays one bill.", inputSchema, annotations: { readOnlyHint: false, destructiveHint: false } }] }
}
createInterface({ input: process.stdin }).on("line", async (line) => {
  const { id, method } = JSON.parse(line)
  if (id === undefined) return
  const result = results[method] ?? { content: [], messages: [] }
  if (results[method] === undefined) {
    const text = await (await fetch(bank, { method: "POST" })).text()
    result.content = [{ type: "text", text: "paid " + text }]
  }
  process.stdout.write(JSON.stringify({ jsonrpc: "2.0", id, result }) + "\\n")
})
process.stdin.on("end", () => process.exit(0))
`
)

const isAlive = (pid: number): boolean => {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

/** Waits until a condition is true. */
const until = async (condition: () => boolean): Promise<void> => {
  while (!condition()) await new Promise((resolve) => setTimeout(resolve, 10))
}

const startProxy = async (bank: string, ...flags: ReadonlyArray<string>) => {
  const client = start(proxied(["--confirm", "none", ...flags], [process.execPath, server, bank]))
  const { result } = await hello(client)
  const pid = Number(result.serverInfo.version)
  assert.isTrue(isAlive(pid))
  const stop = async () => {
    client.process.kill("SIGTERM")
    await until(() => client.stderr().includes("Shutting down"))
  }
  return { client, pid, stop }
}

const textOf = (result: Message): string => result["content"][0].text

describe("SIGTERM to toolguard mcp proxy", { timeout: 60_000 }, () => {
  it("12.7 during a call, new calls are refused, the client gets the answer, and then the server is stopped", async () => {
    const bank = await startBank()
    const { client, pid, stop } = await startProxy(bank.url)
    const running = client.call("pay", { bill: "a" })
    await bank.first
    await stop()
    const { error } = await client.envelope("pay", { bill: "b" })
    assert.deepStrictEqual([error.code, error.side_effect], ["shutting_down", "none"])
    assert.isTrue(isAlive(pid))
    bank.answer()
    assert.strictEqual(textOf(await running), "paid 1")
    assert.strictEqual(await client.exit, 130)
    assert.deepStrictEqual([isAlive(pid), bank.payments()], [false, 1])
    bank.close()
  })

  it("12.7 during a relayed request, the client gets the answer of the server", async () => {
    const bank = await startBank()
    const { client, pid, stop } = await startProxy(bank.url)
    const running = client.ask("prompts/get", { name: "p" })
    await bank.first
    await stop()
    bank.answer()
    assert.strictEqual(textOf((await running)["result"]), "paid 1")
    assert.strictEqual(await client.exit, 130)
    assert.isFalse(isAlive(pid))
    bank.close()
  })

  it("12.7 if requests of a hung server exceed the grace time, the client gets errors, and the server is stopped", async () => {
    const bank = await startBank()
    const { client, pid, stop } = await startProxy(bank.url, "--grace", "1")
    const called = client.call("pay", { bill: "a" })
    await bank.first
    const relayed = client.ask("prompts/get", { name: "p" })
    await until(() => bank.payments() === 2)
    await stop()
    assert.strictEqual(
      (await called)["error"].message,
      "The proxy was shut down before the request was answered. A write may have taken effect."
    )
    assert.strictEqual((await relayed)["error"].message, "The connection was closed.")
    assert.strictEqual(await client.exit, 130)
    assert.include(client.stderr(), "2 calls and runs exceeded the grace time of 1s and are interrupted.")
    assert.isFalse(isAlive(pid))
    bank.close()
  })

  it("12.7 if no request is in progress, the proxy and its server end immediately", async () => {
    const { client, pid } = await startProxy("http://127.0.0.1:1")
    client.process.kill("SIGTERM")
    assert.strictEqual(await client.exit, 130)
    assert.notInclude(client.stderr(), "Shutting down")
    assert.isFalse(isAlive(pid))
  })

  it("12.7 over HTTP during a call, the client gets the answer, and a new session gets 503", async () => {
    const bank = await startBank()
    const [program = "", ...args] = proxied(
      ["--confirm", "none", "--listen", "0"],
      [process.execPath, server, bank.url]
    )
    const child = endWithTest(spawn(program, args, { cwd: root, stdio: ["ignore", "pipe", "pipe"] }))
    const ended = endOf(child)
    let [out, errors] = ["", ""]
    child.stdout.on("data", (text) => (out += String(text)))
    child.stderr.on("data", (text) => (errors += String(text)))
    await until(() => out.includes("Press Ctrl-C"))
    const [, url = ""] = /at (http:\S+\/mcp)\./u.exec(out) ?? []
    const post = (body: object, session?: string) =>
      fetch(url, {
        method: "POST",
        headers: {
          "content-type": "application/json",
          ...(session === undefined ? {} : { "mcp-session-id": session })
        },
        body: JSON.stringify({ jsonrpc: "2.0", ...body })
      })
    const answerOf = async (response: Response) => JSON.parse(/^data: (.*)$/mu.exec(await response.text())?.[1] ?? "{}")
    const clientInfo = { name: "test", version: "1" }
    const initialize = {
      id: 1,
      method: "initialize",
      params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo }
    }
    const opened = await post(initialize)
    const session = opened.headers.get("mcp-session-id") ?? ""
    const pid = Number((await answerOf(opened)).result.serverInfo.version)
    const pay = (id: number, bill: string) =>
      post({ id, method: "tools/call", params: { name: "pay", arguments: { bill } } }, session).then(answerOf)
    const running = pay(2, "a")
    await bank.first
    child.kill("SIGTERM")
    await until(() => errors.includes("Shutting down"))
    const refused = await pay(3, "b")
    assert.strictEqual(JSON.parse(textOf(refused.result)).error.code, "shutting_down")
    const another = await post(initialize)
    assert.deepStrictEqual([another.status, another.headers.get("retry-after")], [503, "1"])
    bank.answer()
    assert.strictEqual(textOf((await running).result), "paid 1")
    assert.strictEqual((await ended).code, 130)
    assert.deepStrictEqual([isAlive(pid), bank.payments()], [false, 1])
    bank.close()
  })
})
