/** Tests the writes of a turn whose effects are unknown, and what the turn reports about their repetition. */
import { assert, describe, it } from "@effect/vitest"
import { failed, success } from "#domain/call/Outcome"
import * as Failure from "#domain/failure/Failure"
import * as EarlierEffect from "#domain/turn/EarlierEffect"
import type { WriteQuestion } from "#domain/turn/RepeatedWrites"
import * as TurnHistory from "#domain/turn/TurnHistory"
import * as UnsettledWrites from "#domain/turn/UnsettledWrites"

const fields = { tool: "t", code: "c", detail: "d", hint: "h", sideEffect: "unknown", traceId: "tr" } as const
const failure = (code = "c") => new Failure.Transient({ ...fields, code })

/** Returns the decision on the write `pay`. */
const decision = (self: UnsettledWrites.UnsettledWrites, repeats: "once" | "allowed" | undefined = "allowed") =>
  UnsettledWrites.begin(self, "pay", repeats)[0]

const once = UnsettledWrites.failed(UnsettledWrites.empty, "pay", failure("first"))
const looked = UnsettledWrites.looked(once)

describe("UnsettledWrites", () => {
  it("3.3 after a write whose effect is unknown, the identical call is refused with its failure, and another call is not", () => {
    assert.strictEqual((decision(once) as Failure.Failure).code, "first")
    assert.strictEqual(UnsettledWrites.failureOf(once, "pay")?.code, "first")
    assert.deepStrictEqual(UnsettledWrites.begin(once, "other", "allowed"), [undefined, once])
    assert.isUndefined(UnsettledWrites.failureOf(once, "other"))
    assert.deepStrictEqual(
      [UnsettledWrites.isEmpty(UnsettledWrites.empty), UnsettledWrites.isEmpty(once)],
      [true, false]
    )
  })

  it("3.3 after a successful read, a repeatable write is made once more, and a write that may be made only once is not", () => {
    assert.strictEqual(decision(looked), "again")
    for (const repeats of ["once", undefined] as const)
      assert.strictEqual((UnsettledWrites.begin(looked, "pay", repeats)[0] as Failure.Failure).code, "first")
  })

  it("3.3 a read before the failure does not count", () => {
    const before = UnsettledWrites.looked(UnsettledWrites.failed(UnsettledWrites.empty, "other", failure()))
    assert.strictEqual(
      (decision(UnsettledWrites.failed(before, "pay", failure("late"))) as Failure.Failure).code,
      "late"
    )
    assert.strictEqual(UnsettledWrites.looked(UnsettledWrites.empty), UnsettledWrites.empty)
  })

  it("3.3 a call is refused while it is repeated and after its second failure, even after further reads", () => {
    const [, repeated] = UnsettledWrites.begin(looked, "pay", "allowed")
    assert.strictEqual((decision(repeated) as Failure.Failure).code, "first")
    const twice = UnsettledWrites.looked(UnsettledWrites.failed(repeated, "pay", failure("second")))
    assert.strictEqual((decision(twice) as Failure.Failure).code, "second")
  })

  it("3.3 after a repetition that succeeds, the write is settled; after a later failure and a read, it may be repeated once", () => {
    const [, repeated] = UnsettledWrites.begin(looked, "pay", "allowed")
    const settled = UnsettledWrites.succeeded(repeated, "pay")
    assert.strictEqual(decision(settled), "settled")
    assert.isUndefined(UnsettledWrites.failureOf(settled, "pay"))
    const again = UnsettledWrites.failed(settled, "pay", failure("later"))
    assert.strictEqual((decision(again) as Failure.Failure).code, "later")
    assert.strictEqual(decision(UnsettledWrites.looked(again)), "again")
  })

  it("3.3 the success of a call without an unknown effect changes nothing", () => {
    assert.strictEqual(UnsettledWrites.succeeded(once, "other"), once)
    const settled = UnsettledWrites.succeeded(once, "pay")
    assert.strictEqual(UnsettledWrites.succeeded(settled, "pay"), settled)
  })
})

