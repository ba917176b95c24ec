/**
 * Tests the proxy between the official MCP client and published servers: it guards calls and relays other requests
 * unchanged.
 */
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { type ChildProcess, spawn } from "node:child_process"
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { createServer } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { proxied } from "../support/command.ts"
import { endWithTest } from "../support/children.ts"
import { needs } from "../support/prerequisites.ts"
import { root } from "../support/sources.ts"
import { toolguard } from "../kit/cli/toolguard.ts"
import { installed, packages } from "./packages.ts"

const mcp = join(installed, "@modelcontextprotocol")
const servers = ["everything", "filesystem", "memory", "sequential-thinking"].map(
  (name) => `@modelcontextprotocol/server-${name}`
)

const server = (name: string, ...args: ReadonlyArray<string>): ReadonlyArray<string> => [
  process.execPath,
  join(mcp, `server-${name}/dist/index.js`),
  ...args
]

/** Imports the official MCP client, untyped, because its types are not part of the test. */
const sdk = async (): Promise<any> => {
  const esm = join(mcp, "sdk/dist/esm")
  const [client, stdio, http, types] = await Promise.all(
    ["client/index.js", "client/stdio.js", "client/streamableHttp.js", "types.js"].map(
      (file) => import(join(esm, file)) as Promise<any>
    )
  )
  return { ...client, ...stdio, ...http, ...types }
}

const opened: Array<any> = []
const started: Array<ChildProcess> = []

const connect = async (
  transport: (sdk: any) => any,
  capabilities: object,
  prepare: (client: any, sdk: any) => void
) => {
  const parts = await sdk()
  const client = new parts.Client({ name: "test", version: "1" }, { capabilities })
  prepare(client, parts)
  await client.connect(transport(parts))
  opened.push(client)
  return client
}

const overStdio = (
  command: ReadonlyArray<string>,
  {
    capabilities = {},
    env = {},
    prepare = () => {}
  }: {
    readonly capabilities?: object
    readonly env?: Readonly<Record<string, string>>
    readonly prepare?: (client: any, sdk: any) => void
  } = {}
) =>
  connect(
    ({ StdioClientTransport }) =>
      new StdioClientTransport({
        command: command[0],
        args: command.slice(1),
        cwd: root,
        stderr: "ignore",
        // an undefined variable is not passed on
        env: { ...(process.env as Record<string, string>), ...env }
      }),
    capabilities,
    prepare
  )

const overHttp = (url: string) =>
  connect(
    ({ StreamableHTTPClientTransport }) => new StreamableHTTPClientTransport(new URL(url)),
    {},
    () => {}
  )

/** Starts a server program and waits until it reports that it is ready. */
const serve = (command: ReadonlyArray<string>, ready: RegExp, env: Readonly<Record<string, string>> = {}) =>
  new Promise<string>((resolve, reject) => {
    const child = endWithTest(spawn(command[0] ?? "", command.slice(1), { cwd: root, env: { ...process.env, ...env } }))
    started.push(child)
    let output = ""
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding("utf8").on("data", (text: string) => {
        output += text
        const found = ready.exec(output)
        if (found !== null) resolve(found[1] ?? "")
      })
    child.on("close", () => reject(new Error(output)))
  })

const freePort = () =>
  new Promise<number>((resolve) => {
    const probe = createServer().listen(0, "127.0.0.1", () => {
      const address = probe.address()
      probe.close(() => resolve(typeof address === "object" && address !== null ? address.port : 0))
    })
  })

/** A made-up value with the form of a GitHub token without its prefix. */
const key = "x9Kq2LmZ7pR4tW8vB1nC5dF3gH6jS0aYeU2i"

const folder = mkdtempSync(join(tmpdir(), "toolguard-mcp-"))

afterAll(async () => {
  await Promise.all(opened.map((client) => client.close()))
  for (const child of started) child.kill("SIGINT")
  rmSync(folder, { recursive: true, force: true })
})

/** Returns the first text of a result. */
const textOf = (result: any): string => result.content[0].text

const names = ({ tools }: any): ReadonlyArray<string> => tools.map(({ name }: any) => name)

