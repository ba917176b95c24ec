/**
 * Tests what answers of writes state about their own action in every channel, by the tables of `test/domain/answers`
 * (`test/vectors/stated.jsonl`, `stated-later.jsonl`).
 */
import { readFileSync } from "node:fs"
import { statementsContract, type Vector } from "./StatementsContract.ts"

/** What is reported about a call, by the label of its answer. */
const reportedOf = { failure: "failure", doubt: "not success", partial: "not success", result: "success" } as const

const linesOf = (file: string): ReadonlyArray<string> => readFileSync(`test/vectors/${file}`, "utf8").trim().split("\n")

statementsContract(
  ["stated.jsonl", "stated-later.jsonl"].flatMap(linesOf).map((line) => {
    const labelled = JSON.parse(line) as Omit<Vector, "reported"> & { readonly expected: keyof typeof reportedOf }
    return { ...labelled, reported: reportedOf[labelled.expected] }
  })
)
