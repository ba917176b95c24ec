/** Tests which HTTP requests a command on this machine answers. */
import * as LocalAccess from "#kit/cli/console/LocalAccess"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { HttpRouter, HttpServerResponse } from "effect/http"

const reached: Array<string> = []

/** Sends a request to a router with two routes, and returns the status and the headers. */
const answerOf = async (
  request: { readonly method?: string; readonly path?: string; readonly headers?: Readonly<Record<string, string>> },
  options: Partial<LocalAccess.LocalAccessOptions> = {}
) => {
  reached.length = 0
  const route = (name: string) =>
    Effect.sync(() => {
      reached.push(name)
      return HttpServerResponse.text(name)
    })
  const routes = Layer.mergeAll(
    HttpRouter.add("POST", "/call", route("call")),
    HttpRouter.add("GET", "/document", route("document")),
    LocalAccess.layer({
      hosts: [],
      origins: [],
      token: undefined,
      refuse: (status, message, headers = {}) => HttpServerResponse.text(message, { status, headers }),
      ...options
    })
  )
  const { dispose, handler } = HttpRouter.toWebHandler(routes, { disableLogger: true })
  const { headers = {}, method = "POST", path = method === "POST" ? "/call" : "/document" } = request
  const response = await handler(
    new Request(`http://127.0.0.1:8790${path}`, {
      method,
      headers: {
        host: "127.0.0.1:8790",
        ...(method === "POST" ? { "content-type": "application/json" } : {}),
        ...headers
      }
    })
  )
  await dispose()
  return response
}

const statusOf = async (...args: Parameters<typeof answerOf>) => (await answerOf(...args)).status

describe("a command that serves HTTP on this machine", () => {
  it("13.7 answers a Host that is neither this machine nor allowed with 403, before any route", async () => {
    for (const host of ["127.0.0.1", "localhost:8790", "LOCALHOST", "[::1]:8790"])
      assert.strictEqual(await statusOf({ headers: { host } }), 200, host)
    const foreign = [
      "evil.example",
      "127.0.0.1.evil.example",
      "localhost.",
      "127.0.0.1@evil.example",
      "[::1].evil",
      "0.0.0.0"
    ]
    for (const host of [...foreign, ""])
      for (const path of ["/document", "/none", "/"]) {
        assert.strictEqual(await statusOf({ method: "GET", path, headers: { host } }), 403, host + path)
        assert.deepStrictEqual(reached, [])
      }
    assert.strictEqual(await statusOf({ headers: { host: "Tools.Example:443" } }, { hosts: ["tools.example"] }), 200)
  })

  it("13.7 answers an Origin that does not equal an allowed origin with 403, before any route", async () => {
    const origins = ["https://app.example"]
    const refused = [
      "http://localhost:3000",
      "http://127.0.0.1:8790",
      "null",
      "",
      "http://app.example",
      "https://app.example:8443",
      "https://app.example.evil",
      "https://app.example/"
    ]
    for (const origin of refused)
      for (const method of ["GET", "POST", "OPTIONS", "DELETE"]) {
        assert.strictEqual(await statusOf({ method, headers: { origin } }, { origins }), 403, `${method} ${origin}`)
        assert.deepStrictEqual(reached, [])
      }
    const allowed = { headers: { origin: "https://app.example" } }
    assert.strictEqual(await statusOf(allowed), 403)
    const answer = await answerOf(allowed, { origins, exposedHeaders: ["mcp-session-id"] })
    assert.strictEqual(answer.status, 200)
    assert.strictEqual(answer.headers.get("access-control-allow-origin"), "https://app.example")
    assert.strictEqual(answer.headers.get("access-control-expose-headers"), "mcp-session-id")
  })

  it("13.7 answers a preflight request of an allowed page with 204 without the token, which the next request needs", async () => {
    const options = { origins: ["https://app.example"], token: "t-1" }
    const preflight = {
      method: "OPTIONS",
      path: "/call",
      headers: { origin: "https://app.example", "access-control-request-headers": "content-type,authorization" }
    }
    const answer = await answerOf(preflight, options)
    assert.deepStrictEqual([answer.status, reached], [204, []])
    assert.strictEqual(answer.headers.get("access-control-allow-headers"), "content-type,authorization")
    assert.strictEqual(await statusOf({ headers: { origin: "https://app.example" } }, options), 401)
    assert.strictEqual(
      await statusOf({ headers: { origin: "https://app.example", authorization: "Bearer t-1" } }, options),
      200
    )
  })

  it("13.7 answers a request without the token with 401, on any path", async () => {
    for (const path of ["/call", "/none"])
      for (const authorization of ["", "t-1", "Bearer t-2", "Bearer ", "Basic t-1"])
        assert.strictEqual(await statusOf({ path, headers: { authorization } }, { token: "t-1" }), 401)
    for (const path of ["/document", "/none"])
      assert.strictEqual(await statusOf({ method: "GET", path }, { token: "t-1" }), 401)
    assert.strictEqual(
      await statusOf({ method: "GET", headers: { authorization: "bearer t-1" } }, { token: "t-1" }),
      200
    )
  })

  it("13.7 answers a POST of a type other than application/json with 415, before any route", async () => {
    const types = [
      "text/plain",
      "text/plain;application/json",
      "application/x-www-form-urlencoded",
      "",
      "application/jsonp"
    ]
    for (const type of types) assert.strictEqual(await statusOf({ headers: { "content-type": type } }), 415, type)
    assert.deepStrictEqual(reached, [])
    for (const type of ["application/json; charset=utf-8", "Application/JSON"])
      assert.strictEqual(await statusOf({ headers: { "content-type": type } }), 200, type)
  })
})
