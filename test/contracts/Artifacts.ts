/** Tests that every layer of Artifacts must pass [4.14]. */
import type { Turn } from "#domain/turn/Turn"
import { Artifacts } from "#services/Artifacts"
import { assert, describe, it } from "@effect/vitest"
import { Duration, Effect, type Layer } from "effect"
import { TestClock } from "effect/testing"
import { turn } from "./values.ts"

const timeToLive = Duration.hours(24)
const text = '{"rows":[1,2,3]}'

export const artifactsContract = <E>(name: string, layer: Layer.Layer<Artifacts, E>): void => {
  describe(`Artifacts (${name})`, () => {
    const using = <A, E2>(use: (artifacts: Artifacts["Service"]) => Effect.Effect<A, E2>) =>
      Effect.flatMap(Artifacts, use).pipe(Effect.provide(layer))

    it.effect("4.14 a text can be read by its id in any turn of the conversation", () =>
      using(({ isKeeping, put, read }) =>
        Effect.gen(function* () {
          assert.isTrue(isKeeping)
          const id = yield* put({ turn, text, timeToLive })
          assert.strictEqual(yield* read(turn, id), text)
          assert.strictEqual(yield* read({ ...turn, turn: "a later turn" }, id), text)
          const ofAna = { ...turn, principal: "ana" }
          const hers = yield* put({ turn: ofAna, text, timeToLive })
          assert.strictEqual(yield* read({ ...ofAna, turn: "a later turn" }, hers), text)
        })
      )
    )

    it.effect("4.14, 8.3 a text does not exist in another conversation, or for another tenant or principal", () =>
      using(({ put, read }) =>
        Effect.gen(function* () {
          const id = yield* put({ turn, text, timeToLive })
          const others: ReadonlyArray<Turn> = [
            { ...turn, conversation: "another" },
            { ...turn, conversation: "" },
            { ...turn, tenant: "another" },
            { ...turn, tenant: turn.conversation, conversation: turn.tenant },
            { ...turn, principal: "ana" },
            { ...turn, principal: "" }
          ]
          const ofAna = { ...turn, principal: "ana" }
          const hers = yield* put({ turn: ofAna, text, timeToLive })
          for (const other of [turn, { ...ofAna, principal: "ben" }, { ...turn, conversation: JSON.stringify(ofAna) }])
            assert.isUndefined(yield* read(other, hers))
          for (const other of others) assert.isUndefined(yield* read(other, id))
          assert.strictEqual(yield* read(turn, id), text)
        })
      )
    )

    it.effect("4.14 conversations are distinguished, whatever characters their ids contain", () =>
      using(({ put, read }) =>
        Effect.gen(function* () {
          const odd = (conversation: string): Turn => ({ ...turn, conversation })
          const names = ["\ud800", "\ud801", "\ufffd", "a\u0000b", "a", '","', "é", "e\u0301", "%"]
          const ids = yield* Effect.forEach(names, (one) => put({ turn: odd(one), text, timeToLive }))
          for (const [at, id] of ids.entries()) {
            const seen = yield* Effect.forEach(names, (one) => read(odd(one), id))
            assert.deepStrictEqual(
              seen.map((found) => found !== undefined),
              names.map((_, index) => index === at)
            )
          }
        })
      )
    )

    it.effect("4.14 a text expires after its time to live", () =>
      using(({ put, read }) =>
        Effect.gen(function* () {
          const short = yield* put({ turn, text, timeToLive: Duration.minutes(1) })
          const long = yield* put({ turn, text, timeToLive })
          yield* TestClock.adjust("59999 millis")
          assert.strictEqual(yield* read(turn, short), text)
          yield* TestClock.adjust("1 millis")
          assert.isUndefined(yield* read(turn, short))
          assert.strictEqual(yield* read(turn, long), text)
        })
      )
    )

    it.effect("4.14 ids are 128 random bits: both halves of a thousand ids are unique", () =>
      using(({ put }) =>
        Effect.gen(function* () {
          const ids = yield* Effect.forEach(Array.from({ length: 1_000 }), () => put({ turn, text, timeToLive }))
          for (const id of ids) assert.match(id, /^[0-9a-f]{32}$/)
          // with a counter or a clock, one of the halves would repeat
          for (const half of [(id: string) => id.slice(0, 16), (id: string) => id.slice(16)]) {
            assert.strictEqual(new Set(ids.map(half)).size, 1_000)
          }
        })
      )
    )

    it.effect("4.14 an unknown or invalid id finds nothing", () =>
      using(({ put, read }) =>
        Effect.gen(function* () {
          const id = yield* put({ turn, text, timeToLive })
          const wrong = [
            "",
            "0".repeat(32),
            id.slice(1),
            `${id} `,
            id.toUpperCase() + "A",
            "%",
            "' OR 1=1 --",
            "\u0000"
          ]
          for (const other of [...wrong, "__proto__", "x".repeat(1_000_000)]) {
            assert.isUndefined(yield* read(turn, other))
          }
        })
      )
    )

    it.effect("4.14 a text of any characters and length is returned unchanged", () =>
      using(({ put, read }) =>
        Effect.gen(function* () {
          const values = ["", "\u0000 \ud800 é 😀 \u2028", { __proto__: 1, "": [null] }, "😀".repeat(500_000)]
          for (const value of values) {
            const json = JSON.stringify(value)
            const id = yield* put({ turn, text: json, timeToLive })
            assert.isTrue((yield* read(turn, id)) === json)
          }
        })
      )
    )
  })
}
