/** Tests which failed connections were to another host than the requested one. */
import { assert, describe, it } from "@effect/vitest"
import { classify } from "#domain/classification/Classification"
import { isRedirected, type Target } from "#domain/classification/Redirect"

const lookup = (name: unknown): Target => ({ _tag: "Lookup", name })
const connect = (address: unknown, port?: unknown): Target => ({ _tag: "Connect", address, port })

const rows: ReadonlyArray<readonly [requested: string | undefined, target: Target | undefined, isRedirected: boolean]> =
  [
    ["https://a.example/x", lookup("a.example"), false],
    ["https://a.example/x", lookup("A.Example."), false],
    ["https://a.example/x", lookup("b.example"), true],
    ["https://a.example/x", lookup("aexample"), true],
    ["https://a.example/x", lookup(undefined), false],
    ["https://a.example/x", connect("10.0.0.1", 443), false],
    ["https://a.example/x", connect("10.0.0.1"), false],
    ["https://a.example/x", connect("10.0.0.1", 80), true],
    ["http://a.example/x", connect("10.0.0.1", 80), false],
    ["http://a.example/x", connect("10.0.0.1", 443), true],
    ["http://a.example:8080/x", connect("10.0.0.1", 8080), false],
    ["http://a.example:8080/x", connect("10.0.0.1", 80), true],
    ["http://a.example:8080/x", connect("10.0.0.1", "80"), false],
    ["http://10.0.0.1/x", connect("10.0.0.1", 80), false],
    ["http://10.0.0.1/x", connect("10.0.0.2", 80), true],
    ["http://10.0.0.1/x", connect(undefined, 80), false],
    ["http://10.0.0.1/x", connect("10.0.0.2"), true],
    ["http://[::1]/x", connect("::1", 80), false],
    ["http://[::1]/x", connect("::2", 80), true],
    ["http://1.example/x", connect("10.0.0.2", 80), false],
    ["http://example.v1/x", connect("10.0.0.2", 80), false],
    ["not a URL", lookup("b.example"), false],
    [undefined, lookup("b.example"), false],
    ["https://a.example/x", undefined, false]
  ]

describe("a redirected request", () => {
  for (const [requested, target, expected] of rows)
    it(`3.3 ${requested} and ${JSON.stringify(target)}: ${expected ? "another host" : "not another host"}`, () =>
      assert.strictEqual(isRedirected(requested, target), expected))

  it("3.3 a refused connection to another host proves nothing about a write, because the request was sent", () => {
    const refused = (address: string) => ({
      code: "ECONNREFUSED",
      syscall: "connect",
      address,
      port: 80,
      config: { url: "http://10.0.0.1/orders" }
    })
    const of = (error: unknown) => {
      const { ground, isAnswered, sideEffect } = classify(error, { access: "write" })
      return { ground, isAnswered, sideEffect }
    }
    assert.deepStrictEqual(of(refused("10.0.0.1")), { ground: "ECONNREFUSED", isAnswered: false, sideEffect: "none" })
    assert.deepStrictEqual(of(refused("10.0.0.2")), {
      ground: "ECONNREFUSED after a redirect",
      isAnswered: false,
      sideEffect: "unknown"
    })
    // a refusal with a status is an answer, whatever the system call says
    assert.deepStrictEqual(of({ ...refused("10.0.0.2"), code: "X_1", status: 404 }), {
      ground: "HTTP 404",
      isAnswered: true,
      sideEffect: "none"
    })
    const unknownHost = { code: "ENOTFOUND", syscall: "getaddrinfo", request: { url: "https://a.example/" } }
    assert.strictEqual(of({ ...unknownHost, hostname: "a.example" }).sideEffect, "none")
    assert.strictEqual(of({ ...unknownHost, hostname: "b.example" }).sideEffect, "unknown")
  })
})
