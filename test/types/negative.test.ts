/**
 * Tests that mistakes do not compile, and the compiler explains them.
 *
 * Each file in `negative/` contains mistakes, each below one or more comments `// error: <text>`. The compiler's message for
 * the line must contain all of these texts, and no other line may have an error.
 */
import { assert, describe, it } from "@effect/vitest"
import { paths, read } from "../support/sources.ts"
import { tsc } from "../support/tools.ts"

/** Error messages, with their continuation lines, by `file:line`. */
type Errors = ReadonlyMap<string, string>

const folder = "test/types/negative/"

/** Parses the compiler's output, whose paths are relative to its working directory. */
const parseErrors = (output: string): Errors => {
  const errors = new Map<string, string>()
  let place = ""
  for (const line of output.split("\n")) {
    const start = /^(.+?)\((\d+),\d+\): (error .*)$/.exec(line)
    if (start) place = `${start[1]}:${start[2]}`
    if (line.trim() !== "") errors.set(place, `${errors.get(place) ?? ""}${start?.[3] ?? line}\n`)
  }
  return errors
}

/** Returns the texts that the compiler's message for each line must contain. */
const expectedTexts = (
  path: string,
  source: string
): ReadonlyArray<readonly [place: string, texts: ReadonlyArray<string>]> => {
  const found: Array<readonly [string, ReadonlyArray<string>]> = []
  let texts: Array<string> = []
  for (const [index, line] of source.split("\n").entries()) {
    const text = /^\s*\/\/ error: (.+?)\s*$/.exec(line)?.[1]
    if (text !== undefined) texts.push(text)
    else if (texts.length > 0) {
      found.push([`${path}:${index + 1}`, texts])
      texts = []
    }
  }
  return found
}

/** Returns one sentence for each difference between the compiler's errors and the expected errors. */
const differences = (sources: ReadonlyMap<string, string>, errors: Errors): ReadonlyArray<string> => {
  const expected = new Map([...sources].flatMap(([path, source]) => expectedTexts(path, source)))
  return [
    ...[...expected].flatMap(([place, texts]) => {
      const message = errors.get(place)
      if (message === undefined) return [`${place} compiles`]
      return texts.filter((text) => !message.includes(text)).map((text) => `${place} lacks "${text}" in: ${message}`)
    }),
    ...[...errors]
      .filter(([place]) => !expected.has(place))
      .map(([place, message]) => `${place} is unexpected: ${message}`)
  ]
}

describe("negative types", async () => {
  const files = new Map(paths(`${folder}*.ts`).map((path) => [path, read(path)]))
  const { stdout } = await tsc(["--noEmit", "-p", `${folder}tsconfig.json`])
  const errors = parseErrors(stdout)

  for (const [path, source] of files) {
    it(`${path.slice(folder.length)} fails with exactly the errors of its comments`, () => {
      assert.isNotEmpty(expectedTexts(path, source))
      const own = new Map([...errors].filter(([place]) => place.startsWith(`${path}:`)))
      assert.deepStrictEqual(differences(new Map([[path, source]]), own), [])
    })
  }

  it("does not cause errors in other files", () => {
    const others = [...errors].filter(([place]) => !place.startsWith(folder))
    assert.deepStrictEqual(others, [])
  })

  it("detects a missing error, an unexpected error, and an error with another text", () => {
    const source =
      "// error: not assignable\nconst a: string = 1\n// error: missing\nconst b = 1\nconst c: string = 2\n"
    const output =
      "a.ts(2,7): error TS2322: Type 'number' is wrong.\n  Its second line.\na.ts(5,7): error TS2322: New.\n"
    assert.deepStrictEqual(differences(new Map([["a.ts", source]]), parseErrors(output)), [
      `a.ts:2 lacks "not assignable" in: error TS2322: Type 'number' is wrong.\n  Its second line.\n`,
      "a.ts:4 compiles",
      "a.ts:5 is unexpected: error TS2322: New.\n"
    ])
    assert.deepStrictEqual(
      differences(
        new Map([["a.ts", "// error: wrong\n// error: second line\nx\n"]]),
        parseErrors("a.ts(3,1): error TS1: wrong\n  second line\n")
      ),
      []
    )
  })
})
