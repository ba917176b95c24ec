import * as EscalationScripted from "#layers/EscalationScripted"
import * as HaltsMemory from "#layers/HaltsMemory"
import { Halts, HaltsUnavailable } from "#services/Halts"
import { Guard } from "#src/guard/Guard"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Layer } from "effect"
import { TestClock } from "effect/testing"
import { CallLog } from "#services/CallLog"
import * as CallLogMemory from "#layers/CallLogMemory"
import { ask, settled, start, tool, within } from "../support.ts"

const halts = Layer.fresh(HaltsMemory.layer)
const guard = () => Guard.layerMemoryWith(Layer.mergeAll(Layer.fresh(HaltsMemory.layer), CallLogMemory.layer))
const order = (tool: string, reason = "refunds are doubled") => ({ tool, by: "ana", reason })
const halted = ["Permanent", "halted", "none"]

const write = { access: "write", description: "Refunds. Writes." }

describe("halt", () => {
  it.effect("10.7 a halted tool is not called, and the model reads who halted it and why", () => {
    const refund = tool("refund", write, { n: 1 })
    return Effect.gen(function* () {
      yield* (yield* Halts).halt(order("refund", "refunds\u202e are\ndoubled"))
      const { attempts, envelope } = yield* ask([refund.tool], "refund", '{"q":"a"}')
      assert.deepStrictEqual(
        [envelope.error.error_class, envelope.error.code, envelope.error.side_effect, attempts, refund.runs()],
        ["permanent", "halted", "none", 0, 0]
      )
      assert.strictEqual(envelope.error.message, "refund was halted by ana: refunds[U+202E] are doubled.")
    }).pipe(within([refund.layer], guard()))
  })

  it.effect("10.7 the same call is made in the same turn after the tool was resumed", () => {
    const refund = tool("refund", write, { n: 1 })
    return Effect.gen(function* () {
      const operator = yield* Halts
      yield* operator.halt(order("refund"))
      assert.deepStrictEqual(yield* settled(refund.tool.call({ q: "a" })), halted)
      assert.strictEqual((yield* ask([refund.tool], "refund", '{"q":"a"}')).envelope.error.code, "halted")
      yield* operator.resume(order("refund"))
      assert.strictEqual((yield* ask([refund.tool], "refund", '{"q":"a"}')).envelope.status, "success")
      assert.strictEqual(refund.runs(), 1)
    }).pipe(within([refund.layer], guard()))
  })

  it.effect("10.7 a tool is halted by its id or by its name, and other tools are not halted", () => {
    const refund = tool("refund", { ...write, id: "billing/refund" }, { n: 1 })
    const search = tool("search", {}, { n: 1 })
    return Effect.gen(function* () {
      const operator = yield* Halts
      yield* operator.halt(order("billing/refund"))
      assert.deepStrictEqual(yield* settled(refund.tool.call({ q: "a" })), halted)
      yield* operator.resume(order("billing/refund"))
      yield* operator.halt(order("refund"))
      assert.deepStrictEqual(yield* settled(refund.tool.call({ q: "b" })), halted)
      assert.deepStrictEqual(yield* settled(search.tool.call({ q: "a" })), { n: 1 })
    }).pipe(within([refund.layer, search.layer], guard()))
  })

  it.effect("10.7 no person is asked to approve a call of a halted tool", () => {
    const refund = tool("refund", { ...write, approval: "confirm" }, { n: 1 })
    const asked: Array<EscalationScripted.ScriptedAnswer> = ["approve"]
    return Effect.gen(function* () {
      yield* (yield* Halts).halt(order("refund"))
      assert.deepStrictEqual(yield* settled(refund.tool.call({ q: "a" })), halted)
      assert.lengthOf((yield* EscalationScripted.EscalationTranscript).asked, 0)
    }).pipe(within([refund.layer], Guard.layerMemoryWith(Layer.mergeAll(halts, EscalationScripted.layer(asked)))))
  })

  it.effect("10.7 a waiting retry is not made after the tool was halted", () => {
    const down = Effect.fail(Object.assign(new Error("down"), { code: "ECONNREFUSED" }))
    const search = tool("search", { retry: { attempts: 3, base: "1 second", jitter: "none" } }, down)
    return Effect.gen(function* () {
      const call = yield* start(settled(search.tool.call({ q: "a" })))
      yield* (yield* Halts).halt(order("search"))
      yield* TestClock.adjust("10 seconds")
      assert.deepStrictEqual(yield* Fiber.join(call), halted)
      assert.strictEqual(search.runs(), 1)
    }).pipe(within([search.layer], guard()))
  })

  it.effect("10.7 a handler that runs when its tool is halted continues, and its call succeeds", () => {
    const slow = Effect.as(Effect.sleep("5 seconds"), { n: 1 })
    const refund = tool("refund", write, slow)
    return Effect.gen(function* () {
      const call = yield* start(settled(refund.tool.call({ q: "a" })))
      yield* (yield* Halts).halt(order("refund"))
      yield* TestClock.adjust("5 seconds")
      assert.deepStrictEqual(yield* Fiber.join(call), { n: 1 })
      assert.deepStrictEqual(yield* settled(refund.tool.call({ q: "b" })), halted)
      assert.strictEqual(refund.runs(), 1)
    }).pipe(within([refund.layer], guard()))
  })

  it.effect("10.7 an unknown side effect stays unknown if the tool is halted before a retry", () => {
    const lost = Effect.fail(Object.assign(new Error("lost"), { code: "ECONNRESET" }))
    const keyed = { ...write, idempotency: { mode: "derived", upstreamHonoursKey: true }, retry: { attempts: 3 } }
    const refund = tool("refund", keyed, lost)
    return Effect.gen(function* () {
      const call = yield* start(settled(refund.tool.call({ q: "a" })))
      yield* (yield* Halts).halt(order("refund"))
      yield* TestClock.adjust("10 seconds")
      assert.deepStrictEqual(yield* Fiber.join(call), ["HumanReview", "outcome_unknown", "unknown"])
      assert.strictEqual(refund.runs(), 1)
    }).pipe(within([refund.layer], guard()))
  })

  it.effect("10.7 while the store of halts does not respond, writes are refused and reads run", () => {
    const down = Effect.fail(new HaltsUnavailable({ cause: "down" }))
    const broken = Layer.succeed(Halts, {
      current: down,
      halt: () => down,
      resume: () => down,
      history: down
    })
    const [refund, search] = [tool("refund", write, { n: 1 }), tool("search", {}, { n: 2 })]
    return Effect.gen(function* () {
      assert.deepStrictEqual(yield* settled(refund.tool.call({ q: "a" })), ["Permanent", "store_unavailable", "none"])
      assert.deepStrictEqual(yield* settled(search.tool.call({ q: "a" })), { n: 2 })
      assert.strictEqual(refund.runs(), 0)
    }).pipe(within([refund.layer, search.layer], Guard.layerMemoryWith(broken)))
  })

  it.effect("10.7 the record of a halted call names the operator and the reason", () => {
    const refund = tool("refund", write, { n: 1 })
    return Effect.gen(function* () {
      yield* (yield* Halts).halt(order("refund"))
      yield* settled(refund.tool.call({ q: "a" }))
      const [record] = yield* (yield* CallLog).records
      assert.deepInclude(record?.decisions.at(-1), {
        stage: "halt",
        decision: "halted",
        reason: "refund was halted by ana: refunds are doubled"
      })
    }).pipe(within([refund.layer], guard()))
  })
})
