/** Tests how a call starts, and which stages act on it. */
import { failed, type Outcome } from "#domain/call/Outcome"
import * as Failure from "#domain/failure/Failure"
import * as Answer from "#pipeline/call/Answer"
import * as Call from "#pipeline/call/Call"
import { compiledOf } from "#pipeline/call/CompiledTool"
import { openAfter, refuse } from "#pipeline/call/Refusal"
import { type BuiltStage, nest } from "#pipeline/call/Stage"
import { typedFailure } from "#pipeline/call/TypedFailure"
import * as UnknownCall from "#pipeline/call/UnknownCall"
import { assert, describe, it } from "@effect/vitest"
import { Context, Effect, Schema } from "effect"
import { callOf, define, turn } from "../support.ts"

const search = define("search")

const made = (over: Partial<Parameters<typeof Call.make>[0]>) =>
  Call.make({
    tool: compiledOf(search),
    input: { q: "a" },
    origin: "text",
    turn: undefined,
    context: Context.empty(),
    guardPolicies: Context.empty(),
    traceId: "t1",
    ...over
  })

describe("a new call", () => {
  it("2.2 of a model accepts any shape, a program's call does not, and both are timed unless stated otherwise", () => {
    const shape = (over: Partial<Parameters<typeof Call.make>[0]>) => {
      const { acceptsAnyShape, isCut, isUntimed, loopAsks, requester } = made(over)
      return [requester, acceptsAnyShape, isCut, isUntimed, loopAsks]
    }
    assert.deepStrictEqual(
      [
        shape({}),
        shape({ origin: "parsed" }),
        shape({ origin: "program" }),
        shape({ origin: "program", requester: "model" }),
        shape({ origin: "program", acceptsAnyShape: true }),
        shape({ acceptsAnyShape: false, isCut: true, isUntimed: true, loopAsks: true })
      ],
      [
        ["model", true, false, false, false],
        ["model", true, false, false, false],
        ["program", false, false, false, false],
        ["model", true, false, false, false],
        ["program", true, false, false, false],
        ["model", false, true, true, true]
      ]
    )
  })

  it("9.1 without an id of a model has the guard's id", () => {
    assert.deepStrictEqual(
      [undefined, "", "c1"].map((callId) => made({ callId }).callId),
      ["t1", "t1", "c1"]
    )
  })

  it("8.1 distinguishes an empty key from no key", () => {
    assert.deepStrictEqual(
      [undefined, "", "k1"].map((idempotencyKey) => {
        const call = made({ idempotencyKey })
        return [call.idempotencyKey, call.hasEmptyKey]
      }),
      [
        ["", false],
        ["", true],
        ["k1", false]
      ]
    )
  })

  it("15.1 has an empty record", () => {
    const { attempts, decisions, faults, innerAttempts, notEnforced } = made({}).trace
    assert.deepStrictEqual([attempts, decisions, faults, innerAttempts, notEnforced], [[], [], [], 0, []])
  })
})

describe("nested stages", () => {
  it.effect("4 run outermost first, and name those that act on the tool", () =>
    Effect.gen(function* () {
      const seen: Array<string> = []
      const acts = (name: string): BuiltStage => ({
        name,
        around: () => (next) => (call) => {
          seen.push(name)
          return next(call)
        }
      })
      const idle = (name: string): BuiltStage => ({ name, around: () => (next) => next })
      const end: Outcome = { _tag: "Success", value: { n: 1 } }
      const stages = [idle("a"), acts("b"), idle("c"), acts("d"), idle("e")]
      const chain = nest(
        stages,
        compiledOf(search),
        () => Effect.die("not expected"),
        () => Effect.succeed(end)
      )
      assert.strictEqual(yield* chain.run(yield* callOf(search)), end)
      assert.deepStrictEqual([chain.acting, seen, chain.tool], [["b", "d"], ["b", "d"], compiledOf(search)])
    })
  )

  it("4 act on no tool if none of them does anything", () => {
    const chain = nest(
      [],
      compiledOf(search),
      () => Effect.die("not expected"),
      () => Effect.die("not expected")
    )
    assert.deepStrictEqual(chain.acting, [])
  })
})

