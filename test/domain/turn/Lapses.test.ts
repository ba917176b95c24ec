/** Tests the counts of a session's calls, which lapse after a minute without the call. */
import { assert, describe, it } from "@effect/vitest"
import { HashMap } from "effect"
import { failed, success } from "#domain/call/Outcome"
import * as Failure from "#domain/failure/Failure"
import * as CallMap from "#domain/turn/CallMap"
import * as Lapses from "#domain/turn/Lapses"
import * as SessionHistory from "#domain/turn/SessionHistory"
import * as TurnHistory from "#domain/turn/TurnHistory"
import * as UnsettledWrites from "#domain/turn/UnsettledWrites"

const minute = 60_000

describe("Lapses", () => {
  const [, made] = Lapses.begin(Lapses.empty, "a", 1_000)
  const none = { lapses: 0, restarts: 0, isRestart: false }

  it("7.1 a first call and a call within a minute are not lapses, and a call after a minute is a lapse", () => {
    const at = (now: number) => Lapses.begin(made, "a", now)[0]
    assert.deepStrictEqual(Lapses.begin(Lapses.empty, "a", 1e9)[0], none)
    assert.deepStrictEqual(at(1_000 + minute - 1), none)
    assert.deepStrictEqual(at(1_000 + minute), { lapses: 1, restarts: 1, isRestart: true })
    assert.deepStrictEqual(Lapses.begin(made, "b", 1e9)[0], none)
  })

  it("7.1 lapses add up, and each call starts the minute again", () => {
    const [, second] = Lapses.begin(made, "a", 1_000 + minute)
    assert.deepStrictEqual(Lapses.begin(second, "a", 999 + 2 * minute)[0], {
      lapses: 1,
      restarts: 1,
      isRestart: false
    })
    assert.deepStrictEqual(Lapses.begin(second, "a", 1_000 + 2 * minute)[0], {
      lapses: 2,
      restarts: 2,
      isRestart: true
    })
  })

  it("7.1 after a lapse while the effect of the call is unknown, its attempts stay counted, then and later", () => {
    const [kept, after] = Lapses.begin(made, "a", 1_000 + minute, true)
    assert.deepStrictEqual(kept, { lapses: 1, restarts: 0, isRestart: false })
    const [counts] = Lapses.begin(Lapses.end(after, "a", 1_000 + minute), "a", 1_000 + 2 * minute)
    assert.deepStrictEqual(counts, { lapses: 2, restarts: 1, isRestart: true })
  })

  it("7.1 the minute starts at the end of a slow call, but not before its start", () => {
    const answered = Lapses.end(made, "a", 31_000)
    assert.isFalse(Lapses.begin(answered, "a", 31_000 + minute - 1)[0].isRestart)
    assert.isTrue(Lapses.begin(answered, "a", 31_000 + minute)[0].isRestart)
    const clockBack = Lapses.end(made, "a", 0)
    assert.isFalse(Lapses.begin(clockBack, "a", 999 + minute)[0].isRestart)
    assert.strictEqual(Lapses.end(made, "b", 5), made)
  })

  it("7.1 a call is over after a minute, or if the session has not made it", () => {
    assert.deepStrictEqual(
      [
        Lapses.isOver(made, "a", 999 + minute),
        Lapses.isOver(made, "a", 1_000 + minute),
        Lapses.isOver(made, "b", 1_000)
      ],
      [false, true, true]
    )
  })
})

const fields = { tool: "t", code: "c", detail: "d", hint: "h", sideEffect: "none", traceId: "tr" } as const
const question = (call: string) => ({
  call,
  repeats: "once" as const,
  maxRepeats: 10,
  isKeyed: false,
  modelKey: "",
  isContinued: false,
  resumedId: undefined
})
const write = (key: string) =>
  ({
    tool: "t",
    access: "write",
    isChecked: false,
    key,
    isFresh: true,
    isModels: true,
    callId: "c1",
    repeats: "once",
    idempotencyKey: ""
  }) as const

