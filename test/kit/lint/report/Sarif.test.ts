/** Tests that the SARIF log has what GitHub's code scanning requires, within its limits. */
import { counts } from "#kit/lint/report/Report"
import { rules } from "#kit/lint/Rules"
import * as Sarif from "#kit/lint/report/Sarif"
import { assert, describe, it } from "@effect/vitest"
import { tool } from "../support.ts"
import { linter, reportOf } from "./reports.ts"

const log = (...lists: ReadonlyArray<readonly [string, unknown]>) => Sarif.of(reportOf(lists), linter).runs[0]!

describe("Sarif", () => {
  it("13.3 describes every rule completely, within the limits", () => {
    const { driver } = log().tool
    assert.deepStrictEqual(
      driver.rules.map(({ id }) => id),
      rules.map(({ id }) => id)
    )
    for (const { defaultConfiguration, fullDescription, help, name, properties, shortDescription } of driver.rules) {
      assert.isBelow(fullDescription.text.length, 1_000)
      assert.isAbove(shortDescription.text.length, 10)
      assert.include(help.markdown, shortDescription.text)
      assert.isAtMost(properties.tags.length, 10)
      assert.include(["error", "warning", "note"], defaultConfiguration.level)
      assert.include(["error", "warning", "recommendation"], properties["problem.severity"])
      assert.match(name, /^[A-Z][A-Za-z]+$/)
    }
  })

  it("13.3 has the rule, the level, one place and a fingerprint of each finding", () => {
    const { results, tool: by } = log([
      "a b/tools.json",
      [tool("weather", "The weather.", { city: { type: "string" } })]
    ])
    assert.isAbove(results.length, 4)
    const [first] = results
    assert.deepStrictEqual(first?.locations, [
      {
        physicalLocation: {
          artifactLocation: { uri: "a%20b/tools.json", uriBaseId: "%SRCROOT%" },
          region: { startLine: 1, startColumn: 3, endLine: 1, endColumn: 9 }
        }
      }
    ])
    for (const { level, message, partialFingerprints, ruleId, ruleIndex } of results) {
      assert.strictEqual(by.driver.rules[ruleIndex]?.id, ruleId)
      assert.include(["error", "warning", "note"], level)
      assert.match(message.text, /^weather: /)
      assert.match(partialFingerprints.primaryLocationLineHash, /^[0-9a-f]{16}:1$/)
    }
  })

  it("13.3 has unique fingerprints, which do not change when tools are added in front", () => {
    const weather = tool("weather", "The weather.", { city: { type: "string" }, day: { type: "string" } })
    const prints = (...tools: ReadonlyArray<object>) =>
      log(["tools.json", tools])
        .results.filter(({ message }) => message.text.startsWith("weather: "))
        .map(({ partialFingerprints }) => partialFingerprints.primaryLocationLineHash)
    assert.deepStrictEqual(prints(weather), prints(tool("get_x", "Gets x."), weather))
    assert.strictEqual(new Set(prints(weather)).size, prints(weather).length)
    assert.notDeepEqual(
      prints(weather),
      log(["other.json", [weather]]).results.map((each) => each.partialFingerprints.primaryLocationLineHash)
    )
  })

  it("13.3 leaves out the least severe findings if there are more than GitHub accepts", () => {
    const properties = Object.fromEntries(
      Array.from({ length: 4_000 }, (_, index) => [`p${index}`, { type: index % 100 === 0 ? "float" : "string" }])
    )
    const report = reportOf([["0.json", [tool("get_x", "Gets x.", properties)]]])
    const lists = report.flatMap((list) =>
      Array.from({ length: 4 }, (_, index) => ({ ...list, file: `${index}.json`, artifact: `${index}.json` }))
    )
    const { results } = Sarif.of(lists, linter).runs[0]!
    assert.strictEqual(results.length, 25_000)
    const found = counts(lists)
    assert.isAbove(found.info + found.warning + found.error, 25_000)
    const kept = (level: string) => results.filter((each) => each.level === level).length
    assert.deepStrictEqual([kept("error"), kept("warning")], [found.error, found.warning])
    assert.strictEqual(found.error, 160)
  })
})
