/** Tests the values that descriptions of parameters list, on invented descriptions in ten languages. */
import { valuesListed } from "#kit/lint/lists/ListedValues"
import { assert, describe, it } from "@effect/vitest"
import { readFileSync } from "node:fs"

interface Vector {
  readonly text: string
  /** The name of the parameter, if it matters. */
  readonly name?: string
  /** The values of the list; empty if the description lists no values, or only examples. */
  readonly values: ReadonlyArray<string>
  /** True if a text may combine several values. */
  readonly combined?: boolean
}

const file = new URL("../../../vectors/listed-values.jsonl", import.meta.url)
const vectors = readFileSync(file, "utf8")
  .trim()
  .split("\n")
  .map((line) => JSON.parse(line) as Vector)

describe("the values that a description lists", () => {
  it("13.3 are those of complete lists, not of examples, forms or refused values", () => {
    assert.isAbove(vectors.filter(({ values }) => values.length > 0).length, 100)
    assert.isAbove(vectors.filter(({ values }) => values.length === 0).length, 100)
    for (const { combined = false, name, text, values } of vectors) {
      const listed = valuesListed(text, name)
      assert.deepStrictEqual(listed.values, values, text)
      assert.strictEqual(listed.isCombined, combined && values.length > 0, text)
    }
  })

  it("13.3 are found in brackets if the name of the parameter says that it has few values", () => {
    assert.deepStrictEqual(valuesListed("Which ones (open, closed)", "issue_state").values, ["open", "closed"])
    assert.deepStrictEqual(valuesListed("Which ones (open, closed)", "sortBy").values, ["open", "closed"])
    assert.deepStrictEqual(valuesListed("Which ones (open, closed)", "query").values, [])
  })

  it("13.3 are the values of all lists if they depend on another parameter", () => {
    const text = "For users, allowed values:\n- name\n- age\n\nFor orders, allowed values:\n- name\n- total"
    assert.deepStrictEqual(valuesListed(text).values, ["name", "age", "total"])
  })
})
