import type { NewSettlement } from "#domain/approval/UnknownOutcome"
import * as UnknownOutcomesMemory from "#layers/UnknownOutcomesMemory"
import { Escalation, type EscalationRequest } from "#services/Escalation"
import { UnknownOutcomes, UnknownOutcomesUnavailable } from "#services/UnknownOutcomes"
import { Guard } from "#src/guard/Guard"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Layer } from "effect"
import { TestClock } from "effect/testing"
import { ask, brief, failureOf, outside, response, settled, start, tool, within } from "../support.ts"

const guard = () => Guard.layerMemoryWith(Layer.fresh(UnknownOutcomesMemory.layer))
/** Returns an answer that does not say whether the write was done. */
const lost = () => response(500, "{}")

const write = (definition: object, ...answers: ReadonlyArray<unknown>) =>
  tool("refund", { access: "write", description: "Refunds. Writes.", ...definition }, ...answers)

const kinds: ReadonlyArray<readonly [string, object]> = [
  ["a derived key", { idempotency: "derived" }],
  ["no key", {}]
]

const only = Effect.gen(function* () {
  const open = yield* (yield* UnknownOutcomes).open({ limit: 10 })
  assert.lengthOf(open, 1)
  return open[0]!
})

const settleOutcome = (settling: Partial<NewSettlement>) =>
  Effect.flatMap(Effect.all([UnknownOutcomes, only]), ([outcomes, { id }]) =>
    outcomes.settle(id, { finding: "done", by: "ana", reason: "", ...settling })
  )

/** A store that does not store the first outcome, as if the process had ended before. */
const firstLost = () =>
  Layer.effect(
    UnknownOutcomes,
    Effect.map(UnknownOutcomes, (outcomes) => {
      let added = 0
      return UnknownOutcomes.of({
        ...outcomes,
        add: (outcome) =>
          (added += 1) === 1 ? Effect.fail(new UnknownOutcomesUnavailable({ cause: "ended" })) : outcomes.add(outcome)
      })
    })
  ).pipe(Layer.provide(Layer.fresh(UnknownOutcomesMemory.layer)))

const unknown = ["HumanReview", "outcome_unknown", "unknown"]

