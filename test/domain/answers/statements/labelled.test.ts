/**
 * Compares what answers state about the call with labels that are written by hand (`test/vectors/stated*.jsonl`): a
 * failure, a doubt, a part that failed, or nothing, which makes the answer a plain result.
 */
import { readFileSync } from "node:fs"
import { statementOf } from "#domain/answers/statements/Statement"
import type { Access } from "#domain/tool/Access"
import { classify } from "#kit/replay/RecordedAnswer"
import { assert, describe, it } from "@effect/vitest"

interface LabelledAnswer {
  readonly tool: string
  readonly access: Access
  readonly answer: unknown
  readonly expected: "failure" | "doubt" | "partial" | "result"
}

const tables = ["test/vectors/stated.jsonl", "test/vectors/stated-later.jsonl"]

const labelled: ReadonlyArray<LabelledAnswer> = tables.flatMap((file) =>
  readFileSync(file, "utf8")
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line))
)

/** The classification of the replay, which shows an answer that raises a doubt as a success. */
const classes = { failure: "Failure", doubt: "Success", partial: "Partial", result: "Success" } as const

/** Returns what an answer states about a call without arguments of a tool without a contract. */
const stated = ({ access, answer, tool }: LabelledAnswer): LabelledAnswer["expected"] => {
  const statement = statementOf(answer, {
    tool,
    access,
    arguments: {},
    declares: () => false,
    conforms: true,
    isValue: typeof answer !== "string"
  })
  if (statement === undefined) return "result"
  return statement._tag === "Failure" ? "failure" : statement.isPartial ? "partial" : "doubt"
}

describe("a labelled answer", () => {
  it("3.3, 3.4 about half of the labelled answers are plain results", () => {
    const results = labelled.filter(({ expected }) => expected === "result").length
    assert.isAtLeast(labelled.length, 120)
    assert.isBelow(Math.abs(2 * results - labelled.length), labelled.length / 5)
  })

  for (const one of labelled) {
    const { access, answer, expected, tool } = one
    const text = typeof answer === "string" ? answer : JSON.stringify(answer)
    it(`[${expected === "result" ? "3.4" : "3.3"}] ${text} of the ${access} ${tool} is a ${expected}`, () => {
      assert.strictEqual(stated(one), expected)
      assert.strictEqual(classify({ tool, access, arguments: {}, text, isError: false })._tag, classes[expected])
    })
  }
})
