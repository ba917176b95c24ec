/** Tests of the order in which test files start. */
import { assert, describe, it } from "@effect/vitest"
import { existsSync } from "node:fs"
import { join } from "node:path"
import { slowestFirst, slowFiles } from "./SlowestFirst.ts"
import { root } from "./sources.ts"

const order = (...files: ReadonlyArray<string>) => slowestFirst(files, (file) => file)

describe("the order of test files", () => {
  it("begins with the slow files, and keeps the order of the others", () => {
    const [slowest = "", second = ""] = slowFiles
    assert.deepStrictEqual(order("b.test.ts", second, "a.test.ts", slowest), [
      slowest,
      second,
      "b.test.ts",
      "a.test.ts"
    ])
  })

  it("names only files that exist", () => {
    assert.deepStrictEqual(
      slowFiles.filter((file) => !existsSync(join(root, file))),
      []
    )
  })
})
