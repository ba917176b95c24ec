/** Tests that the imports of tools with random definitions have the same contracts. */
import { assert, describe, it } from "@effect/vitest"
import { toolsOf } from "./randomTools.ts"
import { summaries } from "./summaries.ts"
import { box } from "./support.ts"

describe("tools and their imports", () => {
  it("2.3 have equal JSON Schemas, names, descriptions, access and keys for random definitions", () => {
    for (const tool of toolsOf(300)) {
      const { after, before } = summaries(box([tool]))
      assert.deepStrictEqual(after, before)
    }
  })
})
