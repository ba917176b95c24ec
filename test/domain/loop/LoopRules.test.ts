/** Tests which calls the loop detector counts: polls, readings of a status, writes and refusals. */
import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import * as LoopDetector from "#domain/loop/LoopDetector"
import type { LoopEvent, LoopState } from "#domain/loop/LoopDetector"
import { after, failed, last, success, transient, verdicts } from "./LoopEvents.ts"

const question = { tool: "search", key: "search 1" }

const others = (count: number, rest: Partial<LoopEvent> = {}): ReadonlyArray<LoopEvent> =>
  Array.from({ length: count }, (_, index) => success(`other ${index}`, `y${index}`, rest))

describe("polls", () => {
  it("7.2 do not count, but their other failures do", () => {
    const poll = success("search 1", "x", { poll: true })
    assert.deepStrictEqual(new Set(verdicts(...Array(12).fill(poll))), new Set(["Proceed"]))
    const broken = transient("search 1", { poll: true })
    assert.deepStrictEqual(new Set(verdicts(...Array(12).fill(broken))), new Set(["Proceed"]))
    assert.strictEqual(last(...Array(2).fill(failed("search 1", { poll: true }))), "Tell identical 2")
  })

  it("7.2 are not remembered, except after the same call that was not a poll, whose count restarts", () => {
    const poll = success("search 1", "x", { poll: true })
    assert.strictEqual(LoopDetector.step(LoopDetector.initial, poll).state, LoopDetector.initial)
    const made = success("search 1", "x")
    assert.strictEqual(last(made, made, poll, made), "Proceed")
  })
})

describe("the status of unfinished work", () => {
  const running = (at: number | undefined, rest: Partial<LoopEvent> = {}) =>
    success("search 1", "x", { isUnfinished: true, at, ...rest })
  const told = (...events: ReadonlyArray<LoopEvent>) => LoopDetector.statedMillis(after(...events), question)
  const asked = (...events: ReadonlyArray<LoopEvent>) => {
    const decision = LoopDetector.ask(after(...events), question)
    return decision._tag === "Unfinished" ? decision.status.askedAt : undefined
  }

  it("7.2 may be read when its wait has passed, or if no time is known", () => {
    assert.strictEqual(told(running(0), running(1_000)), 2_000)
    assert.strictEqual(told(running(0), running(undefined)), 2_000)
    assert.strictEqual(told(running(0), running(999)), 1_000)
  })

  it("7.2 a reading that came too soon is remembered only while the work is unfinished", () => {
    assert.strictEqual(asked(running(0), running(500)), 500)
    assert.strictEqual(asked(running(0), running(500, { recalled: true })), 500)
    assert.strictEqual(asked(running(0), transient("search 1", { at: 500 })), 500)
    assert.isUndefined(asked(running(0), success("search 1", "x", { at: 500 })))
    assert.isUndefined(asked(running(0), success("search 1", "x", { at: 1_500 })))
  })

  it("7.2 a reading that fails for a time has the same wait, any other failure ends the readings", () => {
    assert.strictEqual(told(running(0), transient("search 1", { at: 1_000 })), 1_000)
    assert.isUndefined(told(running(0), failed("search 1", { at: 1_000 })))
    assert.isUndefined(told(running(0), failed("search 1", { at: 500 })))
    assert.isUndefined(told(transient("search 1", { at: 1_000 })))
  })

  it("7.2 a reading that failed is compared by the result before it", () => {
    const again = running(1_100, { recalled: true })
    const { verdicts: seen } = LoopDetector.fold([running(0), transient("search 1", { at: 1_000 }), again])
    assert.deepInclude(seen.at(-1), {
      _tag: "Tell",
      reason: "This identical call gave the same result 2 times. Repeating it yields nothing new."
    })
  })

  it("7.2 a result is compared with the last reading", () => {
    const other = running(1_000, { outcome: { _tag: "Success", digest: "y" } })
    const done = (digest: string) => success("search 1", digest, { at: 3_000 })
    assert.strictEqual(last(running(0), other, done("x")), "Proceed")
    assert.strictEqual(last(running(0), other, done("y")), "Tell identical 2")
  })

  it("7.2 the wait begins when the reading ends, and not before it starts", () => {
    const early = (at: number, endedAt?: number) =>
      LoopDetector.ask(after(running(at, { endedAt })), { ...question, at: 5_500 })
    assert.deepStrictEqual(early(5_000), { _tag: "Early", waitMillis: 500 })
    assert.deepStrictEqual(early(5_000, 5_400), { _tag: "Early", waitMillis: 900 })
    assert.deepStrictEqual(early(5_000, 100), { _tag: "Early", waitMillis: 500 })
  })
})

