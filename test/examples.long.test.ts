/** Checks that every example in README, guides and JSDoc type-checks, runs, and has the stated values. */
import { assert, describe, it } from "@effect/vitest"
import { blocks, isExample, run } from "./support/examples.ts"
import { sources } from "./support/sources.ts"

const documents = sources("README.md", "docs/*.md", "src/**/*.ts", "services/**/*.ts", "layers/**/*.ts", "kit/**/*.ts")
const examples = [...documents].flatMap(([path, text]) => blocks(path, text)).filter(isExample)

/** Returns the code blocks of a README with one example. */
const readme = (code: string) => blocks("README.md", `# Title\n\n\`\`\`ts import.meta.vitest\n${code}\n\`\`\`\n`)

/**
 * A correct example and four faulty ones. They run with the others, because a type check of one example takes as long as
 * one of all examples.
 */
const faulty = [
  ...readme(`const one = 1\none + 1 // => 2`),
  ...readme(`\nconst one = 1\none + 1 // => 3`),
  ...readme(`throw new Error("thrown")`),
  ...readme(`\nconst text: string = 1`),
  ...readme(`if (1 + 1 === 2) {\n  // => 3\n}`)
]

describe("examples", async () => {
  const results = await run([...examples, ...faulty])

  for (const [index, example] of examples.entries()) {
    it(`${example.path}:${example.line} runs and has the stated values`, () => assert.strictEqual(results[index], ""))
  }

  it("with a wrong value, an exception, a type error or an assertion without an expression are reported", () => {
    const faults = results.slice(examples.length)
    assert.lengthOf(faults, 5)
    assert.strictEqual(faults[0], "")
    assert.match(faults[1] ?? "", /^Expected values to be strictly deep-equal:\n\n2 !== 3\n$/)
    assert.strictEqual(faults[2], "thrown")
    assert.strictEqual(faults[3], `line 5: error TS2322: Type 'number' is not assignable to type 'string'.`)
    assert.strictEqual(faults[4], `Error: There is nothing to assert before "// => 3".`)
  })
})
