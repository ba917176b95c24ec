/** Tests sessions, admission, disconnecting clients and approvals of `toolguard mcp serve --http`. */
import { assert, describe, it } from "@effect/vitest"
import { toolguard } from "../kit/cli/toolguard.ts"
import { violationsOf } from "./protocol.ts"
import { type HttpClient, type Message, overHttp, overStdio, type ServedProcess, start } from "./Wire.ts"

const urlOf = async (served: ServedProcess): Promise<string> => {
  const text = await served.output("/mcp.")
  return /http:\/\/127\.0\.0\.1:\d+\/mcp/.exec(text)?.[0] ?? ""
}

const envelopeOf = ({ result }: Message) => JSON.parse(result.content[0].text)

/** Connects a client with a protocol version and opens its session. */
const connectClient = async (
  url: string,
  version: string,
  capabilities: object = {},
  headers: Readonly<Record<string, string>> = {}
) => {
  const isStateless = version >= "2026-07-28"
  const client: HttpClient = overHttp(url, { ...headers, ...(isStateless ? {} : { "mcp-protocol-version": version }) })
  const methods = new Map<string | number, string>()
  let last = 0
  const meta = {
    "io.modelcontextprotocol/protocolVersion": version,
    "io.modelcontextprotocol/clientCapabilities": capabilities,
    "io.modelcontextprotocol/clientInfo": { name: "wire", version: "1" }
  }
  const request = (method: string, params: Record<string, unknown> = {}) => {
    last += 1
    methods.set(last, method)
    const fullParams = isStateless
      ? { ...params, _meta: { ...meta, ...(params["_meta"] as object | undefined) } }
      : params
    return { jsonrpc: "2.0", id: last, method, params: fullParams }
  }
  const routingHeaders = (message: Message): Record<string, string> =>
    isStateless
      ? {
          "mcp-protocol-version": version,
          "mcp-method": message["method"],
          ...(message["method"] === "tools/call" ? { "mcp-name": message["params"].name } : {})
        }
      : {}
  const send = (message: Message, signal?: AbortSignal) => client.post(message, routingHeaders(message), signal)
  const ask = async (method: string, params?: Record<string, unknown>) => {
    const message = request(method, params)
    void send(message)
    return client.until(({ id, method: requested }) => id === message.id && requested === undefined)
  }
  const call = (name: string, args: object, more: object = {}) => ask("tools/call", { name, arguments: args, ...more })
  if (!isStateless) {
    await ask("initialize", { protocolVersion: version, capabilities, clientInfo: { name: "wire", version: "1" } })
    await client.post({ jsonrpc: "2.0", method: "notifications/initialized" })
  }
  return { ...client, ask, call, methods, request, send }
}

const assertValid = (version: string, { messages, methods }: Awaited<ReturnType<typeof connectClient>>) => {
  const all = messages.flatMap((message) =>
    violationsOf(version, message, methods).map((violation) => [violation, message])
  )
  assert.deepStrictEqual(all, [])
}

/** Runs a test against a new server. */
const withServer = async (
  test: (url: string, served: ServedProcess) => Promise<void>,
  args: ReadonlyArray<string> = [],
  env: Readonly<Record<string, string>> = {},
  backend = "deskBackend"
) => {
  const server = start(["--http", "0", ...args], env, backend)
  try {
    await test(await urlOf(server), server)
  } finally {
    server.child.kill("SIGKILL")
  }
}