const question: WriteQuestion = {
  call: "pay",
  repeats: "allowed",
  maxRepeats: 10,
  isKeyed: false,
  modelKey: "",
  isContinued: false,
  resumedId: undefined
}
const call = {
  tool: "pay",
  access: "write",
  isChecked: false,
  key: "pay",
  isFresh: true,
  isModels: true,
  callId: "c1",
  repeats: "allowed",
  idempotencyKey: ""
} as const
const lookup = { ...call, tool: "look", access: "read", key: "look", repeats: undefined } as const
const unknown = failed(failure())

/** Returns the decision on the write and the history after the decision. */
const begin = (history: TurnHistory.TurnHistory, over: Partial<WriteQuestion> = {}) =>
  TurnHistory.begin(history, "pay", { ...question, ...over })

describe("TurnHistory: writes whose effects are unknown", () => {
  const [, started] = begin(TurnHistory.empty)
  const unsettled = TurnHistory.ended(started, call, unknown)

  it("3.3 the identical write is refused until a watched read succeeds, and is then made again, and again after a success", () => {
    assert.deepStrictEqual(begin(unsettled)[0], { _tag: "Failed", failure: unknown.failure })
    assert.isUndefined(TurnHistory.begin(TurnHistory.empty, "look", undefined)[0])
    assert.deepStrictEqual(TurnHistory.begin(unsettled, "look", undefined), [{ _tag: "Watched" }, unsettled])
    const seen = TurnHistory.ended(unsettled, lookup, success(1))
    const [first, running] = begin(seen)
    assert.deepStrictEqual(first, { _tag: "Again", isFirst: true })
    const [second] = begin(TurnHistory.ended(running, call, success(1)))
    assert.deepStrictEqual(second, { _tag: "Again", isFirst: false })
  })

  it("3.3 a failed read, a read answered without running, and the read of a program do not allow the write again", () => {
    const read = failed(new Failure.Permanent({ ...fields, sideEffect: "none" }))
    for (const [over, outcome] of [
      [{}, read],
      [{ isFresh: false }, success(1)],
      [{ isModels: false }, success(1)]
    ] as const)
      assert.strictEqual(begin(TurnHistory.ended(unsettled, { ...lookup, ...over }, outcome))[0]?._tag, "Failed")
  })

  it("3.3 the effect of earlier identical calls is reported: of the failure, of the successes, otherwise none", () => {
    const [, running] = begin(TurnHistory.empty)
    const done = TurnHistory.ended(running, call, success(1))
    const accepted = TurnHistory.ended(running, call, { ...success(1), isAccepted: true })
    const committed = TurnHistory.ended(
      running,
      call,
      failed(new Failure.Permanent({ ...fields, sideEffect: "committed" }))
    )
    const refused = TurnHistory.ended(running, call, failed(new Failure.Permanent({ ...fields, sideEffect: "none" })))
    assert.deepStrictEqual(
      [TurnHistory.empty, running, unsettled, done, accepted, committed, refused].map((history) =>
        EarlierEffect.of(history, "pay")
      ),
      ["none", "none", "unknown", "committed", "unknown", "committed", "none"]
    )
    assert.strictEqual(EarlierEffect.of(done, "other"), "none")
  })

  it("3.3 a failure that waits for a person's review is not an unsettled write", () => {
    assert.isUndefined(begin(TurnHistory.ended(started, call, failed(new Failure.HumanReview(fields))))[0])
  })

  it("3.3, 4.6 after a partial result of unknown effect, the identical write is refused with that result", () => {
    const part = failed(new Failure.PartialData({ ...fields, data: [1], next: { page: 2 } }))
    const [recalled] = begin(TurnHistory.ended(started, call, part))
    assert.strictEqual(recalled?._tag, "Failed")
    assert.deepStrictEqual(recalled?._tag === "Failed" ? recalled.part : undefined, part)
  })
})

