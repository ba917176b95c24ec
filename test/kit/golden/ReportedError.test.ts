/** Tests the errors in golden files: what is compared, what an update writes, and which files are refused. */
import { compare } from "#kit/golden/Comparison"
import * as DifferenceText from "#kit/golden/DifferenceText"
import * as GoldenFile from "#kit/golden/GoldenFile"
import type { ErrorFields } from "#kit/golden/ReportedError"
import type { Round } from "#kit/golden/Sequence"
import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"

describe("the error in a golden file", () => {
  it("13.5 compares and updates only the fields that an expected error has, and adds an error that is absent", () => {
    const fields = { code: "tool_failed", side_effect: "unknown", next_step: "ask_user", retryable: false }
    const failed = (more: ErrorFields, isOfRecord?: true): ReadonlyArray<Round> => [
      [
        {
          tool: "a",
          arguments: { n: 1 },
          hasFailed: true,
          error: { fields: { ...fields, ...more }, ...(isOfRecord === undefined ? {} : { isOfRecord }) }
        }
      ]
    ]
    const file = (error: object): GoldenFile.Golden =>
      Result.getOrThrow(
        GoldenFile.read(
          JSON.stringify({
            scenario: "s",
            rounds: [[{ tool: "a", arguments: { n: 1 }, fails: true, note: "why", ...error }]]
          })
        )
      )
    const errorOf = ({ rounds }: GoldenFile.Golden) => rounds[0]?.[0]?.error
    const found = (error: object, run: ReadonlyArray<Round>) => {
      const { differences, updated } = compare(file(error), run)
      assert.strictEqual(updated.rounds[0]?.[0]?.["note"], "why")
      return [differences.flatMap(DifferenceText.lines).slice(1), errorOf(updated)]
    }
    assert.deepStrictEqual(found({}, failed({})), [[], fields], "an older file matches")
    assert.deepStrictEqual(found({ error: {} }, failed({})), [[], {}], "an empty error stays empty")
    assert.deepStrictEqual(found({ error: { code: "tool_failed" } }, failed({ side_effect: "none" })), [
      [],
      { code: "tool_failed" }
    ])
    assert.deepStrictEqual(found({ error: { side_effect: "unknown" } }, failed({ side_effect: "none" })), [
      ['  error.side_effect: expected "unknown", got "none"'],
      { side_effect: "none" }
    ])
    const record = [
      [
        {
          tool: "a",
          arguments: { n: 1 },
          hasFailed: true,
          error: { fields: { code: "tool_failed", side_effect: "unknown" }, isOfRecord: true as const }
        }
      ]
    ]
    assert.deepStrictEqual(found({ error: fields }, record), [[], fields], "records have no next_step and retryable")
    assert.deepStrictEqual(found({ error: { error_class: "transient" } }, record), [
      [`  error.error_class: expected "transient", got absent`],
      {}
    ])
    assert.deepStrictEqual(
      found({ error: { code: "tool_failed" } }, [[{ tool: "a", arguments: { n: 1 }, hasFailed: true }]]),
      [[`  error: expected {"code":"tool_failed"}, got absent`], undefined]
    )
    assert.deepStrictEqual(found({ error: fields }, [[{ tool: "a", arguments: { n: 1 }, hasFailed: false }]]), [
      ["  fails: expected true, got false"],
      undefined
    ])
    assert.deepStrictEqual(found({ error: fields }, [[{ ...failed({ code: "x" })[0]![0]!, arguments: { n: 2 } }]])[0], [
      '  error.code: expected "tool_failed", got "x"',
      "  n: expected 1, got 2"
    ])
  })

  it("13.5 refuses a file whose error has an unknown field or a value of another type, and names the place", () => {
    const refused = (error: unknown): string =>
      Result.getOrThrow(
        Result.flip(GoldenFile.read(JSON.stringify({ scenario: "s", rounds: [[{ tool: "a", arguments: {}, error }]] })))
      )
    assert.strictEqual(
      refused({ sideEffect: "none" }),
      "rounds[0][0].error.sideEffect: unknown field; nearest: side_effect"
    )
    assert.strictEqual(refused({ retryable: "no" }), "rounds[0][0].error.retryable: expected boolean, got string")
    assert.strictEqual(refused("it broke"), "rounds[0][0].error: expected object, got string")
  })
})