for (const version of ["2025-03-26", "2025-06-18", "2025-11-25", "2026-07-28"]) {
  describe(`mcp serve over HTTP, ${version}`, () => {
    it(`13.7 answers calls and sends progress${version < "2026-07-28" ? ", and interrupts cancelled calls" : ""}`, () =>
      withServer(async (url, server) => {
        const client = await connectClient(url, version)
        await client.ask("tools/list")
        const flaky = await client.call("search", { q: "flaky" }, { _meta: { progressToken: "p" } })
        assert.strictEqual(envelopeOf(flaky).status, "success")
        assert.isAtLeast(client.messages.filter(({ method }) => method === "notifications/progress").length, 5)
        assert.strictEqual(envelopeOf(await client.call("search", { z: 1 })).error.code, "invalid_arguments")
        assert.isDefined((await client.call("nope", {}))["error"])
        if (version < "2026-07-28") {
          const hanging = client.request("tools/call", { name: "search", arguments: { q: "hang" } })
          const sent = client.send(hanging)
          await server.output("search hang")
          await client.post({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: hanging.id } })
          await server.output("interrupted hang")
          await sent
          assert.isUndefined(client.messages.find(({ id }) => id === hanging.id))
        }
        assertValid(version, client)
      }))

    it("13.7 interrupts the handler of a client that disconnects during a call", () =>
      withServer(async (url, server) => {
        const client = await connectClient(url, version)
        const disconnect = new AbortController()
        const hanging = client.request("tools/call", {
          name: "search",
          arguments: { q: "hang" },
          _meta: { progressToken: "p" }
        })
        const sent = client.send(hanging, disconnect.signal).catch(() => "gone")
        await server.output("search hang")
        disconnect.abort()
        assert.strictEqual(await sent, "gone")
        await server.output("interrupted hang")
        assert.strictEqual(envelopeOf(await client.call("search", { q: "b" })).status, "success")
      }))
  })
}

