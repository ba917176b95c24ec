/** The parts of a fuzz run: canaries, boundaries, virtual time, smaller cases, and what an answer must come to. */
import { classify } from "#domain/classification/Classification"
import { makeFinders, redactJson, redactText } from "#domain/redaction/Redaction"
import * as Boundary from "#kit/fuzz/cases/Boundary"
import * as Canary from "#kit/fuzz/cases/Canary"
import * as Fault from "#kit/fuzz/cases/Fault"
import type { FuzzAnswer } from "#kit/fuzz/cases/FuzzCase"
import * as Meaning from "#kit/fuzz/cases/Meaning"
import * as Seeded from "#kit/fuzz/cases/Seeded"
import * as Shrink from "#kit/fuzz/cases/Shrink"
import * as Subject from "#kit/fuzz/cases/Subject"
import * as VirtualTime from "#kit/fuzz/play/VirtualTime"
import { assert, describe, it } from "@effect/vitest"
import { Clock, Context, Effect, Scheduler } from "effect"
import { RefundOrder, SearchOrders } from "../../../examples/orders/Tools.ts"
import { tools } from "./tools.ts"

describe("canaries", () => {
  const finders = makeFinders()

  it("13.6 are what redaction promises to find, and are seen where it does not, cut ones too", () => {
    for (const mark of ["@token@", "@key@"]) {
      const text = Canary.expand(`denied for ${mark}, again`)
      assert.strictEqual(Canary.leak(text, false), mark)
      assert.strictEqual(Canary.leak(text.slice(0, 35), false), mark)
      assert.isUndefined(Canary.leak(redactText(finders, text), true))
      assert.isUndefined(Canary.leak(JSON.stringify(redactJson(finders, { note: text })), false))
    }
    const path = Canary.expand("denied in @path@:12:5")
    assert.deepStrictEqual([Canary.leak(path, true), Canary.leak(path, false)], ["@path@", undefined])
    assert.isUndefined(Canary.leak(redactText(finders, path), true))
    assert.strictEqual(Canary.leak(Canary.expand("see @hidden@"), false), "@hidden@")
  })

  it("13.6 stand as marks in a case, and mean nothing there", () => {
    assert.isUndefined(Canary.leak("@token@ @key@ @path@ @hidden@", true))
    assert.strictEqual(Canary.expand("a@b.de @nothing@"), "a@b.de @nothing@")
  })
})

describe("boundaries", () => {
  const at = (value: unknown) =>
    Boundary.of(SearchOrders.jsonSchema).map(({ apply, name }) => [name, apply(value as never)] as const)
  const valid = { customer_id: "C-9921", status: "placed", limit: 25 }
  const edited = new Map(at(valid))

  it("13.6 are on every bound, one step past it, and of the wrong kind", () => {
    const limits = [...edited].flatMap(([name, value]) =>
      name.startsWith("limit: ") ? [(value as { readonly limit?: unknown } | undefined)?.limit] : []
    )
    for (const value of [0, 1, 2, 99, 100, 101, 0.5, "25", null, undefined]) assert.include(limits, value)
    assert.deepStrictEqual(edited.get("customer_id: missing"), { status: "placed", limit: 25 })
    assert.deepStrictEqual(edited.get("the whole: an unknown field"), { ...valid, unknown_field: 1 })
    assert.deepStrictEqual(edited.get(`status: value "returned"`), { ...valid, status: "returned" })
    assert.deepStrictEqual(edited.get("customer_id: behind the pattern"), { ...valid, customer_id: "C-9921\n" })
  })

  it("13.6 lie on both sides of what the contract takes", () => {
    const { contract } = Subject.make(SearchOrders)
    const taken = [...edited.values()]
      .filter((value) => value !== undefined)
      .map((value) => contract.decode(value)._tag)
    assert.isAbove(taken.filter((tag) => tag === "Success").length, 8)
    assert.isAbove(taken.filter((tag) => tag === "Failure").length, 30)
  })

  it("13.6 need the place that they edit", () => {
    assert.isUndefined(new Map(at([])).get("limit: maximum"))
    assert.deepStrictEqual(new Map(at({})).get("limit: maximum"), { limit: 100 })
  })
})

describe("virtual time", () => {
  const run = <A>(program: Effect.Effect<A>) => {
    const time = VirtualTime.make()
    const context = Context.empty().pipe(
      Context.add(Clock.Clock, time.clock),
      Context.add(Scheduler.Scheduler, time.scheduler)
    )
    return { time, fiber: Effect.runForkWith(context)(program) }
  }

  it("13.6 passes only where nothing else can be done, and wakes who sleeps shortest first", () => {
    const woken: Array<readonly [string, number]> = []
    const sleeper = (name: string, millis: number) =>
      Effect.sleep(millis).pipe(
        Effect.andThen(Clock.currentTimeMillis),
        Effect.map((at) => void woken.push([name, at]))
      )
    const { fiber, time } = run(
      Effect.all([sleeper("late", 500), sleeper("soon", 20), Effect.andThen(Effect.yieldNow, sleeper("next", 20))], {
        concurrency: 3
      })
    )
    assert.isTrue(time.settle())
    assert.deepStrictEqual([time.now(), woken], [0, []])
    while (time.leap(10_000)) time.settle()
    assert.deepStrictEqual(woken, [
      ["soon", 20],
      ["next", 20],
      ["late", 500]
    ])
    assert.isDefined(fiber.pollUnsafe())
  })

  it("13.6 sees an endless loop, one who never wakes, and who is no longer awaited", () => {
    const loop = run(Effect.forever(Effect.yieldNow))
    assert.isFalse(loop.time.settle())
    const never = run(Effect.sleep("1 day"))
    assert.isTrue(never.time.settle())
    assert.isFalse(never.time.leap(1_000))
    const interrupted = run(Effect.sleep("1 second"))
    interrupted.time.settle()
    interrupted.fiber.interruptUnsafe()
    interrupted.time.settle()
    assert.isFalse(interrupted.time.leap(10_000))
    loop.fiber.interruptUnsafe()
    never.fiber.interruptUnsafe()
  })
})