describe("settle", () => {
  it.effect(
    "10.5 an unknown outcome is stored with its call, its arguments and the key that the upstream received",
    () => {
      const refund = write({ idempotency: "derived" }, lost())
      return Effect.gen(function* () {
        yield* TestClock.adjust("3 seconds")
        const failure = yield* failureOf(refund.tool.call({ q: "a" }))
        assert.deepStrictEqual(brief(failure), unknown)
        const { at, binding, id, ...outcome } = yield* only
        assert.deepStrictEqual(outcome, {
          isAnswered: false,
          tool: "refund",
          code: "outcome_unknown",
          sentence:
            'It is not known whether refund was done. It failed: The upstream failed or is overloaded for the moment (5xx). Details: "{}".',
          arguments: { q: "a" },
          idempotencyKey: refund.calls[0]!.context.idempotencyKey,
          turn: { conversation: "conversation", turn: "turn", tenant: "tenant" },
          traceId: failure.traceId
        })
      }).pipe(within([refund.layer], guard()))
    }
  )

  for (const [name, definition] of kinds) {
    /** Makes a model's call. */
    const refunded = ({ tool }: ReturnType<typeof write>, q = "a") =>
      Effect.map(ask([tool], "refund", { q }), ({ decisions, envelope }) => ({ ...envelope, decisions }))

    it.effect(
      `10.5 with ${name}, a call that was done answers its repeats with the given result and _idempotent`,
      () => {
        const refund = write(definition, lost())
        return Effect.gen(function* () {
          assert.strictEqual((yield* refunded(refund)).error.code, "outcome_unknown")
          yield* settleOutcome({ result: { n: 7 } })
          const { decisions, ...envelope } = yield* refunded(refund)
          assert.deepInclude(envelope, { status: "success", data: { n: 7 }, _idempotent: true })
          assert.deepInclude(decisions, { stage: "settle", decision: "done", reason: "ana found that it was done" })
          assert.strictEqual(refund.runs(), 1)
        }).pipe(within([refund.layer], guard()))
      }
    )

    it.effect(`10.5 with ${name}, a call that was not done runs again once, and its result answers the repeats`, () => {
      const refund = write(definition, lost(), { n: 2 })
      return Effect.gen(function* () {
        assert.strictEqual((yield* refunded(refund)).error.code, "outcome_unknown")
        yield* settleOutcome({ finding: "not_done" })
        assert.deepStrictEqual((yield* refunded(refund)).data, { n: 2 })
        assert.strictEqual(refund.runs(), 2)
        yield* refunded(refund)
        assert.strictEqual(refund.runs(), 2)
      }).pipe(within([refund.layer], guard()))
    })

    it.effect(`10.5 with ${name}, an open outcome stays unknown, and is stored once`, () => {
      const refund = write(definition, lost(), { n: 2 })
      return Effect.gen(function* () {
        yield* refunded(refund)
        assert.strictEqual((yield* refunded(refund)).error.side_effect, "unknown")
        yield* only
        assert.strictEqual(refund.runs(), 1)
      }).pipe(within([refund.layer], guard()))
    })

    it.effect(`10.5 with ${name}, a settlement does not answer other arguments or another tenant`, () => {
      const refund = write(definition, lost())
      const as = (tenant: string, q: string) =>
        Guard.turn(refunded(refund, q), { conversation: "c", turn: "t", tenant })
      return Effect.gen(function* () {
        yield* as("a", "a")
        yield* settleOutcome({ result: { n: 7 } })
        assert.strictEqual((yield* as("a", "b")).error.code, "outcome_unknown")
        assert.strictEqual((yield* as("b", "a")).error.code, "outcome_unknown")
      }).pipe(outside([refund.layer], guard()))
    })
  }

  it.effect("10.5 an answered error keeps its class, is listed only as answered, and can be settled", () => {
    const denied = response(200, '{"ok":false,"error":"channel_not_found"}')
    const refund = write({ idempotency: "derived" }, denied)
    return Effect.gen(function* () {
      const first = yield* failureOf(refund.tool.call({ q: "a" }))
      assert.strictEqual(first.sideEffect, "unknown")
      assert.notStrictEqual(first.code, "outcome_unknown")
      const outcomes = yield* UnknownOutcomes
      assert.deepStrictEqual(yield* outcomes.open({ limit: 10 }), [])
      const [open] = yield* outcomes.open({ limit: 10, answered: true })
      assert.deepStrictEqual([open?.isAnswered, open?.code], [true, first.code])
      yield* outcomes.settle(open!.id, { finding: "done", result: { n: 7 }, by: "ana", reason: "" })
      assert.deepStrictEqual(yield* settled(refund.tool.call({ q: "a" })), { n: 7 })
      assert.deepStrictEqual((yield* ask([refund.tool], "refund", { q: "a" })).envelope.data, { n: 7 })
      assert.strictEqual(refund.runs(), 1)
    }).pipe(within([refund.layer], guard()))
  })

  it.effect("10.5 if a person found that a call was not done, one of many concurrent repeats runs", () => {
    const refund = write({ idempotency: "derived" }, lost(), Effect.delay(Effect.succeed({ n: 2 }), "1 second"))
    return Effect.gen(function* () {
      yield* settled(refund.tool.call({ q: "a" }))
      yield* settleOutcome({ finding: "not_done" })
      const calls = yield* start(
        Effect.all(
          Array.from({ length: 5 }, () => settled(refund.tool.call({ q: "a" }))),
          { concurrency: "unbounded" }
        )
      )
      yield* TestClock.adjust("2 seconds")
      assert.deepStrictEqual(
        yield* Fiber.join(calls),
        Array.from({ length: 5 }, () => ({ n: 2 }))
      )
      assert.strictEqual(refund.runs(), 2)
    }).pipe(within([refund.layer], guard()))
  })

  it.effect("10.5 a repeat whose outcome is unknown too is stored again, and needs another settlement", () => {
    const refund = write({ idempotency: { mode: "key", scope: "principal" } }, lost(), lost(), { n: 3 })
    const refunded = (conversation: string) =>
      Guard.turn(ask([refund.tool], "refund", { q: "a", idempotency_key: "voucher-2026-november" }), {
        conversation,
        tenant: "t"
      })
    return Effect.gen(function* () {
      yield* refunded("1")
      yield* settleOutcome({ finding: "not_done" })
      assert.strictEqual((yield* refunded("2")).envelope.error.code, "outcome_unknown")
      assert.strictEqual((yield* refunded("3")).envelope.error.code, "outcome_unknown")
      assert.strictEqual(refund.runs(), 2)
      yield* settleOutcome({ finding: "not_done" })
      assert.deepStrictEqual((yield* refunded("4")).envelope.data, { n: 3 })
    }).pipe(outside([refund.layer], guard()))
  })

  it.effect(
    "10.5 a call that was done without a result, or with a result that breaks the contract, is not made again",
    () => {
      const refund = write({ idempotency: "derived" }, lost(), lost())
      return Effect.gen(function* () {
        yield* settled(refund.tool.call({ q: "a" }))
        yield* settleOutcome({})
        const first = yield* failureOf(refund.tool.call({ q: "a" }))
        assert.deepStrictEqual(brief(first), ["SchemaMismatch", "done_without_result", "committed"])
        assert.strictEqual(first.detail, "ana found that refund was done.")
        yield* settled(refund.tool.call({ q: "b" }))
        yield* settleOutcome({ result: { n: "seven" } })
        const second = yield* failureOf(refund.tool.call({ q: "b" }))
        assert.deepStrictEqual(brief(second), ["SchemaMismatch", "done_unreadable", "committed"])
        assert.strictEqual(refund.runs(), 2)
      }).pipe(within([refund.layer], guard()))
    }
  )

  it.effect("10.5 a key of the model is settled for later turns too", () => {
    const refund = write({ idempotency: "key" }, lost())
    const key = "voucher-2026-november"
    const args = { q: "a", idempotency_key: key }
    return Effect.gen(function* () {
      yield* Guard.turn(ask([refund.tool], "refund", args), { conversation: "c", tenant: "t" })
      yield* settleOutcome({ result: { n: 7 } })
      const { envelope } = yield* Guard.turn(ask([refund.tool], "refund", args), { conversation: "c", tenant: "t" })
      assert.deepStrictEqual(envelope.data, { n: 7 })
      assert.strictEqual(refund.runs(), 1)
    }).pipe(outside([refund.layer], guard()))
  })

  it.effect("10.5 a write that is interrupted is stored", () => {
    const refund = write({}, Effect.never)
    return Effect.gen(function* () {
      const fiber = yield* start(settled(refund.tool.call({ q: "a" })))
      yield* Fiber.interrupt(fiber)
      assert.strictEqual((yield* only).code, "outcome_unknown")
    }).pipe(within([refund.layer], guard()))
  })

  it.effect("10.5 reads, refusals and successes are not stored", () => {
    const search = tool("search", {}, response(404, "{}"))
    const refund = write({}, { n: 1 })
    return Effect.gen(function* () {
      yield* settled(search.tool.call({ q: "a" }))
      yield* settled(refund.tool.call({ q: "a" }))
      yield* ask([refund.tool], "refund", { q: 1 })
      assert.deepStrictEqual(yield* (yield* UnknownOutcomes).open({ limit: 10, answered: true }), [])
    }).pipe(within([search.layer, refund.layer], guard()))
  })

  for (const finding of ["done", "not_done"] as const) {
    it.effect(`10.5 a repeat stores an outcome that was not stored before, and it can be settled as ${finding}`, () => {
      const refund = write({ idempotency: "derived" }, lost(), { n: 2 })
      const refunded = settled(refund.tool.call({ q: "a" }))
      return Effect.gen(function* () {
        const outcomes = yield* UnknownOutcomes
        assert.deepStrictEqual(yield* refunded, unknown)
        assert.deepStrictEqual(yield* outcomes.open({ limit: 10 }), [])
        assert.deepStrictEqual(yield* refunded, unknown)
        assert.deepStrictEqual(yield* refunded, unknown)
        yield* settleOutcome(finding === "done" ? { result: { n: 7 } } : { finding })
        assert.deepStrictEqual(yield* refunded, { n: finding === "done" ? 7 : 2 })
        assert.strictEqual(refund.runs(), finding === "done" ? 1 : 2)
      }).pipe(within([refund.layer], Guard.layerMemoryWith(firstLost())))
    })
  }

  it.effect("10.5 an unavailable store does not change the outcome", () => {
    const refund = write({}, lost())
    const down = () => Effect.fail(new UnknownOutcomesUnavailable({ cause: new Error("down") }))
    const layer = Layer.succeed(UnknownOutcomes, { add: down, settle: down, find: down, latest: down, open: down })
    return Effect.gen(function* () {
      assert.deepStrictEqual(yield* settled(refund.tool.call({ q: "a" })), unknown)
    }).pipe(within([refund.layer], Guard.layerMemoryWith(layer)))
  })

  it.effect("10.5 the notice names the outcome, and the model reads where a person settles it", () => {
    const refund = write({}, lost())
    const informed: Array<EscalationRequest> = []
    const people = Layer.succeed(Escalation, {
      inform: (request) => Effect.sync(() => void informed.push(request)),
      ask: () => Effect.succeed({ _tag: "NoPerson" }),
      outcomeUrl: (id) => `https://inbox.example/${id}`
    })
    return Effect.gen(function* () {
      const { envelope } = yield* ask([refund.tool], "refund", { q: "a" })
      const { id } = yield* only
      assert.strictEqual(envelope.error.approval_url, `https://inbox.example/${id}`)
      assert.deepStrictEqual(
        informed.map(({ outcomeId }) => outcomeId),
        [id]
      )
    }).pipe(
      within([refund.layer], Guard.layerMemoryWith(Layer.mergeAll(people, Layer.fresh(UnknownOutcomesMemory.layer))))
    )
  })

  const atTheTerminal = (settling: NewSettlement | undefined, refund: ReturnType<typeof write>) => {
    const faults: Array<string | undefined> = []
    const people = Layer.succeed(Escalation, {
      inform: () => Effect.void,
      ask: () => Effect.succeed({ _tag: "NoPerson" }),
      settle: (_, faultIn) =>
        Effect.sync(() => {
          faults.push(faultIn({ n: 1 }), faultIn({ n: "x" }))
          return settling
        })
    })
    const layer = Guard.layerMemoryWith(Layer.mergeAll(people, Layer.fresh(UnknownOutcomesMemory.layer)))
    return settled(refund.tool.call({ q: "a" })).pipe(
      Effect.map((outcome) => ({ outcome, faults })),
      within([refund.layer], layer)
    )
  }

  it.effect(
    "10.5 if a person who is present settles an outcome immediately, the call gets the result or is made again",
    () =>
      Effect.gen(function* () {
        const done = write({}, lost())
        const first = yield* atTheTerminal({ finding: "done", result: { n: 7 }, by: "ana", reason: "" }, done)
        assert.deepStrictEqual([first.outcome, done.runs()], [{ n: 7 }, 1])
        assert.isUndefined(first.faults[0])
        assert.include(first.faults[1], "n: expected")
        const again = write({ idempotency: "derived" }, lost(), { n: 2 })
        const second = yield* atTheTerminal({ finding: "not_done", by: "ana", reason: "" }, again)
        assert.deepStrictEqual([second.outcome, again.runs()], [{ n: 2 }, 2])
        const open = write({}, lost())
        assert.deepStrictEqual((yield* atTheTerminal(undefined, open)).outcome, unknown)
      })
  )
})
