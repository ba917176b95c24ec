/** Tests what a handler states about its effect, and the sentences about effects that a model reads. */
import * as EffectHint from "#domain/failure/EffectHint"
import * as Failure from "#domain/failure/Failure"
import { ownFailure } from "#domain/failure/OwnFailure"
import * as StatedEffect from "#domain/failure/StatedEffect"
import { assert, describe, it } from "@effect/vitest"
import { Cause } from "effect"

const failure = Failure.ofCode("timeout", { tool: "save_it", detail: "no answer" })

describe("StatedEffect", () => {
  it("3.5 a statement keeps the error, its message and the outermost effect", () => {
    const error = new Error("closed")
    for (const [state, sideEffect] of [
      [StatedEffect.nothingDone, "none"],
      [StatedEffect.done, "committed"],
      [StatedEffect.unknown, "unknown"]
    ] as const) {
      const stated = state(error)
      assert.deepStrictEqual(
        [stated.message, stated.cause, StatedEffect.sideEffectOf(stated)],
        ["closed", error, sideEffect]
      )
      assert.strictEqual(StatedEffect.inner(stated), error)
      assert.strictEqual(StatedEffect.sideEffectOf(StatedEffect.done(stated)), "committed")
      assert.strictEqual(StatedEffect.inner(StatedEffect.done(stated)), error)
    }
    assert.strictEqual(StatedEffect.done(7).message, "7")
    assert.strictEqual(StatedEffect.inner(StatedEffect.done(null)), null)
  })

  it("3.5 any other error states nothing, even if reading it throws", () => {
    const hostile = new Proxy(
      {},
      {
        get: () => {
          throw new Error("no")
        }
      }
    )
    for (const error of [{}, new Error("x"), hostile]) {
      assert.isUndefined(StatedEffect.sideEffectOf(error))
      assert.strictEqual(StatedEffect.inner(error), error)
    }
    assert.isUndefined(StatedEffect.sideEffectOf({ [Symbol.for("effect-toolguard/StatedEffect")]: "maybe" }))
    assert.strictEqual(StatedEffect.done(hostile).message, "")
  })

  it("3.5 reading nested statements terminates, even if they form a cycle", () => {
    const cycle = StatedEffect.done(new Error("x"))
    Object.assign(cycle, { cause: cycle })
    assert.strictEqual(StatedEffect.inner(cycle), cycle)
    const error = new Error("x")
    const nested = (depth: number) =>
      Array.from({ length: depth }).reduce<unknown>((inner) => StatedEffect.done(inner), error)
    assert.strictEqual(StatedEffect.inner(nested(48)), error)
    assert.strictEqual(StatedEffect.sideEffectOf(StatedEffect.inner(nested(49))), "committed")
  })

  it("2.5 a failure of the guard is found inside statements and a rejected promise, and other errors stay unchanged", () => {
    const error = new Error("x")
    const rejected = (cause: unknown) => new Cause.UnknownError(cause)
    assert.strictEqual(ownFailure(StatedEffect.nothingDone(failure)), failure)
    assert.strictEqual(ownFailure(StatedEffect.done(rejected(StatedEffect.done(failure)))), failure)
    assert.strictEqual(ownFailure(StatedEffect.done(error)), error)
    const other = rejected(error)
    assert.strictEqual(ownFailure(other), other)
    const caused = new Error("x", { cause: failure })
    assert.strictEqual(ownFailure(caused), caused)
    assert.strictEqual(ownFailure(null), null)
  })
})

describe("EffectHint", () => {
  it("3.3 a model reads that an action was done, or that its effect is not known, and is not asked to call again", () => {
    assert.deepStrictEqual(
      (["none", "unknown", "committed"] as const).map((sideEffect) => EffectHint.ofDone("timeout", sideEffect)),
      [undefined, undefined, EffectHint.done]
    )
    for (const code of ["done_without_result", "done_unreadable"])
      assert.isUndefined(EffectHint.ofDone(code, "committed"))
    assert.deepStrictEqual((["none", "committed", "unknown"] as const).map(EffectHint.ofPart), [
      undefined,
      EffectHint.done,
      EffectHint.unproven()
    ])
    for (const [text, what] of [
      [EffectHint.uncertain, "whether anything was done"],
      [EffectHint.unproven, "what was done"]
    ] as const) {
      assert.isTrue(text().endsWith(`not known ${what}. Do not repeat the call; ask the user.`))
      assert.include(text("find_it"), `not known ${what}. Do not repeat the call; check with find_it`)
    }
    assert.isTrue(EffectHint.accepted().endsWith("Do not repeat the call."))
    assert.isTrue(EffectHint.accepted("find_it").endsWith("Do not repeat the call; check with find_it."))
  })

  it("3.3 the detail of an incomplete result says what was done, as far as it is known", () => {
    const of = (sideEffect: Failure.SideEffect) => [
      EffectHint.detailOfPart("save_it", sideEffect, undefined),
      EffectHint.detailOfPart("save_it", sideEffect, "3 of 47 rows")
    ]
    assert.deepStrictEqual(of("none"), ["The result is incomplete.", "3 of 47 rows"])
    assert.deepStrictEqual(of("committed"), [
      "save_it was done; its result is incomplete.",
      "save_it was done; its result is incomplete: 3 of 47 rows"
    ])
    assert.deepStrictEqual(of("unknown"), [
      "It is not known whether save_it was done; its result is incomplete.",
      "It is not known whether save_it was done; its result is incomplete: 3 of 47 rows"
    ])
    assert.deepStrictEqual(
      ["done_without_result", "done_unreadable", "timeout"].map((code) => EffectHint.detailOfDone("save_it", code)),
      ["save_it was done; it sent no result.", "save_it was done; its answer could not be read.", undefined]
    )
  })
})
