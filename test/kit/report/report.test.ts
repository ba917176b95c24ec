/** Tests which sections of the report a log fills, and what they contain. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import type * as Price from "#domain/transcript/Price"
import type { Conversation } from "#kit/traffic/Conversation"
import * as Replay from "#kit/replay/Replay"
import * as InferredContracts from "#kit/replay/InferredContracts"
import * as Fold from "#kit/report/Fold"
import type { Report } from "#kit/report/Report"
import { call, conversation, said, tool, user } from "../replay/logs.ts"
import { assertAgreement } from "./agreement.ts"

const reportOf = (
  conversations: ReadonlyArray<Conversation>,
  options: Replay.ReplayOptions = {},
  fold: Partial<Fold.FoldOptions> = {}
): Report => {
  const replay = Effect.runSync(Effect.scoped(Replay.make(options)))
  const made = Fold.make({ redact: (text) => text, ...fold })
  for (const one of conversations) made.add(one, replay.play(one))
  replay.unchecked().forEach(made.unchecked)
  const report = made.report()
  assertAgreement(report)
  return report
}

const tools = [
  tool(
    "get_order",
    {
      id: { type: "string" },
      status: { enum: ["open", "closed"] },
      limit: { type: "integer", maximum: 10 },
      note: { type: "string" }
    },
    { required: ["id"] }
  ),
  tool("list_orders", { page: { type: "integer" } }),
  tool("update_order", { id: { type: "string" } })
]

const healthy = [...call("get_order", { id: "a" }, '{"id":"a"}'), ...call("list_orders", { page: 1 }, "[]")]

/** Returns the names of the sections that are not empty. */
const filledSections = (report: Report): ReadonlyArray<string> =>
  Object.entries({
    failures: report.failures.length,
    refused: report.refused.length,
    repeats: report.repeats.calls,
    loops: report.loops.total,
    saved: report.saved.calls,
    asked: report.asked.length,
    rejected: report.rejected.length,
    suspects: report.suspects.total,
    repair: report.repair.length,
    unchecked: report.unchecked.total,
    skipped: report.skipped.total,
    unanswered: report.totals.unanswered,
    conversations: report.conversations.total
  })
    .filter(([, count]) => count > 0)
    .map(([name]) => name)

const one = (...messages: Conversation["messages"]) => conversation(tools, [user("go"), ...messages, said("done")])

