/** Tests the log of the loop detector: which calls it holds, and what it keeps of long keys and results. */
import { assert, describe, it } from "@effect/vitest"
import * as LoopLog from "#domain/loop/LoopLog"
import { maxCycles } from "#domain/tool/LoopThresholds"

const entry = (key: string, at: number, rest: Partial<LoopLog.Entry> = {}): LoopLog.Entry => ({
  key,
  hash: LoopLog.hashOf(key),
  tool: "search",
  digest: () => "x",
  count: 1,
  at,
  turn: "t1",
  isExempt: false,
  ...rest
})

/** A log of calls with the keys `k1`, `k2` and so on. */
const logOf = (size: number): LoopLog.LoopLog =>
  Array.from({ length: size }, (_, index) => entry(`k${index + 1}`, index + 1)).reduce(LoopLog.append, LoopLog.empty)

const find = (log: LoopLog.LoopLog, key: string) => LoopLog.find(log, key, LoopLog.hashOf(key))

const positions = (entries: ReadonlyArray<LoopLog.Entry>) => entries.map(({ at }) => at)

const range = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, index) => from + index)

describe("LoopLog", () => {
  it("7.1 finds every call of the turn, whatever their number", () => {
    const log = logOf(200)
    assert.deepStrictEqual(
      range(1, 200).map((at) => find(log, `k${at}`)?.at),
      range(1, 200)
    )
    assert.isUndefined(find(log, "k201"))
    assert.isUndefined(find(LoopLog.empty, "k1"))
  })

  it("7.1 finds the newest of identical calls", () => {
    const log = LoopLog.append(logOf(3), entry("k2", 4))
    assert.strictEqual(find(log, "k2")?.at, 4)
    const later = range(5, 104).reduce((before, at) => LoopLog.append(before, entry(`other ${at}`, at)), log)
    assert.strictEqual(find(later, "k2")?.at, 4)
  })

  it("7.1 keys with the same hash are different calls", () => {
    assert.strictEqual(LoopLog.hashOf("Aa"), LoopLog.hashOf("BB"))
    const log = LoopLog.append(LoopLog.append(LoopLog.empty, entry("Aa", 1)), entry("BB", 2))
    assert.strictEqual(find(log, "Aa")?.at, 1)
    assert.strictEqual(find(log, "BB")?.at, 2)
  })

  it("7.3 keeps the latest 64 to 128 calls in its tables, oldest first", () => {
    assert.deepStrictEqual(positions(LoopLog.entries(logOf(128))), range(1, 128))
    assert.deepStrictEqual(positions(LoopLog.entries(logOf(129))), range(65, 129))
    assert.deepStrictEqual(positions(LoopLog.entries(logOf(192))), range(65, 192))
    assert.deepStrictEqual(positions(LoopLog.entries(logOf(193))), range(129, 193))
  })

  it("7.1 keeps the calls of the longest cycle in order", () => {
    const longest = 4 * maxCycles
    assert.deepStrictEqual(positions(logOf(longest - 1).recent), range(1, longest - 1))
    assert.deepStrictEqual(positions(logOf(longest).recent), range(1, longest))
    assert.deepStrictEqual(positions(logOf(longest + 1).recent), range(2, longest + 1))
  })

  it("7.3 a restored log holds the same calls as the log that goes on", () => {
    for (const size of [0, 1, 63, 64, 65, 128, 129, 193]) {
      const log = logOf(size)
      const restored = LoopLog.restore(size, LoopLog.entries(log), log.earlier)
      for (const more of [0, 1, 63, 64]) {
        const added = range(1, more).map((n) => entry(`more ${n}`, size + n))
        const [self, that] = [restored, log].map((before) => added.reduce(LoopLog.append, before))
        const shown = [self!, that!].map((each) => [
          positions(LoopLog.entries(each)),
          positions(each.recent),
          each.size
        ])
        assert.deepStrictEqual(shown[0], shown[1])
      }
      assert.strictEqual(find(restored, "k1")?.at, find(log, "k1")?.at)
    }
  })

  it("7.3 a log is restored from at most 128 calls, whatever it is given", () => {
    const calls = range(1, 300).map((at) => entry(`k${at}`, at))
    const restored = LoopLog.restore(300, calls)
    assert.deepStrictEqual(positions(LoopLog.entries(restored)), range(193, 300))
    assert.strictEqual(restored.recent.length, 4 * maxCycles)
  })

  it("7.3 a log can be restored without the calls before its tables", () => {
    const restored = LoopLog.restore(200, LoopLog.entries(logOf(200)))
    assert.strictEqual(find(restored, "k200")?.at, 200)
    assert.isUndefined(find(restored, "k1"))
  })

  it("7.1 calls that have left the tables are digested once, and no longer hold their results", () => {
    const asked: Array<number> = []
    const lazy = (at: number) => ({
      digest: LoopLog.digestOf(() => {
        asked.push(at)
        return `result ${at}`
      })
    })
    const log = range(1, 128).reduce(
      (before, at) => LoopLog.append(before, entry(`k${at}`, at, lazy(at))),
      LoopLog.empty
    )
    assert.deepStrictEqual(asked, [])
    const later = range(129, 192).reduce((before, at) => LoopLog.append(before, entry(`k${at}`, at, lazy(at))), log)
    assert.deepStrictEqual(asked, range(1, 64))
    assert.strictEqual(find(later, "k3")?.digest(), "result 3")
    assert.deepStrictEqual(asked, range(1, 64))
  })
})

