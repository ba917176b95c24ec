/** Recorded conversations of every format, for the tests of a replay on several threads. */
import { Effect } from "effect"
import type { Problem } from "#kit/cli/console/Problem"
import * as ParallelReplay from "#kit/cli/replay/ParallelReplay"
import type { ReplayThread } from "#kit/cli/replay/ReplayThread"
import * as Replay from "#kit/replay/Replay"
import * as Fold from "#kit/report/Fold"
import type { Report } from "#kit/report/Report"
import type { Conversation } from "#kit/traffic/Conversation"
import type { Item } from "#kit/traffic/Reader"
import * as FormatDetector from "#kit/traffic/formats/FormatDetector"
import { call, conversation, tool, user } from "../../replay/logs.ts"
import { readAll, skipped } from "../../traffic/lines.ts"
import { samples } from "../../traffic/samples.ts"
import { openAiLog } from "../../traffic/writers.ts"

const order = {
  ...tool("get_order", { id: { type: "string", pattern: "^o-(?=[0-9])" }, limit: { type: "integer", maximum: 10 } }),
  result: { type: "object", properties: { id: { type: "string" }, total: { type: "integer" } }, required: ["total"] }
}
const update = { ...tool("update_order", { id: { type: "string" } }), access: "write" } as const

const repeated = (times: number, name: string, args: object, text: string) =>
  Array.from({ length: times }, () => call(name, args, text)).flat()

/** Conversations with findings of each kind. `index` distinguishes their ids, places and values. */
const findings = (index: number): ReadonlyArray<Conversation> => {
  const one = (line: number, ...messages: Parameters<typeof conversation>[1]) =>
    conversation([order, update], [user("go"), ...messages], { id: `c-${index}-${line}`, line: 10 * index + line })
  const id = `o-${index % 3}`
  return [
    one(1, ...call("get_order", { id }, `{"id":"${id}","total":${index}}`)),
    one(2, ...repeated(6, "get_order", { id }, `{"total":1}`), ...call("update_order", { id }, "Error: locked", true)),
    one(3, ...call("get_order", { id: 7, limit: 50 + index }, `{"total":"${index}"}`), ...call("get_ordr", {}, "x")),
    one(4, ...repeated(2, "get_order", { id }, "Error: not found"), ...call("get_order", { id }, `{"total":${index}}`)),
    one(5, ...call("update_order", { id }), ...call("get_order", "{broken", `{"id":1}`)),
    conversation([], [user("go"), ...call(`tool_${index}`, { a: [index] }, '{"error":"quota exceeded"}')], {
      id: "same id",
      line: 10 * index + 6
    })
  ]
}

/** Two conversations whose requests alternate line by line. */
const interleaved = (): ReadonlyArray<Item> => {
  const [first = [], second = []] = findings(1)
    .slice(0, 2)
    .map((one) => openAiLog(one, true))
  return readAll(
    FormatDetector.make(),
    ...first.flatMap((line, at) => [line, ...second.slice(at, at + 1)]),
    ...second.slice(first.length)
  )
}

/** A record of the guard for a tool that enforces in a share of conversations. */
const ofRollout = {
  ...(samples.toolguard[0] as object),
  conversation: "rollout",
  decisions: [],
  sideEffect: "none",
  enforcement: "enforce"
}

/** The samples of every format, interleaved conversations, a record of a rollout, and `times` conversations of each kind of finding. */
export const log = (times: number): ReadonlyArray<Item> => [
  ...Object.values(samples).flatMap((lines) => readAll(FormatDetector.make(), ...lines)),
  ...interleaved(),
  ...readAll(FormatDetector.make(), ofRollout),
  skipped(3, "The line is not valid JSON."),
  ...Array.from({ length: times }, (_, index) => findings(index)).flat()
]

/** Replays items, and returns the report and the rejected tools. */
export const reportOf = async (
  items: ReadonlyArray<Item>,
  jobs: number,
  start: (fail: (problem: Problem) => void) => ReplayThread,
  options: Replay.ReplayOptions = {}
): Promise<{ readonly report: Report; readonly rejected: unknown }> => {
  const fold = Fold.make({ redact: (text) => text.replaceAll("quota", "[redacted]"), prices: undefined })
  const replay = Effect.runSync(Effect.scoped(Replay.make(options)))
  const parallel = ParallelReplay.make({ jobs, replay, fold, start, startAfter: 0 })
  try {
    for (const item of items) await parallel.add([item])
    await parallel.finish()
  } finally {
    await parallel.end()
  }
  return { report: fold.report(), rejected: fold.rejectedTools().map(({ schema: _, ...rest }) => rest) }
}
