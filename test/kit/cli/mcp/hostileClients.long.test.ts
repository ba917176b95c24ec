/** Tests that commands pass no secrets to the servers that they start, and that no call of a client bypasses the guard. */
import { afterAll, assert, describe, it } from "@effect/vitest"
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { proxied } from "../../../support/command.ts"
import { hello, start } from "../../../support/McpClient.ts"
import { toolguard } from "../toolguard.ts"

const folder = mkdtempSync(join(tmpdir(), "toolguard-env-"))
afterAll(() => rmSync(folder, { recursive: true }))

/** A server that writes its environment and every received line to files, and executes notifications too. */
const script = join(folder, "server.mjs")
writeFileSync(
  script,
  `import { createInterface } from "node:readline"
   import { appendFileSync, writeFileSync } from "node:fs"
   writeFileSync(process.argv[2] + ".env", JSON.stringify(process.env))
   const send = (message) => process.stdout.write(JSON.stringify({ jsonrpc: "2.0", ...message }) + "\\n")
   const tools = [{ name: "get_a", description: "Gets.", inputSchema: { type: "object" }, annotations: { readOnlyHint: true } }]
   createInterface({ input: process.stdin }).on("line", (line) => {
     appendFileSync(process.argv[2] + ".lines", line + "\\n")
     const { id, method, params } = JSON.parse(line)
     if (method === "initialize")
       send({ id, result: { protocolVersion: params.protocolVersion, capabilities: { tools: {} }, serverInfo: { name: "s", version: "1" } } })
     if (method === "tools/list") send({ id, result: { tools } })
     if (method === "tools/call") for (let n = 0; n < (params.arguments?.chat ?? 0); n++)
       send({ method: "notifications/message", params: { level: "info", data: "x".repeat(1000) } })
     if (method === "tools/call") setTimeout(() => send({ id, result: { content: [{ type: "text", text: "done" }] } }), params.arguments?.wait ?? 0)
   })`
)

const secrets = {
  TOOLGUARD_DATABASE: join(folder, "guard.sqlite"),
  TOOLGUARD_MCP_TOKEN: "t-1",
  OPENAI_API_KEY: "sk-1",
  AWS_SECRET_ACCESS_KEY: "a",
  MY_KEY: "k"
}
const allowed = ["HOME", "LANG", "PATH", "SHELL", "TERM", "TMPDIR", "USER", "MY_KEY"]

/** The variables that the server got, without those that the system adds. */
const variablesOf = (name: string) =>
  Object.keys(JSON.parse(readFileSync(join(folder, `${name}.env`), "utf8")) as object).filter(
    (variable) => !variable.startsWith("__CF")
  )

/** Returns the resident memory of a process, in megabytes. */
const residentOf = (pid: number): number =>
  Number(/^VmRSS:\s+(\d+)/mu.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1] ?? 0) / 1_024

const lengths: Array<number> = []