describe("a key of the loop detector", () => {
  it("7.3 is kept up to 256 characters, and then is its beginning, length and hash", () => {
    const longest = "k".repeat(256)
    assert.strictEqual(LoopLog.keyOf(longest), longest)
    const short = LoopLog.keyOf(`${longest}1`)
    assert.match(short, /^k{32}…257:[a-z\d]+$/u)
    assert.strictEqual(LoopLog.keyOf(`${longest}1`), short)
    assert.notStrictEqual(LoopLog.keyOf(`${longest}2`), short)
    assert.strictEqual(LoopLog.keyOf(`${longest}1`), short)
  })
})

describe("a digest of the loop detector", () => {
  it("7.3 is kept up to 64 characters, and then is its beginning, length and hash", () => {
    const longest = "d".repeat(64)
    assert.strictEqual(LoopLog.digestOf(longest)(), longest)
    assert.strictEqual(LoopLog.digestOf(() => longest)(), longest)
    for (const length of [65, 1_024, 1_025]) {
      const text = "d".repeat(length)
      assert.match(LoopLog.digestOf(text)(), new RegExp(`^d{32}…${length}:[a-z\\d]+$`, "u"))
      assert.strictEqual(LoopLog.digestOf(() => text)(), LoopLog.digestOf(text)())
    }
  })

  it("7.1 that cannot be computed is unknown, and equals no other", () => {
    let calls = 0
    const broken = LoopLog.digestOf(() => {
      calls++
      throw new Error("no digest")
    })
    assert.deepStrictEqual([broken(), broken(), calls], ["", "", 1])
    const call = entry("k", 1, { digest: broken })
    assert.isFalse(LoopLog.sameResult(call, call))
    assert.isFalse(LoopLog.sameResult(entry("k", 1), call))
    assert.isTrue(LoopLog.sameResult(entry("k", 1), entry("k", 2)))
  })

  it("7.1 of a failure differs from results, except of PartialData", () => {
    const isFailure = (text: string) => LoopLog.isFailure({ digest: () => text })
    assert.isTrue(isFailure(LoopLog.ofFailure("Permanent not_found ", "")))
    assert.isFalse(isFailure(LoopLog.ofFailure("PartialData more ", "x")))
    assert.isTrue(isFailure(LoopLog.ofFailure("PartialDataOther more ", "x")))
    assert.isFalse(isFailure("Permanent"))
    assert.isFalse(isFailure("no!"))
    assert.strictEqual(LoopLog.ofFailure("a ", "b"), "!a b")
  })
})
