/**
 * Tests what answers state about themselves, by labels written by hand before the rules were applied
 * (`test/vectors/statements.jsonl`).
 */
import { readFileSync } from "node:fs"
import { assert, describe, it } from "@effect/vitest"
import { statementsContract, type Vector } from "./StatementsContract.ts"

const vectors: ReadonlyArray<Vector> = readFileSync("test/vectors/statements.jsonl", "utf8")
  .trim()
  .split("\n")
  .map((line) => JSON.parse(line))

describe("the labelled answers", () => {
  it("3.3 include at least 25 examples each of success, failure and not success", () => {
    assert.isAtLeast(vectors.length, 180)
    for (const label of ["success", "failure", "not success"]) {
      assert.isAtLeast(vectors.filter(({ reported }) => reported === label).length, 25, label)
    }
  })
})

statementsContract(vectors)
