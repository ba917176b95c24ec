/** Tests that recorded calls with new answers are never stopped, and that enough of the labelled loops are found. */
import * as CallKey from "#domain/call/CallKey"
import * as LoopDetector from "#domain/loop/LoopDetector"
import type { LoopEvent, LoopVerdict } from "#domain/loop/LoopDetector"
import { assert, describe, it } from "@effect/vitest"
import { readFileSync } from "node:fs"
import { gunzipSync } from "node:zlib"
import { data, recordedData } from "../../support/data.ts"
import { needs } from "../../support/prerequisites.ts"

interface Message {
  readonly role: string
  readonly content?: unknown
  readonly is_error?: boolean
  readonly tool_call_id?: string
  readonly tool_calls?: ReadonlyArray<{ readonly id: string; readonly function: { name: string; arguments: string } }>
}
interface RecordedConversation {
  readonly id: string
  readonly messages: ReadonlyArray<Message>
}
interface Label {
  readonly conversation: string
  readonly message: number
  readonly repeat?: "stop" | "allow" | "either"
}

const jsonLines = <A>(text: string): ReadonlyArray<A> =>
  text
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as A)
const traffic = (source: string): ReadonlyArray<RecordedConversation> =>
  jsonLines(gunzipSync(readFileSync(`${data}/traffic/${source}.jsonl.gz`)).toString())

/** True for a success that contains only an error text, as the recorded marketplace sends failures. */
const isHiddenFailure = (content: unknown): boolean => /^\{"error": ?"[^"]/.test(String(content))

/** Replays a conversation and returns the verdicts of `ask` and `step` on each answered call. */
const replay = (recorded: RecordedConversation, access: LoopEvent["access"]) => {
  const answers = new Map<string, Array<number>>()
  recorded.messages.forEach(({ role, tool_call_id }, index) => {
    if (role === "tool" && tool_call_id !== undefined)
      answers.set(tool_call_id, [...(answers.get(tool_call_id) ?? []), index])
  })
  let state = LoopDetector.initial
  let turn = 0
  let round = 0
  const calls: Array<{ at: number; isStopped: boolean; isNew: boolean; verdict: LoopVerdict }> = []
  for (const message of recorded.messages) {
    if (message.role === "user") turn += 1
    if (message.tool_calls === undefined) continue
    round += 1
    for (const call of message.tool_calls) {
      const at = answers.get(call.id)?.shift()
      if (at === undefined) continue
      const { content, is_error } = recorded.messages[at]!
      let args: unknown = call.function.arguments
      try {
        args = JSON.parse(call.function.arguments)
      } catch {
        // arguments that are not JSON remain a text
      }
      const digest = JSON.stringify(content)
      const event: LoopEvent = {
        tool: call.function.name,
        key: CallKey.of(call.function.name, args),
        access,
        turn: `${turn}`,
        round,
        outcome:
          is_error === true || isHiddenFailure(content)
            ? { _tag: "Failure", class: "Permanent", code: "tool_failed", path: digest.slice(0, 60), digest }
            : { _tag: "Success", digest }
      }
      const isStopped = LoopDetector.ask(state, event)._tag === "Stop"
      const { state: next, verdict } = LoopDetector.step(state, event)
      state = next
      calls.push({ at, isStopped, isNew: !(verdict._tag === "Stop" && verdict.pattern === "identical"), verdict })
    }
  }
  return calls
}

describe("LoopDetector on recorded traffic", needs(recordedData), () => {
  /**
   * For each source: the minimum of stopped calls, and the maximum of other calls that are notified or asked about.
   * Counts restart with each message of the user, and with each successful write that differs in tool or arguments [7.1].
   */
  const bounds: Record<string, readonly [stopped: number, notified: number]> = {
    coding: [0, 0],
    livemcpbench: [0, 8],
    openhands: [0, 8],
    "recorded-tests": [1, 5],
    "tau-bench-airline": [0, 20],
    "tau2-airline": [190, 40],
    "tau2-telecom": [380, 40],
    toolbench: [25, 110]
  }
  for (const [source, [stopped, notified]] of Object.entries(bounds)) {
    it(`7.0 ${source}: stops only identical calls, at least the expected number, and notifies few other calls`, () => {
      // a tool whose access the log does not state counts as a write [13.1]
      const calls = traffic(source).flatMap((recorded) => replay(recorded, "write"))
      assert.deepStrictEqual(
        calls.filter(({ isNew, isStopped }) => isStopped && isNew),
        []
      )
      assert.isAtLeast(calls.filter(({ isStopped }) => isStopped).length, stopped)
      assert.isAtMost(
        calls.filter(({ isStopped, verdict }) => !isStopped && verdict._tag !== "Proceed").length,
        notified
      )
    })
  }

  /** Counts the repetitions of each label, and how many were stopped or notified (for `allow`: only stopped). */
  const labelled = (accessOf: (source: string) => LoopEvent["access"]) => {
    const labels = jsonLines<Label>(readFileSync(`${data}/labels.jsonl`, "utf8"))
    const seen = { stop: { all: 0, found: 0 }, allow: { all: 0, found: 0 }, either: { all: 0, found: 0 } }
    for (const source of Object.keys(bounds)) {
      for (const recorded of traffic(source)) {
        const mine = labels.filter(({ conversation, repeat }) => conversation === recorded.id && repeat !== undefined)
        if (mine.length === 0) continue
        for (const { at, isStopped, verdict } of replay(recorded, accessOf(source))) {
          const repeat = mine.find(({ message }) => message === at)?.repeat
          if (repeat === undefined) continue
          seen[repeat].all += 1
          const isFound = repeat === "allow" ? verdict._tag === "Stop" : verdict._tag !== "Proceed"
          if (isStopped || isFound) seen[repeat].found += 1
        }
      }
    }
    return seen
  }

  it("7.0 stops no labelled repetition that must run, and finds 5 of 15 loops if every tool counts as a write", () => {
    const { allow, either, stop } = labelled(() => "write")
    assert.deepStrictEqual([stop.all, allow, either.all], [15, { all: 4, found: 0 }, 3])
    assert.isAtLeast(stop.found, 5)
  })

  it("7.0 finds 12 of 15 loops if tools that only read are declared as reads", () => {
    const { allow, stop } = labelled((source) => (source === "toolbench" ? "read" : "write"))
    assert.deepStrictEqual(allow, { all: 4, found: 0 })
    assert.isAtLeast(stop.found, 12)
  })
})
