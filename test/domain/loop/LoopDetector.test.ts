import * as LoopDetector from "#domain/loop/LoopDetector"
import type { LoopDecision, LoopEvent, LoopState } from "#domain/loop/LoopDetector"
import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { readFileSync } from "node:fs"
import { resolve } from "node:path"

/** Calls in order, each with the verdicts of `ask` (default `Proceed`) and of `step`, such as `Tell cycle 3`. */
interface Vector {
  readonly name: string
  readonly calls: ReadonlyArray<{ readonly event: LoopEvent; readonly verdict: string; readonly ask?: string }>
}
const vectors = JSON.parse(readFileSync(resolve("test/vectors/loops.json"), "utf8")) as ReadonlyArray<Vector>

const shown = (verdict: LoopDecision): string =>
  verdict._tag === "Proceed" || verdict._tag === "Early" || verdict._tag === "Unfinished"
    ? verdict._tag
    : `${verdict._tag} ${verdict.pattern} ${verdict.count}`

const decode = Schema.decodeUnknownSync(LoopDetector.LoopSnapshot)
const throughJson = (state: LoopState): LoopState =>
  LoopDetector.restore(decode(JSON.parse(JSON.stringify(LoopDetector.snapshot(state)))))

const success = (key: string, digest: string | (() => string), rest: Partial<LoopEvent> = {}): LoopEvent => ({
  tool: "search",
  key,
  access: "read",
  outcome: { _tag: "Success", digest },
  ...rest
})

const after = (...events: ReadonlyArray<LoopEvent>): LoopState => LoopDetector.fold(events).state
const twice = after(success("search 1", "x", { turn: "t1" }), success("search 1", "x", { turn: "t1" }))

describe("LoopDetector, public vectors", () => {
  for (const vector of vectors) {
    it(vector.name, () => {
      let state = LoopDetector.initial
      const seen: Array<unknown> = []
      for (const { event } of vector.calls) {
        const ask = shown(LoopDetector.ask(state, event))
        const next = LoopDetector.step(state, event)
        state = next.state
        seen.push({ ask, verdict: shown(next.verdict) })
      }
      const expected = vector.calls.map(({ ask = "Proceed", verdict }) => ({ ask, verdict }))
      assert.deepStrictEqual(seen, expected)
    })
  }

  it("7.3 the vectors contain every pattern, notified and stopped, and at least twenty without a loop", () => {
    const verdicts = new Set(vectors.flatMap(({ calls }) => calls.map(({ verdict }) => verdict.replace(/ \d+$/, ""))))
    for (const pattern of ["identical", "cycle", "same_failure", "no_progress"]) {
      assert.isTrue(verdicts.has(`Tell ${pattern}`) && verdicts.has(`Stop ${pattern}`), pattern)
    }
    assert.isAtLeast(vectors.filter(({ calls }) => calls.every(({ verdict }) => verdict === "Proceed")).length, 20)
    assert.strictEqual(new Set(vectors.map(({ name }) => name)).size, vectors.length)
  })

  it("7.3 the state can be stored as JSON at every call of every vector", () => {
    for (const { calls } of vectors) {
      const events = calls.map(({ event }) => event)
      const whole = LoopDetector.fold(events)
      for (let at = 0; at <= events.length; at++) {
        const rest = LoopDetector.fold(events.slice(at), throughJson(after(...events.slice(0, at))))
        assert.deepStrictEqual(rest.verdicts, whole.verdicts.slice(at))
        assert.deepStrictEqual(LoopDetector.snapshot(rest.state), LoopDetector.snapshot(whole.state))
      }
    }
  })
})