describe("mcp serve over HTTP", () => {
  it("13.7 counts the budgets of two sessions separately", () =>
    withServer(async (url, server) => {
      const one = await connectClient(url, "2025-11-25")
      const two = await connectClient(url, "2025-11-25")
      for (let i = 0; i < 3; i++) {
        assert.strictEqual(envelopeOf(await one.call("search", { q: "cut" })).status, "error")
        assert.strictEqual(envelopeOf(await two.call("search", { q: "cut" })).status, "error")
      }
      const text = await server.output("search cut\n")
      assert.lengthOf(text.match(/search cut/g) ?? [], 2)
      // a link to a large result is valid only in its session
      const uri = envelopeOf(await one.call("export_rows", {})).resource_url
      assert.isDefined((await one.ask("resources/read", { uri }))["result"])
      assert.isDefined((await two.ask("resources/read", { uri }))["error"])
    }))

  it("13.7 refuses invalid messages with the codes of the specification", () =>
    withServer(async (url) => {
      const client = await connectClient(url, "2025-11-25")
      const status = async (message: Message | string, headers: Readonly<Record<string, string>> = {}) =>
        (await client.post(message, headers)).status
      const code = async (message: Message | string) => {
        await client.post(message)
        return client.messages.at(-1)?.["error"]?.code
      }
      assert.strictEqual(await code("{ this is not JSON"), -32_700)
      assert.strictEqual(await code("42"), -32_600)
      assert.strictEqual(await code({ jsonrpc: "2.0", id: { a: 1 }, method: "ping" }), -32_600)
      assert.strictEqual(await code({ jsonrpc: "2.0", id: 76, metod: "ping" }), -32_600)
      assert.strictEqual(await status("a".repeat(17 * 1024 * 1024)), 413)
      assert.strictEqual(await status({ jsonrpc: "2.0", id: 77, method: "ping" }, { "mcp-session-id": "no" }), 404)
      assert.strictEqual(await status("{}", { "content-type": "text/plain" }), 415)
      assert.strictEqual((await fetch(url)).status, 405)
      assert.strictEqual(envelopeOf(await client.call("search", { q: "a" })).status, "success")
    }))

  it("13.7 accepts local programs, and otherwise only the allowed origins and hosts", () =>
    withServer(
      async (url) => {
        const status = async (headers: Readonly<Record<string, string>>) =>
          (await overHttp(url, headers).post({ jsonrpc: "2.0", id: 1, method: "ping" })).status
        assert.strictEqual(await status({ origin: "https://evil.example" }), 403)
        assert.notStrictEqual(await status({ origin: "https://app.example" }), 403)
        assert.notStrictEqual(await status({}), 403)
        // the test uses another name for the same address, because `fetch` sets `Host` itself
        const { hostname, port } = new URL(url)
        assert.strictEqual(hostname, "127.0.0.1")
        assert.notStrictEqual((await fetch(`http://localhost:${port}/mcp`)).status, 403)
        assert.strictEqual((await raw(port, "evil.example")).slice(0, 12), "HTTP/1.1 403")
        assert.notStrictEqual((await raw(port, "proxy.example:80")).slice(0, 12), "HTTP/1.1 403")
      },
      ["--allow-origin", "https://app.example", "--allow-host", "proxy.example"]
    ))

  it("13.7 requires the bearer token if a token is configured, whatever the spelling of the path", () =>
    withServer(
      async (url) => {
        const status = async (headers: Readonly<Record<string, string>>) =>
          (await overHttp(url, headers).post({ jsonrpc: "2.0", id: 1, method: "ping" })).status
        assert.strictEqual(await status({}), 401)
        assert.strictEqual(await status({ authorization: "Bearer wrong" }), 401)
        // the router treats all these spellings as the same path
        const { port } = new URL(url)
        for (const path of ["/mcp/", "//mcp", "/MCP", "/%6dcp", "/mcp;a", "/mcp?a"]) {
          assert.match(await raw(port, "127.0.0.1", path), /^HTTP\/1\.1 401/, path)
        }
        const client = await connectClient(url, "2026-07-28", {}, { authorization: "Bearer open-sesame" })
        assert.strictEqual(envelopeOf(await client.call("search", { q: "a" })).status, "success")
      },
      [],
      { TOOLGUARD_MCP_TOKEN: "open-sesame" }
    ))

  it("13.7 refuses messages that are too long or nested too deeply, over HTTP and stdio, and continues", async () => {
    await withServer(async (url) => {
      const client = await connectClient(url, "2025-11-25")
      const headers = { "content-type": "application/json", accept: "application/json, text/event-stream" }
      /** Sends a message of `size` KiB in chunks. Returns 413 if it was not read, or else `answered` or its error. */
      const codeOf = async (size: number, session = {}) => {
        const piece = "a".repeat(1024)
        const parts = [
          '{"jsonrpc":"2.0","id":1,"method":"ping","params":{"_meta":{"x":"',
          ...Array(size).fill(piece),
          '"}}}'
        ]
        const body = ReadableStream.from(parts.map((part) => new TextEncoder().encode(part)))
        const response = await fetch(url, { method: "POST", body, headers: { ...headers, ...session }, duplex: "half" })
        const { error } = JSON.parse(await response.text())
        return response.status === 413 ? 413 : (error?.code ?? "answered")
      }
      const params = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "long", version: "1" } }
      const message = { jsonrpc: "2.0", id: 1, method: "initialize", params }
      const opened = await fetch(url, { method: "POST", body: JSON.stringify(message), headers })
      const session = { "mcp-session-id": opened.headers.get("mcp-session-id") ?? "" }
      // without a session only `initialize` is possible, which is short
      assert.deepStrictEqual([await codeOf(32), await codeOf(65)], [-32_600, 413])
      assert.deepStrictEqual([await codeOf(1_024, session), await codeOf(17 * 1_024, session)], ["answered", 413])
      assert.strictEqual(envelopeOf(await client.call("search", { q: "a" })).status, "success")
    })
    const server = start()
    const client = overStdio(server)
    try {
      client.write("a".repeat(17 * 1024 * 1024))
      assert.include((await client.until(({ error }) => error !== undefined))["error"].message, "too long")
      for (const [id, open, close] of [
        [7, '{"a":', "}"],
        [8, "[", "]"]
      ] as const) {
        const deep = `${open.repeat(50_000)}1${close.repeat(50_000)}`
        client.write(
          `{"jsonrpc":"2.0","id":${id},"method":"tools/call","params":{"name":"search","arguments":${deep}}}`
        )
        assert.include((await client.until((message) => message.id === id))["error"].message, "nested deeper")
      }
      client.write({ jsonrpc: "2.0", id: 1, method: "initialize", params: {} })
      await client.until(({ id }) => id === 1)
    } finally {
      server.child.kill("SIGKILL")
    }
  })

  it("13.7 reports in its first line on standard error what is wrong with the command", async () => {
    const { createServer } = await import("node:net")
    const taken = createServer().listen(0, "127.0.0.1")
    await new Promise((resolve) => taken.once("listening", resolve))
    const { port } = taken.address() as { readonly port: number }
    const busy = await toolguard(["mcp", "serve", "--http", String(port)])
    taken.close()
    assert.deepStrictEqual(
      [busy.code, busy.stdout, busy.stderr.split("\n")[0]],
      [1, "", `toolguard: Port ${port} cannot be opened.`]
    )
    const path = await toolguard(["mcp", "serve", "--http", "0", "--path", "mcp"])
    assert.deepStrictEqual([path.code, path.stderr.split("\n")[0]], [2, "toolguard: --path mcp is not a path."])
    for (const flags of [[], ["--http", "0"]]) {
      const broken = await toolguard(["mcp", "serve", "test/mcp/brokenBackend.ts", ...flags])
      assert.deepStrictEqual(
        [broken.code, broken.stdout, broken.stderr.split("\n")[0]],
        [1, "", "toolguard: The layer of broken cannot be built: the database is unavailable"]
      )
    }
    const module = await toolguard(["mcp", "serve", "nowhere.ts"])
    assert.deepStrictEqual([module.code, module.stderr.split("\n")[0]], [1, "toolguard: There is no file nowhere.ts."])
  })
})