describe("the report of a replay", () => {
  it("13.1 has no findings for a healthy log", () => {
    const report = reportOf([one(...healthy)])
    assert.deepStrictEqual(filledSections(report), [])
    assert.deepStrictEqual(report.totals, {
      conversations: 1,
      turns: 1,
      rounds: 2,
      calls: 2,
      unanswered: 0,
      succeeded: 2,
      partial: 0,
      failed: 0,
      declared: 0,
      fromUserMessages: 0,
      notEnforced: 0,
      inputTokens: 9,
      outputTokens: 11
    })
  })

  it("13.1 counts a failure by tool, class and code, with its first place", () => {
    const report = reportOf([
      one(...healthy, ...call("get_order", { id: "o-117" }, "connect ECONNREFUSED 10.0.0.1:1", true))
    ])
    assert.deepStrictEqual(filledSections(report), ["failures", "repair", "conversations"])
    assert.deepStrictEqual(report.failures, [
      {
        tool: "get_order",
        class: "Transient",
        code: "connection_failed",
        count: 1,
        first: { file: "log.jsonl", line: 1, conversation: "one", call: 3 }
      }
    ])
  })

  it("15.2 counts a failure as repaired if the next call of that tool succeeds, by class and model", () => {
    const failing = call("get_order", { id: "o-117" }, "Error: order o-117 not found", true)
    const repaired = reportOf([
      one(...failing, ...call("list_orders", {}, "[]"), ...call("get_order", { id: "a" }, "{}"))
    ])
    assert.deepStrictEqual(repaired.repair, [
      { tool: "get_order", class: "ToolArgError", model: "model-1", failures: 1, repaired: 1 }
    ])
    const unrepaired = reportOf([one(...failing, ...call("list_orders", {}, "[]"))])
    assert.deepStrictEqual(unrepaired.repair, [
      { tool: "get_order", class: "ToolArgError", model: "model-1", failures: 1, repaired: 0 }
    ])
  })

  it("13.1 computes money with the price of each conversation's model, or with the highest price if the model has none", () => {
    const again = Array.from({ length: 17 }, () => call("get_order", { id: "a" }, '{"id":"a"}')).flat()
    const free = { inputPerMillion: 0, outputPerMillion: 0 }
    const dear = { inputPerMillion: 1_000, outputPerMillion: 0 }
    const moneyAt = (prices: Price.Prices) => reportOf([one(...again)], {}, { prices }).saved.money
    const known = moneyAt(dear)
    assert.isAbove(known ?? 0, 0)
    assert.deepStrictEqual(
      [
        moneyAt({ "model-1": dear, "*": free }),
        moneyAt({ model: free, other: dear }),
        moneyAt({ other: dear }),
        moneyAt({})
      ],
      [known, 0, known, 0]
    )
  })

  it("7.3 reports a loop with its pattern, conversation and calls, and what stopping it would have saved", () => {
    const again = Array.from({ length: 17 }, () => call("get_order", { id: "a" }, '{"id":"a"}')).flat()
    const report = reportOf([one(...again)], {}, { prices: { inputPerMillion: 1_000, outputPerMillion: 0 } })
    assert.deepStrictEqual(filledSections(report), ["repeats", "loops", "saved", "conversations"])
    assert.deepStrictEqual(report.loops.shown, [
      {
        file: "log.jsonl",
        line: 1,
        conversation: "one",
        tool: "get_order",
        pattern: "identical",
        turn: 1,
        calls: [3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17],
        count: 15
      }
    ])
    const { groups, ...repeats } = report.repeats
    assert.deepStrictEqual(repeats, { calls: 16, sameAnswer: 16, longestRun: 17 })
    assert.deepStrictEqual(groups, {
      total: 1,
      shown: [
        {
          file: "log.jsonl",
          line: 1,
          conversation: "one",
          tool: "get_order",
          calls: Array.from({ length: 17 }, (_, n) => n + 1),
          count: 17,
          answers: 1
        }
      ]
    })
    assert.deepStrictEqual([report.saved.calls, report.saved.byReason.loop, report.saved.rounds], [15, 15, 15])
    assert.isAbove(report.saved.inputTokens, 0)
    assert.strictEqual(report.saved.money, Number((report.saved.inputTokens / 1_000).toFixed(4)))
  })

  it("13.1 reports a blocked call that worked as a suspect, with the missed answer", () => {
    const failing = call("get_order", { id: "o-117" }, "Error: order o-117 not found", true)
    const report = reportOf([one(...failing, ...call("get_order", { id: "o-117" }, '{"id":"b","new":true}'))])
    assert.deepStrictEqual(filledSections(report), [
      "failures",
      "repeats",
      "saved",
      "suspects",
      "repair",
      "conversations"
    ])
    assert.deepStrictEqual(report.suspects.shown, [
      {
        file: "log.jsonl",
        line: 1,
        conversation: "one",
        call: 2,
        tool: "get_order",
        reason: "recall",
        missed: '{"id":"b","new":true}',
        missedAt: 2
      }
    ])
  })

  it("13.1 reports the end of a run as a suspect if the same call then returns a new answer", () => {
    const failing = (id: string) => call("get_order", { id }, "403 Forbidden", true)
    const ids = ["o-1", "o-2", "o-3", "o-4", "o-5"]
    const ended = one(...ids.flatMap(failing))
    assert.deepStrictEqual(
      reportOf([ended]).loops.shown.map(({ calls, pattern }) => [pattern, calls]),
      [["same_failure", [5]]]
    )
    assert.strictEqual(reportOf([ended]).suspects.total, 0)
    const later = one(
      ...ids.flatMap(failing),
      ...call("update_order", { id: "x" }, "done"),
      ...call("get_order", { id: "o-5" }, "{}")
    )
    assert.deepStrictEqual(
      reportOf([later]).suspects.shown.map(({ call: number, missed, reason }) => [number, reason, missed]),
      [[7, "ended", "{}"]]
    )
  })

  it("13.1 groups rejected fields with at most three examples, and suggests how to relax the schema", () => {
    const accepted = (args: object, times = 2) =>
      Array.from({ length: times }, (_, n) => call("get_order", { id: `${n}`, ...args }, `{"n":${n}}`)).flat()
    const suggestionFor = (args: object) => reportOf([one(...accepted(args))]).rejected.map((row) => row.suggestion)
    assert.deepStrictEqual(suggestionFor({ note: null }), [{ _tag: "nullable" }])
    assert.deepStrictEqual(suggestionFor({ status: "late" }), [{ _tag: "wider enum", values: ["late"] }])
    assert.deepStrictEqual(suggestionFor({ limit: 50 }), [
      { _tag: "wider bound", expected: "a value less than or equal to 10" }
    ])
    assert.deepStrictEqual(suggestionFor({ limit: "5" }), [{ _tag: "wider type", type: "string" }])
    assert.deepStrictEqual(suggestionFor({ extra: 1 }), [{ _tag: "open object" }])
    const missing = call("get_order", {}, "{}")
    assert.deepStrictEqual(reportOf([one(...missing)]).rejected[0]?.suggestion, { _tag: "optional" })
    const refused = call("get_order", { id: "a", limit: 50 }, "Error: limit must be at most 10", true)
    assert.deepStrictEqual(
      reportOf([one(...refused)]).rejected.map(({ accepted, count, path, problem, suggestion }) => ({
        accepted,
        count,
        path,
        problem,
        suggestion
      })),
      [
        {
          accepted: 0,
          count: 1,
          path: "limit",
          problem: "expected a value less than or equal to 10",
          suggestion: { _tag: "keep" }
        }
      ]
    )
    const many = [20, 30, 40, 50, 50].flatMap((limit) => call("get_order", { id: "a", limit }, "{}"))
    const [row] = reportOf([one(...many)]).rejected
    assert.deepStrictEqual([row?.count, row?.examples.map(({ sent }) => sent)], [5, ["20", "30", "40"]])
  })

  it("4.1 counts an unknown name as refused if the log agrees, and as a tool if the log has an answer from it", () => {
    const wrong = call("get_ordr", { id: "a" }, "Error: unknown tool get_ordr", true)
    assert.deepStrictEqual(reportOf([one(...wrong)]).refused, [{ code: "unknown_tool", count: 1 }])
    const unlisted = call("search_web", { q: "a" }, "results")
    assert.deepStrictEqual(filledSections(reportOf([one(...unlisted)])), [])
    assert.deepStrictEqual(filledSections(reportOf([conversation([], [user("go"), ...wrong])])), [
      "failures",
      "repair",
      "conversations"
    ])
  })

  it("10.2 counts calls that a person would have been asked about", () => {
    const drop = { ...tool("drop_order", { id: { type: "string" } }), access: "destructive" as const }
    const report = reportOf([conversation([drop], [user("go"), ...call("drop_order", { id: "a" }, "done")])])
    assert.deepStrictEqual(report.asked, [{ tool: "drop_order", count: 1 }])
    assert.deepStrictEqual(filledSections(report), ["asked"])
  })

  it("13.1 reports unchecked constraints, skipped lines, and unanswered calls", () => {
    const unchecked = tool("get_odd", { a: { not: { type: "string" } } })
    const report = reportOf([conversation([unchecked], [user("go"), ...call("get_odd", { a: 1 })])])
    assert.deepStrictEqual(
      report.unchecked.shown.map(({ pointer, tool: name }) => [name, pointer]),
      [["get_odd", "/properties/a/not"]]
    )
    assert.strictEqual(report.totals.unanswered, 1)
    const fold = Fold.make({ redact: (text) => text })
    fold.skip({ _tag: "Skipped", place: { file: "log.jsonl", line: 7 }, reason: "It is not valid JSON." })
    assert.deepStrictEqual(fold.report().skipped, {
      total: 1,
      shown: [{ file: "log.jsonl", line: 7, reason: "It is not valid JSON." }]
    })
  })

  it("13.1 reports violations of a schema and lets the calls pass if `advise` is set", () => {
    const report = reportOf([one(...call("get_order", { id: "a", limit: 50 }, "{}"))], { advise: "all" })
    assert.deepStrictEqual(filledSections(report), ["rejected"])
  })

  it("13.1 refuses the violations of the other tools if some tools advise", () => {
    const calls = [
      ...call("get_order", { id: "a", limit: 50 }, '{"id":"a"}'),
      ...call("list_orders", { page: "two" }, "[]")
    ]
    const report = reportOf([one(...calls)], { advise: new Set(["list_orders"]) })
    assert.deepStrictEqual(
      report.strict.map(({ accepted, refused, tool }) => ({ accepted, refused, tool })),
      [
        { tool: "get_order", accepted: 1, refused: 1 },
        { tool: "list_orders", accepted: 1, refused: 0 }
      ]
    )
  })

  it("13.1 validates tools that the log does not list against schemas inferred from their calls", () => {
    const calls = Array.from({ length: 40 }, (_, n) =>
      call("find_user", { email: `a${n}@example.com`, limit: n }, "{}")
    )
    const log = conversation([], [user("go"), ...calls.flat()])
    const odd = conversation([], [user("go"), ...call("find_user", { email: "b@example.com", limit: "five" }, "{}")])
    const unlisted = InferredContracts.make()
    unlisted.add(log)
    assert.deepStrictEqual([...unlisted.schemas().keys()], ["find_user"])
    assert.deepStrictEqual(filledSections(reportOf([odd])), [])
    const [row] = reportOf([log, odd], { inferred: unlisted.schemas() }).rejected
    assert.deepStrictEqual(
      [row?.path, row?.count, row?.suggestion],
      ["limit", 1, { _tag: "wider type", type: "string" }]
    )
  })

  it("13.1 redacts secrets", () => {
    const secret = "ghp_0123456789abcdef0123456789abcdef0123"
    const messages = [
      ...call("get_order", { id: "a", note: null, extra: secret }, "{}"),
      ...call("get_order", { id: "o-117" }, "Error: order o-117 not found", true),
      ...call("get_order", { id: "o-117" }, `{"token":"${secret}"}`)
    ]
    const report = reportOf([one(...messages)], {}, { redact: (text) => text.replaceAll(secret, "[redacted]") })
    assert.strictEqual(report.suspects.total, 2)
    assert.notInclude(JSON.stringify(report), secret)
    assert.include(JSON.stringify(report), "[redacted]")
  })

  it("13.1 is the same for the same log, regardless of earlier replays", () => {
    const log = [
      one(...healthy),
      conversation(tools, [user("go"), ...call("get_order", {}, "{}")], { id: "two", line: 2 })
    ]
    assert.strictEqual(JSON.stringify(reportOf(log)), JSON.stringify(reportOf(log)))
  })
})
