import type { CallLog } from "#services/CallLog"
import type { Redactor } from "#services/Redactor"
import * as CallLogMemory from "#layers/CallLogMemory"
import * as RedactorMemory from "#layers/RedactorMemory"
import * as Slots from "#pipeline/call/Slots"
import { run } from "#pipeline/stages/run"
import { assert, describe, it } from "@effect/vitest"
import { Clock, Deferred, Effect, Fiber, Layer } from "effect"
import { alone, define, handled, start } from "../support.ts"
import { jumpingClock } from "../../support/jumpingClock.ts"

const many = 100_000

/** The number of calls with fibers and timers of the test clock, which are slow. Recursion overflows the stack at 2,000 calls. */
const manyCalls = 3_000

/** Makes calls whose handlers wait for a gate, and `manyCalls` calls that wait for their slots and then answer immediately. */
const queued = (limit: number) =>
  Effect.gen(function* () {
    const gate = yield* Deferred.make<void>()
    const order: Array<number> = []
    const search = define("search", { concurrency: limit })
    const layer = handled(search, ({ q }: { readonly q: number }) =>
      q < limit ? Effect.as(Deferred.await(gate), { n: q }) : Effect.sync(() => ({ n: order.push(q) }))
    )
    const stage = yield* alone(run, search, ({ answer }) => Effect.succeed({ _tag: "Success", value: answer?._tag }))
    const slots = Slots.make(limit)
    const context = yield* Effect.provide(Effect.context<never>(), layer)
    const call = (q: number) =>
      start(stage.run({ arguments: { q }, slots, context, callId: `call ${q}`, deadlineAt: 30_000 }))
    const first = yield* Effect.forEach(
      Array.from({ length: limit }, (_, q) => q),
      call
    )
    const waiting = yield* Effect.forEach(
      Array.from({ length: manyCalls }, (_, q) => q + limit),
      call
    )
    return { gate, order, first, waiting, slots }
  })

const services = Layer.merge(CallLogMemory.layer, RedactorMemory.layer) satisfies Layer.Layer<CallLog | Redactor>

