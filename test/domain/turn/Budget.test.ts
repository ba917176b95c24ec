import { assert, describe, it } from "@effect/vitest"
import * as Account from "#domain/turn/Account"
import * as Budget from "#domain/turn/Budget"
import * as Failure from "#domain/failure/Failure"
import { failed, type Outcome, success } from "#domain/call/Outcome"
import * as RecentEntries from "#domain/turn/RecentEntries"

const fields = { tool: "t", code: "c", detail: "d", hint: "h", sideEffect: "none", traceId: "tr" } as const
const transient = failed(new Failure.Transient(fields))
const permanent = failed(new Failure.Permanent(fields))
const partial = failed(new Failure.PartialData({ ...fields, data: [1], next: { page: 2 } }))

const limit = (units: number, onlyAfterTransient = false): Account.Limit => ({ limit: units, onlyAfterTransient })

type Step =
  | readonly ["spend", string, Account.Limit]
  | readonly ["refund", string]
  | readonly ["progress", string]
  | readonly ["settle", string, Outcome, string, boolean]

/** Applies steps to a budget; returns the answers of `spend` and `settle`, and the final budget. */
const fold = (steps: ReadonlyArray<Step>, from = Budget.empty) => {
  const answers: Array<unknown> = []
  let budget = from
  for (const step of steps) {
    if (step[0] === "refund") budget = Budget.refund(budget, step[1])
    else if (step[0] === "progress") budget = Budget.progress(budget, step[1])
    else {
      const [answer, after] =
        step[0] === "spend"
          ? Budget.spend(budget, step[1], step[2], { now: 0 })
          : Budget.settle(budget, step[1], { outcome: step[2], digest: step[3], isLast: step[4] })
      answers.push(answer)
      budget = after
    }
  }
  return { answers, budget }
}

const repeatable = { limit: 1, onlyAfterTransient: false, countsFailures: true }

describe("Budget: a write whose repeats are allowed", () => {
  it("4.6 spends units on failures only, and running attempts take none", () => {
    let account = Account.unspent
    const spend = () => {
      const [spending, after] = Account.spend(account, repeatable, { now: 0 })
      account = after
      return spending._tag
    }
    const settle = (outcome: Outcome) => {
      const [unchanged, after] = Account.settle(account, { outcome, digest: "d", isLast: true, countsFailures: true })
      account = after
      return unchanged
    }
    assert.deepStrictEqual([spend(), spend(), spend()], ["Spent", "Spent", "Spent"])
    assert.deepStrictEqual([settle(success(1)), settle(success(1))], [false, false])
    settle(transient)
    assert.deepStrictEqual(spend(), "Exhausted")
  })
})

const spent = (remaining: number) => ({ _tag: "Spent", remaining, returning: 0 })
const exhausted = (last: Outcome | undefined = undefined, isAnswered = false, answeredEffect = "committed") => ({
  _tag: "Exhausted",
  last,
  isAnswered,
  ...(isAnswered ? { answeredEffect } : {})
})

