/** Checks that docs/specification.md contains each number in brackets, and that each requirement has a test or is ahead. */
import { assert, describe, it } from "@effect/vitest"
import { read, sources } from "./support/sources.ts"

/** The numbers of requirements and sections. */
interface Specification {
  readonly requirements: ReadonlyArray<string>
  readonly sections: ReadonlyArray<string>
  /** Requirements that are not fully met yet. */
  readonly ahead: ReadonlyArray<string>
}

const specificationOf = (page: string): Specification => {
  const [body = "", ahead = ""] = page.split("\n## Ahead of this release\n")
  const found = (text: string, pattern: RegExp) => [...text.matchAll(pattern)].map(([, number = ""]) => number)
  return {
    requirements: found(body, /^\*\*\[(\d+\.\d+)\]\*\*/gmu),
    sections: found(body, /^## (\d+)\. /gmu),
    ahead: found(ahead, /^\| ([\d., ]+) \|/gmu).flatMap((numbers) => numbers.split(", "))
  }
}

const specification = specificationOf(read("docs/specification.md"))

const tests = sources("test/**/*.test.ts")

/** The names of tests and suites. */
const names = [...tests.values()].flatMap((source) =>
  [...source.matchAll(/(?:it|test|describe|layer)(?:\.\w+)*(?:\([^()`"']*\))?\(\s*[`"']([^`"']*)/gu)].map(
    ([, name = ""]) => name
  )
)

/** Returns the numbers that a file cites, such as `[4.7]`. */
const citations = (path: string, source: string) =>
  [...source.matchAll(/\[(\d{1,2}\.\d{1,2})\](?!\()/gu)].map(([, number = ""]) => ({ path, number }))

describe("docs/specification.md", () => {
  it("contains every number in brackets in code and pages", () => {
    const known = new Set([...specification.requirements, ...specification.sections])
    const cited = [
      ...sources("{src,services,layers,kit,test,examples,scripts}/**/*.ts", "docs/*.md", "README.md")
    ].flatMap(([path, source]) => (path === "docs/specification.md" ? [] : citations(path, source)))
    assert.isAbove(cited.length, 50)
    assert.deepStrictEqual(
      cited.filter(({ number }) => !known.has(number)),
      []
    )
  })

  it("contains every number at the start of a test name", () => {
    const known = new Set([...specification.requirements, ...specification.sections])
    const numbers = names.flatMap((name) => {
      const [start = ""] = /^(?:\d{1,2}\.\d{1,2},? )+/u.exec(name) ?? []
      return start.match(/[\d.]+/gu) ?? []
    })
    assert.isAbove(numbers.length, 1_000)
    assert.deepStrictEqual(
      numbers.filter((number) => !known.has(number)),
      []
    )
  })

  it("contains no duplicate requirement, and each requirement has a test or is ahead of this release", () => {
    const { ahead, requirements } = specification
    assert.strictEqual(new Set(requirements).size, requirements.length)
    assert.deepStrictEqual(
      ahead.filter((number) => !requirements.includes(number)),
      []
    )
    const tested = new Set(names.flatMap((name) => name.match(/\b\d{1,2}\.\d{1,2}\b/gu) ?? []))
    assert.deepStrictEqual(
      requirements.filter((number) => !tested.has(number) && !ahead.includes(number)),
      []
    )
  })

  it("is parsed by its headings, its numbers and its last table", () => {
    assert.deepStrictEqual(
      specificationOf(
        "## 2. Tools\n\n**[2.1]** A [2.9].\n\n**[2.10]** B.\n\n## Ahead of this release\n\n| 2.10, 2.1 | x |\n"
      ),
      { requirements: ["2.1", "2.10"], sections: ["2"], ahead: ["2.10", "2.1"] }
    )
  })
})