describe("LoopDetector, ladder", () => {
  it("7.3 the verdict names the repetition in a sentence", () => {
    const { verdicts } = LoopDetector.fold([success("search 1", "x"), success("search 1", "x")])
    assert.deepStrictEqual(verdicts[1], {
      _tag: "Tell",
      pattern: "identical",
      count: 2,
      reason: "This identical call gave the same result 2 times. Repeating it yields nothing new."
    })
    assert.deepStrictEqual(LoopDetector.ask(twice, success("search 1", "x", { turn: "t1" })), {
      _tag: "Stop",
      isEnd: false,
      pattern: "identical",
      count: 3,
      reason: "The identical call gave the same result 2 times. It is not made again."
    })
  })

  it("7.3 the sentence about repeated failures, executed or recalled, does not mention a result", () => {
    const outcome = { _tag: "Failure", class: "Permanent", code: "refused" } as const
    const failed: LoopEvent = { tool: "search", key: "search 1", access: "read", outcome }
    const { state, verdicts } = LoopDetector.fold([failed, { ...failed, recalled: true }])
    const reasonOf = (verdict: LoopDecision | undefined) =>
      verdict !== undefined && "reason" in verdict ? verdict.reason : ""
    assert.strictEqual(
      reasonOf(verdicts[1]),
      "This identical call failed in the same way 2 times. Repeating it yields nothing new."
    )
    assert.strictEqual(
      reasonOf(LoopDetector.ask(throughJson(state), failed)),
      "The identical call failed in the same way 2 times. It is not made again."
    )
    const partial = { ...outcome, class: "PartialData", digest: "x" } as const
    const pages: LoopEvent = { ...failed, outcome: partial }
    assert.include(reasonOf(LoopDetector.ask(after(pages, pages), pages)), "gave the same result 2 times")
  })

  it("7.3 after a denial a stop ends the run, but only in the turn of the denial", () => {
    const isEnd = (state: LoopState, turn: string) => {
      const verdict = LoopDetector.ask(state, { tool: "search", key: "search 1", turn })
      return verdict._tag === "Stop" && verdict.isEnd
    }
    const denied = LoopDetector.denied(twice, "t1")
    assert.deepStrictEqual([isEnd(twice, "t1"), isEnd(denied, "t1"), isEnd(denied, "t2")], [false, true, false])
    const { verdict } = LoopDetector.step(throughJson(denied), success("search 1", "x", { turn: "t1", recalled: true }))
    assert.isTrue(verdict._tag === "Stop" && verdict.isEnd)
  })

  it("7.3 a denial also applies if the host has no turns", () => {
    const denied = LoopDetector.denied(after(success("search 1", "x"), success("search 1", "x")))
    const verdict = LoopDetector.ask(denied, { tool: "search", key: "search 1" })
    assert.isTrue(verdict._tag === "Stop" && verdict.isEnd)
  })

  it("4.7 a program's write restarts the counts", () => {
    const state = throughJson(LoopDetector.wrote(twice))
    assert.strictEqual(LoopDetector.ask(state, success("search 1", "x", { turn: "t1" }))._tag, "Proceed")
    const { verdicts } = LoopDetector.fold(Array(3).fill(success("search 1", "x", { turn: "t1" })), state)
    assert.deepStrictEqual(verdicts.map(shown), ["Proceed", "Tell identical 2", "Stop identical 3"])
  })

  it("7.3 an approval resets the counts", () => {
    const state = LoopDetector.approved(LoopDetector.denied(twice, "t1"))
    assert.strictEqual(LoopDetector.ask(state, success("search 1", "x"))._tag, "Proceed")
    const { verdicts } = LoopDetector.fold(Array(3).fill(success("search 1", "x", { turn: "t1" })), state)
    assert.deepStrictEqual(verdicts.map(shown), ["Proceed", "Tell identical 2", "Stop identical 3"])
  })

  it("5.2 the number of identical calls that remain is known before a call", () => {
    const question = { tool: "search", key: "search 1", turn: "t1" }
    assert.strictEqual(LoopDetector.remaining(LoopDetector.initial, question), 2)
    assert.strictEqual(LoopDetector.remaining(after(success("search 1", "x", { turn: "t1" })), question), 1)
    assert.strictEqual(LoopDetector.remaining(twice, question), 0)
    assert.strictEqual(LoopDetector.remaining(twice, { ...question, poll: true }), Infinity)
  })

  it("7.2 ask does not stop a poll that repeats a call", () =>
    assert.strictEqual(
      LoopDetector.ask(twice, { tool: "search", key: "search 1", turn: "t1", poll: true })._tag,
      "Proceed"
    ))
})

