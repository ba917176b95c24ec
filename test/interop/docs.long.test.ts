/** Runs the examples of the guides that import packages of this folder, and checks the types of the frameworks' tests. */
import { assert, describe, it } from "@effect/vitest"
import { join } from "node:path"
import { blocks, isInteropExample, run } from "../support/examples.ts"
import { needs } from "../support/prerequisites.ts"
import { root, sources } from "../support/sources.ts"
import { tsc } from "../support/tools.ts"
import { packages } from "./packages.ts"

const folder = join(root, "test/interop")
const examples = [...sources("README.md", "docs/*.md")]
  .flatMap(([path, text]) => blocks(path, text))
  .filter(isInteropExample)

describe("examples with packages of other projects", needs(packages("ai")), () => {
  it("run and have the stated values", async () => {
    assert.isAbove(examples.length, 1)
    const results = await run(examples, folder)
    assert.deepStrictEqual(
      examples.flatMap(({ line, path }, index) =>
        results[index] === "" ? [] : [`${path}:${line}: ${results[index]}`]
      ),
      []
    )
  })

  it("the types of the guarded tools are those of the frameworks", async () => {
    assert.strictEqual((await tsc(["--noEmit", "-p", "."], folder)).stdout, "")
  })
})
