/** [12.2] Tests the history of a turn that a resumed run restores from the journal. */
import { type FailedOutcome, success } from "#domain/call/Outcome"
import * as CallMap from "#domain/turn/CallMap"
import * as HeldResults from "#domain/turn/HeldResults"
import * as RepeatedWrites from "#domain/turn/RepeatedWrites"
import { conversationKey } from "#domain/turn/Turn"
import * as TurnHistory from "#domain/turn/TurnHistory"
import * as Verdict from "#domain/tool/Verdict"
import { compiledOf } from "#pipeline/call/CompiledTool"
import { bindingOf } from "#pipeline/stages/approve"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { failure, key, once, restored, search, written } from "./restoredCall.ts"
import { define, type Tool, turn } from "./support.ts"

const often = define("write_often", { access: "write", repeats: "allowed" })
const checked = define("check_it", { checks: { sum: () => Verdict.ok } })
const polling = define("poll_it", { poll: { interval: "1 second", deadline: "1 hour", until: () => false } })

describe("the history of a turn after a journalled call", () => {
  const gone = failure("Permanent", "gone")
  const recalls = (history: TurnHistory.TurnHistory) => TurnHistory.recall(history, key)?.code

  it.effect("4.6 has its failure", () =>
    Effect.gen(function* () {
      assert.strictEqual(recalls((yield* restored(search, gone)).history), "gone")
    })
  )

  for (const [what, outcome, over, code] of [
    ["that was recalled", { ...gone, recalled: true }, { isFresh: false }, undefined],
    [
      "that was recalled, but whose action was found to be done",
      { ...gone, recalled: true },
      { isFresh: true },
      "gone"
    ],
    ["that was refused without an attempt", gone, { isFresh: false }, "gone"]
  ] as const) {
    it.effect(`4.6 has ${code === undefined ? "no failure" : "the failure"} of a call ${what}`, () =>
      Effect.gen(function* () {
        const { history } = yield* restored(search, outcome as FailedOutcome, over)
        assert.strictEqual(recalls(history), code)
      })
    )
  }

  it.effect("4.6 is unchanged by a call whose arguments could not be decoded", () =>
    Effect.gen(function* () {
      const { entry } = yield* restored(search, gone)
      const { key: _, ...undecoded } = entry
      assert.strictEqual((yield* restored(search, gone, undecoded, { isKeyless: true })).history, TurnHistory.empty)
    })
  )

  it.effect("4.10 has the result only of a tool with checks", () =>
    Effect.gen(function* () {
      const results = (tool: Tool) =>
        Effect.map(restored(tool, success(written)), ({ history }) =>
          TurnHistory.previous(history, compiledOf(tool).scope)
        )
      assert.deepStrictEqual([yield* results(checked), yield* results(search)], [[written], []])
    })
  )

  it.effect("7.2 has the times of a poll, and no result", () =>
    Effect.gen(function* () {
      const polled = { startedAt: 1, lastAt: 2, isOver: false }
      const { history } = yield* restored(polling, success(written), { polled })
      assert.deepStrictEqual(TurnHistory.polled(history, key), polled)
      const other = yield* restored(polling, gone)
      assert.strictEqual(other.history, TurnHistory.empty)
      const plain = yield* restored(search, success(written), { polled })
      assert.isUndefined(TurnHistory.polled(plain.history, key))
    })
  )

  for (const [what, event, outcome, isHeld] of [
    ["of unfinished work", { isUnfinished: true }, success(written), true],
    ["of something pending", { isPending: true }, success(written), true],
    ["of finished work", {}, success(written), false],
    ["of a call that failed", { isUnfinished: true }, gone, false]
  ] as const) {
    it.effect(`7.2 ${isHeld ? "holds" : "does not hold"} the status ${what}`, () =>
      Effect.gen(function* () {
        const loopEvent = {
          tool: "search",
          key,
          access: "read",
          outcome: { _tag: "Success", digest: "d" },
          ...event
        } as const
        const { history } = yield* restored(search, outcome, { event: loopEvent })
        const held = HeldResults.get(history.statuses, key)
        assert.deepStrictEqual([held?._tag, held?.value], isHeld ? ["Success", written] : [undefined, undefined])
      })
    )
  }

  it.effect("8.1 has the idempotency key of the call, and none if it had none", () =>
    Effect.gen(function* () {
      const keys = (idempotencyKey: string) =>
        Effect.map(restored(once, success(written), { idempotencyKey }), ({ history }) =>
          CallMap.get(history.keys, key)
        )
      assert.deepStrictEqual([yield* keys("k1"), yield* keys("")], ["k1", undefined])
    })
  )

  const decided = (decision: string) => [
    { stage: "approve", decision: "approved", reason: "" },
    { stage: "loop", decision, reason: "" }
  ]

  for (const [what, outcome, decisions, code] of [
    ["that a person denied", failure("HumanReview", "approval_denied"), [], "approval_denied"],
    ["that a person answered in words", failure("HumanReview", "answered_by_person"), [], "answered_by_person"],
    [
      "whose loop a person answered in words",
      failure("HumanReview", "answered_by_person"),
      decided("answered"),
      undefined
    ],
    ["that failed for another reason", gone, decided("stopped"), undefined],
    ["that succeeded", success(written), [], undefined]
  ] as const) {
    it.effect(`10.4 ${code === undefined ? "has no denial" : "has the denial"} of a call ${what}`, () =>
      Effect.gen(function* () {
        const { history } = yield* restored(once, outcome, { decisions })
        const binding = bindingOf((text) => text, conversationKey(turn), key, compiledOf(once))
        assert.strictEqual(TurnHistory.denial(history, binding)?.code, code)
      })
    )
  }

  for (const [what, tool, decisions, times] of [
    ["restart if a person lets the repetition continue", often, decided("approved"), 1],
    ["continue if no person was asked", often, [], 2],
    ["continue if a person stopped the loop", often, decided("stopped"), 2],
    ["continue for a write that is made once", once, decided("approved"), 2]
  ] as const) {
    it.effect(`4.6 the counts of a repeated write ${what}`, () =>
      Effect.gen(function* () {
        const first = yield* restored(tool, success(written))
        const { history } = yield* restored(tool, success(written), { decisions }, { history: first.history })
        const question = { call: key, repeats: "allowed", maxRepeats: 1, isKeyed: false, modelKey: "" } as const
        const [decision] = RepeatedWrites.begin(history.writes, {
          ...question,
          isContinued: false,
          resumedId: undefined
        })
        assert.deepStrictEqual(decision._tag === "Repeated" ? decision.times : decision._tag, times)
      })
    )
  }
})
