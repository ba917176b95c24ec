/** Attacks that hold resources of a surface: connections, requests, sessions, calls, streams, bytes and time. */
import { assert } from "@effect/vitest"
import { mkdtempSync, readFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { proxied } from "../support/command.ts"
import { hello, start } from "../support/McpClient.ts"
import * as RawHttp from "../support/RawHttp.ts"
import { root } from "../support/sources.ts"
import type { Attack } from "./requests.ts"
import * as Surfaces from "./surfaces.ts"

const { accepted } = Surfaces
const { mcp } = accepted

/** Returns the command of a server that writes to a file, and a function that reads the file. */
export const recordingServer = (): { readonly server: ReadonlyArray<string>; readonly lines: () => string } => {
  const file = join(mkdtempSync(join(tmpdir(), "wire-")), "lines")
  return {
    server: [process.execPath, join(root, "test/wire/server.ts"), file],
    lines: () => readFileSync(file, "utf8")
  }
}

/** Starts a proxy in front of a server in this process, so that a session costs no process. */
const proxyOfUrl = async (flags: ReadonlyArray<string>): Promise<Surfaces.Command> => {
  const { port } = await Surfaces.mcpLayer()
  return Surfaces.command(["mcp", "proxy", "--listen", "0", "--url", `http://127.0.0.1:${port}/mcp`, ...flags])
}

const post = (port: number, body: string, session?: string): Promise<RawHttp.Answer> =>
  RawHttp.send(port, "POST", mcp.path, {
    body,
    headers: { ...mcp.headers, ...(session === undefined ? {} : { "mcp-session-id": session }) }
  })

const message = (method: string, id: number | undefined, params: object = {}): string =>
  JSON.stringify({ jsonrpc: "2.0", ...(id === undefined ? {} : { id }), method, params })

const open = async (port: number): Promise<string> =>
  (await post(port, Surfaces.initialize)).headers["mcp-session-id"] ?? ""

const ping = async (port: number, session: string): Promise<number | undefined> =>
  (await post(port, message("ping", 2), session)).status

/** Opens sessions, and uses the first again. Returns the statuses of pings in the first, the second and the last. */
const sessions = async (port: number, count: number): Promise<ReadonlyArray<number | undefined>> => {
  const used = await open(port)
  await ping(port, used)
  const unused = await open(port)
  let last = ""
  for (let n = 2; n < count; n += 1) last = await open(port)
  return [await ping(port, used), await ping(port, unused), await ping(port, last)]
}

export const proxySessions: Attack = {
  closed: async () => assert.deepStrictEqual(await sessions((await proxyOfUrl([])).port, 101), [200, 404, 200]),
  opened: async () =>
    assert.deepStrictEqual(await sessions((await proxyOfUrl(["--max-sessions", "101"])).port, 101), [200, 200, 200])
}

export const servedSessions: Attack = {
  closed: async () => {
    const { port } = await Surfaces.command(Surfaces.mcpServe)
    const first = await open(port)
    for (let n = 0; n < 1_000; n += 1) await open(port)
    assert.strictEqual(await ping(port, first), 404)
  }
}

const connected = async (port: number): Promise<RawHttp.Connection> => {
  const connection = RawHttp.open(port)
  await new Promise((resolve) => connection.socket.once("connect", resolve))
  return connection
}

const connections = async (count: number, flags: ReadonlyArray<string>): Promise<RawHttp.Connection | undefined> => {
  const { port } = await Surfaces.command([...Surfaces.openapiServe, ...flags])
  const [first] = [await connected(port)]
  for (let n = 1; n < count; n += 1) await connected(port)
  const { body, headers, path, status } = accepted.openapi
  assert.strictEqual((await RawHttp.send(port, "POST", path, { body, headers })).status, status)
  return first
}

export const idleConnections: Attack = {
  closed: async () => {
    const end = await (await connections(1_000, []))?.closed
    assert.strictEqual(end?.status, 408)
    assert.include(end?.text ?? "", "closed for other clients, because its request was not complete")
  },
  opened: async () => assert.isFalse((await connections(1_000, ["--max-connections", "2000"]))?.socket.closed)
}

/** Returns a request whose body does not arrive. */
const unfinished = (path: string): string =>
  RawHttp.head("POST", path, { ...mcp.headers, host: "127.0.0.1", "content-length": "9" })

const requests = async (count: number, flags: ReadonlyArray<string>): Promise<RawHttp.Answer | "waits"> => {
  const { path } = accepted.openapi
  const { port } = await Surfaces.command([...Surfaces.openapiServe, "--max-connections", "2000", ...flags])
  for (let n = 0; n < count; n += 1) (await connected(port)).write(unfinished(path))
  const last = await connected(port)
  last.write(unfinished(path))
  // the answer to a later request, which is refused by its type, shows that the earlier request was received
  await RawHttp.send(port, "POST", path, { headers: { "content-type": "text/plain" } })
  return Promise.race([last.answer, new Promise<"waits">((resolve) => setTimeout(resolve, 500, "waits"))])
}

export const manyRequests: Attack = {
  closed: async () => {
    const answer = await requests(1_000, [])
    assert.isObject(answer)
    if (answer === "waits") return
    assert.deepStrictEqual([answer.status, answer.headers["retry-after"]], [503, "1"])
    assert.include(answer.text, "More than 1000 requests are in progress. Send this request again later.")
    assert.strictEqual(JSON.parse(answer.text).code, "overloaded")
  },
  opened: async () => assert.strictEqual(await requests(1_000, ["--max-requests", "2000"]), "waits")
}

/** Sends a request slowly over a connection. */
const trickle = async (port: number): Promise<RawHttp.Connection> => {
  const connection = await connected(port)
  connection.write(RawHttp.head("POST", mcp.path, { ...mcp.headers, host: "127.0.0.1", "content-length": "1000" }))
  const writing = setInterval(() => connection.write(" "), 500)
  connection.socket.once("close", () => clearInterval(writing))
  return connection
}

export const slowRequest: Attack = {
  closed: async () => {
    const ends = [Surfaces.mcpServe, Surfaces.mcpProxy()].map(
      async (args) => (await trickle((await Surfaces.command(args)).port)).closed
    )
    for (const { status, text } of await Promise.all(ends)) {
      assert.strictEqual(status, 408)
      assert.include(text, "The request did not arrive within 30 seconds")
    }
  },
  opened: async () => {
    const within = async (seconds: number): Promise<RawHttp.Connection> =>
      trickle((await Surfaces.command([...Surfaces.mcpServe, "--receive-timeout", String(seconds)])).port)
    const patient = await within(3600)
    const { text } = await (await within(2)).closed
    assert.include(text, "The request did not arrive within 2 seconds")
    assert.isFalse(patient.socket.closed)
  }
}

/**
 * Starts a server, and sends six large bodies at the same time. Returns the server and the first answer, whose status is undefined
 * if the system dropped the answer because the body was still arriving.
 */
const flooded = async () => {
  const { pid, port } = await Surfaces.command(Surfaces.mcpProxy())
  const large = 16 * 1024 * 1024
  const held = await Promise.all([1, 2, 3, 4, 5, 6].map(() => connected(port)))
  for (const { write } of held) {
    write(RawHttp.head("POST", mcp.path, { ...mcp.headers, host: "127.0.0.1", "content-length": `${large}` }))
    write(" ".repeat(large - 1))
  }
  return { pid, port, refused: await Promise.race(held.map(({ closed }) => closed)) }
}

export const manyBodies: Attack = {
  closed: async () => {
    let attack = await flooded()
    for (let left = 2; attack.refused.status === undefined && left > 0; left -= 1) attack = await flooded()
    const { pid, port, refused } = attack
    assert.strictEqual(refused.status, 503)
    assert.include(refused.text, "Too many large requests are in progress. Send this request again later.")
    assert.strictEqual((await post(port, Surfaces.initialize)).status, 200)
    const resident = /^VmRSS:\s+(\d+)/mu.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]
    assert.isBelow(Number(resident) / 1_024, 500)
  }
}

