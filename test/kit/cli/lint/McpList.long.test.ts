/** Reads the lists of MCP servers that run as processes: several revisions, several pages, and servers that fail. */
import * as McpList from "#kit/cli/lint/McpList"
import * as NodeServices from "@effect/platform-node/NodeServices"
import { afterAll, assert, describe, it } from "@effect/vitest"
import { Duration, Effect } from "effect"
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { root } from "../../../support/sources.ts"

const folder = mkdtempSync(join(tmpdir(), "toolguard-mcp-"))
/** A folder in the project, so that modules resolve its packages. */
const modules = mkdtempSync(join(root, "test/.mcp-"))
afterAll(() => {
  rmSync(folder, { recursive: true })
  rmSync(modules, { recursive: true })
})

let files = 0

/** Writes the script of a server whose `body` handles each message. */
const server = (body: string): string => {
  const path = join(folder, `server${(files += 1)}.mjs`)
  writeFileSync(
    path,
    `import { createInterface } from "node:readline"
     const send = (message) => process.stdout.write(JSON.stringify({ jsonrpc: "2.0", ...message }) + "\\n")
     const tools = ["get_a", "get_b", "get_c"].map((name) => ({ name, description: "Gets it.", inputSchema: { type: "dict" } }))
     const hello = (id) => send({ id, result: { protocolVersion: "2024-11-05", capabilities: { tools: {} } } })
     let waiting
     createInterface({ input: process.stdin }).on("line", (line) => {
       const { id, method, params } = JSON.parse(line)
       ${body}
     })`
  )
  return path
}

const list = (script: string, seconds = 20) =>
  McpList.list([process.execPath, script], Duration.seconds(seconds), `${seconds} s`).pipe(
    Effect.provide(NodeServices.layer)
  )

const names = ({ tools }: { readonly tools: ReadonlyArray<unknown> }) =>
  // every tool that these servers list has a name
  tools.map((tool) => (tool as { readonly name: string }).name)

const refusal = (script: string, seconds?: number) =>
  Effect.map(Effect.flip(list(script, seconds)), ({ exitCode, message, remedy }) => [exitCode, message, remedy])