describe("a server that a command starts", () => {
  it("13.7 mcp proxy, lint and diff pass the server only the variables of their environment that --env names", async () => {
    const client = start(proxied(["--env", "MY_KEY"], [process.execPath, script, join(folder, "proxy")]), {
      env: secrets
    })
    await hello(client)
    await client.end()
    const command = (name: string) => ["--mcp", "--", process.execPath, script, join(folder, name)]
    await toolguard(["lint", "--env", "MY_KEY", ...command("lint")], { env: secrets })
    await toolguard(["diff", "--env", "MY_KEY", "--write", "--lock", join(folder, "lock.json"), ...command("diff")], {
      env: secrets
    })
    for (const name of ["proxy", "lint", "diff"]) {
      const got = variablesOf(name)
      assert.include(got, "MY_KEY", name)
      assert.includeMembers(allowed, got, name)
    }
  })

  it("13.7 a tools/call without an id or with another spelling does not reach the server, and the session continues", async () => {
    const client = start(proxied(["--deny", "get_a"], [process.execPath, script, join(folder, "calls")]))
    await hello(client)
    const params = { name: "get_a", arguments: { x: "hidden" } }
    const spellings = ["tools/call", "tools/call ", "Tools/Call", "tools/call\0", "tools／call"]
    for (const method of spellings) client.tell(method, params)
    client.write(JSON.stringify(spellings.map((method) => ({ jsonrpc: "2.0", method, params }))))
    for (const method of spellings.slice(1)) {
      const { error } = await client.ask(method, params)
      assert.strictEqual(error.code, -32_600)
      assert.include(error.message, "can be mistaken for tools/call")
    }
    for (const id of [null, {}, [], true, 1.5])
      client.write(JSON.stringify({ jsonrpc: "2.0", id, method: "tools/call", params }))
    client.write(`{"jsonrpc":"2.0","id":1e999,"method":"tools/call","params":${JSON.stringify(params)}}`)
    client.write(`{"jsonrpc":"1.0","id":77,"method":"tools/call","params":${JSON.stringify(params)}}`)
    client.write(`{"id":78,"method":"tools/call","params":${JSON.stringify(params)}}`)
    const { result } = await client.ask("tools/list")
    assert.deepStrictEqual(
      result.tools.map(({ name }: { readonly name: string }) => name),
      []
    )
    await client.end()
    assert.notInclude(readFileSync(join(folder, "calls.lines"), "utf8"), "hidden")
    assert.include(client.stderr(), "tools/call without an `id`")
  })

  it("13.7 if a client repeats an id and sends 5,000 calls without reading, each call is answered once, in bounded memory", async () => {
    const client = start(proxied(["--confirm", "none"], [process.execPath, script, join(folder, "flood")]))
    await hello(client)
    const call = (id: number | string, x: number | string) =>
      JSON.stringify({
        jsonrpc: "2.0",
        id,
        method: "tools/call",
        params: { name: "get_a", arguments: { x, wait: 300 } }
      })
    client.write(`${call("twice", 1)}\n${call("twice", 2)}`)
    const two = await Promise.all([
      client.wait(({ error, id }) => id === "twice" && error !== undefined),
      client.wait(({ id, result }) => id === "twice" && result !== undefined)
    ])
    assert.include(two[0]["error"].message, "already in progress")
    client.process.stdout?.pause()
    const count = 5_000
    for (let n = 0; n < count; n++) client.write(call(`f${n}`, n))
    await new Promise((resolve) => setTimeout(resolve, 3_000))
    const megabytes = residentOf(client.process.pid ?? 0)
    client.process.stdout?.resume()
    await client.wait(({ id }) => id === `f${count - 1}`)
    const answered = new Map<unknown, number>()
    for (const { id } of client.received) answered.set(id, (answered.get(id) ?? 0) + 1)
    for (let n = 0; n < count; n++) await client.wait(({ id }) => id === `f${n}`)
    assert.isTrue([...answered].every(([id, times]) => times === 1 || id === "twice"))
    assert.isBelow(megabytes, 500)
    await client.end()
  })

  it("13.7 a call beyond --max-calls fails with the remedy, and later calls are accepted", async () => {
    const options = ["--confirm", "none", "--max-calls", "2"]
    const client = start(proxied(options, [process.execPath, script, join(folder, "max")]))
    await hello(client)
    const call = (x: number, wait: number) => client.ask("tools/call", { name: "get_a", arguments: { x, wait } })
    const slow = [call(1, 1_000), call(2, 1_000)]
    const { error } = await call(3, 0)
    assert.strictEqual(
      error.message,
      "The limit of 2 concurrent calls (--max-calls) has been reached. Retry this call later."
    )
    for (const { result } of [...(await Promise.all(slow)), await call(4, 0)]) assert.isDefined(result)
    await client.end()
  })

  it("13.7 if a client over HTTP reads nothing while the server sends 100 MB, messages beyond --buffer are left out and reported", async () => {
    const args = [
      "mcp",
      "proxy",
      "--listen",
      "0",
      "--buffer",
      "100000",
      "--",
      process.execPath,
      script,
      join(folder, "chatty")
    ]
    const { stderr } = await toolguard(args, {
      interruptAt: "Press Ctrl-C to stop.\n",
      before: async (text) => {
        const url = /http:\S+(?=\. )/.exec(text)?.[0] ?? ""
        const post = (message: object, session = "") =>
          fetch(url, {
            method: "POST",
            headers: { "content-type": "application/json", ...(session === "" ? {} : { "mcp-session-id": session }) },
            body: JSON.stringify({ jsonrpc: "2.0", ...message })
          })
        const params = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "t", version: "1" } }
        const opened = await post({ id: 0, method: "initialize", params })
        await opened.text()
        const session = opened.headers.get("mcp-session-id") ?? ""
        const call = { name: "get_a", arguments: { chat: 100_000 } }
        const answer = await post({ id: 1, method: "tools/call", params: call }, session)
        await new Promise((resolve) => setTimeout(resolve, 6_000))
        // reads only the text that the buffers of the two processes and of the system hold
        const read = await answer.text()
        lengths.push(read.length)
        assert.include(read, '"id":1')
      }
    })
    // the server sent more than 100 million characters; buffers of the system and of fetch hold some of them
    assert.isBelow(lengths[0] ?? 0, 60_000_000)
    assert.include(stderr, "reads its stream too slowly")
  })
})