describe("a smaller case", () => {
  it("13.6 has fewer calls and answers first, then plainer ones", () => {
    const call = { arguments: `{"a":"long"}`, id: "x" }
    const slow: FuzzAnswer = { _tag: "Silence", after: 10, done: true }
    const plain: FuzzAnswer = { _tag: "Value", value: {} }
    const all = [...Shrink.smaller({ caller: "loop", together: true, calls: [call, call], answers: [slow] }, plain)]
    assert.deepStrictEqual(all.slice(0, 4), [
      { caller: "loop", together: true, calls: [call], answers: [slow] },
      { caller: "loop", together: true, calls: [call], answers: [slow] },
      { caller: "loop", together: true, calls: [call, call], answers: [] },
      { caller: "loop", calls: [call, call], answers: [slow] }
    ])
    assert.deepInclude(all, { caller: "loop", together: true, calls: [call, call], answers: [plain] })
    assert.deepInclude(all, {
      caller: "loop",
      together: true,
      calls: [{ arguments: { a: "long" }, id: "x" }, call],
      answers: [slow]
    })
  })

  it("13.6 comes to an end: nothing is smaller than the smallest", () => {
    assert.deepStrictEqual([...Shrink.smaller({ calls: [{ arguments: {} }], answers: [] }, { _tag: "Silence" })], [])
  })
})

describe("a token", () => {
  it("13.6 is read as it was written, and nothing else is one", () => {
    assert.deepStrictEqual(Seeded.readToken(Seeded.token(-7, 416)), { seed: -7, index: 416 })
    for (const text of ["", "1", "1:0", "1:-2", "x:1", "1:2:3", "1: 2"]) assert.isUndefined(Seeded.readToken(text))
  })
})

describe("what an answer must come to", () => {
  const made = { arguments: { customer_id: "C-9921" }, at: 0 }
  const ends = (name: string, answer: FuzzAnswer) => {
    const tool = [...tools, SearchOrders, RefundOrder].find(({ toolName }) => toolName === name)
    const { ends, evidence } = Meaning.ofAnswer(Subject.make(tool as never), answer, made)
    return [ends.join(" "), evidence]
  }
  const text = (text: string): FuzzAnswer => ({ _tag: "Text", text })
  const status = (status: number, headers = {}): FuzzAnswer => ({ _tag: "Response", status, headers, body: "" })

  it("3 is its class, and what it proves of a write", () => {
    assert.deepStrictEqual(ends("write_plain", text(`{"id":"1"}`)), ["Success", "committed"])
    assert.deepStrictEqual(ends("write_plain", text(`{"id":1}`)), ["SchemaMismatch", "committed"])
    assert.deepStrictEqual(ends("write_plain", text(`{"id":"`)), ["SchemaMismatch", "unknown"])
    assert.deepStrictEqual(ends("write_plain", text("<html>")), ["SchemaMismatch", "unknown"])
    assert.deepStrictEqual(ends("write_plain", text("")), ["SchemaMismatch", "unknown"])
    assert.deepStrictEqual(ends("write_nothing", text("")), ["Success", "committed"])
    assert.deepStrictEqual(ends("write_plain", { _tag: "Cut", text: `{"id":"1"}` }), ["Transient", "unknown"])
    assert.deepStrictEqual(ends("write_plain", { _tag: "Silence" }), ["Transient", "unknown"])
    assert.deepStrictEqual(ends("write_plain", { _tag: "Crash", crash: "dies" }), ["Permanent", "unknown"])
    assert.deepStrictEqual(ends("write_plain", status(408)), ["Transient", "unknown"])
    assert.deepStrictEqual(ends("write_plain", status(429)), ["Transient", "none"])
    assert.deepStrictEqual(ends("write_plain", status(403)), ["Permanent", "none"])
    assert.deepStrictEqual(ends("write_plain", status(503)), ["Transient", "unknown"])
    assert.deepStrictEqual(ends("write_plain", status(503, { "Retry-After": "1" })), ["Transient", "none"])
    for (const fault of ["refused", "unresolved"] as const) {
      assert.deepStrictEqual(ends("write_plain", { _tag: "Fault", fault }), ["Transient", "none"])
    }
    assert.strictEqual(
      ends("search_orders", text(`{"orders":[`))[0],
      "SchemaMismatch PartialData SemanticGarbage Permanent"
    )
    assert.strictEqual(ends("read_text", text("anything"))[0], "Success")
    assert.deepStrictEqual(ends("read_checked", text(`{"id":"long"}`))[0], "Permanent")
  })

  it("13.6 is for a fault what the classifier makes of it, and for an odd value a broken contract", () => {
    for (const name of Fault.names) {
      const { tags } = Fault.named(name)
      assert.include(tags, classify(Fault.named(name).make(), { access: "read", arguments: { q: "a" } }).tag, name)
    }
    const subject = Subject.make(SearchOrders)
    const whole = { orders: [], has_more: false, next_cursor: null }
    assert.isTrue(subject.isResult(whole))
    for (const name of Fault.oddNames) assert.isFalse(subject.isResult(Fault.withOdd(whole, name)), name)
  })
})
