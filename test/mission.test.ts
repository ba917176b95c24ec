/** Checks that each demand of `mission.json` names a test that exists, so that no demand loses its proof. */
import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { escapeRegExp } from "#kit/text/EscapeRegExp"
import { paths, read } from "./support/sources.ts"

/** A demand of users, with the test that proves that it is met. */
const Demand = Schema.Struct({
  /** The number of the demand. */
  demand: Schema.String.check(Schema.isPattern(/^\d{3}\.\d+$/u)),
  text: Schema.NonEmptyString,
  /** The number of the requirement or section of docs/specification.md. */
  requirement: Schema.String,
  file: Schema.String,
  /** The name of the test, as in its file. */
  test: Schema.NonEmptyString,
  /** A text of the case that proves the demand, if the test has several cases. */
  case: Schema.optionalKey(Schema.NonEmptyString),
  /** The file with the cases. Default: `file`. */
  caseFile: Schema.optionalKey(Schema.String)
})

const demands = Schema.decodeUnknownSync(Schema.fromJsonString(Schema.Array(Demand)), { onExcessProperty: "error" })(
  read("test/mission.json")
)

const files = new Set(paths("test/**/*.ts"))

/** True if a source has a test with this name. A comment or another text with the name does not count. */
const hasTest = (source: string, name: string): boolean =>
  new RegExp(String.raw`\b(?:it|test)(?:\.\w+)*\(\s*(["'\x60])${escapeRegExp(name)}\1`, "u").test(source)

/** Returns the missing part of a demand's proof, or undefined if the proof is complete. */
const missing = ({
  case: proof,
  caseFile,
  demand,
  file,
  requirement,
  test
}: typeof Demand.Type): string | undefined => {
  if (!files.has(file) || !files.has(caseFile ?? file)) return `${demand}: there is no file ${file}`
  if (!hasTest(read(file), test)) return `${demand}: ${file} has no test "${test}"`
  if (proof !== undefined && !read(caseFile ?? file).includes(proof)) return `${demand}: no case contains "${proof}"`
  const [numbers = ""] = /^[[\]\d., ]+/u.exec(test) ?? []
  return numbers.split(/[^\d.]+/u).includes(requirement)
    ? undefined
    : `${demand}: "${test}" does not prove ${requirement}`
}

describe("mission.json", () => {
  it("has 48 demands, each once and in order", () => {
    const numbers = demands.map(({ demand }) => demand)
    const byNumber = (a: string, b: string) => a.localeCompare(b, "en", { numeric: true })
    assert.lengthOf(numbers, 48)
    assert.deepStrictEqual(numbers, [...new Set(numbers)].toSorted(byNumber))
  })

  it("names for each demand a test whose name begins with the number of the requirement", () => {
    assert.deepStrictEqual(
      demands.flatMap((demand) => missing(demand) ?? []),
      []
    )
  })

  it("reports a file, a test, a case or a number that does not exist", () => {
    const [first] = demands
    assert.isDefined(first)
    const faults = [{ file: "test/none.test.ts" }, { test: "gone" }, { case: "\u0001" }, { requirement: "99.9" }]
    for (const fault of faults) assert.isString(missing({ ...first!, ...fault }), JSON.stringify(fault))
    assert.isFalse(hasTest('// it("a", …)\nconst name = "a"', "a b"))
    assert.isFalse(hasTest('const name = "a"', "a"))
    assert.isTrue(hasTest("it.effect(\n  `a ${b}`, () => {})", "a ${b}"))
  })
})