// it.live, because these are real processes
describe("McpList", () => {
  it.live("13.3 reads the list unchanged, page by page, and answers pings", () =>
    Effect.gen(function* () {
      const found = yield* list(
        server(`
          if (method === "initialize") { console.log("starting…"); send({ method: "notifications/x" }); waiting = id; send({ id: "p", method: "ping" }) }
          if (id === "p" && method === undefined) hello(waiting)
          const at = Number(params?.cursor ?? 0)
          if (method === "tools/list") send({ id, result: { tools: [tools[at]], ...(at < 2 ? { nextCursor: String(at + 1) } : {}) } })`)
      )
      assert.deepStrictEqual(names(found), ["get_a", "get_b", "get_c"])
      assert.deepStrictEqual(found.tools[0], { name: "get_a", description: "Gets it.", inputSchema: { type: "dict" } })
    })
  )

  it.live("13.3 reads the list of a server without initialize", () =>
    Effect.gen(function* () {
      const found = yield* list(
        server(`
          if (method === "initialize") send({ id, error: { code: -32601, message: "Method not found" } })
          else if (params._meta["io.modelcontextprotocol/protocolVersion"] !== "2026-07-28") process.exit(9)
          else send({ id, result: { resultType: "complete", tools } })`)
      )
      assert.deepStrictEqual(names(found), ["get_a", "get_b", "get_c"])
    })
  )

  const refusals: ReadonlyArray<readonly [string, string, string]> = [
    ["process.exit(3)", "The server exited with code 3 before it responded.", "It wrote nothing else."],
    [
      `console.error("Error: no API key\\n    at x.js:1"); process.exit(1)`,
      "The server exited with code 1 before it responded.",
      "It wrote: Error: no API key"
    ],
    [`process.kill(process.pid, "SIGKILL")`, "The server was killed before it responded.", "It wrote nothing else."],
    [
      `if (method === "initialize") send({ id, result: { capabilities: {} } })`,
      "The server offers no tools.",
      "It wrote nothing else."
    ],
    [
      `if (method === "initialize") send({ id, result: 7 })`,
      "The server's response to initialize has no capabilities.",
      "It wrote nothing else."
    ],
    [
      `method === "initialize" ? hello(id) : send({ id, error: { code: -32000, message: "not\\u001b now" } })`,
      "The server refused to list its tools: not[U+001B] now",
      "It wrote nothing else."
    ],
    [
      `method === "initialize" ? hello(id) : send({ id, result: { tools: 7 } })`,
      "The server's response to tools/list has no tools.",
      "It wrote nothing else."
    ],
    [
      `method === "initialize" ? hello(id) : send({ id, result: { tools, nextCursor: "again" } })`,
      "The server returned the same cursor twice.",
      "It wrote nothing else."
    ],
    [
      `method === "initialize" ? hello(id) : send({ id, result: { tools: [], nextCursor: (params?.cursor ?? "") + "x" } })`,
      "The server's list has more than 100 pages.",
      "It wrote nothing else."
    ],
    [
      `send({ id: null, error: { code: -32700, message: "Parse error" } })`,
      "The server refused to list its tools: Parse error",
      "It wrote nothing else."
    ]
  ]
  it.live("13.3 reports why there is no list, and what the server wrote", () =>
    Effect.forEach(refusals, ([body, message, remedy]) =>
      Effect.map(refusal(server(body)), (problem) => assert.deepStrictEqual(problem, [1, message, remedy]))
    )
  )

  it.live("13.3 fails for a message that is too long", () =>
    Effect.map(
      refusal(
        server(
          `if (method === "initialize") { const more = () => process.stdout.write("x".repeat(1_000_000), more); more() }`
        )
      ),
      ([, message]) => assert.strictEqual(message, "The server sent a message of more than 10000000 characters.")
    )
  )

  it.live("13.3 fails after its timeout, and leaves no process behind", () =>
    Effect.gen(function* () {
      const pid = join(folder, "pid")
      const hanging = join(folder, "hanging.mjs")
      writeFileSync(
        hanging,
        `import { writeFileSync } from "node:fs"
         writeFileSync(${JSON.stringify(pid)}, String(process.pid))
         process.on("SIGTERM", () => {})
         console.log("Listening on port 1")
         setInterval(() => {}, 1000)`
      )
      assert.deepStrictEqual(yield* refusal(hanging, 3), [
        1,
        "The server did not list its tools within 3 s.",
        "It wrote: Listening on port 1"
      ])
      assert.throws(() => process.kill(Number(readFileSync(pid, "utf8")), 0))
    })
  )

  it.live("13.3 reports that a command cannot be started", () =>
    Effect.gen(function* () {
      const command = McpList.list([join(folder, "none")], Duration.seconds(5), "5 s").pipe(
        Effect.provide(NodeServices.layer)
      )
      assert.strictEqual(
        (yield* Effect.flip(command)).message,
        `The command ${join(folder, "none")} cannot be started.`
      )
    })
  )

  for (const revision of ["v2024_11_05", "v2025_06_18", "v2025_11_25", "v2026_07_28"]) {
    it.live(`13.3 lists the tools of Effect's own server, in ${revision}`, () =>
      Effect.gen(function* () {
        const path = join(modules, `${revision}.ts`)
        writeFileSync(
          path,
          `import { NodeRuntime, NodeStdio } from "@effect/platform-node"
           import { Effect, Layer, Logger, Schema } from "effect"
           import { McpProtocol, McpServer, Tool, Toolkit } from "effect/ai"
           const Double = Tool.make("double", { description: "Doubles.", parameters: Schema.Struct({ n: Schema.Finite }), success: Schema.Finite })
           const kit = Toolkit.make(Double)
           const registrations = McpServer.toolkit(kit).pipe(Layer.provide(kit.toLayer({ double: ({ n }) => Effect.succeed(2 * n) })))
           Layer.launch(McpServer.layerStdio({ name: "x", version: "1.0.0", protocols: [McpProtocol.${revision}], registrations }).pipe(
             Layer.provide(NodeStdio.layer), Layer.provide(Layer.succeed(Logger.LogToStderr, true))
           )).pipe(NodeRuntime.runMain)`
        )
        assert.deepStrictEqual(names(yield* list(path)), ["double"])
      })
    )
  }
})
