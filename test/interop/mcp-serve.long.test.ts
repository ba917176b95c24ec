/**
 * Runs the official MCP client against `toolguard mcp serve` over stdio and HTTP. The client validates messages with its
 * own schemas, and structured content with the advertised output schema.
 */
import { assert, describe, it } from "@effect/vitest"
import type { Client } from "@modelcontextprotocol/sdk/client/index.js"
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js"
import { join } from "node:path"
import { start } from "../mcp/Wire.ts"
import { needs } from "../support/prerequisites.ts"
import { root } from "../support/sources.ts"
import { packages } from "./packages.ts"

const backend = join(root, "test/mcp/deskBackend.ts")

type ElicitedAnswer = { readonly action: "accept" | "decline" | "cancel"; readonly content?: Record<string, boolean> }

/**
 * Connects the official client. `answers` are its user's answers to elicitations; without them, the client does not
 * support elicitation.
 */
const connect = async (transport: Transport, answers?: Array<ElicitedAnswer>): Promise<Client> => {
  const { Client } = await import("@modelcontextprotocol/sdk/client/index.js")
  const { ElicitRequestSchema } = await import("@modelcontextprotocol/sdk/types.js")
  const client = new Client(
    { name: "official", version: "1" },
    { capabilities: answers === undefined ? {} : { elicitation: {} } }
  )
  if (answers !== undefined) {
    client.setRequestHandler(ElicitRequestSchema, () => Promise.resolve(answers.shift() ?? { action: "cancel" }))
  }
  await client.connect(transport)
  return client
}

interface ServedToolbox {
  readonly client: (answers?: Array<ElicitedAnswer>) => Promise<Client>
  readonly output: (text: string) => Promise<string>
}

/** Runs a test with a server over each transport. */
const transports: Readonly<Record<string, (test: (served: ServedToolbox) => Promise<void>) => Promise<void>>> = {
  stdio: async (test) => {
    const { StdioClientTransport } = await import("@modelcontextprotocol/sdk/client/stdio.js")
    const clients: Array<Client> = []
    let text = ""
    const waiting = new Set<() => void>()
    const client = async (answers?: Array<ElicitedAnswer>) => {
      const transport = new StdioClientTransport({
        command: process.execPath,
        args: [join(root, "kit/cli/main.ts"), "mcp", "serve", backend],
        cwd: root,
        stderr: "pipe"
      })
      transport.stderr?.on("data", (chunk) => {
        text += String(chunk)
        for (const check of waiting) check()
      })
      const connected = await connect(transport, answers)
      clients.push(connected)
      return connected
    }
    const output = (wanted: string): Promise<string> =>
      new Promise((resolve) => {
        const check = () => {
          if (text.includes(wanted)) resolve(text)
        }
        waiting.add(check)
        check()
      })
    try {
      await test({ client, output })
    } finally {
      for (const each of clients) await each.close()
    }
  },
  HTTP: async (test) => {
    const { StreamableHTTPClientTransport } = await import("@modelcontextprotocol/sdk/client/streamableHttp.js")
    const server = start(["--http", "0"], { TOOLGUARD_MCP_TOKEN: "sesame" })
    const clients: Array<Client> = []
    try {
      const url = new URL(/http:\/\/\S+\/mcp/.exec(await server.output("/mcp."))?.[0] ?? "")
      const client = async (answers?: Array<ElicitedAnswer>) => {
        const requestInit = { headers: { authorization: "Bearer sesame" } }
        // the types of the client's transport do not match its interface under exact optional properties
        const connected = await connect(new StreamableHTTPClientTransport(url, { requestInit }) as Transport, answers)
        clients.push(connected)
        return connected
      }
      await test({ client, output: server.output })
    } finally {
      for (const each of clients) await each.close()
      server.child.kill("SIGKILL")
    }
  }
}

const call = async (client: Client, name: string, args: Record<string, unknown>, options: object = {}) => {
  const result = await client.callTool({ name, arguments: args }, undefined, options)
  const [first] = result.content as ReadonlyArray<{ readonly text: string }>
  return { ...result, envelope: JSON.parse(first?.text ?? "") }
}

