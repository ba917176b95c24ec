/**
 * Tests what is reported about a call, for each answer and each access without a policy. This is the part of
 * `npm run bench:told` that runs in seconds; test/bench/told.long.test.ts runs the whole benchmark.
 */
import { assert, beforeAll, describe, it } from "@effect/vitest"
import { readFileSync } from "node:fs"
import { type Cell, nameOf, run } from "./bench/told/Cells.ts"
import { contradictions, contradictionsOfHint, contradictionsOfStatus } from "./bench/told/Consistency.ts"
import { compare, count, falseReportsOf } from "./bench/told/Counts.ts"
import { Ledger } from "./bench/told/Ledger.ts"
import { pageSituations, updated } from "./bench/told/Page.ts"
import { specified } from "./bench/told/Specification.ts"
import { vectorOf } from "./bench/told/Vectors.ts"

/** Each situation of the page as a call of a model in a loop, and as a call of a program. */
const situations = [
  ...pageSituations,
  ...pageSituations.map((situation) => ({ ...situation, caller: "program" as const }))
]

let cells: ReadonlyArray<Cell> = []

beforeAll(async () => {
  cells = await run(situations)
}, 300_000)

/** Returns the expectation in words, for the name of a test. */
const expectation = (situation: (typeof situations)[number]): string => {
  const { class: tag, code, endsForPerson, outcome, sideEffect } = specified(situation)
  const name = outcome === "success" ? "a success" : `${tag} ${code}`
  return `${name}, ${sideEffect}${situation.caller === "loop" ? `, and the run ${endsForPerson ? "ends for a person" : "continues"}` : ""}`
}

describe("the report on a call", () => {
  for (const [index, situation] of situations.entries()) {
    const { access, answer, caller } = situation
    it(`3.3 ${access}, ${caller}: ${answer.name} is reported as ${expectation(situation)}`, () => {
      const cell = cells[index]
      assert.isDefined(cell)
      assert.deepStrictEqual(falseReportsOf(cell), [])
    })
  }

  it("3.3 the vectors of test/vectors/told.json without a policy are current (npm run bench:told -- --vectors)", () => {
    const vectors = JSON.parse(readFileSync("test/vectors/told.json", "utf8")) as ReadonlyArray<{
      policy: string
      causes: number
    }>
    assert.deepStrictEqual(
      vectors.filter(({ causes, policy }) => policy === "none" && causes === 0) as ReadonlyArray<unknown>,
      cells.slice(0, pageSituations.length).map(vectorOf)
    )
  })

  it("3.3 docs/model-messages.md shows every row (npm run bench:told -- --page)", () => {
    const page = readFileSync("docs/model-messages.md", "utf8")
    assert.strictEqual(updated(page, cells.slice(0, pageSituations.length)), page)
  })
})

describe("the counts of bench:told", () => {
  const cellOf = (answer: string, report: object, done: number): Cell => {
    const situation = pageSituations.find((one) => one.access === "write" && one.answer.name === answer)
    assert.isDefined(situation)
    const ledger = new Ledger(situation.deed)
    ledger.done = done
    const base = { outcome: "failure", sideEffect: "none", recorded: "none", usedFallback: false, endsForPerson: false }
    return { situation, ledger, report: { ...base, ...report } as Cell["report"] }
  }
  const kindsOf = (cell: Cell) => [...new Set(falseReportsOf(cell).map(({ kind }) => kind))]
  const conflict = { class: "ToolArgError", code: "conflicting_value" }

  it("counts each kind of false report", () => {
    assert.deepStrictEqual(kindsOf(cellOf("HTTP 409", conflict, 0)), [])
    assert.deepStrictEqual(kindsOf(cellOf("HTTP 409", conflict, 1)), ["false none"])
    assert.include(
      kindsOf(cellOf("HTTP 204", { sideEffect: "committed", recorded: "committed" }, 0)),
      "false committed"
    )
    const success = { outcome: "success", sideEffect: "committed", recorded: "committed" }
    assert.deepStrictEqual(kindsOf(cellOf("a value", success, 1)), [])
    assert.deepStrictEqual(kindsOf(cellOf("a value", success, 2)), ["false success"])
    assert.deepStrictEqual(kindsOf(cellOf("a value", success, 0)), ["false success"])
    assert.include(
      kindsOf(cellOf("HTTP 409", { ...conflict, sideEffect: "unknown", recorded: "unknown" }, 0)),
      "unknown despite evidence"
    )
    assert.include(kindsOf(cellOf("HTTP 409", { ...conflict, recorded: "unknown" }, 0)), "contradiction")
    assert.deepStrictEqual(kindsOf(cellOf("HTTP 409", { ...conflict, code: "not_found" }, 0)), ["not as specified"])
    const again = cellOf(
      "HTTP 500",
      { class: "HumanReview", code: "outcome_unknown", sideEffect: "unknown", recorded: "unknown" },
      1
    )
    again.ledger.requests = 2
    assert.include(kindsOf(again), "unsafe repetition")
    assert.strictEqual(count(compare([cellOf("a value", success, 2)]))["false success"], 1)
    assert.include(nameOf(again.situation), "HTTP 500")
  })

  it("5.2 finds contradictions within one error", () => {
    const error = {
      error_class: "transient",
      code: "timeout",
      message: "x",
      hint: "Wait, then try again.",
      next_step: "wait",
      retryable: true,
      retry_after_ms: 1
    } as const
    assert.deepStrictEqual(contradictions(error), [])
    assert.isNotEmpty(contradictions({ ...error, side_effect: "unknown" }))
    assert.isNotEmpty(contradictions({ ...error, retryable: false }))
    assert.isNotEmpty(contradictions({ ...error, error_class: "permanent" }))
    assert.isNotEmpty(contradictions({ ...error, next_step: "stop" }))
    assert.isNotEmpty(contradictions({ ...error, hint: "Do not call again." }))
    assert.isNotEmpty(contradictions({ ...error, human_review: true }))
    const { retry_after_ms: _, ...withoutWait } = error
    assert.isNotEmpty(contradictions(withoutWait))
    const done = {
      error_class: "permanent",
      code: "x",
      message: "close_ticket was done, then: x",
      hint: "The action was done. Do not call again.",
      next_step: "stop",
      side_effect: "committed",
      retryable: false
    } as const
    assert.deepStrictEqual(contradictions(done), [])
    assert.isNotEmpty(contradictions({ ...done, hint: "Try again." }))
    assert.isNotEmpty(contradictions({ ...done, next_step: "ask_user" }))
    assert.isNotEmpty(contradictionsOfHint("Correct the arguments and call again.", "unknown"))
    assert.isNotEmpty(contradictionsOfStatus(404, "unknown"))
    assert.deepStrictEqual(contradictionsOfStatus(502, "unknown"), [])
  })
})