describe("toolguard mcp proxy", needs(packages("@modelcontextprotocol/sdk", ...servers)), () => {
  describe("in front of server-everything", () => {
    let direct: any
    let guarded: any
    const requests: Array<string> = []
    const capabilities = { sampling: {}, elicitation: {}, roots: { listChanged: true } }
    const prepare = (client: any, { CreateMessageRequestSchema, ElicitRequestSchema, ListRootsRequestSchema }: any) => {
      client.setRequestHandler(CreateMessageRequestSchema, ({ params }: any) => {
        requests.push(`sampling ${params.messages[0].content.text}`)
        return { role: "assistant", model: "test", content: { type: "text", text: "sampled" } }
      })
      client.setRequestHandler(ElicitRequestSchema, ({ params }: any) => {
        requests.push(`elicitation ${params.message}`)
        return { action: "decline" }
      })
      client.setRequestHandler(ListRootsRequestSchema, () => {
        requests.push("roots")
        return { roots: [{ uri: "file:///data", name: "data" }] }
      })
    }
    beforeAll(async () => {
      const everything = server("everything", "stdio")
      direct = await overStdio(everything, { capabilities, prepare })
      guarded = await overStdio(proxied([], everything), { capabilities, prepare })
    })

    it("13.7 initializes like the server", () => {
      assert.deepStrictEqual(guarded.getServerVersion(), direct.getServerVersion())
      assert.deepStrictEqual(guarded.getServerCapabilities(), direct.getServerCapabilities())
      assert.deepStrictEqual(guarded.getInstructions(), direct.getInstructions())
    })

    it("13.7 lists the server's tools unchanged, and read_result", async () => {
      const own = await direct.listTools()
      const listed = await guarded.listTools()
      assert.deepStrictEqual(listed.tools.slice(0, -1), own.tools)
      assert.strictEqual(listed.tools.at(-1).name, "read_result")
    })

    it("13.7 relays resources, prompts and completion unchanged", async () => {
      for (const ask of [
        (client: any) => client.listResources(),
        (client: any) => client.listResourceTemplates(),
        (client: any) => client.listPrompts(),
        (client: any) => client.getPrompt({ name: "args-prompt", arguments: { city: "Rome" } }),
        (client: any) =>
          client.complete({
            ref: { type: "ref/prompt", name: "completable-prompt" },
            argument: { name: "department", value: "E" }
          }),
        (client: any) => client.setLoggingLevel("error")
      ])
        assert.deepStrictEqual(await ask(guarded), await ask(direct))
    })

    it("13.7 returns the results of the server: text, images, structured content, links", async () => {
      for (const [name, args] of [
        ["echo", { message: "hello" }],
        ["get-sum", { a: 2, b: 3 }],
        ["get-tiny-image", {}],
        ["get-annotated-message", { messageType: "success", includeImage: true }],
        ["get-structured-content", { location: "Chicago" }],
        ["get-resource-links", { count: 3 }]
      ] as const)
        assert.deepStrictEqual(
          await guarded.callTool({ name, arguments: args }),
          await direct.callTool({ name, arguments: args }),
          name
        )
    })

    it("13.7 rejects arguments that are invalid according to the server's schema", async () => {
      const result = await guarded.callTool({ name: "get-sum", arguments: { a: "two" } })
      assert.isTrue(result.isError)
      const { error } = JSON.parse(textOf(result))
      assert.deepInclude(error, { error_class: "tool_arg_error", code: "invalid_arguments" })
      assert.deepStrictEqual(error.fields.toSorted(), ["a", "b"])
    })

    it("13.7 relays requests of the server: sampling, elicitation, roots", async () => {
      requests.length = 0
      const sampled = await guarded.callTool({
        name: "trigger-sampling-request",
        arguments: { prompt: "Hi", maxTokens: 5 }
      })
      assert.include(JSON.stringify(sampled.content), "sampled")
      const elicited = await guarded.callTool({ name: "trigger-elicitation-request", arguments: {} })
      assert.include(JSON.stringify(elicited.content), "declined")
      const rooted = await guarded.callTool({ name: "get-roots-list", arguments: {} })
      assert.include(textOf(rooted), "file:///data")
      assert.isAbove(requests.filter((each) => each.startsWith("sampling")).length, 0)
      assert.isAbove(requests.filter((each) => each.startsWith("elicitation")).length, 0)
    })

    it("13.7 relays the progress of a call to its client", async () => {
      const seen: Array<any> = []
      const result = await guarded.callTool(
        { name: "trigger-long-running-operation", arguments: { duration: 0.6, steps: 3 } },
        undefined,
        { onprogress: (progress: any) => seen.push(progress) }
      )
      assert.include(textOf(result), "completed")
      assert.isAbove(seen.length, 1)
      assert.deepInclude(seen[0], { progress: 1, total: 3 })
    })

    it("13.7 continues after the client cancels a call", async () => {
      const stop = new AbortController()
      const call = guarded.callTool(
        { name: "trigger-long-running-operation", arguments: { duration: 30, steps: 2 } },
        undefined,
        { signal: stop.signal }
      )
      setTimeout(() => stop.abort("enough"), 100)
      const error = await call.then(
        () => undefined,
        (error: unknown) => error
      )
      assert.match(String(error), /enough/)
      const after = await guarded.callTool({ name: "echo", arguments: { message: "after" } })
      assert.strictEqual(textOf(after), "Echo: after")
    })
  })

  it("13.7 guards server-everything between HTTP server and HTTP clients", async () => {
    const port = String(await freePort())
    await serve(server("everything", "streamableHttp"), /listening on port/, { PORT: port })
    const url = await serve(
      [process.execPath, "kit/cli/main.ts", "mcp", "proxy", "--listen", "0", "--url", `http://127.0.0.1:${port}/mcp`],
      /Serving MCP at (\S+)\. /
    )
    const [one, two] = [await overHttp(url), await overHttp(url)]
    const direct = await overHttp(`http://127.0.0.1:${port}/mcp`)
    assert.deepStrictEqual(names(await one.listTools()), [...names(await direct.listTools()), "read_result"])
    assert.deepStrictEqual(await one.listResources(), await direct.listResources())
    const results = await Promise.all(
      [one, two, one, two].map((client, n) => client.callTool({ name: "echo", arguments: { message: `m${n}` } }))
    )
    assert.deepStrictEqual(results.map(textOf), ["Echo: m0", "Echo: m1", "Echo: m2", "Echo: m3"])
    const seen: Array<any> = []
    await two.callTool({ name: "trigger-long-running-operation", arguments: { duration: 0.6, steps: 3 } }, undefined, {
      onprogress: (progress: any) => seen.push(progress)
    })
    assert.isAbove(seen.length, 1)
    const foreign = await fetch(url, {
      method: "POST",
      headers: { origin: "https://evil.example", "content-type": "application/json" },
      body: "{}"
    })
    assert.strictEqual(foreign.status, 403)
    const unknownSession = await fetch(url, { headers: { "mcp-session-id": "no-such" } })
    assert.strictEqual(unknownSession.status, 404)
  })

  it("13.7 guards server-filesystem: previews with links, redaction, denied tools, and a log that replay reads", async () => {
    const files = join(folder, "files")
    mkdirSync(files)
    writeFileSync(join(files, "large.txt"), "a line of the file\n".repeat(3_000))
    writeFileSync(join(files, "keys.txt"), `key ${["ghp", key].join("_")}\n`)
    const log = join(folder, "calls.jsonl")
    const flags = ["--log", log, "--deny", "write_*,move_file,edit_file"]
    const client = await overStdio(proxied(flags, server("filesystem", files)))
    const listed = names(await client.listTools())
    assert.include(listed, "read_text_file")
    assert.notInclude(listed, "write_file")

    const large = await client.callTool({ name: "read_text_file", arguments: { path: join(files, "large.txt") } })
    const envelope = JSON.parse(textOf(large))
    assert.isAbove(envelope.preview.bytes, 50_000)
    const link = large.content[1]
    assert.deepInclude(link, { type: "resource_link", uri: envelope.resource_url, mimeType: "application/json" })
    const complete = JSON.parse((await client.readResource({ uri: link.uri })).contents[0].text)
    assert.strictEqual(complete.content[0].text.length, 57_000)
    const page = await client.callTool({
      name: "read_result",
      arguments: { resource_url: link.uri, path: "content[0].text", offset: 0, limit: 18 }
    })
    assert.include(textOf(page), "a line of the file")

    const keys = await client.callTool({ name: "read_text_file", arguments: { path: join(files, "keys.txt") } })
    assert.notInclude(JSON.stringify(keys), key)
    const missing = await client.callTool({ name: "read_text_file", arguments: { path: join(files, "missing.txt") } })
    assert.deepInclude(JSON.parse(textOf(missing)).error, { error_class: "tool_arg_error", code: "unknown_reference" })
    const again = await client.callTool({ name: "read_text_file", arguments: { path: join(files, "missing.txt") } })
    assert.deepStrictEqual(JSON.parse(textOf(again)).error.code, "unknown_reference")
    const denied = await client.callTool({ name: "write_file", arguments: { path: join(files, "x"), content: "" } })
    assert.strictEqual(JSON.parse(textOf(denied)).error.code, "unknown_tool")
    await client.close()

    const records = readFileSync(log, "utf8")
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line))
    assert.deepStrictEqual(
      records.map(({ attempts, outcome, tool }) => [tool, attempts.length, outcome.failure?.code ?? "ok"]),
      [
        ["read_text_file", 1, "ok"],
        ["read_result", 1, "ok"],
        ["read_text_file", 1, "ok"],
        ["read_text_file", 1, "unknown_reference"],
        ["read_text_file", 0, "unknown_reference"],
        ["write_file", 0, "unknown_tool"]
      ]
    )
    const { code, stderr, stdout } = await toolguard(["replay", "--json", log])
    assert.deepStrictEqual({ code, stderr }, { code: 0, stderr: "" })
    assert.strictEqual(JSON.parse(stdout).totals.calls, 6)
  })

  it("13.7 guards server-memory: writes run, and the client's user confirms destructive calls", async () => {
    const answers: Array<object> = [{ action: "accept", content: { approve: true } }, { action: "decline" }]
    const questions: Array<string> = []
    const client = await overStdio(proxied(["--env", "MEMORY_FILE_PATH"], server("memory")), {
      capabilities: { elicitation: {} },
      env: { MEMORY_FILE_PATH: join(folder, "memory.json") },
      prepare: (client, { ElicitRequestSchema }) =>
        client.setRequestHandler(ElicitRequestSchema, ({ params }: any) => {
          questions.push(params.message)
          return answers.shift()
        })
    })
    const entities = ["Ann", "Bob"].map((name) => ({ name, entityType: "person", observations: [] }))
    const created = await client.callTool({ name: "create_entities", arguments: { entities } })
    assert.strictEqual(created.structuredContent.entities.length, 2)
    const erased = await client.callTool({ name: "delete_entities", arguments: { entityNames: ["Ann"] } })
    assert.isUndefined(erased.isError)
    const refused = await client.callTool({ name: "delete_entities", arguments: { entityNames: ["Bob"] } })
    assert.deepInclude(JSON.parse(textOf(refused)).error, { error_class: "human_review", code: "approval_denied" })
    assert.match(
      questions[0] ?? "",
      /^Approve this call\?\nTool: delete_entities\n.*\n  "entityNames": \[\n    "Ann"\n  \]\n/su
    )
    const graph = await client.callTool({ name: "read_graph", arguments: {} })
    assert.deepStrictEqual(
      graph.structuredContent.entities.map(({ name }: any) => name),
      ["Bob"]
    )
  })

  it("13.7 guards server-sequential-thinking", async () => {
    const client = await overStdio(proxied([], server("sequential-thinking")))
    const thought = (thoughtNumber: number) =>
      client.callTool({
        name: "sequentialthinking",
        arguments: {
          thought: `Step ${thoughtNumber}`,
          nextThoughtNeeded: thoughtNumber < 2,
          thoughtNumber,
          totalThoughts: 2
        }
      })
    assert.strictEqual((await thought(1)).structuredContent.thoughtNumber, 1)
    assert.strictEqual((await thought(2)).structuredContent.nextThoughtNeeded, false)
    const wrong = await client.callTool({ name: "sequentialthinking", arguments: { thought: "x" } })
    assert.strictEqual(JSON.parse(textOf(wrong)).error.code, "invalid_arguments")
  })
})
