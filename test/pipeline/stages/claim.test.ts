/** Tests the stage that claims idempotency keys: failing stores, actions that another process takes over, equal calls. */
import { success } from "#domain/call/Outcome"
import * as OutcomeText from "#domain/call/OutcomeText"
import { type Claim, IdempotencyKeys, IdempotencyKeysUnavailable, type KeyState } from "#services/IdempotencyKeys"
import { Guard } from "#src/guard/Guard"
import * as GuardedTool from "#src/tool/GuardedTool"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Layer } from "effect"
import { TestClock } from "effect/testing"
import { recorded } from "../../support/logs.ts"
import { ask, settled, start, tool, within } from "../support.ts"

const write = (...answers: ReadonlyArray<unknown>) =>
  tool("write_it", { access: "write", idempotency: "derived", budget: 9 }, ...answers)

const unavailable = Effect.fail(new IdempotencyKeysUnavailable({ cause: new Error("connect ECONNREFUSED") }))
const claimed: Claim = { _tag: "Claimed", owner: "me", fencingToken: 1, lapsed: undefined }

/** Creates a guard whose store of keys is empty, except for the given members. */
const store = (over: Partial<IdempotencyKeys["Service"]>) =>
  Guard.layerMemoryWith(
    Layer.succeed(IdempotencyKeys, {
      find: () => Effect.succeed(undefined),
      claim: () => Effect.succeed(claimed),
      renew: () => Effect.succeed(true),
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

describe("claim: an action that another process takes over before it has ended", () => {
  const lost = (found?: KeyState) => store({ complete: () => Effect.succeed(false), find: alternating(found) })
  /** The key is free at first. */
  const alternating = (found: KeyState | undefined) => {
    let count = 0
    return () => Effect.sync(() => ((count += 1) === 1 ? undefined : found))
  }
  const ownKey = { idempotency: "derived" } as const
  const honoured = { idempotency: { mode: "derived", upstreamHonoursKey: true } } as const
  const write = (over: object, ...answers: ReadonlyArray<unknown>) =>
    tool("write_it", { access: "write", retry: { attempts: 1 }, ...over }, ...answers)

  for (const [what, answer] of [
    ["succeeded", { n: 1 }],
    ["failed after it was done", Effect.fail(GuardedTool.done(new Error("no receipt")))],
    ["failed with an unknown effect", Effect.fail(new Error("socket hang up"))]
  ] as const) {
    it.effect(`8.3 the caller of a call that ${what} gets \`outcome_unknown\`, and the log says why`, () => {
      const fixture = write(ownKey, answer)
      const { layer, messages } = recorded()
      return Effect.gen(function* () {
        const { decisions, envelope } = yield* ask([fixture.tool], "write_it", { q: "a" })
        assert.deepStrictEqual([envelope.error.code, envelope.error.side_effect], ["outcome_unknown", "unknown"])
        assert.include(envelope.error.message, "may have been done twice")
        assert.isTrue(decisions.some(({ decision, stage }) => stage === "claim" && decision === "unknown"))
        assert.deepStrictEqual(
          messages.map((message) => message.replace(/\(.*\)/u, "(trace)")),
          [
            "Error Another process took over write_it before this call ended. write_it may have been done twice. (trace)"
          ]
        )
      }).pipe(within([fixture.layer], lost()), Effect.provide(layer))
    })
  }

  it.effect("8.3 with an upstream that honours the key, the success remains, since the action was done once", () => {
    const fixture = write(honoured, { n: 1 })
    return Effect.gen(function* () {
      assert.deepStrictEqual(yield* settled(fixture.tool.call({ q: "a" })), { n: 1 })
    }).pipe(within([fixture.layer], lost()))
  })

  it.effect("8.3 the caller of a call that did nothing gets the stored outcome of the key", () => {
    const fixture = write(ownKey, Effect.fail(GuardedTool.nothingDone(new Error("closed"))))
    const outcome = OutcomeText.write(success({ n: 7 }), (value) => value)
    return Effect.gen(function* () {
      const { envelope } = yield* ask([fixture.tool], "write_it", { q: "a" })
      assert.deepStrictEqual([envelope.status, envelope.data], ["success", { n: 7 }])
    }).pipe(within([fixture.layer], lost({ _tag: "Done", outcome, callId: "other" })))
  })

  it.effect(
    "8.3 the caller of a call that did nothing gets `in_progress` while another process runs the action",
    () => {
      const fixture = write(ownKey, Effect.fail(GuardedTool.nothingDone(new Error("closed"))))
      return Effect.gen(function* () {
        const { envelope } = yield* ask([fixture.tool], "write_it", { q: "a" })
        assert.deepStrictEqual([envelope.error.code, envelope.error.side_effect], ["in_progress", "none"])
      }).pipe(within([fixture.layer], lost({ _tag: "InFlight", outcome: undefined })))
    }
  )

  it.effect("8.3 the caller of a call that did nothing gets its own failure if the key is free again", () => {
    const fixture = write(ownKey, Effect.fail(GuardedTool.nothingDone(new Error("closed"))))
    return Effect.gen(function* () {
      const { envelope } = yield* ask([fixture.tool], "write_it", { q: "a" })
      assert.deepStrictEqual([envelope.error.code, envelope.error.side_effect], ["wrong_state", "none"])
    }).pipe(within([fixture.layer], lost()))
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
