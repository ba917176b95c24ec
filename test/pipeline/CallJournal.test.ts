/** [12.1] [12.2] Tests the journal's entry of a call, and the answer, loop state and budget that a resumed run restores. */
import { type Outcome, success } from "#domain/call/Outcome"
import type { JournalledCall } from "#domain/journal/JournalledCall"
import * as LoopDetector from "#domain/loop/LoopDetector"
import * as CallJournal from "#pipeline/CallJournal"
import { BudgetsUnavailable, type Spending } from "#services/Budgets"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { answerOf, failure, key, once, restored, search, written } from "./restoredCall.ts"
import { callOf, define } from "./support.ts"

describe("the entry of a call", () => {
  const entryOf = (outcome: Outcome, trace: object = {}) =>
    Effect.map(callOf(search), (call) =>
      CallJournal.write({ ...call, trace: Object.assign(call.trace, trace) }, answerOf(outcome))
    )
  const plain = {
    text: "{}",
    isFailure: false,
    traceId: "t1",
    attempts: 1,
    decisions: [],
    outcome: '{"result":{"n":1},"_tag":"Success"}',
    marks: {},
    idempotencyKey: "",
    isFresh: false
  }
  const event = { tool: "search", key, access: "read", outcome: { _tag: "Success", digest: () => "d1" } } as const

  for (const [what, trace, more] of [
    ["only its answer, if it took part in nothing", {}, {}],
    ["its key", { key: () => key }, { key }],
    ["the units that it spent", { spent: { key, units: 2 } }, { spent: { key, units: 2 } }],
    ["when its units are returned", { spent: { key, units: 1 }, readyAt: 9 }, { spent: { key, units: 1, readyAt: 9 } }],
    ["no units if all were refunded", { spent: { key, units: 0 } }, {}],
    [
      "its poll",
      { polled: { startedAt: 1, lastAt: 2, isOver: false } },
      { polled: { startedAt: 1, lastAt: 2, isOver: false } }
    ],
    ["no unknown outcome of a call that succeeded", { unknownOutcome: "u1" }, {}],
    ["its event, with the digest", { event }, { event: { ...event, outcome: { _tag: "Success", digest: "d1" } } }],
    ["its idempotency key", { idempotencyKey: "k1" }, { idempotencyKey: "k1" }]
  ] as const) {
    it.effect(`12.1 contains ${what}`, () =>
      Effect.gen(function* () {
        assert.deepStrictEqual(yield* entryOf(success(written), trace), { ...plain, ...more } as JournalledCall)
      })
    )
  }

  it.effect("12.1 contains the id of the unknown outcome only if the side effect of the call is unknown", () =>
    Effect.gen(function* () {
      const idOf = (outcome: Outcome, unknownOutcome: string) =>
        Effect.map(entryOf(outcome, { unknownOutcome }), (entry) =>
          "unknownOutcome" in entry ? entry.unknownOutcome : "absent"
        )
      assert.deepStrictEqual(
        [
          yield* idOf(failure("Permanent", "gone", "unknown"), "u1"),
          yield* idOf(failure("Permanent", "gone", "unknown"), ""),
          yield* idOf(failure("Permanent", "gone"), "u1"),
          yield* idOf(failure("Permanent", "gone", "committed"), "u1")
        ],
        ["u1", "absent", "absent", "absent"]
      )
    })
  )

  it.effect("12.1 contains the parts of the answer once, outside of the outcome", () =>
    Effect.gen(function* () {
      const parts = [{ type: "text", text: "a picture" }] as const
      const call = yield* callOf(search)
      const entry = CallJournal.write(call, { ...answerOf({ ...success(written), parts }), parts })
      assert.deepStrictEqual(entry, { ...plain, parts })
    })
  )
})

describe("the answer of a journalled call", () => {
  it.effect("12.2 is the answer that the model read, with the entry", () =>
    Effect.gen(function* () {
      const { answer, entry } = yield* restored(search, { ...success(written), unchanged: true })
      assert.deepStrictEqual(answer, {
        ...answerOf({ ...success(written), json: '{"n":1}', unchanged: true }),
        journal: entry
      })
    })
  )

  it.effect("12.2 has the parts that the model received", () =>
    Effect.gen(function* () {
      const parts = [{ type: "text", text: "a picture" }] as const
      const { answer } = yield* restored(search, success(written), { parts })
      assert.deepStrictEqual(answer.parts, parts)
    })
  )

  it.effect("12.2 keeps a result that violates the contract, if the tool only advises", () =>
    Effect.gen(function* () {
      const advising = define("advise_it", { enforce: "advise" })
      const { answer } = yield* restored(advising, { ...success({ n: "x" }), isRaw: true })
      assert.deepStrictEqual(answer.outcome, { ...success({ n: "x" }), json: '{"n":"x"}', isRaw: true })
    })
  )

  it.effect("12.2 keeps a result that violates the contract, if the tool only advises in its conversation", () =>
    Effect.gen(function* () {
      const endIn = (share: number) =>
        Effect.map(
          restored(define("share_it", { enforce: { share } }), { ...success({ n: "x" }), isRaw: true }),
          ({ answer: { outcome } }) => (outcome._tag === "Success" ? outcome.value : outcome.failure.code)
        )
      // the turn of these tests is in a conversation that a share of 0.6 contains, and a share of 0.5 does not
      assert.deepStrictEqual([yield* endIn(0), yield* endIn(0.5)], [{ n: "x" }, { n: "x" }])
      assert.deepStrictEqual([yield* endIn(0.6), yield* endIn(1)], ["done_unreadable", "done_unreadable"])
    })
  )
})

