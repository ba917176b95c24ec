import { assert, describe, it } from "@effect/vitest"
import { readFileSync } from "node:fs"
import * as Pipeline from "#pipeline/Pipeline"
import { questions } from "#kit/explain/Phrases"

const decides = (name: string): boolean =>
  readFileSync(new URL(`../../../src/pipeline/stages/${name}.ts`, import.meta.url), "utf8").includes("decide(")

describe("the phrases of explain", () => {
  it("13.1 each stage that records a decision has a question", () => {
    const deciding = [...Pipeline.stages, ...Pipeline.modelStages].map(({ name }) => name).filter(decides)
    assert.isAbove(deciding.length, 15)
    assert.deepStrictEqual(
      deciding.filter((name) => (questions.get(name) ?? "") === ""),
      []
    )
  })
})
