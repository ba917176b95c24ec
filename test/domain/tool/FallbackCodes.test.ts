import { codes } from "#domain/failure/FailureCode"
import * as FallbackCodes from "#domain/tool/FallbackCodes"
import { assert, describe, it } from "@effect/vitest"

/** The codes of a tool with a custom check, and of a tool without one. */
const own = { known: ["empty_result", "stale_price"], mayHaveOthers: true }
const ready = { known: ["empty_result"], mayHaveOthers: false }

const circular: Record<string, unknown> = {}
circular["self"] = circular

describe("the codes of a fallback", () => {
  it("4.12 are the codes of the guard after which a fallback may run, and those of the tool's checks", () => {
    const allowed = Object.keys(codes).filter((code) => !FallbackCodes.isBarred(code))
    assert.isAbove(allowed.length, 20)
    for (const on of [allowed, ...allowed.map((code) => [code]), ["empty_result", "unavailable"]])
      for (const checks of [own, ready]) assert.isUndefined(FallbackCodes.faultOf(on, checks), on.join())
    assert.isUndefined(FallbackCodes.faultOf(["stale_price"], own))
  })

  it("4.12 a code that is near no known code may be that of a custom check", () => {
    assert.isUndefined(FallbackCodes.faultOf(["qqqqqq", "not_found"], own))
  })

  it("4.12 the fault and the remedy are stated", () => {
    const remedy = 'which is not a code; write `on: ["not_found"]`.'
    const cases: ReadonlyArray<readonly [on: unknown, checks: typeof own, fault: string]> = [
      ["not_found", own, 'is not a list; write `on: ["not_found"]`.'],
      [{ 0: "not_found", length: 1 }, own, 'is not a list; write `on: ["not_found"]`.'],
      [[], own, "is empty, so the fallback would never run; name codes, or remove `on`."],
      [["not_found", 5], own, `has 5, ${remedy}`],
      [[{ code: "not_found" }], own, `has {"code":"not_found"}, ${remedy}`],
      [[undefined], own, `has undefined, ${remedy}`],
      [[circular], own, `has object, ${remedy}`],
      [[["x".repeat(100)]], own, `has ["${"x".repeat(37)}…, ${remedy}`],
      [
        ["not_found", "outcome_unknown"],
        own,
        'names "outcome_unknown", but no fallback runs after that code, because the action may have been done. Remove the code.'
      ],
      [["not_fuond"], own, 'names "not_fuond", which is not a code; did you mean "not_found"?'],
      [["stale_prices"], own, 'names "stale_prices", which is not a code; did you mean "stale_price"?'],
      [["qqqqqq"], ready, 'names "qqqqqq", which is not a code; docs/failures.md lists the codes.'],
      [["q".repeat(100)], ready, `names "${"q".repeat(63)}…", which is not a code; docs/failures.md lists the codes.`],
      // no fallback runs after the nearest code, invalid_json, so it is not suggested
      [["invalid_jsn"], ready, 'names "invalid_jsn", which is not a code; did you mean "invalid_result"?']
    ]
    assert.deepStrictEqual(
      cases.map(([on, checks]) => FallbackCodes.faultOf(on, checks)),
      cases.map(([, , fault]) => fault)
    )
  })

  it("4.12 the code of a denial needs a fallback that names it, and no fallback runs after some codes", () => {
    const all = Object.keys(codes)
    assert.deepStrictEqual(all.filter(FallbackCodes.isNamedOnly), ["permission_denied"])
    const isBarred = (code: string) => FallbackCodes.isBarred(code)
    assert.deepStrictEqual(
      ["unauthorized", "no_person", "unknown_tool", "not_found", "permission_denied", "constructor"].map(isBarred),
      [true, true, true, false, false, false]
    )
  })
})