describe("the loop state after a journalled call", () => {
  const event = { tool: "search", key, access: "read", outcome: { _tag: "Success", digest: "d" } } as const
  const decided = (decision: string) => [{ stage: "loop", decision, reason: "" }]
  const counts = ({ loop }: { readonly loop: LoopDetector.LoopState }): ReadonlyArray<unknown> => {
    const { calls, deniedIn } = LoopDetector.snapshot(loop)
    return [calls.map(({ count }) => count), deniedIn]
  }

  for (const [what, over, expected] of [
    ["counts the call", { event }, [[1, 2], ""]],
    ["is unchanged if the call has no event", {}, [[1], ""]],
    ["starts again if a person lets the calls continue", { event, decisions: decided("approved") }, [[1], ""]],
    ["ends the turn if a person stopped the calls", { event, decisions: decided("stopped") }, [[1, 2], "turn"]],
    [
      "ignores decisions of other stages",
      { event, decisions: [{ stage: "approve", decision: "approved", reason: "" }] },
      [[1, 2], ""]
    ]
  ] as const) {
    it.effect(`7.3 ${what}`, () =>
      Effect.gen(function* () {
        const { loop } = yield* restored(search, success(written), { event })
        assert.deepStrictEqual(counts(yield* restored(search, success(written), over, { loop })), expected)
      })
    )
  }
})

describe("the budget after a journalled call", () => {
  const spent = (units: number, readyAt?: number) => ({
    spent: { key: "b1", units, ...(readyAt === undefined ? {} : { readyAt }) }
  })
  const spend = (isRepeat: boolean, limit = 3) => ({ spend: "b1", limit, now: 0, isRepeat })
  const settle = (end: string, isLast: boolean, readyAt?: number) => ({ settle: "b1", end, isLast, readyAt })
  const busy = failure("Transient", "timeout")

  for (const [what, tool, outcome, over, expected] of [
    ["is unchanged if the call spent nothing", search, success(written), {}, []],
    [
      "has one unit less after one attempt",
      search,
      success(written),
      spent(1),
      [spend(false), settle("success", false)]
    ],
    [
      "counts all attempts but the last as failed",
      search,
      success(written),
      spent(2),
      [spend(false), settle("interrupted", false), spend(true), settle("success", false)]
    ],
    [
      "returns a unit of a Transient failure at the time that the model has read",
      search,
      busy,
      spent(2, 7_000),
      [spend(false), settle("interrupted", false, 7_000), spend(true), settle("timeout", false, 7_000)]
    ],
    [
      "returns no unit of another failure",
      search,
      failure("Permanent", "gone"),
      spent(1, 7_000),
      [spend(false), settle("gone", false)]
    ],
    [
      "is used up by the last unit",
      search,
      busy,
      spent(3),
      [
        spend(false),
        settle("interrupted", false),
        spend(true),
        settle("interrupted", false),
        spend(true),
        settle("timeout", true)
      ]
    ],
    [
      "starts again for the other calls of the turn after a write",
      once,
      success(written),
      spent(1),
      [spend(false, 1), settle("success", false), { progress: "b1" }]
    ],
    [
      "does not start again after a write that failed",
      once,
      failure("Permanent", "gone"),
      spent(1),
      [spend(false, 1), settle("gone", false)]
    ]
  ] as const) {
    it.effect(`4.7 ${what}`, () =>
      Effect.gen(function* () {
        assert.deepStrictEqual((yield* restored(tool, outcome, over)).counted, [...expected])
      })
    )
  }

  it.effect("4.7 is used up by the last attempt of a write that is repeated only after Transient failures", () =>
    Effect.gen(function* () {
      const keyed = define("write_it", { access: "write", idempotency: "derived", retry: { attempts: 2 } })
      const { counted } = yield* restored(keyed, busy, spent(2))
      assert.deepStrictEqual(counted, [
        spend(false),
        settle("interrupted", false),
        spend(true),
        settle("timeout", true)
      ])
    })
  )

  it.effect("4.7 settles nothing for a unit that is not left", () =>
    Effect.gen(function* () {
      const exhausted = { _tag: "Exhausted", last: undefined, isAnswered: false } as unknown as Spending
      const { counted } = yield* restored(search, busy, spent(1), { spend: () => Effect.succeed(exhausted) })
      assert.deepStrictEqual(counted, [spend(false)])
    })
  )

  it.effect("12.2 is not counted if the store does not respond, and the answer is returned", () =>
    Effect.gen(function* () {
      const down = Effect.fail(new BudgetsUnavailable({ cause: "down" }))
      const { answer, counted } = yield* restored(search, busy, spent(2), { spend: () => down })
      assert.deepStrictEqual([answer.outcome._tag, counted], ["Failure", [spend(false)]])
    })
  )
})
