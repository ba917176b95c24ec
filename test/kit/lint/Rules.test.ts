/** Tests that each rule reports its bad example and not its good one, and has a page in the documentation. */
import type * as Lint from "#kit/lint/Lint"
import { rules } from "#kit/lint/Rules"
import * as Settings from "#kit/lint/Settings"
import { assert, describe, it } from "@effect/vitest"
import { readdirSync } from "node:fs"
import { join } from "node:path"
import { handwritten, pages } from "../../../scripts/lint.ts"
import { read, root } from "../../support/sources.ts"
import { lintText } from "./support.ts"

/** Returns settings with only one rule on. A rule about suppressions also needs the suppressed rule `name-verb-first`. */
const settingsFor = (id: string, options = {}): Settings.Settings =>
  id.startsWith("suppression-")
    ? {
        ...Settings.defaults,
        levelOf: (rule) => (rule.id === id || rule.id === "name-verb-first" ? rule.severity : "off")
      }
    : Settings.only(id, options)

/** Returns how many findings a rule has in each preset. */
const countByPreset = (text: string, id: string) => ({
  default: lintText(text, Settings.only(id)).findings.length,
  strict: lintText(text, Settings.only(id, {}, "strict")).findings.length
})

const countFindings = (text: string, id: string, options = {}): number =>
  lintText(text, settingsFor(id, options)).findings.filter(({ rule }) => rule === id).length

describe("the rules", () => {
  for (const { example, id } of rules) {
    it(`13.3 ${id} reports its bad example, and not its good one`, () => {
      assert.isAbove(countFindings(example.bad, id, example.options), 0)
      assert.strictEqual(countFindings(example.good, id, example.options), 0)
    })
  }

  for (const { id, strict } of rules) {
    if (strict === undefined) continue
    it(`14 ${id} reports the bad example of the preset strict only in strict, and the good one in neither`, () => {
      assert.strictEqual(countByPreset(strict.bad, id).default, 0)
      assert.isAbove(countByPreset(strict.bad, id).strict, 0)
      assert.deepStrictEqual(countByPreset(strict.good, id), { default: 0, strict: 0 })
    })
  }

  it("13.3 have unique ids, a requirement and a reason", () => {
    assert.strictEqual(new Set(rules.map(({ id }) => id)).size, rules.length)
    for (const { id, title, why } of rules) {
      assert.match(id, /^[a-z]+(-[a-z]+)*$/)
      assert.match(title, /^[A-Z`].{10,120}\.$/)
      assert.isAbove(why.length, 80)
      assert.isBelow(why.length, 1_000)
    }
  })

  it("13.3 are documented, one page per rule (if not, run: node scripts/lint.ts)", () => {
    const expected = pages()
    for (const [name, text] of expected) assert.strictEqual(read(`docs/lint/${name}`), text, name)
    assert.deepStrictEqual(
      readdirSync(join(root, "docs/lint")).filter((name) => !expected.has(name) && !handwritten.has(name)),
      []
    )
  })

  it("13.3 are off if the configuration turns them off", () => {
    const settings: Settings.Settings = { ...Settings.defaults, levelOf: () => "off" }
    for (const { example } of rules) {
      assert.deepStrictEqual(lintText(example.bad, settings), { findings: [], suppressed: [] } satisfies Lint.Outcome)
    }
  })
})