describe("TurnHistory: ends of calls", () => {
  it("4.6 a write that failed or was stopped is no longer running, and a program's call does not end it", () => {
    const only = { repeats: "once" } as const
    const [, running] = begin(TurnHistory.empty, only)
    assert.deepStrictEqual(begin(running, only)[0], { _tag: "Running" })
    const refused = failed(new Failure.Resource({ ...fields, sideEffect: "none" }))
    assert.isUndefined(begin(TurnHistory.ended(running, call, refused), only)[0])
    assert.isUndefined(begin(TurnHistory.stopped(running, "pay"), only)[0])
    assert.strictEqual(TurnHistory.stopped(TurnHistory.empty, "pay"), TurnHistory.empty)
    // a program's call was never counted as running
    assert.deepStrictEqual(begin(TurnHistory.ended(running, { ...call, isModels: false }, refused), only)[0], {
      _tag: "Running"
    })
  })

  it("4.6 a success is recorded only if the tool ran, if a model called it, and if repeats have a rule", () => {
    const only = { repeats: "once" } as const
    const tag = (over: object) =>
      begin(TurnHistory.ended(TurnHistory.empty, { ...call, ...over }, success(1)), only)[0]?._tag
    assert.deepStrictEqual(
      [
        tag({}),
        tag({ isFresh: false }),
        tag({ isModels: false }),
        tag({ repeats: undefined }),
        tag({ access: "read" })
      ],
      ["Repeated", undefined, undefined, undefined, undefined]
    )
  })

  it("4.6 a write of a model or a program clears the failures to recall, and a read does not", () => {
    const permanent = failed(new Failure.Permanent({ ...fields, sideEffect: "none" }))
    const before = TurnHistory.ended(TurnHistory.empty, lookup, permanent)
    const isRecalled = (history: TurnHistory.TurnHistory) => TurnHistory.recall(history, "look") !== undefined
    const committed = failed(new Failure.Permanent({ ...fields, sideEffect: "committed" }))
    assert.deepStrictEqual(
      [
        before,
        TurnHistory.ended(before, { ...lookup, key: "other" }, success(1)),
        TurnHistory.ended(before, call, success(1)),
        TurnHistory.ended(before, { ...call, isModels: false }, success(1)),
        TurnHistory.ended(before, { ...call, isModels: false }, committed),
        TurnHistory.ended(before, { ...call, isModels: false }, permanent)
      ].map(isRecalled),
      [true, true, false, false, false, true]
    )
    assert.isUndefined(
      TurnHistory.recall(TurnHistory.ended(TurnHistory.empty, { ...lookup, isModels: false }, permanent), "look")
    )
  })

  it("4.10 only decoded results of tools with checks are held for the checks", () => {
    const held = (over: object, outcome = success(1)) =>
      TurnHistory.previous(TurnHistory.ended(TurnHistory.empty, { ...lookup, ...over }, outcome), "look")
    assert.deepStrictEqual(
      [held({}), held({ isChecked: true }), held({ isChecked: true }, { ...success(1), isRaw: true })],
      [[], [1], []]
    )
  })

  it("4.6 if a fallback did the action, the write is not made again", () => {
    const replaced = TurnHistory.replaced(TurnHistory.empty, "pay", success("paid"), { callId: "c1", key: "" })
    assert.deepStrictEqual(begin(replaced, { repeats: "once" })[0], {
      _tag: "Repeated",
      first: success("paid"),
      times: 1,
      isProven: true
    })
  })

  it("4.6 if a person lets the repetition continue, counting starts again", () => {
    let history = TurnHistory.empty
    for (let n = 0; n < 10; n++) history = TurnHistory.ended(begin(history)[1], call, success(n))
    assert.deepInclude(begin(history)[0], { _tag: "Repeated", times: 10, first: success(0) })
    const restarted = TurnHistory.restarted(history, "pay")
    assert.isUndefined(begin(restarted)[0])
    assert.deepStrictEqual(TurnHistory.restarted(TurnHistory.empty, "pay"), TurnHistory.empty)
  })

  it("4.6 the first idempotency key of a call is kept", () => {
    const keyed = TurnHistory.keyed(TurnHistory.keyed(TurnHistory.empty, "pay", "k1"), "pay", "k2")
    assert.deepStrictEqual(keyed, TurnHistory.keyed(TurnHistory.empty, "pay", "k1"))
    assert.notDeepEqual(keyed, TurnHistory.empty)
  })
})