/** Sends calls that wait, and returns the errors of those that were refused immediately. */
const calls = async (count: number, flags: ReadonlyArray<string>): Promise<ReadonlyArray<string>> => {
  const client = start(proxied(["--confirm", "none", ...flags], recordingServer().server))
  await hello(client)
  for (let n = 1; n <= count; n += 1) client.write(callWithId(1_000 + n, { n, wait: 60_000 }))
  // the proxy reads in order: after this answer, it has received all calls
  await client.ask("tools/list")
  return client.received.flatMap(({ error, id }) => (error === undefined || id < 1_000 ? [] : [String(error.message)]))
}

const callWithId = (id: number | undefined, args: object): string =>
  message("tools/call", id, { name: "act", arguments: args })

export const callsInProgress: Attack = {
  closed: async () => {
    const [error, ...more] = await calls(1_001, [])
    assert.deepStrictEqual(more, [])
    assert.include(error ?? "", "The limit of 1000 concurrent calls (--max-calls) has been reached.")
  },
  opened: async () => assert.deepStrictEqual(await calls(1_001, ["--max-calls", "1100"]), [])
}

export const callWithoutId: Attack = {
  closed: async () => {
    const { lines, server } = recordingServer()
    const { ended, port, stop } = await Surfaces.command(["mcp", "proxy", "--listen", "0", "--", ...server])
    const session = await open(port)
    for (const method of ["tools/call", "tools/call ", "Tools/Call", "tools/list"])
      await post(port, message(method, undefined, { name: "act", arguments: { hidden: true } }), session)
    assert.strictEqual((await post(port, callWithId(7, { seen: true }), session)).status, 200)
    assert.include(lines(), "seen")
    assert.notInclude(lines(), "hidden")
    stop()
    assert.match((await ended).stderr, /The client violated the protocol\. .*tools\/call/u)
  }
}

