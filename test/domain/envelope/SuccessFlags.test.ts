/** Tests the flags of a success in its envelope: each fact alone, and the facts together. */
import { assert, describe, it } from "@effect/vitest"
import { type Success, success } from "#domain/call/Outcome"
import { flagsOf } from "#domain/envelope/SuccessFlags"
import type { LoopVerdict } from "#domain/loop/LoopDetector"
import * as EffectHint from "#domain/failure/EffectHint"

const of = (more: Partial<Success>, lookup?: string, text = "[1]") =>
  flagsOf({ ...success([1]), ...more }, text, lookup)

const loop = (pattern: "identical" | "cycle", _tag: "Tell" | "Stop" = "Tell") =>
  ({ _tag, pattern, count: 2, reason: "Do something else.", isEnd: false }) as LoopVerdict

const again = (seconds: string) => `Not finished yet. Call again after ${seconds} for a new status.`

describe("SuccessFlags", () => {
  it("5.1 each fact about a success has its flag or its notice", () => {
    for (const [more, flags] of [
      [{}, undefined],
      [{ loop: { _tag: "Proceed" } }, undefined],
      [{ usedFallback: "cache" }, { used_fallback: "cache" }],
      [{ idempotent: true }, { _idempotent: true }],
      [{ unchanged: true }, { unchanged: true }],
      [{ notExecuted: "It was done before." }, { executed: false, notice: "It was done before." }],
      [{ loop: loop("identical") }, { unchanged: true }],
      [{ loop: loop("cycle") }, { notice: "Do something else." }],
      [{ loop: loop("cycle", "Stop") }, { notice: "Do something else." }],
      [{ readAgainMillis: 1 }, { notice: again("1 second") }],
      [{ readAgainMillis: 1_000 }, { notice: again("1 second") }],
      [{ readAgainMillis: 1_001 }, { notice: again("2 seconds") }],
      [{ isAccepted: true }, { notice: EffectHint.accepted() }],
      [{ isAccepted: true, readAgainMillis: 2_000 }, { notice: `${EffectHint.onlyAccepted} ${again("2 seconds")}` }],
      [{ statedFailure: "It says: no." }, { notice: `It says: no. ${EffectHint.unproven()}` }],
      [{ statedFailure: "It says: no.", isAccepted: true }, { notice: `It says: no. ${EffectHint.unproven()}` }]
    ] as const satisfies ReadonlyArray<readonly [Partial<Success>, unknown]>)
      assert.deepStrictEqual(of(more), flags, JSON.stringify(more))
    assert.deepStrictEqual(of({ isAccepted: true }, "find"), { notice: EffectHint.accepted("find") })
    assert.deepStrictEqual(of({ statedFailure: "It says: no." }, "find"), {
      notice: `It says: no. ${EffectHint.unproven("find")}`
    })
  })

  it("5.1 of several notices, what happened takes precedence over a loop, and a loop over unfinished work", () => {
    const all = {
      usedFallback: "cache",
      idempotent: true,
      unchanged: true,
      notExecuted: "It was done before.",
      loop: loop("cycle"),
      readAgainMillis: 2_000
    } as const
    assert.deepStrictEqual(of(all, undefined, "null"), {
      empty: true,
      used_fallback: "cache",
      _idempotent: true,
      unchanged: true,
      executed: false,
      notice: "It was done before."
    })
    assert.deepStrictEqual(
      of({ ...all, isAccepted: true })?.notice,
      ["It was done before.", EffectHint.onlyAccepted, again("2 seconds")].join(" ")
    )
    assert.deepStrictEqual(of({ loop: loop("cycle"), readAgainMillis: 2_000 }), { notice: "Do something else." })
    assert.deepStrictEqual(of({ loop: loop("identical"), readAgainMillis: 2_000 }), {
      unchanged: true,
      notice: again("2 seconds")
    })
  })

  it("5.3 null, a blank text, an empty list and an empty object are empty", () => {
    for (const text of ["null", "[]", "{}", '""', '" "', String.raw`" \n\t\r\f "`])
      assert.deepStrictEqual(of({}, undefined, text), { empty: true }, text)
    for (const text of ["0", "false", '"a"', '" a "', '"null"', '"[]"', String.raw`"\\n"`, "[[]]", '{"a":""}', '[""]'])
      assert.isUndefined(of({}, undefined, text), text)
  })
})
