/** Checks the errors for Redis addresses that cannot be used, and which addresses require TLS. */
import * as RedisNode from "#layers/RedisNode"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import { Redis } from "effect/persistence"
import { type AddressInfo, createServer, type Server } from "node:net"

const messageOf = (url: string, options: Pick<RedisNode.RedisOptions, "ssl"> = {}) =>
  Redis.Redis.pipe(
    Effect.provide(RedisNode.layer({ url: Redacted.make(url), ...options })),
    Effect.flip,
    Effect.map(({ message }) => message)
  )

describe("RedisNode", () => {
  it.effect("12.3 an address that is not a Redis URL is reported with an example", () =>
    Effect.gen(function* () {
      for (const url of ["127.0.0.1:6379", "http://127.0.0.1:6379", "redis://127.0.0.1:port"]) {
        assert.strictEqual(
          yield* messageOf(url),
          "Cannot use Redis. Its address is not a URL like redis://user:password@host:6379/0."
        )
      }
    })
  )

  it.effect("12.3 a port without a server is reported with the address but without the password", () =>
    Effect.gen(function* () {
      assert.strictEqual(
        yield* messageOf("redis://somebody:hunter22@127.0.0.1:9/0"),
        "Cannot use Redis at 127.0.0.1:9. No server answers at this address: check the host and port, and whether the server is running."
      )
    })
  )

  it.live(
    "12.3 a server on another machine without TLS receives nothing, unless the address or `ssl: false` allows it",
    () =>
      Effect.gen(function* () {
        const received: Array<string> = []
        const listening = Effect.callback<Server>((resume) => {
          const server = createServer((socket) => {
            socket.on("error", () => {})
            socket.on("data", (bytes) => {
              received.push(bytes.toString("latin1"))
              socket.end("-WRONGPASS invalid username-password pair\r\n")
            })
          })
          server.listen(0, "0.0.0.0", () => resume(Effect.succeed(server)))
        })
        const server = yield* Effect.acquireRelease(listening, (server) => Effect.sync(() => server.close()))
        const { port } = server.address() as AddressInfo
        // this machine, under an address that is not recognised as loopback
        const address = `redis://somebody:hunter22@0.0.0.0:${port}/0`
        const refusal = `Cannot use Redis at 0.0.0.0:${port}. The address has no TLS: use rediss://, or add ?sslmode=disable to the address if no one else can read the network.`
        for (const query of ["", "?sslmode=require", "?SSLMODE=disable", "#?sslmode=disable"])
          assert.strictEqual(yield* messageOf(address + query), refusal, query)
        assert.deepStrictEqual(received, [])
        const allowed = [
          [`${address}?sslmode=disable`, undefined],
          [address, { ssl: false }],
          [address.replace("0.0.0.0", "127.0.0.1"), undefined]
        ] as const
        for (const [url, options] of allowed) {
          received.length = 0
          assert.match(yield* messageOf(url, options), /rejects the user and password/u, url)
          assert.include(received.join(""), "hunter22", url)
        }
      }).pipe(Effect.scoped)
  )

  it.effect("12.3 an address that is not Redacted text is reported with the remedy and without the address", () =>
    Effect.gen(function* () {
      // plain JavaScript may pass any value
      for (const url of ["redis://:hunter22@127.0.0.1:6379", undefined, Redacted.make(undefined)]) {
        const error = yield* Effect.flip(Effect.provide(Redis.Redis, RedisNode.layer({ url: url as never })))
        assert.strictEqual(error.message, "Cannot use Redis. `url` is not a Redacted text: pass `Redacted.make(text)`.")
      }
    })
  )
})