/** Stops reading the stream of a session, and calls a tool that sends 29 million characters there. Returns what the proxy reports. */
const unreadStream = async (flags: ReadonlyArray<string>): Promise<string> => {
  const { server } = recordingServer()
  const { ended, port, stop } = await Surfaces.command(["mcp", "proxy", "--listen", "0", ...flags, "--", ...server])
  const session = await open(port)
  const call = (id: number, chat: number) => post(port, callWithId(id, { chat }), session)
  const { received, socket, write } = await connected(port)
  write(RawHttp.head("GET", mcp.path, { ...mcp.headers, host: "127.0.0.1", "mcp-session-id": session }))
  // a notification shows that the stream is open: before, it is sent to the stream of its call
  for (let id = 7; received() === ""; id += 1) await call(id, 1)
  socket.pause()
  // the server answers in order: after this answer, the proxy has received all notifications
  assert.strictEqual((await call(1_000, 29_000)).status, 200)
  stop()
  return (await ended).stderr
}

export const slowReader: Attack = {
  closed: async () => assert.match(await unreadStream([]), /reads its stream too slowly: .* left out \(--buffer\)/u),
  opened: async () => assert.notMatch(await unreadStream(["--buffer", "100000000"]), /too slowly/u)
}

const readers = async (
  count: number,
  options: Parameters<typeof Surfaces.liveRoutes>[0]
): Promise<number | undefined> => {
  const { port } = await Surfaces.liveRoutes(options)
  const started = await RawHttp.send(port, "POST", "/runs", { body: "{}", headers: mcp.headers })
  const path = String(JSON.parse(started.text).events)
  const read = async (): Promise<number | undefined> => {
    const connection = await connected(port)
    connection.write(RawHttp.head("GET", path, { host: "127.0.0.1" }))
    await new Promise((resolve) => connection.socket.once("data", resolve))
    return Number(/^HTTP\/1\.1 (\d+)/u.exec(connection.received())?.[1])
  }
  for (let n = 1; n < count; n += 1) assert.strictEqual(await read(), 200)
  return read()
}

export const readersOfRun: Attack = {
  closed: async () => assert.strictEqual(await readers(17, {}), 503),
  opened: async () => assert.strictEqual(await readers(17, { maxReaders: 17 }), 200)
}

const runs = async (count: number, options: Parameters<typeof Surfaces.liveRoutes>[0]): Promise<number | undefined> => {
  const { port } = await Surfaces.liveRoutes(options)
  let last: RawHttp.Answer | undefined
  for (let n = 0; n < count; n += 1)
    last = await RawHttp.send(port, "POST", "/runs", { body: "{}", headers: mcp.headers })
  return last?.status
}

export const activeRuns: Attack = {
  closed: async () => assert.strictEqual(await runs(101, {}), 503),
  opened: async () => assert.strictEqual(await runs(101, { maxRuns: 101 }), 201)
}