describe("concurrency", () => {
  it("4.9 100,000 waits for a slot whose handlers end immediately all start, in order, without recursion", () => {
    const slots = Slots.make(1)
    const started: Array<number> = []
    assert.isTrue(slots.tryTake())
    for (let n = 0; n < many; n += 1) {
      slots.take("a", () => {
        started.push(n)
        slots.release()
      })
    }
    slots.release()
    assert.strictEqual(started.length, many)
    assert.isTrue(started.every((n, index) => n === index))
    assert.isTrue(slots.tryTake())
  })

  it("4.9 if a slot becomes free while handlers wait for it, a new call does not overtake them", () => {
    const slots = Slots.make(1)
    const started: Array<string> = []
    slots.tryTake()
    slots.take("a", () => {
      started.push("first")
      slots.release()
      // then the caller of the first handler makes a new call
      if (!slots.tryTake()) slots.take("a", () => started.push("new"))
    })
    slots.take("a", () => {
      started.push("second")
      slots.release()
    })
    slots.release()
    assert.deepStrictEqual(started, ["first", "second", "new"])
  })

  it("4.9 tenants whose handlers wait take turns, and the handlers of each tenant start in order", () => {
    const slots = Slots.make(1)
    const started: Array<string> = []
    slots.tryTake()
    const wait = (tenant: string, name: string) => slots.take(tenant, () => started.push(name))
    for (const name of ["a1", "a2", "a3", "a4"]) wait("a", name)
    wait("b", "b1")
    slots.release()
    wait("c", "c1")
    wait("b", "b2")
    for (let count = 0; count < 6; count += 1) slots.release()
    assert.deepStrictEqual(started, ["a1", "b1", "a2", "c1", "b2", "a3", "a4"])
  })

  it("4.9 a tenant that waits again whenever it gets a slot does not overtake a tenant that waits already", () => {
    const slots = Slots.make(1)
    const started: Array<string> = []
    slots.tryTake()
    const again = () => {
      started.push("a")
      slots.take("a", again)
    }
    slots.take("b", () => started.push("b1"))
    slots.take("b", () => started.push("b2"))
    slots.take("a", again)
    for (let count = 0; count < 4; count += 1) slots.release()
    assert.deepStrictEqual(started, ["b1", "a", "b2", "a"])
  })

  it("4.9 a tenant with 100,000 waiting handlers delays each of 1,000 other tenants by one turn", () => {
    const slots = Slots.make(1)
    const started: Array<string> = []
    slots.tryTake()
    const wait = (tenant: string) =>
      slots.take(tenant, () => {
        started.push(tenant)
        slots.release()
      })
    for (let n = 0; n < many; n += 1) wait("many")
    const others = Array.from({ length: 1_000 }, (_, n) => `tenant ${n}`)
    for (const other of others) wait(other)
    slots.release()
    assert.strictEqual(started.length, many + others.length)
    assert.deepStrictEqual(started.slice(0, 1_002), ["many", ...others, "many"])
    assert.isTrue(slots.tryTake())
  })

  it("4.9 if all waits of a tenant are cancelled, the tenant loses its turn, and waits in line when it comes back", () => {
    const slots = Slots.make(1)
    const started: Array<string> = []
    slots.tryTake()
    const cancels = ["a1", "a2"].map((name) => slots.take("a", () => started.push(name)))
    slots.take("b", () => started.push("b1"))
    slots.take("c", () => started.push("c1"))
    for (const cancel of cancels) cancel()
    slots.take("a", () => started.push("a3"))
    for (const cancel of cancels) cancel()
    for (let count = 0; count < 3; count += 1) slots.release()
    assert.deepStrictEqual(started, ["b1", "c1", "a3"])
    slots.release()
    assert.isTrue(slots.tryTake())
  })

  it("4.9 if a wait is cancelled while the slots are given out, its handler does not start, and no slot is lost", () => {
    const slots = Slots.make(1)
    const started: Array<string> = []
    slots.tryTake()
    let cancel = () => {}
    slots.take("a", () => {
      started.push("first")
      cancel()
      slots.release()
    })
    cancel = slots.take("a", () => started.push("cancelled"))
    slots.take("a", () => started.push("last"))
    slots.release()
    assert.deepStrictEqual(started, ["first", "last"])
    assert.isFalse(slots.tryTake())
    slots.release()
    assert.isTrue(slots.tryTake())
  })

  it.effect(
    "4.9 if 3,000 calls wait for the slots of handlers that answer immediately, every call is answered, in order",
    () =>
      Effect.gen(function* () {
        const { first, gate, order, waiting } = yield* queued(16)
        yield* Deferred.succeed(gate, undefined)
        const outcomes = yield* Fiber.joinAll([...first, ...waiting])
        assert.strictEqual(outcomes.length, manyCalls + 16)
        assert.isTrue(outcomes.every((outcome) => outcome._tag === "Success" && outcome.value === "Value"))
        assert.strictEqual(order.length, manyCalls)
        assert.isTrue(order.every((q, index) => q === index + 16))
      }).pipe(Effect.provide(services))
  )

  it.effect(
    "4.9 if a slot is free after the deadlines of 3,000 waiting calls, all fail as busy, without recursion",
    () =>
      Effect.gen(function* () {
        const { clock, jump } = yield* jumpingClock
        const { first, gate, order, waiting, slots } = yield* queued(1).pipe(Effect.provideService(Clock.Clock, clock))
        jump(3_600_000)
        yield* Deferred.succeed(gate, undefined)
        yield* Fiber.joinAll(first)
        const outcomes = yield* Fiber.joinAll(waiting)
        assert.isTrue(outcomes.every((outcome) => outcome._tag === "Success" && outcome.value === "Busy"))
        assert.deepStrictEqual(order, [])
        assert.isTrue(slots.tryTake())
      }).pipe(Effect.provide(services))
  )

  it.effect("4.9 if 2,999 of 3,000 waiting calls are interrupted, the last call runs, and its slot is free again", () =>
    Effect.gen(function* () {
      const { first, gate, order, waiting, slots } = yield* queued(1)
      yield* Fiber.interruptAll(waiting.slice(0, -1))
      yield* Deferred.succeed(gate, undefined)
      yield* Fiber.joinAll([...first, waiting.at(-1)!])
      assert.deepStrictEqual(order, [manyCalls])
      assert.isTrue(slots.tryTake())
    }).pipe(Effect.provide(services))
  )
})
