/** Tests the stage `decodeArguments` alone: the key of a model in its arguments, and what the record says. */
import type { Turn } from "#domain/turn/Turn"
import * as Trace from "#pipeline/call/Trace"
import { decodeArguments } from "#pipeline/stages/decodeArguments"
import { Guard } from "#src/guard/Guard"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { alone, define, type Tool, turn } from "../support.ts"

const keyed = define("pay_it", { access: "write", idempotency: "key" })
const key = "voucher-2026-nov"
const Guarded = Schema.Struct({ q: Schema.Literals(["apple", "pear"]) })
const secret = "password=correct-horse-battery"

/** Runs the stage for an input. Returns the outcome, the decisions, the trace and the call that was passed on. */
const made = (tool: Tool, input: unknown, over: object = {}) =>
  Effect.gen(function* () {
    const trace = Trace.make(undefined)
    const stage = yield* alone(decodeArguments, tool)
    const outcome = yield* stage.run({ trace, input, ...over })
    const decisions = trace.decisions.map(({ decision, reason }): ReadonlyArray<string> => [decision, reason])
    return { outcome, passed: stage.passed[0], trace, decisions }
  }).pipe(Effect.provide(Guard.memory))

const keyOf = (over: object = {}, tool = keyed) =>
  Effect.map(made(tool, { q: "a", idempotency_key: key }, over), ({ passed }) => passed?.idempotencyKey)

describe("decodeArguments: the key of a model", () => {
  it.effect("8.1 the key is taken out of the arguments, and is replaced by a digest", () =>
    Effect.gen(function* () {
      const { passed, trace } = yield* made(keyed, { q: "a", idempotency_key: key })
      assert.deepStrictEqual(passed?.arguments, { q: "a" })
      assert.deepStrictEqual(trace.arguments, { q: "a" })
      assert.match(passed?.idempotencyKey ?? "", /^idem_[0-9a-f]{32}$/u)
    })
  )

  it.effect("8.1 a key that a program chose is used unchanged", () =>
    Effect.gen(function* () {
      assert.strictEqual(yield* keyOf({ requester: "program" }), key)
    })
  )

  it.effect("8.1 arguments without a key are decoded as they are, also if they are no object", () =>
    Effect.gen(function* () {
      const { passed } = yield* made(keyed, { q: "a" })
      assert.deepStrictEqual([passed?.arguments, passed?.idempotencyKey], [{ q: "a" }, ""])
      for (const input of [null, "text", undefined, 7]) {
        const { outcome } = yield* made(keyed, input)
        assert(outcome._tag === "Failure")
        assert.strictEqual(outcome.failure.code, "invalid_arguments")
        assert.notInclude(outcome.failure.detail, "idempotency_key")
      }
    })
  )

  for (const [what, value, isTaken] of [
    ["of 15 characters", "x".repeat(15), false],
    ["of 16 characters", "x".repeat(16), true],
    ["of 200 characters", "x".repeat(200), true],
    ["of 201 characters", "x".repeat(201), false],
    ["that is a number", 1_234_567_890_123_456, false],
    ["that is a list", Array.from({ length: 20 }, () => "x"), false]
  ] as const) {
    it.effect(`8.1 a key ${what} is ${isTaken ? "taken" : "refused with the remedy"}`, () =>
      Effect.gen(function* () {
        const { decisions, outcome, passed } = yield* made(keyed, { q: "a", idempotency_key: value })
        assert.strictEqual(passed !== undefined, isTaken)
        if (outcome._tag === "Success") return
        const { code, detail, hint } = outcome.failure
        assert.deepStrictEqual([code, hint], ["invalid_arguments", "Leave idempotency_key out; it is optional."])
        assert.include(detail, "idempotency_key: expected a string of 16 to 200 characters")
        assert.deepStrictEqual(decisions, [["refused", "the idempotency key is malformed"]])
      })
    )
  }

  it.effect("8.3 the same key is another key in another conversation, tenant or principal", () =>
    Effect.gen(function* () {
      const of = (more: Partial<Turn>) => keyOf({ turn: { ...turn, ...more } })
      const first = yield* of({})
      assert.strictEqual(yield* of({ turn: "later" }), first)
      for (const more of [{ conversation: "c2" }, { tenant: "t2" }, { principal: "p2" }])
        assert.notStrictEqual(yield* of(more), first)
      assert.match((yield* keyOf({ turn: undefined })) ?? "", /^idem_/u)
    })
  )

  it.effect("8.3 it is the same key in all conversations of a principal if the tool says so or none is named", () =>
    Effect.gen(function* () {
      const ofPrincipal = define("pay_it", { access: "write", idempotency: { mode: "key", scope: "principal" } })
      const of = (tool: Tool, more: Partial<Turn>) => keyOf({ turn: { ...turn, principal: "p", ...more } }, tool)
      const other = { conversation: "c2" }
      assert.strictEqual(yield* of(ofPrincipal, {}), yield* of(ofPrincipal, other))
      assert.strictEqual(yield* of(keyed, { isAlone: true }), yield* of(keyed, { ...other, isAlone: true }))
      assert.strictEqual(yield* of(ofPrincipal, {}), yield* of(keyed, { isAlone: true }))
      assert.notStrictEqual(yield* of(keyed, { isAlone: false }), yield* of(keyed, { ...other, isAlone: false }))
    })
  )
})

describe("decodeArguments: violations", () => {
  it.effect("4.4 the record has the instruction that the model reads, and the faults", () =>
    Effect.gen(function* () {
      const { decisions, outcome, trace } = yield* made(define("search"), { q: 7 })
      assert(outcome._tag === "Failure")
      assert.deepStrictEqual(decisions, [["refused", outcome.failure.detail]])
      assert.lengthOf(trace.argumentFaults, 1)
    })
  )

  it.effect("2.2 a tool that only advises gets the arguments as they are, and the record has the violation", () =>
    Effect.gen(function* () {
      const { passed, trace } = yield* made(define("search", { enforce: "advise" }), { q: 7 })
      assert.deepStrictEqual([passed?.arguments, trace.arguments], [{ q: 7 }, { q: 7 }])
      assert.include(passed?.key(), '"q":7')
      assert.deepStrictEqual(
        trace.notEnforced.map(({ code }) => code),
        ["invalid_arguments"]
      )
    })
  )

  it.effect("4.15 the instruction repeats no value that the redactor would mask", () =>
    Effect.gen(function* () {
      const detailOf = (q: string) =>
        Effect.map(made(define("search", { parameters: Guarded }), { q }), ({ outcome }) =>
          outcome._tag === "Failure" ? outcome.failure.detail : ""
        )
      assert.include(yield* detailOf("banana"), "banana")
      assert.notInclude(yield* detailOf(secret), secret)
    })
  )
})