describe("the failure of a call", () => {
  it("3 with a code of incomplete results is Permanent, because a refusal has no data", () => {
    const codes = ["salvaged", "timeout", "invalid_result"] as const
    assert.deepStrictEqual(
      codes.map((code) => refuse({ name: "search", traceId: "t1" }, code, { detail: "" }).failure._tag),
      ["Permanent", "Transient", "SchemaMismatch"]
    )
  })

  it("3.5 is its declared refusal for a typed caller, unless the call may have acted", () => {
    class OutOfStock extends Schema.TaggedError<OutOfStock>("test/OutOfStock")("OutOfStock", { left: Schema.Int }) {}
    const order = define("order_it", { access: "write", refusals: [OutOfStock] })
    const refused = (sideEffect: Failure.SideEffect) =>
      failed(
        Failure.make("Permanent", "out_of_stock", {
          tool: "order_it",
          detail: "",
          refusal: { _tag: "OutOfStock", left: 0 },
          sideEffect
        })
      )
    const unknown = refused("unknown")
    assert.deepStrictEqual(typedFailure(order, refused("none")), new OutOfStock({ left: 0 }))
    assert.strictEqual(typedFailure(order, unknown), unknown.failure)
  })

  const honoured = { mode: "derived", upstreamHonoursKey: true }
  for (const [what, idempotency, attempts, tag, code, isOpen] of [
    ["a Transient failure before the last attempt leaves the action open", honoured, 1, "Transient", "timeout", true],
    [
      "a Transient failure of the last attempt does not leave the action open",
      honoured,
      2,
      "Transient",
      "timeout",
      false
    ],
    ["a halt before the last attempt leaves the action open", honoured, 1, "Permanent", "halted", true],
    ["a store that does not respond leaves the action open", honoured, 1, "Permanent", "store_unavailable", true],
    [
      "an answer that no attempt can change does not leave the action open",
      honoured,
      1,
      "Permanent",
      "not_found",
      false
    ],
    [
      "a failure of an upstream that ignores the key does not leave the action open",
      "derived",
      1,
      "Transient",
      "timeout",
      false
    ]
  ] as const) {
    it.effect(`8.3 ${what}`, () =>
      Effect.gen(function* () {
        const write = define("write_it", { access: "write", idempotency, retry: { attempts: 2 } })
        const call = yield* callOf(write)
        for (let n = 0; n < attempts; n++) call.trace.attempts.push({} as never)
        const failure = Failure.make(tag, code, { tool: "write_it", detail: "" })
        assert.deepStrictEqual(openAfter(call, failure), isOpen ? { isOpen } : {})
      })
    )
  }
})

describe("an answer that states its failure", () => {
  it("5.2 keeps the headers of its response, which may say when to call again", () => {
    const headers = { "retry-after": "3" }
    const response = { _tag: "Response", status: 200, headers, text: "{}", bytes: 2, cut: false } as const
    const value = { _tag: "Value", value: { ok: false } } as const
    assert.deepStrictEqual(Answer.stated("busy", response), {
      _tag: "Stated",
      error: "busy",
      answer: response,
      headers
    })
    assert.deepStrictEqual(Answer.stated("busy", value), { _tag: "Stated", error: "busy", answer: value })
  })
})

describe("a call whose side effect is unknown", () => {
  const redactor = {
    failure: (failure: Failure.Failure) => failure,
    data: () => "[redacted]",
    text: (text: string) => text
  }
  const outcome = (code: string) =>
    failed(Failure.make("HumanReview", code, { tool: "search", detail: "It is not known.", sideEffect: "unknown" }))

  it.effect("10.5 is stored with its turn, its call and its redacted arguments", () =>
    Effect.gen(function* () {
      const call = yield* callOf(search)
      assert.deepStrictEqual(
        UnknownCall.describe(call, outcome("outcome_unknown"), redactor, { args: { q: "secret" }, binding: "b1" }),
        {
          binding: "b1",
          isAnswered: false,
          tool: "search",
          code: "outcome_unknown",
          sentence: "It is not known whether search was done.",
          arguments: "[redacted]",
          idempotencyKey: "",
          turn,
          traceId: "trace",
          callId: "call"
        }
      )
    })
  )

  it.effect("10.5 is stored without a turn if it was made outside of one, and says that the upstream answered", () =>
    Effect.gen(function* () {
      const call = yield* callOf(search, { turn: undefined, callId: "trace" })
      const { sentence: _, ...stored } = UnknownCall.describe(call, outcome("internal"), redactor, {
        args: {},
        binding: "b1"
      })
      assert.deepStrictEqual(stored, {
        binding: "b1",
        isAnswered: true,
        tool: "search",
        code: "internal",
        arguments: "[redacted]",
        idempotencyKey: "",
        traceId: "trace"
      })
    })
  )
})