describe("Budget", () => {
  it("4.7 counts down to the limit, separately for each key", () => {
    assert.deepStrictEqual(
      fold([
        ["spend", "a", limit(2)],
        ["spend", "b", limit(2)],
        ["spend", "a", limit(2)],
        ["spend", "a", limit(2)]
      ]).answers,
      [spent(1), spent(1), spent(0), exhausted()]
    )
  })

  it("4.7 does not change an earlier budget", () => {
    const { budget } = fold([["spend", "a", limit(1)]])
    fold(
      [
        ["progress", "b"],
        ["refund", "a"],
        ["settle", "a", success(1), "x", true]
      ],
      budget
    )
    assert.deepStrictEqual(fold([["spend", "a", limit(1)]], budget).answers, [exhausted()])
  })

  it("4.7 an exhausted budget returns the last failure, or the last result if no attempt remained when it arrived", () => {
    assert.deepStrictEqual(
      fold([
        ["spend", "a", limit(1)],
        ["settle", "a", permanent, "", true],
        ["spend", "a", limit(1)],
        ["spend", "b", limit(1)],
        ["settle", "b", success(7), "x", true],
        ["spend", "b", limit(1)],
        ["spend", "c", limit(1)],
        ["settle", "c", success(7), "x", false],
        ["spend", "c", limit(1)]
      ]).answers,
      [
        spent(0),
        false,
        exhausted(permanent),
        spent(0),
        false,
        exhausted(success(7), true),
        spent(0),
        false,
        exhausted(undefined, true)
      ]
    )
  })

  it("4.7 a partial result is an answer, but is not held", () => {
    assert.deepStrictEqual(
      fold([
        ["spend", "a", limit(1)],
        ["settle", "a", partial, "", true],
        ["spend", "a", limit(1)]
      ]).answers,
      [spent(0), false, exhausted(undefined, true, "none")]
    )
  })

  it("4.7 a new digest resets the count, and an unchanged digest does not", () => {
    const same = fold([
      ["spend", "a", limit(2)],
      ["settle", "a", success(1), "x", false],
      ["spend", "a", limit(2)],
      ["settle", "a", success(1), "x", true],
      ["spend", "a", limit(2)]
    ])
    assert.deepStrictEqual(same.answers, [spent(1), false, spent(0), true, exhausted(success(1), true)])
    const other = fold([
      ["spend", "a", limit(2)],
      ["settle", "a", success(1), "x", false],
      ["spend", "a", limit(2)],
      ["settle", "a", success(2), "y", true],
      ["spend", "a", limit(2)]
    ])
    assert.deepStrictEqual(other.answers, [spent(1), false, spent(0), false, spent(1)])
  })

  it("4.7 a failure between two equal results does not hide their equality", () => {
    assert.deepStrictEqual(
      fold([
        ["settle", "a", success(1), "x", false],
        ["settle", "a", transient, "", false],
        ["settle", "a", success(1), "x", false]
      ]).answers,
      [false, false, true]
    )
  })

  it("4.7 if only transient failures allow another attempt, every other outcome is final", () => {
    const keyed = limit(3, true)
    for (const [last, next] of [
      [transient, spent(1)],
      [permanent, exhausted(permanent)],
      [success(1), exhausted(undefined, true)]
    ] as const) {
      assert.deepStrictEqual(
        fold([
          ["spend", "a", keyed],
          ["settle", "a", last, "x", false],
          ["spend", "a", keyed]
        ]).answers.at(-1),
        next
      )
    }
  })

  it("4.7 refunds at most the units that were spent", () => {
    assert.deepStrictEqual(
      fold([
        ["refund", "a"],
        ["spend", "a", limit(2)],
        ["refund", "a"],
        ["refund", "a"],
        ["spend", "a", limit(2)],
        ["spend", "a", limit(2)],
        ["spend", "a", limit(2)]
      ]).answers,
      [spent(1), spent(1), spent(0), exhausted()]
    )
  })

  it("4.7 the progress of one key resets all other keys", () => {
    const { answers, budget } = fold([
      ["spend", "a", limit(1)],
      ["settle", "a", success(1), "x", true],
      ["spend", "b", limit(1)],
      ["settle", "b", success(2), "y", true],
      ["spend", "c", limit(1)],
      ["settle", "c", permanent, "", true],
      ["progress", "b"],
      ["spend", "a", limit(1)],
      ["spend", "c", limit(1)],
      ["spend", "b", limit(1)]
    ])
    assert.deepStrictEqual(answers.slice(-3), [spent(0), spent(0), exhausted(success(2), true)])
    assert.deepStrictEqual(budget.held, ["b"])
    const ends: ReadonlyArray<Step> = [
      ["settle", "a", success(1), "x", true],
      ["settle", "c", permanent, "", true]
    ]
    const settled = fold(ends, budget).budget
    assert.deepStrictEqual(Budget.progress(settled, "never spent"), Budget.empty)
  })

  it("4.7 holds the newest twenty results, none larger than 256 KiB", () => {
    const keys = Array.from({ length: Budget.heldResults + 3 }, (_, i) => `k${i}`)
    const { budget } = fold(
      keys.flatMap((key): ReadonlyArray<Step> => [
        ["spend", key, limit(1)],
        ["settle", key, success(key), key, true]
      ])
    )
    assert.deepStrictEqual(budget.held, keys.slice(3))
    const held = keys.filter((key) => RecentEntries.get(budget.accounts, key)?.last !== undefined)
    assert.deepStrictEqual(held, keys.slice(3))
    assert.deepStrictEqual(fold([["spend", "k0", limit(1)]], budget).answers, [exhausted(undefined, true)])

    const size = (bytes: number): Outcome => ({ _tag: "Success", value: 1, bytes })
    for (const [bytes, last] of [
      [Account.heldBytes, size(Account.heldBytes)],
      [Account.heldBytes + 1, undefined]
    ] as const) {
      assert.deepStrictEqual(
        fold([
          ["spend", "a", limit(1)],
          ["settle", "a", size(bytes), "x", true],
          ["spend", "a", limit(1)]
        ]).answers.at(-1),
        exhausted(last, true)
      )
    }
  })

  it("4.7 a key with a second result is held once, as the newest", () => {
    const { budget } = fold([
      ["settle", "a", success(1), "x", true],
      ["settle", "b", success(2), "y", true],
      ["settle", "a", success(3), "z", true]
    ])
    assert.deepStrictEqual(budget.held, ["b", "a"])
  })

  it("4.7 a write whose effect is unknown stays counted, whatever progress other calls make", () => {
    const unknown = failed(new Failure.Transient({ ...fields, sideEffect: "unknown" }))
    const { budget } = fold([
      ["settle", "read", success(1), "x", true],
      ["spend", "pay", limit(1)],
      ["settle", "pay", unknown, "", true]
    ])
    assert.deepStrictEqual(budget.held, ["read"])
    const later = fold(
      [
        ["progress", "other"],
        ["spend", "pay", limit(1)]
      ],
      budget
    )
    assert.deepStrictEqual(later.answers, [exhausted(unknown)])
    // once it is settled, it is an account like any other
    const settled = fold([["settle", "pay", success(1), "y", true]], later.budget).budget
    assert.deepStrictEqual(fold([["spend", "pay", limit(1)]], Budget.progress(settled, "other")).answers, [spent(0)])
  })

  it("4.7 a held result that was replaced by a failure counts as held until it is the oldest", () => {
    const keys = Array.from({ length: Budget.heldResults + 1 }, (_, i) => `k${i}`)
    const { budget } = fold([
      ["settle", "a", success(1), "x", true],
      ["settle", "a", permanent, "", true],
      ...keys.slice(1).map((key): Step => ["settle", key, success(key), key, true]),
      ["spend", "a", limit(1)]
    ])
    assert.deepStrictEqual(budget.held, keys.slice(1))
    assert.deepStrictEqual(RecentEntries.get(budget.accounts, "a")?.last, permanent)
  })

  it("4.7 a held result makes room for new results, even if its account was dropped or no longer has it", () => {
    const results = Array.from({ length: Budget.heldResults }, (_, i): Step => [
      "settle",
      `k${i}`,
      success(i),
      "x",
      true
    ])
    const newer = fold([["settle", "a", success(1), "x", true], ["settle", "a", success(2), "y", false], ...results])
    const calls = Array.from({ length: 2 * RecentEntries.size + 1 }, (_, i): Step => ["spend", `read ${i}`, limit(1)])
    const dropped = fold([["settle", "a", success(1), "x", true], ...calls, ...results])
    for (const { budget } of [newer, dropped])
      assert.deepStrictEqual(
        budget.held,
        results.map(([, key]) => key)
      )
  })
})
