/** Tests what clients of a bounded HTTP server can hold: connections, requests, bodies and time. */
import * as BoundedServer from "#layers/internal/server/BoundedServer"
import { assert, describe, it } from "@effect/vitest"
import type { IncomingMessage, ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { onTestFinished } from "vitest"
import * as RawHttp from "../../../support/RawHttp.ts"

/** Starts a server that answers with the length of the body, except for requests to `/wait`, which it keeps. */
const started = async (bounds: BoundedServer.Bounds) => {
  const server = BoundedServer.make(bounds)
  const kept: Array<readonly [IncomingMessage, ServerResponse]> = []
  server.on("request", (request, response) => {
    let length = 0
    request.on("error", () => {})
    request.on("data", (chunk: Buffer) => (length += chunk.length))
    if (request.url === "/wait") return void kept.push([request, response])
    request.on("end", () => response.end(`${length}`))
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return { server, kept, port: (server.address() as AddressInfo).port }
}

const until = async (condition: () => boolean): Promise<void> => {
  while (!condition()) await new Promise((resolve) => setTimeout(resolve, 5))
}

const host = { host: "127.0.0.1" }

describe("BoundedServer", () => {
  it("13.7 at the limit of connections, those without a complete request are closed, and new clients are served", async () => {
    const { port } = await started({ maxConnections: 4 })
    const silent = [RawHttp.open(port), RawHttp.open(port)]
    const slow = [RawHttp.open(port), RawHttp.open(port)]
    for (const { write } of slow) write(RawHttp.head("POST", "/", { ...host, "content-length": "10" }))
    await Promise.all([...silent, ...slow].map(({ socket }) => new Promise((resolve) => socket.once("ready", resolve))))
    for (let n = 0; n < 4; n += 1) assert.strictEqual((await RawHttp.send(port, "GET", "/")).status, 200)
    const ends = [await silent[0]?.closed, await silent[1]?.closed]
    assert.deepStrictEqual(
      ends.map((end) => end?.status),
      [408, 408]
    )
    assert.include(ends[0]?.text ?? "", "closed for other clients, because its request was not complete")
  })

  it("13.7 if every connection has a complete request in progress, a further connection gets 503, and the others continue", async () => {
    const { kept, port } = await started({ maxConnections: 2 })
    const busy = [RawHttp.open(port), RawHttp.open(port)]
    for (const { write } of busy) write(RawHttp.head("GET", "/wait", host))
    await until(() => kept.length === 2)
    const refused = await RawHttp.send(port, "GET", "/")
    assert.deepStrictEqual([refused.status, refused.headers["retry-after"]], [503, "1"])
    assert.include(refused.text, "More than 2 connections are open. Connect again later.")
    for (const [, response] of kept) response.end("done")
    for (const { answer } of busy) assert.strictEqual((await answer).status, 200)
    assert.strictEqual((await RawHttp.send(port, "GET", "/")).status, 200)
  })

  it("13.7 requests beyond the maximum in progress get 503 before a listener receives them", async () => {
    const { kept, port } = await started({ maxRequests: 3 })
    const busy = [1, 2, 3].map(() => RawHttp.open(port))
    for (const { write } of busy) write(RawHttp.head("GET", "/wait", host))
    await until(() => kept.length === 3)
    const refused = await RawHttp.send(port, "GET", "/wait")
    assert.deepStrictEqual([refused.status, kept.length], [503, 3])
    assert.include(refused.text, "More than 3 requests are in progress. Send this request again later.")
    for (const [, response] of kept) response.end("done")
    await Promise.all(busy.map(({ answer }) => answer))
    assert.strictEqual((await RawHttp.send(port, "GET", "/")).status, 200)
  })

  it("13.7 a client that is refused while it sends a large body can send the body, and reads the refusal", async () => {
    const { kept, port } = await started({ maxRequests: 1 })
    const busy = RawHttp.open(port)
    busy.write(RawHttp.head("GET", "/wait", host))
    await until(() => kept.length === 1)
    const { answer, received, socket, write } = RawHttp.open(port)
    const piece = Buffer.alloc(65_536)
    write(RawHttp.head("POST", "/", { ...host, "content-length": `${64 * piece.length}` }))
    const failures: Array<Error> = []
    socket.on("error", (error) => failures.push(error))
    assert.strictEqual((await answer).status, 503)
    for (let n = 0; n < 64; n += 1) {
      write(piece)
      await new Promise((resolve) => setTimeout(resolve, 1))
    }
    for (const [, response] of kept) response.end("done")
    await busy.answer
    write(RawHttp.head("GET", "/", host))
    await until(() => failures.length > 0 || socket.destroyed || received().includes("HTTP/1.1 200"))
    assert.deepStrictEqual([failures, socket.destroyed], [[], false])
  })

  it("13.7 a connection has at most 16 requests in progress, however many it pipelines", async () => {
    const { kept, port } = await started({})
    const { write } = RawHttp.open(port)
    write(RawHttp.head("GET", "/wait", host).repeat(1_000))
    await until(() => kept.length === 16)
    assert.strictEqual((await RawHttp.send(port, "GET", "/")).status, 200)
    assert.strictEqual(kept.length, 16)
  })

  it("13.7 if arriving bodies exceed their total limit, the largest body is refused, and smaller bodies are read", async () => {
    const { port } = await started({ maxBodyBytes: 200_000 })
    const large = RawHttp.open(port)
    large.write(RawHttp.head("POST", "/", { ...host, "content-length": "1000000" }))
    large.write("x".repeat(150_000))
    const chunked = RawHttp.open(port)
    chunked.write(RawHttp.head("POST", "/", { ...host, "transfer-encoding": "chunked" }))
    chunked.write(RawHttp.chunked(["x".repeat(60_000)]).slice(0, -5))
    const refused = await large.closed
    assert.strictEqual(refused.status, 503)
    assert.include(refused.text, "Too many large requests are in progress.")
    for (let n = 0; n < 20; n += 1)
      assert.strictEqual((await RawHttp.send(port, "POST", "/", { body: "x".repeat(100_000) })).text, "100000")
    chunked.write("0\r\n\r\n")
    assert.strictEqual((await chunked.answer).status, 200)
  })

  it("13.7 a request that is not received in time gets 408", async () => {
    const { port } = await started({ requestMillis: 300 })
    const headers = RawHttp.open(port)
    headers.write("GET / HTTP/1.1\r\nhost: 127.0.0.1\r\n")
    const body = RawHttp.open(port)
    body.write(RawHttp.head("POST", "/", { ...host, "content-length": "10" }))
    const trickle = setInterval(() => body.write("x"), 100)
    const ends = [await headers.closed, await body.closed]
    clearInterval(trickle)
    for (const { status, text } of ends) {
      assert.strictEqual(status, 408)
      assert.include(text, "The request did not arrive within 0.3 seconds")
    }
  })

  it.each([
    ["headers of 100 kB", 431, RawHttp.head("GET", "/", { ...host, "x-big": "x".repeat(100_000) })],
    ["a URL of 100 kB", 431, RawHttp.head("GET", `/${"x".repeat(100_000)}`, host)],
    ["5,000 headers", 431, RawHttp.head("GET", "/", { ...host, "x-a": Array.from({ length: 5_000 }, () => "1") })],
    ["two lengths", 400, RawHttp.head("POST", "/", { ...host, "content-length": ["2", "3"] })],
    [
      "a length and chunks",
      400,
      RawHttp.head("POST", "/", { ...host, "content-length": "2", "transfer-encoding": "chunked" })
    ],
    ["a request that is not HTTP", 400, "\u0016\u0003\u0001\u0002\u0000\u0001"]
  ])("13.7 %s gets a status and a sentence", async (_, expected, bytes) => {
    const { port } = await started({})
    const { closed, write } = RawHttp.open(port)
    write(bytes)
    const { status, text } = await closed
    assert.strictEqual(status, expected)
    assert.match(text, expected === 431 ? /The headers are larger than 16 KiB\./ : /not valid HTTP/)
  })
})