describe("LoopDetector, state", () => {
  it("7.1 a digest is computed once, and only when its call is repeated or the state is stored", () => {
    const computed: Array<string> = []
    const digest = (name: string) => () => {
      computed.push(name)
      return "x"
    }
    let state = after(success("search 1", digest("a")), success("search 2", digest("b")))
    assert.deepStrictEqual(computed, [])
    state = LoopDetector.step(state, success("search 1", digest("c"))).state
    assert.deepStrictEqual(computed, ["a", "c"])
    LoopDetector.step(state, success("search 1", digest("d")))
    assert.deepStrictEqual(computed, ["a", "c", "d"])
    LoopDetector.snapshot(state)
    assert.deepStrictEqual(computed, ["a", "c", "d", "b"])
  })

  it("7.1 a result whose digest throws is not equal to any other result", () => {
    const broken = () => assert.fail("no digest")
    const { verdicts } = LoopDetector.fold(Array(5).fill(success("search 1", broken)))
    assert.deepStrictEqual(new Set(verdicts.map(shown)), new Set(["Proceed"]))
  })

  it("7.3 steps do not change the state from which they start", () => {
    const before = LoopDetector.snapshot(twice)
    LoopDetector.fold(
      [success("search 1", "x"), success("search 2", "y"), success("edit", "z", { access: "write" })],
      twice
    )
    assert.deepStrictEqual(LoopDetector.snapshot(twice), before)
  })

  it("7.3 a state stays small, whatever the model sends", () => {
    let state = LoopDetector.initial
    for (let i = 0; i < 2_500; i++) {
      const outcome = { _tag: "Failure", class: "ToolArgError", code: `code ${i}` } as const
      state = LoopDetector.step(state, success(`search ${i} ${"junk".repeat(100)}`, "", { outcome })).state
      state = LoopDetector.step(state, success(`search ${i}`, "digest".repeat(200))).state
      if (i % 500 === 0) {
        const { earlier, ...rest } = LoopDetector.snapshot(state)
        assert.isAtMost(JSON.stringify(rest).length, 40_000)
        assert.isAtMost(JSON.stringify(earlier).length, 800_000)
      }
    }
    const { calls, earlier = [[], []] } = LoopDetector.snapshot(state)
    assert.isAtMost(calls.length, 128)
    assert.isAtMost(earlier[0].length + earlier[1].length, 4_000)
  })

  it("7.3 long keys and digests that differ only at their end are different", () => {
    const long = "k".repeat(10_000)
    const { verdicts } = LoopDetector.fold([
      success(`${long}1`, "x"),
      success(`${long}2`, "x"),
      success(`${long}1`, `${long}1`),
      success(`${long}1`, `${long}2`),
      success(`${long}1`, `${long}2`)
    ])
    assert.deepStrictEqual(verdicts.map(shown), ["Proceed", "Proceed", "Proceed", "Proceed", "Tell identical 2"])
  })

  it("7.1 an identical call counts after 1,000 other calls of its turn, but not in another turn or after a write", () => {
    const others = Array.from({ length: 1_000 }, (_, index) => success(`search ${index}`, `y${index}`, { turn: "t1" }))
    const first = success("first", "x", { turn: "t1" })
    const verdictOf = (last: LoopEvent, ...between: ReadonlyArray<LoopEvent>) =>
      shown(LoopDetector.step(after(first, ...others, ...between), last).verdict)
    assert.strictEqual(verdictOf(first), "Tell identical 2")
    assert.strictEqual(verdictOf(success("first", "new", { turn: "t1" })), "Proceed")
    assert.strictEqual(verdictOf({ ...first, turn: "t2" }), "Proceed")
    assert.strictEqual(verdictOf(first, success("edit", "z", { access: "write", turn: "t1" })), "Proceed")
    const told = after(first, ...others, first, ...others.map((other) => ({ ...other, key: `${other.key} again` })))
    assert.strictEqual(shown(LoopDetector.ask(told, first)), "Stop identical 3")
    assert.strictEqual(shown(LoopDetector.ask(throughJson(told), first)), "Stop identical 3")
    assert.strictEqual(shown(LoopDetector.ask(told, { ...first, turn: "t2" })), "Proceed")
  })

  it("7.1 a failure counts as identical after 1,000 other calls, and says that it failed", () => {
    const outcome = { _tag: "Failure", class: "Permanent", code: "not_found" } as const
    const first = success("first", "", { turn: "t1", outcome })
    const others = Array.from({ length: 1_000 }, (_, index) => success(`search ${index}`, `y${index}`, { turn: "t1" }))
    const verdict = LoopDetector.ask(after(first, first, ...others), first)
    assert.deepInclude(verdict, {
      _tag: "Stop",
      reason: "The identical call failed in the same way 2 times. It is not made again."
    })
  })

  it("7.3 a call is remembered for at least 63 other calls", () => {
    const others = Array.from({ length: 63 }, (_, index) => success(`search ${index}`, "y"))
    const { verdicts } = LoopDetector.fold([success("first", "x"), ...others, success("first", "x")])
    assert.strictEqual(shown(verdicts.at(-1)!), "Tell identical 2")
  })

  const Event = Schema.Struct({
    tool: Schema.Literals(["a", "b", "c"]),
    key: Schema.Literals(["1", "2", "3"]),
    access: Schema.Literals(["read", "write"]),
    recalled: Schema.Boolean,
    poll: Schema.Boolean,
    turn: Schema.Literals(["t1", "t2"]),
    round: Schema.Literals([1, 2]),
    outcome: Schema.Union([
      Schema.Struct({ _tag: Schema.Literal("Success"), digest: Schema.Literals(["x", "y"]) }),
      Schema.Struct({
        _tag: Schema.Literal("Failure"),
        class: Schema.Literals(["ToolArgError", "Transient", "PartialData"]),
        code: Schema.Literals(["timeout", "retry_budget_exceeded", "unknown_tool", "requires_human_approval"])
      })
    ])
  })
  it.prop(
    "7.3 a restored state returns the same verdicts",
    [Schema.Array(Event), Schema.Array(Event), Schema.Literals([0, 1, 60, 130])],
    ([first, second, fill]) => {
      const filler = Array.from({ length: fill }, (_, index) => success(`filler ${index}`, "z"))
      const withKeys = (events: typeof first): ReadonlyArray<LoopEvent> =>
        events.map((event) => ({ ...event, key: `${event.tool} ${event.key}` }))
      const before = [...filler, ...withKeys(first)]
      const whole = LoopDetector.fold([...before, ...withKeys(second)])
      const rest = LoopDetector.fold(withKeys(second), throughJson(after(...before)))
      assert.deepStrictEqual(rest.verdicts, whole.verdicts.slice(before.length))
      assert.deepStrictEqual(LoopDetector.snapshot(rest.state), LoopDetector.snapshot(whole.state))
    },
    { arbitrary: { runs: 100 } }
  )
})