describe("TurnHistory: sessions", () => {
  it("7.1 after a minute, a recalled failure and a write's successes lapse, each only for its own call", () => {
    const failedOnce = (history: TurnHistory.TurnHistory, key: string) =>
      TurnHistory.failed(history, key, failed(new Failure.Permanent(fields)))
    const [, first] = SessionHistory.begin(TurnHistory.empty, "a", 0)
    const ended = TurnHistory.ended(first, write("a"), success(1))
    const before = failedOnce(failedOnce(SessionHistory.end(ended, "a", 5), "a"), "b")
    const [early, kept] = SessionHistory.begin(before, "a", 4 + minute)
    assert.deepStrictEqual([early.lapses, TurnHistory.recall(kept, "a") !== undefined], [0, true])
    const [{ lapses }, after] = SessionHistory.begin(before, "a", 5 + minute)
    assert.deepStrictEqual(
      [lapses, TurnHistory.recall(after, "a"), TurnHistory.recall(after, "b") !== undefined],
      [1, undefined, true]
    )
    assert.isUndefined(TurnHistory.begin(after, "a", question("a"))[0])
  })

  /** Copies of a write that succeeded, fewer than `CallMap.maxCalls`. Created only once, because creating them is slow. */
  const copies: CallMap.CallMap<any> = HashMap.fromIterable(
    Array.from({ length: CallMap.maxCalls - 10 }, (_, n) => [
      `copy ${n}`,
      { times: 1, running: 0, key: "", callId: "c1", isProven: true }
    ])
  )

  /** Returns a map with `size` entries, among them those of `map`. */
  const filled = <A>(map: CallMap.CallMap<A>, size: number): CallMap.CallMap<A> => {
    let all: CallMap.CallMap<A> = HashMap.union(copies, map)
    for (let n = 0; HashMap.size(all) < size; n++)
      all = HashMap.set(all, `more ${n}`, HashMap.getUnsafe(copies, "copy 0"))
    return all
  }

  /** Returns a history in which `size` writes succeeded or are running. */
  const withWrites = (history: TurnHistory.TurnHistory, size: number): TurnHistory.TurnHistory => ({
    ...history,
    writes: { ...history.writes, writes: filled(history.writes.writes, size) }
  })
  const begin = (history: TurnHistory.TurnHistory, key: string) => TurnHistory.begin(history, key, question(key))[0]

  it("4.6 after 50,000 different writes, a turn makes no further writes, and still answers the earlier ones", () => {
    const one = TurnHistory.ended(TurnHistory.empty, write("a"), success(1))
    assert.isUndefined(begin(withWrites(one, CallMap.maxCalls - 1), "new"))
    const full = withWrites(one, CallMap.maxCalls)
    assert.deepStrictEqual(TurnHistory.begin(full, "new", question("new")), [{ _tag: "Full" }, full])
    assert.strictEqual(begin(full, "a")?._tag, "Repeated")
    assert.isUndefined(TurnHistory.begin(full, "read", undefined)[0])
  })

  it("4.6 after 50,000 writes that committed or have unknown effects, a turn makes no further writes", () => {
    for (const sideEffect of ["committed", "unknown"] as const) {
      const outcome = failed(new Failure.Permanent({ ...fields, sideEffect }))
      const { committed, unsettled, ...one } = TurnHistory.failed(TurnHistory.empty, "a", outcome)
      const withSize = (size: number): TurnHistory.TurnHistory => ({
        ...one,
        committed: sideEffect === "committed" ? filled(committed, size) : committed,
        unsettled: sideEffect === "unknown" ? { ...unsettled, writes: filled(unsettled.writes, size) } : unsettled
      })
      assert.isUndefined(begin(withSize(CallMap.maxCalls - 1), "new"))
      assert.deepStrictEqual(begin(withSize(CallMap.maxCalls), "new"), { _tag: "Full" })
      assert.strictEqual(begin(withSize(CallMap.maxCalls), "a")?._tag, "Failed")
    }
  })

  it("3.3 in a full turn, a write whose effect is unknown is made again after a read", () => {
    const outcome = failed(new Failure.Permanent({ ...fields, sideEffect: "unknown" }))
    const { unsettled, ...one } = TurnHistory.failed(TurnHistory.empty, "a", outcome)
    const full = {
      ...one,
      unsettled: UnsettledWrites.looked({ ...unsettled, writes: filled(unsettled.writes, CallMap.maxCalls) })
    }
    const [decision] = TurnHistory.begin(full, "a", { ...question("a"), repeats: "allowed" })
    assert.deepStrictEqual(decision, { _tag: "Again", isFirst: true })
  })

  it("4.6 a full session drops the writes whose counts have lapsed, with their keys, except running ones", () => {
    const [, running] = TurnHistory.begin(TurnHistory.empty, "slow", question("slow"))
    let history = running
    for (const [key, millis] of [
      ["late", 0],
      ["recent", 2]
    ] as const) {
      const [, called] = SessionHistory.begin(TurnHistory.keyed(history, key, `key of ${key}`), key, millis)
      history = TurnHistory.ended(called, write(key), success(key))
    }
    const decisions = (size: number) => {
      const [, session] = SessionHistory.begin(withWrites(history, size), "new", minute)
      return {
        late: begin(session, "late")?._tag,
        recent: begin(session, "recent")?._tag,
        slow: begin(session, "slow")?._tag,
        new: begin(session, "new")?._tag,
        keys: ["late", "recent"].map((key) => CallMap.get(session.keys, key))
      }
    }
    const kept = { recent: "Repeated", slow: "Running", new: undefined } as const
    assert.deepStrictEqual(decisions(CallMap.maxCalls), {
      ...kept,
      late: undefined,
      keys: [undefined, "key of recent"]
    })
    assert.deepStrictEqual(decisions(CallMap.maxCalls - 1), {
      ...kept,
      late: "Repeated",
      keys: ["key of late", "key of recent"]
    })
  })
})