/** Sends a request with this `Host` and path, unchanged. */
const raw = async (port: string, host: string, path = "/mcp"): Promise<string> => {
  const { connect } = await import("node:net")
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), "127.0.0.1", () =>
      socket.write(`POST ${path} HTTP/1.1\r\nHost: ${host}\r\nContent-Length: 0\r\nConnection: close\r\n\r\n`)
    )
    let text = ""
    socket.on("data", (chunk) => (text += String(chunk)))
    socket.on("close", () => resolve(text))
    socket.on("error", reject)
  })
}

describe("approval by the client's user", () => {
  /** Answers each elicitation of the server in order. */
  const answerQuestions = (client: HttpClient, answers: ReadonlyArray<object>) => {
    void (async () => {
      for (const [index, result] of answers.entries()) {
        const asked = await client.until(
          (message) =>
            message["method"] === "elicitation/create" &&
            client.messages.filter(({ method }) => method === "elicitation/create").indexOf(message) === index
        )
        await client.post({ jsonrpc: "2.0", id: asked["id"], result })
      }
    })()
  }
  const accepted = { action: "accept", content: { approve: true } }

  for (const version of ["2025-06-18", "2025-11-25"]) {
    it(`10.3, 13.7 uses elicitation, whose answer can approve, deny, decline or dismiss (${version})`, () =>
      withServer(async (url, server) => {
        const client = await connectClient(url, version, { elicitation: {} })
        answerQuestions(client, [
          accepted,
          { action: "accept", content: { approve: false } },
          { action: "decline" },
          { action: "cancel" },
          { action: "accept", content: { approve: false, answer: " Refund O-6. " } }
        ])
        const refund = async (order_id: string) => {
          const envelope = envelopeOf(await client.call("refund_order", { order_id }))
          return envelope.error?.code ?? envelope.status
        }
        assert.strictEqual(await refund("O-1"), "success")
        assert.strictEqual(await refund("O-2"), "approval_denied")
        assert.strictEqual(await refund("O-3"), "approval_denied")
        assert.strictEqual(await refund("O-4"), "approval_expired")
        const answered = envelopeOf(await client.call("refund_order", { order_id: "O-5" })).error
        assert.strictEqual(answered?.code, "answered_by_person")
        assert.match(answered?.message, /^the user of .+ did not approve this call, and answered: "Refund O-6\."$/u)
        const question = client.messages.find(({ method }) => method === "elicitation/create")
        assert.include(question?.["params"].message, 'Arguments, complete:\n{\n  "order_id": "O-1"\n}')
        const text = await server.output("refund O-1")
        assert.lengthOf(text.match(/refund O-/g) ?? [], 1)
        assertValid(version, client)
      }))
  }

  it("10.3, 13.7 uses a result that requires input if there are no sessions, and accepts the answer once", () =>
    withServer(async (url, server) => {
      const client = await connectClient(url, "2026-07-28", { elicitation: { form: {} } })
      const asked = await client.call("refund_order", { order_id: "O-1" })
      const { inputRequests, requestState, resultType } = asked["result"]
      assert.strictEqual(resultType, "input_required")
      assert.include(inputRequests.approval.params.message, 'Arguments, complete:\n{\n  "order_id": "O-1"\n}')
      const inputResponses = { approval: accepted }
      const more = { inputResponses, requestState }
      // an answer is valid only for its call
      const other = await client.call("refund_order", { order_id: "O-2" }, more)
      assert.strictEqual(other["result"].resultType, "input_required")
      const stale = await client.call("refund_order", { order_id: "O-1" }, more)
      assert.strictEqual(stale["result"].resultType, "input_required")
      const again = { inputResponses, requestState: stale["result"].requestState }
      assert.strictEqual(envelopeOf(await client.call("refund_order", { order_id: "O-1" }, again)).status, "success")
      const forged = { inputResponses, requestState: "made-up" }
      assert.strictEqual(
        (await client.call("refund_order", { order_id: "O-3" }, forged))["result"].resultType,
        "input_required"
      )
      const text = await server.output("refund O-1")
      assert.lengthOf(text.match(/refund O-/g) ?? [], 1)
      assertValid("2026-07-28", client)
    }))

  it("10.1, 13.7 fails with no_person if the client cannot ask or is not allowed to ask", async () => {
    await withServer(async (url) => {
      const client = await connectClient(url, "2025-11-25")
      assert.strictEqual(envelopeOf(await client.call("refund_order", { order_id: "O-1" })).error.code, "no_person")
    })
    await withServer(
      async (url) => {
        const client = await connectClient(url, "2025-11-25", { elicitation: {} })
        assert.strictEqual(envelopeOf(await client.call("refund_order", { order_id: "O-1" })).error.code, "no_person")
      },
      ["--no-elicit"]
    )
  })

  it("10.1, 13.7 is left to the escalation or the guard of the backend's layer if the layer has one", async () => {
    const refund = async (url: string, capabilities: object) => {
      const client = await connectClient(url, "2025-11-25", capabilities)
      const envelope = envelopeOf(await client.call("refund_order", { order_id: "O-1" }))
      return envelope.error?.code ?? envelope.status
    }
    await withServer(async (url) => assert.strictEqual(await refund(url, {}), "success"), [], {}, "approvingBackend")
    // the backend's guard does not ask the client
    const elicitation = { elicitation: {} }
    await withServer(
      async (url) => assert.strictEqual(await refund(url, elicitation), "no_person"),
      [],
      {},
      "guardedBackend"
    )
  })

  it("10.3, 13.7 does not wait for a client that refuses to ask or disconnects", async () => {
    const server = start()
    const client = overStdio(server)
    try {
      client.write({
        jsonrpc: "2.0",
        id: 1,
        method: "initialize",
        params: {
          protocolVersion: "2025-11-25",
          capabilities: { elicitation: {} },
          clientInfo: { name: "wire", version: "1" }
        }
      })
      await client.until(({ id }) => id === 1)
      client.write({ jsonrpc: "2.0", method: "notifications/initialized" })
      const params = { name: "refund_order", arguments: { order_id: "O-1" } }
      client.write({ jsonrpc: "2.0", id: 2, method: "tools/call", params })
      const question = await client.until(({ method }) => method === "elicitation/create")
      client.write({ jsonrpc: "2.0", id: question["id"], error: { code: -32_601, message: "not supported" } })
      assert.strictEqual(envelopeOf(await client.until(({ id }) => id === 2)).error.code, "no_person")
      client.write({
        jsonrpc: "2.0",
        id: 3,
        method: "tools/call",
        params: { ...params, arguments: { order_id: "O-2" } }
      })
      await client.until(({ id, method }) => method === "elicitation/create" && id !== question["id"])
      client.close()
      assert.strictEqual(await server.ended, 0)
    } finally {
      server.child.kill("SIGKILL")
    }
  })
})