describe("writes", () => {
  const write = (key: string, rest: Partial<LoopEvent> = {}) => success(key, "ok", { access: "write", ...rest })

  it("7.3 of another tool or with other arguments restart the counts, the same write does not", () => {
    assert.deepStrictEqual(verdicts(write("a 1"), write("a 1")), ["Proceed", "Tell identical 2"])
    assert.deepStrictEqual(verdicts(write("a 1"), write("b 1"), write("a 1"), write("a 1")).slice(2), [
      "Proceed",
      "Tell identical 2"
    ])
    assert.strictEqual(last(success("search 1", "x"), write("a 1"), success("search 1", "x")), "Proceed")
    assert.strictEqual(
      last(success("search 1", "x"), failed("a 1", { access: "write" }), success("search 1", "x")),
      "Tell identical 2"
    )
  })

  it("7.3 restart the counts of a write that was repeated long ago", () => {
    const repeated = write("a 1", { isRepeatable: true })
    assert.strictEqual(last(write("a 1"), write("b 1"), repeated, ...others(130), write("a 1")), "Proceed")
    assert.strictEqual(last(write("a 1"), repeated, ...others(130), write("a 1")), "Tell identical 2")
  })

  it("7.3 whose repeats are allowed count only when they are recalled", () => {
    const repeatable = write("a 1", { isRepeatable: true })
    assert.deepStrictEqual(new Set(verdicts(...Array(12).fill(repeatable))), new Set(["Proceed"]))
    assert.strictEqual(last(repeatable, { ...repeatable, recalled: true }), "Tell identical 2")
    assert.strictEqual(
      last(...Array(2).fill(success("a 1", "x", { isRepeatable: true }))),
      "Tell identical 2",
      "a read"
    )
  })
})

describe("recalled calls", () => {
  it("7.3 have the result of the call before them, even if it is unknown", () => {
    const unknown = success("search 1", () => assert.fail("no digest"))
    assert.strictEqual(last(unknown, { ...unknown, recalled: true }), "Tell identical 2")
    assert.strictEqual(last(unknown, unknown), "Proceed")
  })
})

describe("cycles", () => {
  // each write restarts the counts of identical calls
  const step = (key: string, digest = "x") => success(key, digest, { access: "write" })

  it("7.1 are found after other calls", () => {
    const cycle = ["a", "b", "a", "b", "a", "b"].map((key) => step(key))
    assert.strictEqual(last(...others(5), ...cycle), "Tell cycle 3")
    assert.strictEqual(last(...others(5), ...cycle, step("a")), "Stop cycle 3")
  })

  it("7.1 may contain the same call twice, with different results", () => {
    const cycle = [step("a", "1"), step("a", "2"), step("b", "3")]
    assert.strictEqual(last(...cycle, ...cycle, ...cycle), "Tell cycle 3")
  })

  it("7.1 contain no write whose repeats are allowed, and no call that was not made", () => {
    const repeatable = success("b", "x", { access: "write", isRepeatable: true })
    const unmade = transient("b", { isUnmade: true }, "circuit_open")
    for (const other of [repeatable, unmade]) {
      const seen = verdicts(...[1, 2, 3, 4].flatMap(() => [step("a"), other]))
      assert.isFalse(
        seen.some((verdict) => verdict.includes("cycle")),
        seen.join(", ")
      )
    }
  })
})

describe("verdicts", () => {
  const same = (rest: Partial<LoopEvent>) => success("search 1", "x", rest)

  it("7.3 within the round of a notice stop only identical calls", () => {
    const round = { turn: "t1", round: 1 }
    assert.deepStrictEqual(verdicts(same(round), same(round), same({ ...round, recalled: true })), [
      "Proceed",
      "Tell identical 2",
      "Stop identical 3"
    ])
    const stale = (turn: string) =>
      Array.from({ length: 9 }, (_, n) =>
        success(`search ${n}`, () => assert.fail("no digest"), { turn, round: 1 })
      ).map((event) => ({ ...event, recalled: true }))
    assert.deepStrictEqual(verdicts(...stale("t1")).slice(-2), ["Tell no_progress 8", "Tell no_progress 9"])
    assert.deepStrictEqual(verdicts(...stale("t1").slice(0, 8), stale("t2")[8]!).slice(-2), [
      "Tell no_progress 8",
      "Stop no_progress 9"
    ])
  })

  it("7.3 end the run only in a turn in which a person denied", () => {
    const isEnd = (state: LoopState, turn?: string) => {
      const again = same({ turn, recalled: true })
      const { verdict } = LoopDetector.step(LoopDetector.fold([same({ turn }), again], state).state, again)
      return verdict._tag === "Stop" && verdict.isEnd
    }
    const denied = LoopDetector.denied(LoopDetector.initial, "t1")
    assert.deepStrictEqual([isEnd(denied, "t1"), isEnd(denied, "t2"), isEnd(denied)], [true, false, false])
    assert.isFalse(isEnd(LoopDetector.initial, ""))
    assert.isFalse(isEnd(LoopDetector.initial))
  })
})

describe("a snapshot", () => {
  it("7.3 has only the fields that a call needs, and conforms to its schema", () => {
    const state = after(success("search 1", "x"), transient("search 2", { turn: "t1", readyAt: 5 }))
    const snapshot = LoopDetector.snapshot(state)
    assert.isTrue(Schema.is(LoopDetector.LoopSnapshot)(snapshot))
    assert.deepStrictEqual(snapshot.calls, [
      { key: "search 1", tool: "search", digest: "x", count: 1, at: 1 },
      { key: "search 2", tool: "search", digest: "!Transient timeout ", count: 1, at: 2, turn: "t1", readyAt: 5 }
    ])
  })

  it("7.3 without earlier calls, as earlier versions wrote it, can be restored", () => {
    const { earlier: _, ...snapshot } = LoopDetector.snapshot(after(success("search 1", "x")))
    assert.deepStrictEqual(LoopDetector.snapshot(LoopDetector.restore(snapshot)), { ...snapshot, earlier: [[], []] })
  })
})
