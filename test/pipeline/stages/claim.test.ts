import { type Claim, IdempotencyKeys, IdempotencyKeysUnavailable } from "#services/IdempotencyKeys"
import { Guard } from "#src/guard/Guard"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Layer } from "effect"
import { TestClock } from "effect/testing"
import { recorded } from "../../support/logs.ts"
import { ask, settled, start, tool, within } from "../support.ts"

const write = (...answers: ReadonlyArray<unknown>) =>
  tool("write_it", { access: "write", idempotency: "derived", budget: 9 }, ...answers)

const unavailable = Effect.fail(new IdempotencyKeysUnavailable({ cause: new Error("connect ECONNREFUSED") }))
const claimed: Claim = { _tag: "Claimed", owner: "me", lapsed: undefined }

/** Creates a guard whose store of keys is empty, except for the given members. */
const store = (over: Partial<IdempotencyKeys["Service"]>) =>
  Guard.layerMemoryWith(
    Layer.succeed(IdempotencyKeys, {
      find: () => Effect.succeed(undefined),
      claim: () => Effect.succeed(claimed),
      complete: () => Effect.succeed(true),
      release: () => Effect.succeed(true),
      leave: () => Effect.void,
      ...over
    })
  )

describe("claim: a store that fails", () => {
  for (const [what, over] of [
    ["looks up the key", { find: () => unavailable }],
    ["claims the key", { claim: () => unavailable }]
  ] as const) {
    it.effect(`8.2 the write is refused if the store does not respond when the guard ${what}`, () => {
      const fixture = write({ n: 1 })
      return Effect.gen(function* () {
        const { attempts, decisions, envelope } = yield* ask([fixture.tool], "write_it", { q: "a" })
        assert.deepStrictEqual([envelope.error.code, envelope.error.side_effect], ["store_unavailable", "none"])
        assert.notInclude(JSON.stringify(envelope), "ECONNREFUSED")
        assert.deepStrictEqual([attempts, fixture.runs()], [0, 0])
        assert.deepStrictEqual(decisions.at(-1), {
          stage: "idempotency",
          decision: "refused",
          reason: "the store of keys does not respond"
        })
      }).pipe(within([fixture.layer], store(over)))
    })
  }

  for (const [what, complete] of [
    ["does not respond", () => unavailable],
    ["dies", () => Effect.die(new Error("broken"))],
    [
      "throws",
      () => {
        throw new Error("broken")
      }
    ]
  ] as const) {
    it.effect(`8.2 the action counts as done if the store ${what} when the outcome is stored`, () => {
      const fixture = write({ n: 1 })
      return Effect.gen(function* () {
        assert.deepStrictEqual(yield* settled(fixture.tool.call({ q: "a" })), { n: 1 })
        assert.strictEqual(fixture.runs(), 1)
      }).pipe(within([fixture.layer], store({ complete })))
    })
  }
})

describe("claim: an action that another process takes over", () => {
  it.effect("8.3 is logged if the other process takes over before the action has ended", () => {
    const fixture = write({ n: 1 })
    const { layer, messages } = recorded()
    return Effect.gen(function* () {
      assert.deepStrictEqual(yield* settled(fixture.tool.call({ q: "a" })), { n: 1 })
      assert.deepStrictEqual(
        messages.map((message) => message.replace(/\(.*\)/u, "(trace)")),
        ["Error Another process took over write_it before it ended: it may have been done twice (trace)"]
      )
    }).pipe(within([fixture.layer], store({ complete: () => Effect.succeed(false) })), Effect.provide(layer))
  })
})

describe("claim: concurrent calls", () => {
  it.effect("8.2 fifty equal concurrent calls run the action once", () => {
    const fixture = write(Effect.delay(Effect.succeed({ n: 1 }), "1 second"), { n: 2 })
    return Effect.gen(function* () {
      const all = yield* start(
        Effect.all(
          Array.from({ length: 50 }, (_, i) => ask([fixture.tool], "write_it", { q: "a" }, { callId: `call ${i}` })),
          { concurrency: "unbounded" }
        )
      )
      yield* TestClock.adjust("1 second")
      const answers = yield* Fiber.join(all)
      assert.strictEqual(fixture.runs(), 1)
      assert.lengthOf(
        answers.filter(({ envelope }) => envelope._idempotent === undefined),
        1
      )
      for (const { envelope } of answers)
        assert.deepStrictEqual([envelope.status, envelope.data], ["success", { n: 1 }])
    }).pipe(within([fixture.layer]))
  })
})
