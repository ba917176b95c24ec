/** Checks the errors for a Redis address that cannot be used. */
import * as RedisNode from "#layers/RedisNode"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Logger, Redacted } from "effect"
import { Redis } from "effect/persistence"

const messageOf = (url: string) =>
  Redis.Redis.pipe(
    Effect.provide(RedisNode.layer({ url: Redacted.make(url) })),
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

  it.effect(
    "12.3 a server on another machine without TLS leads to one warning with the address, and without the password",
    () =>
      Effect.gen(function* () {
        const lines: Array<string> = []
        const logger = Logger.layer([Logger.make(({ message }) => void lines.push(String(message)))])
        const warned = (url: string) =>
          Effect.andThen(
            Effect.exit(messageOf(url)),
            Effect.sync(() => lines.splice(0))
          )
        // the port 1 of these hosts has no server, and the name of the last one does not exist
        for (const host of ["127.0.0.1", "127.8.8.8", "localhost", "LOCALHOST", "[::1]"]) {
          assert.deepStrictEqual(yield* Effect.provide(warned(`redis://u:hunter22@${host}:1/0`), logger), [], host)
        }
        assert.deepStrictEqual(yield* Effect.provide(warned("rediss://u:hunter22@nowhere.invalid:1/0"), logger), [])
        assert.deepStrictEqual(yield* Effect.provide(warned("redis://u:hunter22@nowhere.invalid:1/0"), logger), [
          "Redis at nowhere.invalid:1 is reached without TLS: the network can read the password and every result. Use rediss:// if the network is not private."
        ])
      })
  )

  it.effect("12.3 a plain text instead of a Redacted one is reported with the remedy and without the text", () =>
    Effect.gen(function* () {
      // plain JavaScript may pass any value
      for (const url of ["redis://:hunter22@127.0.0.1:6379", undefined, Redacted.make(undefined)]) {
        const error = yield* Effect.flip(Effect.provide(Redis.Redis, RedisNode.layer({ url: url as never })))
        assert.strictEqual(error.message, "Cannot use Redis. `url` is not a Redacted text: pass `Redacted.make(text)`.")
      }
    })
  )
})
