/** Runs `toolguard replay` on several threads, as a process and with threads of this process. */
import { afterAll, assert, describe, it } from "@effect/vitest"
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { type Problem, problem } from "#kit/cli/console/Problem"
import * as ReplayThread from "#kit/cli/replay/ReplayThread"
import { toolguard } from "../toolguard.ts"
import { log, reportOf } from "./parallelLogs.ts"

const folder = mkdtempSync(join(tmpdir(), "toolguard-jobs-"))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const answer = (index: number): string =>
  index % 7 === 0
    ? "Error: order not found"
    : JSON.stringify({ id: `o-${index % 5}`, total: index % 11 === 0 ? "1" : 1 })

/** Writes a line of a log of requests. The requests of two conversations alternate. */
const line = (index: number): string => {
  const calls = [0, 1, 2].flatMap((at) => [
    {
      role: "assistant",
      content: null,
      tool_calls: [
        { id: `c${at}`, type: "function", function: { name: "get_order", arguments: `{"id":"o-${(index + at) % 5}"}` } }
      ]
    },
    { role: "tool", tool_call_id: `c${at}`, content: answer(index + at) }
  ])
  const messages = [{ role: "user", content: `${index} ${"x".repeat(6_000)}` }, ...calls]
  return JSON.stringify({ conversation_id: `c-${index}`, model: "m", messages })
}

const file = join(folder, "log.jsonl")
writeFileSync(file, Array.from({ length: 2_500 }, (_, index) => (index === 999 ? "not json" : line(index))).join("\n"))

const tools = ["--tools", "test/kit/cli/replay/threads.ts"]

/** Replays the log, and returns the report as text and as a page. */
const replayed = async (jobs: number, ...more: ReadonlyArray<string>) => {
  const page = join(folder, `${jobs}.html`)
  const { code, stderr, stdout } = await toolguard(["replay", file, "--jobs", String(jobs), "--html", page, ...more])
  return { code, stderr, stdout, page: readFileSync(page, "utf8") }
}

describe("toolguard replay --jobs", () => {
  it("13.1 writes the same text, JSON and page with 1, 2 and 3 jobs, and a condition ends it in the same way", async () => {
    for (const more of [
      ["--fail-if", "failures>5%"],
      ["--json", ...tools]
    ]) {
      const expected = await replayed(1, ...more)
      assert.strictEqual(expected.code, more.includes("--fail-if") ? 1 : 0, expected.stderr)
      for (const jobs of [2, 3]) assert.deepStrictEqual(await replayed(jobs, ...more), expected)
    }
  })

  it("13.1 ends with one sentence and a remedy if a thread ends, or cannot load the tools", async () => {
    // long enough that the threads have started before the main thread ends
    const files = [file, file, file]
    const run = (how: string, jobs = 2) =>
      toolguard(["replay", ...files, "--jobs", String(jobs), ...tools], { env: { THREADS: how } })
    const ended = await run("exit")
    assert.deepStrictEqual(
      [ended.code, ended.stderr],
      [1, "toolguard: A thread of the replay ended: exit code 3.\nRun again with --jobs 1.\n"]
    )
    const thrown = await run("throw")
    assert.deepStrictEqual(
      [thrown.code, thrown.stderr],
      [
        1,
        "toolguard: test/kit/cli/replay/threads.ts cannot be loaded: there is no database\nCorrect the module, and run again.\n"
      ]
    )
    assert.strictEqual((await run("throw", 1)).code, 0)
  })

  it("13.1 ends with 130 at SIGINT while threads replay", async () => {
    const { code, stderr } = await toolguard(["replay", file, "--jobs", "3", ...tools], {
      interruptAt: "the module was loaded"
    })
    assert.deepStrictEqual([code, stderr.trim()], [130, "Interrupted."])
  })

  it("13.1 names the flag if the number of jobs is invalid", async () => {
    for (const jobs of ["0", "257", "two"]) {
      const { code, stderr } = await toolguard(["replay", file, "--jobs", jobs])
      assert.strictEqual(code, 2)
      assert.include(stderr, "--jobs")
    }
  })
})

describe("threads", () => {
  it("13.1 give the same report as one thread", async () => {
    const items = log(12)
    const source: ReplayThread.ReplaySource = { advise: new Set() }
    const unexpected = (found: Problem) => assert.fail(found.message)
    const expected = await reportOf(items, 1, () => assert.fail("a single job starts no thread"))
    const threads = [1, 2].map(() => ReplayThread.start(source, unexpected))
    while (!threads.every((thread) => thread.isReady())) await new Promise((resolve) => setTimeout(resolve, 10))
    let sent = 0
    const start = (): ReplayThread.ReplayThread => {
      const thread = threads.pop() ?? assert.fail("more threads than jobs")
      return {
        ...thread,
        send: (conversations, take) => {
          sent += conversations.length
          return thread.send(conversations, take)
        }
      }
    }
    assert.deepStrictEqual(await reportOf(items, 3, start), expected)
    assert.isAbove(sent, 0)
  })

  it("13.1 report a thread whose tools do not exist", async () => {
    const found = await new Promise<Problem>((resolve) => {
      const thread = ReplayThread.start({ advise: new Set(), tools: "missing.ts" }, (one) => {
        resolve(one)
        void thread.end()
      })
    })
    const expected = problem(
      "There is no file missing.ts.",
      "Correct the path. A relative path starts at the working directory."
    )
    assert.deepStrictEqual([found.message, found.remedy], [expected.message, expected.remedy])
  })
})
