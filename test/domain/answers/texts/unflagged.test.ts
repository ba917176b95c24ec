/**
 * Compares the failures that are recognised in answers without an error flag with labels that are written by hand
 * (`test/vectors/unflagged.jsonl`, `errors-own.jsonl`, `answers-own.jsonl`).
 */
import { readFileSync } from "node:fs"
import { assert, describe, it } from "@effect/vitest"
import { failureOutputIn } from "#domain/answers/texts/FailureOutput"
import { soleFailureIn, unflaggedFailureIn } from "#domain/answers/texts/SoleFailure"
import { answersIn } from "#domain/answers/WrappedAnswers"

const rowsOf = <A>(name: string): ReadonlyArray<A> =>
  readFileSync(`test/vectors/${name}.jsonl`, "utf8")
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as A)

describe("answers without an error flag", () => {
  it("3.4 of the vectors, one result is called a failure, and 66 of 109 failures are recognised", () => {
    const rows = rowsOf<{ readonly tool: string; readonly answer: unknown; readonly expected: string }>("unflagged")
    const called = rows.filter(({ answer, tool }) => unflaggedFailureIn(answersIn(answer), tool) !== undefined)
    assert.deepStrictEqual(
      called.flatMap(({ answer, expected }) => (expected === "failure" ? [] : [answer])),
      ["Nothing to commit, working tree clean"]
    )
    assert.strictEqual(called.length - 1, 66)
  })

  const errors = rowsOf<{ readonly message: string }>("errors-own").map(({ message }) => message)
  const counts = [82, 81, 81, 79, 77, 83, 79, 73, 77, 78, 78, 77]
  for (const [part, count] of counts.entries())
    it(`3.4 of the labelled errors, ${count} of 121 are recognised as texts: every twelfth from ${part}`, () => {
      const recognised = errors.filter(
        (message, index) => index % 12 === part && failureOutputIn(message) !== undefined
      )
      assert.strictEqual(recognised.length, count)
    })

  it("3.4 of the labelled answers, 235 of 430 failures and 3 of 213 results are sole failures", () => {
    interface Labelled {
      readonly tool: string
      readonly text: string
      readonly label: string
      readonly isError: boolean
    }
    const called = rowsOf<Labelled>("answers-own")
      .filter(({ isError, text, tool }) => !isError && soleFailureIn(answersIn(text), tool, "read") !== undefined)
      .map(({ label }) => label)
    const results = called.filter((label) => label === "ok")
    assert.deepStrictEqual([called.length - results.length, results.length], [235, 3])
  })
})
