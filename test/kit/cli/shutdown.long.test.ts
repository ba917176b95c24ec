/** Stops processes of `toolguard openapi serve` and `toolguard mcp serve` with SIGTERM, mostly during a call. */
import { afterAll, assert, describe, it } from "@effect/vitest"
import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { endOf, endWithTest } from "../../support/children.ts"
import { root } from "../../support/sources.ts"
import { startBank } from "./Bank.ts"

// within the project, so that the backend finds the packages
const folder = mkdtempSync(join(root, "test/kit/cli/shutdown-"))
afterAll(() => rmSync(folder, { recursive: true }))

/** A write whose handler posts to a bank and waits for its answer. */
const backend = join(folder, "backend.ts")
writeFileSync(
  backend,
  `import { Effect, Schema } from "effect"
import { Backend, GuardedTool, Toolbox } from "effect-toolguard"
class Pay extends GuardedTool.Service<Pay>()("pay", {
  description: "Pays one bill. Writes.",
  access: "write",
  timeout: "5 minutes",
  parameters: Schema.Struct({ bill: Schema.String }),
  success: Schema.Struct({ paid: Schema.Int })
}) {}
const layer = Pay.layer(() =>
  Effect.promise(async () => ({ paid: Number(await (await fetch(process.env["BANK"] ?? "", { method: "POST" })).text()) }))
)
export const backend = () => Backend.make({ name: "bank", tools: Toolbox.make(Pay), layer, prompt: "Pay." })
`
)

const start = (args: ReadonlyArray<string>, bank: string) =>
  endWithTest(
    spawn(process.execPath, [join(root, "kit/cli/main.ts"), ...args], {
      cwd: root,
      env: { ...process.env, BANK: bank, NO_COLOR: "1" },
      stdio: ["pipe", "pipe", "pipe"]
    })
  )

/** Waits until the output contains a text, and returns the output. */
const until = (stream: NonNullable<ChildProcess["stdout"]>, text: string): Promise<string> =>
  new Promise((resolve) => {
    let all = ""
    stream.on("data", (chunk: Buffer) => {
      all += String(chunk)
      if (all.includes(text)) resolve(all)
    })
  })

const pay = (url: string, bill: string) =>
  fetch(`${url}pay`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ bill })
  })

/** Starts the HTTP API, and returns it with its address. */
const startApi = async (bank: string) => {
  const child = start(["openapi", "serve", backend, "--port", "0"], bank)
  const ended = endOf(child)
  const [, url = ""] = /at (http:\S+\/tools\/)/u.exec(await until(child.stdout, "Press Ctrl-C")) ?? []
  return { child, ended, url }
}

describe("SIGTERM", { timeout: 120_000 }, () => {
  it("12.7 openapi serve refuses new calls with 503 while a call gets its answer, and exits with 130", async () => {
    const bank = await startBank()
    const { child, ended, url } = await startApi(bank.url)
    const running = pay(url, "a")
    await bank.first
    const draining = until(child.stderr, "Shutting down")
    child.kill("SIGTERM")
    await draining
    const refused = await pay(url, "b")
    const problem = (await refused.json()) as { readonly code: string; readonly side_effect: string }
    assert.deepStrictEqual([refused.status, problem.code, problem.side_effect], [503, "shutting_down", "none"])
    assert.isNotNull(refused.headers.get("retry-after"))
    bank.answer()
    const answer = await running
    assert.deepStrictEqual([answer.status, await answer.json()], [200, { status: "success", data: { paid: 1 } }])
    assert.strictEqual((await ended).code, 130)
    assert.strictEqual(bank.payments(), 1)
    bank.close()
  })

  it("12.7 openapi serve ends without draining if no call runs, and exits with 130", async () => {
    const { child, ended } = await startApi("http://127.0.0.1:1")
    child.kill("SIGTERM")
    const { code, stderr } = await ended
    assert.deepStrictEqual([code, stderr.includes("Shutting down")], [130, false])
  })

  it("12.7 a second SIGTERM during a call terminates the process immediately", async () => {
    const bank = await startBank()
    const { child, url } = await startApi(bank.url)
    const running = pay(url, "a").catch(() => "cut")
    await bank.first
    const exit = once(child, "exit")
    const draining = until(child.stderr, "Shutting down")
    child.kill("SIGTERM")
    await draining
    child.kill("SIGTERM")
    assert.deepStrictEqual(await exit, [null, "SIGTERM"])
    assert.strictEqual(await running, "cut")
    bank.answer()
    bank.close()
  })

  it("12.7 mcp serve over stdio gives the client the answer of a running call, and exits with 130", async () => {
    const bank = await startBank()
    const child = start(["mcp", "serve", backend], bank.url)
    const ended = endOf(child)
    const send = (message: object) => child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`)
    const initialized = until(child.stdout, '"id":1')
    const clientInfo = { name: "test", version: "1" }
    send({ id: 1, method: "initialize", params: { protocolVersion: "2025-06-18", capabilities: {}, clientInfo } })
    await initialized
    send({ method: "notifications/initialized" })
    send({ id: 2, method: "tools/call", params: { name: "pay", arguments: { bill: "a" } } })
    await bank.first
    const draining = until(child.stderr, "Shutting down")
    child.kill("SIGTERM")
    await draining
    const refused = until(child.stdout, "shutting_down")
    send({ id: 3, method: "tools/call", params: { name: "pay", arguments: { bill: "b" } } })
    await refused
    bank.answer()
    const { code, stdout } = await ended
    const answers = stdout.split("\n").flatMap((line) => (line === "" ? [] : [JSON.parse(line)]))
    const answer = answers.find(({ id }) => id === 2)
    assert.deepStrictEqual(JSON.parse(answer?.result.content[0].text), { status: "success", data: { paid: 1 } })
    assert.deepStrictEqual([code, bank.payments()], [130, 1])
    bank.close()
  })
})
