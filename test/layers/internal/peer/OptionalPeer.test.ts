/** Tests that the name of a missing package is read from the error of an import. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Exit } from "effect"
import * as OptionalPeer from "#layers/internal/peer/OptionalPeer"

describe("loading a peer", () => {
  it.effect("keeps an error of an installed package as a defect", () =>
    Effect.gen(function* () {
      const broken = new Error("Cannot find module '/app/node_modules/redis/dist/index.js' imported from /app/main.js")
      const exit = yield* Effect.exit(OptionalPeer.load("layers/RedisNode", () => Promise.reject(broken)))
      assert.deepStrictEqual(exit, Exit.die(broken))
    })
  )

  for (const [runtime, message] of [
    ["Node", "Cannot find package 'redis' imported from /app/main.js"],
    ["Bun", 'Cannot find package "redis" from "/app/main.js"'],
    ["CommonJS", "Cannot find module 'redis/client'"]
  ] as const) {
    it.effect(`reads the package's name from the message of ${runtime}`, () =>
      Effect.gen(function* () {
        const rejected = () => Promise.reject(new Error(message))
        const error = yield* Effect.flip(OptionalPeer.load("layers/RedisNode", rejected))
        assert.strictEqual(
          error.message,
          "effect-toolguard/layers/RedisNode needs the package redis. Install it: npm install redis"
        )
      })
    )
  }
})
