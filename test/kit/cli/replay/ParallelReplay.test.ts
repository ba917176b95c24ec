/** Tests a replay on several threads with threads of this process, whose messages are copied and delayed. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Predicate } from "effect"
import { type Problem, problem } from "#kit/cli/console/Problem"
import type { ReplayThread } from "#kit/cli/replay/ReplayThread"
import * as Replay from "#kit/replay/Replay"
import * as ReplayMessage from "#kit/replay/ReplayMessage"
import type { Conversation } from "#kit/traffic/Conversation"
import * as ParallelReplay from "#kit/cli/replay/ParallelReplay"
import * as Fold from "#kit/report/Fold"
import { type Item, skipped } from "#kit/traffic/Reader"
import { call, conversation, tool, user } from "../../replay/logs.ts"
import { log, reportOf } from "./parallelLogs.ts"

interface FakeOptions {
  readonly replay?: Replay.ReplayOptions
  /** The number of turns of the event loop after which the results of the nth message arrive. */
  readonly delay?: (message: number) => number
  /** Replaces the result of a conversation. */
  readonly result?: (conversation: Conversation) => ReplayMessage.ThreadResult | undefined
  readonly watch?: (pending: number) => void
}

const turns = async (count: number): Promise<void> => {
  for (let left = count; left > 0; left--) await new Promise((resolve) => setImmediate(resolve))
}

/** Creates a thread of this process. It has its own replay, and receives and returns copies. */
const fake = ({ delay = () => 1, replay: options = {}, result, watch }: FakeOptions = {}): ReplayThread => {
  const replay = Effect.runSync(Effect.scoped(Replay.make(options)))
  const prepare = ReplayMessage.sender()
  const received = ReplayMessage.receiver()
  let pending = 0
  let messages = 0
  let before = Promise.resolve()
  return {
    isReady: () => true,
    pending: () => pending,
    send: (conversations, take) => {
      const sent = structuredClone(conversations.map(prepare))
      const wait = delay((messages += 1))
      watch?.((pending += 1))
      before = before.then(async () => {
        const results = sent.map((one): ReplayMessage.ThreadResult => {
          const copy = received(one)
          const replayed = ReplayMessage.answered(replay.play(copy))
          return result?.(copy) ?? { _tag: "Replayed", replayed, unchecked: replay.unchecked() }
        })
        await turns(wait)
        pending -= 1
        take(structuredClone(results))
      })
      return true
    },
    end: async () => {}
  }
}

const long = (line: number): Item =>
  conversation([], [user("x".repeat(130_000)), ...call("get_a", { n: line }, "{}")], { id: `long ${line}`, line })

describe("13.1 a replay on several threads", () => {
  it("has the same report, rejected tools and proposals as on one, for every format and kind of finding", async () => {
    const items = log(8)
    const never = () => assert.fail("a single job starts no thread")
    const expected = await reportOf(items, 1, never)
    const { alarms: _, asked: _asked, declared: _declared, ...filled } = expected.report
    for (const [name, rows] of Object.entries(filled)) {
      if (Array.isArray(rows)) assert.isNotEmpty(rows, name)
      else if (Predicate.hasProperty(rows, "shown")) assert.notDeepEqual(rows.shown, [], name)
    }
    for (const jobs of [2, 3]) {
      const delays = [3, 1, 7, 1, 2]
      const start = () => fake({ delay: (message) => delays[(jobs + message) % delays.length] ?? 1 })
      assert.deepStrictEqual(await reportOf(items, jobs, start), expected, `${jobs} jobs`)
    }
  })

  it("has the same report with a list of tools for each conversation, more than a thread holds", async () => {
    const tools = [1, 2, 3].map((number) => tool(`get_${number}`, { id: { type: "string", pattern: "(?=a)" } }))
    const items = Array.from({ length: 260 }, (_, index) =>
      // equal lists of different identity
      conversation([...tools], [user("x".repeat(20_000)), ...call(`get_${index % 5}`, { id: index }, "{}")], {
        id: `c-${index}`,
        line: index
      })
    )
    const expected = await reportOf(items, 1, () => assert.fail())
    assert.strictEqual(expected.report.unchecked.total, 3)
    assert.deepStrictEqual(await reportOf(items, 3, () => fake()), expected)
  })

  it("gives a thread at most two parts of the log at a time, and waits for a slow thread", async () => {
    const items = Array.from({ length: 40 }, (_, line) => long(line))
    const most: Array<number> = []
    const start = () => fake({ delay: (message) => (message === 1 ? 400 : 1), watch: (pending) => most.push(pending) })
    const { report } = await reportOf(items, 2, start)
    assert.strictEqual(Math.max(...most), 2)
    assert.strictEqual(report.totals.conversations, 40)
  })

  it("ends with the error of the first conversation that fails, after the conversations before it", async () => {
    const items = Array.from({ length: 12 }, (_, line) => long(line))
    const result = ({ place: { line } }: Conversation) =>
      line >= 4 ? ({ _tag: "Failed", message: `line ${line} fails` } as const) : undefined
    const start = () => fake({ result })
    const error: unknown = await reportOf(items, 20, start).catch((caught: unknown) => caught)
    assert.instanceOf(error, Error)
    assert.strictEqual(error.message, "line 4 fails")
  })

  it("reports lines that cannot be read while it reads further lines, and gives them to no thread", async () => {
    const fold = Fold.make({ redact: (text) => text, prices: undefined })
    const replay = Effect.runSync(Effect.scoped(Replay.make({})))
    const start = () => assert.fail("no thread is needed")
    const parallel = ParallelReplay.make({ jobs: 2, replay, fold, start })
    const lines = Array.from({ length: 10_000 }, (_, line) => skipped({ file: "log.jsonl", line }, "It is not JSON."))
    await parallel.add(lines)
    const waiting = lines.length - fold.report().skipped.total
    assert.isBelow(waiting, 2_000)
    await parallel.finish()
    await parallel.end()
    assert.strictEqual(fold.report().skipped.total, lines.length)
  })

  it("replays on the main thread what cannot be copied", async () => {
    const items = log(1)
    const expected = await reportOf(items, 1, () => assert.fail())
    const notCopied = () => fake({ result: () => ({ _tag: "NotCopied" }) })
    assert.deepStrictEqual(await reportOf(items, 2, notCopied), expected)
    const notSent = (): ReplayThread => ({ ...fake(), send: () => false })
    assert.deepStrictEqual(await reportOf(items, 2, notSent), expected)
  })

  it("ends with the problem of a thread that ends, also while it waits for results", async () => {
    const ended = problem("A thread of the replay ended: exit code 3.", "Run again with --jobs 1.")
    const start = (fail: (problem: Problem) => void): ReplayThread => ({
      ...fake(),
      pending: () => 0,
      send: () => {
        setTimeout(() => fail(ended), 1)
        return true
      }
    })
    const error: unknown = await reportOf([long(1), long(2)], 2, start).catch((caught: unknown) => caught)
    assert.strictEqual(error, ended)
  })
})