for (const [name, within] of Object.entries(transports)) {
  describe(`the official MCP client over ${name}`, needs(packages("@modelcontextprotocol/sdk")), () => {
    it("13.7 lists and calls tools, with structured content that satisfies the output schema", () =>
      within(async (served) => {
        const client = await served.client()
        const { tools } = await client.listTools()
        assert.deepStrictEqual(
          tools.map(({ name }) => name),
          ["search", "refund_order", "export_rows", "draw_chart", "read_result"]
        )
        const good = await call(client, "search", { q: "a" })
        assert.deepStrictEqual(good.structuredContent, { status: "success", data: { n: 1, note: "" } })
        const wrong = await call(client, "search", { z: 1 })
        assert.deepStrictEqual([wrong.isError, wrong.envelope.error.code], [true, "invalid_arguments"])
        // redacted data no longer satisfies the schema and is omitted from the structured content
        const secret = await call(client, "search", { q: "secret" })
        assert.deepStrictEqual(secret.structuredContent, { status: "success" })
        const large = await call(client, "export_rows", {})
        const uri = large.envelope.resource_url
        const { contents } = await client.readResource({ uri })
        assert.lengthOf(JSON.parse((contents[0] as { text: string }).text).rows, 2000)
        const chart = await call(client, "draw_chart", {})
        assert.deepStrictEqual(
          (chart.content as ReadonlyArray<{ type: string }>).map(({ type }) => type),
          ["text", "image", "audio", "resource", "resource_link", "text"]
        )
        let code = 0
        await client.callTool({ name: "nope", arguments: {} }).catch((error) => (code = error.code))
        assert.strictEqual(code, -32_602)
      }))

    it("13.7 receives progress and cancels calls", () =>
      within(async (served) => {
        const client = await served.client()
        const progress: Array<string | undefined> = []
        const onprogress = ({ message }: { readonly message?: string }) => void progress.push(message)
        const { envelope } = await call(client, "search", { q: "flaky" }, { onprogress })
        assert.strictEqual(envelope.status, "success")
        assert.strictEqual(progress[0], "search: started")
        assert.isAtLeast(progress.length, 5)
        const abort = new AbortController()
        const cancelled = call(client, "search", { q: "hang" }, { signal: abort.signal }).catch(() => "cancelled")
        await served.output("search hang")
        abort.abort()
        assert.strictEqual(await cancelled, "cancelled")
        await served.output("interrupted hang")
        assert.strictEqual((await call(client, "search", { q: "b" })).envelope.status, "success")
      }))

    it("10.3, 13.7 asks its user, who accepts, declines or dismisses the question", () =>
      within(async (served) => {
        const client = await served.client([
          { action: "accept", content: { approve: true } },
          { action: "decline" },
          { action: "cancel" }
        ])
        const refund = async (order_id: string) => {
          const { envelope } = await call(client, "refund_order", { order_id })
          return envelope.error?.code ?? envelope.status
        }
        assert.strictEqual(await refund("O-1"), "success")
        assert.strictEqual(await refund("O-2"), "approval_denied")
        assert.strictEqual(await refund("O-3"), "approval_expired")
        const text = await served.output("refund O-1")
        assert.lengthOf(text.match(/refund O-/g) ?? [], 1)
      }))

    it("4.6, 13.7 concurrent sessions do not share budgets, and closing a session interrupts its call", () =>
      within(async (served) => {
        const one = await served.client()
        const two = await served.client()
        for (let i = 0; i < 5; i++) {
          await Promise.all([call(one, "search", { q: "cut" }), call(two, "search", { q: "cut" })])
        }
        const text = await served.output("search cut")
        assert.lengthOf(text.match(/search cut/g) ?? [], 2)
        const pending = call(one, "search", { q: "hang" }).catch(() => "gone")
        await served.output("search hang")
        await one.close()
        assert.strictEqual(await pending, "gone")
        if (name === "HTTP") await served.output("interrupted hang")
        assert.strictEqual((await call(two, "search", { q: "b" })).envelope.status, "success")
      }))
  })
}
