/** Tests the fixes on the recorded catalogues. */
import { edits, apply } from "#kit/lint/report/Fix"
import { isAtLeast } from "#kit/lint/rules/Severity"
import { assert, describe, it } from "@effect/vitest"
import { recordedData } from "../../../support/data.ts"
import { needs } from "../../../support/prerequisites.ts"
import { catalogues, lintText } from "../support.ts"

const changes = (text: string): ReadonlyArray<string> =>
  edits(text, lintText(text).findings).map(({ change }) => change)

describe("Fix", needs(recordedData), () => {
  it("13.3 corrects every catalogue in one pass, without more errors", () => {
    let made = 0
    for (const [name, text] of catalogues()) {
      const before = lintText(text).findings
      const planned = edits(text, before)
      made += planned.length
      const after = apply(text, planned)
      assert.deepStrictEqual(changes(after), [], name)
      const left = lintText(after).findings
      const errors = (findings: typeof left) => findings.filter(({ severity }) => isAtLeast(severity, "error")).length
      assert.isAtMost(errors(left), errors(before), name)
      // each change removes its finding; a corrected type may have new findings
      assert.isAtMost(
        left.filter(({ rule }) => rule === "additional-properties" || rule === "schema-valid").length,
        before.filter(({ rule }) => rule === "additional-properties" || rule === "schema-valid").length -
          planned.length,
        name
      )
    }
    assert.isAbove(made, 2_000)
  })

  it("13.3 changes the length of a catalogue only by the reported edits, and leaves valid JSON", () => {
    for (const [name, text] of catalogues()) {
      const planned = edits(text, lintText(text).findings)
      const kept = planned.reduceRight((rest, { end, start }) => rest.slice(0, start) + rest.slice(end), text)
      const after = apply(text, planned)
      assert.strictEqual(after.length, kept.length + planned.reduce((sum, edit) => sum + edit.text.length, 0), name)
      assert.isTrue(JSON.stringify(JSON.parse(after)).length > 0)
    }
  })
})
