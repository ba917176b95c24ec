/**
 * Tests that the skill that reviews tool definitions agrees with the rules, and that its corrected example has no
 * finding.
 */
import { stepList } from "#kit/lint/report/RulePage"
import { rules } from "#kit/lint/Rules"
import * as Settings from "#kit/lint/Settings"
import { steps } from "#kit/lint/Steps"
import { assert, describe, it } from "@effect/vitest"
import { read } from "../../support/sources.ts"
import { lintText } from "./support.ts"

const skill = read("kit/skills/tool-use-schema-review/SKILL.md")
const [, stepsText = ""] = /## The steps\n([^]*?)\n## /u.exec(skill) ?? []

describe("the skill tool-use-schema-review", () => {
  it("14 has a name, and a description with triggers", () => {
    assert.match(skill, /^---\nname: tool-use-schema-review\ndescription: .{100,1024}\n---\n/u)
    assert.match(skill, /^description: .*Use it when .*Triggers are /mu)
  })

  it("14 names every rule in its step, and no other rule", () => {
    const lines = stepsText.trim().split("\n")
    assert.strictEqual(lines.length, steps.length)
    const named = lines.map((line) =>
      [...(/Rules: (.*)/u.exec(line)?.[1] ?? "").matchAll(/`([a-z-]+)`/gu)].map(([, id]) => id)
    )
    assert.deepStrictEqual(
      named,
      steps.map(({ rules }) => [...rules])
    )
    assert.strictEqual(named.flat().length, rules.length)
    // `node scripts/lint.ts` writes the steps
    assert.strictEqual(stepsText.trim(), stepList())
  })

  it("14 shows a definition that fails the preset strict, and the corrected definition, which has no finding", () => {
    const [before = "", after = ""] = [...skill.matchAll(/```json\n([^]*?)\n```/gu)].map(([, json = ""]) => json)
    const strict = Settings.of("strict")
    assert.isAbove(lintText(before, strict).findings.length, 8)
    assert.deepStrictEqual(lintText(after, strict).findings, [])
  })
})
