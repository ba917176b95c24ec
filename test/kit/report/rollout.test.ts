/**
 * Tests the comparison of conversations in which the guard enforced a contract with the others, on the guard's own
 * records. A share of 0.3 contains the conversations c-2 and c-4, and not c-1 and c-3.
 */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { type CallRecord, toJson } from "#domain/call/CallRecord"
import * as ReportText from "#kit/cli/replay/Text"
import * as Replay from "#kit/replay/Replay"
import * as Fold from "#kit/report/Fold"
import { page } from "#kit/report/html/Page"
import type { Report } from "#kit/report/Report"
import type { Conversation } from "#kit/traffic/Conversation"
import * as CallRecords from "#kit/traffic/formats/CallRecords"
import * as CallLogMemory from "#layers/CallLogMemory"
import { CallLog, type CallLogUnavailable } from "#services/CallLog"
import { Guard } from "#src/guard/Guard"
import { readFileSync } from "node:fs"
import { ask, type Tool, tool, within } from "../../pipeline/support.ts"
import { assertAgreement } from "./agreement.ts"
import { visibleTextOf } from "./markup.ts"

const records = Effect.flatMap(CallLog, (log) => log.records)

/** Makes calls of a tool in a conversation, each in its own round, and returns their records. */
const recorded = (
  conversation: string,
  share: number,
  calls: ReadonlyArray<string>,
  name = "read_order"
): Effect.Effect<ReadonlyArray<CallRecord>, CallLogUnavailable> => {
  const own = tool(name, { enforce: { share }, retry: { attempts: 1 } }, { n: 1 })
  return Effect.gen(function* () {
    for (const [index, args] of calls.entries()) {
      yield* ask([own.tool], name, args, { round: calls.length + index, callId: `${name}_${share}_${index}` })
    }
    return yield* records
  }).pipe(
    within([own.layer], Guard.layerMemoryWith(CallLogMemory.layerWith({ keep: "full" })), { conversation, turn: "t" })
  )
}

const conversationsOf = (all: ReadonlyArray<CallRecord>): ReadonlyArray<Conversation> => {
  const reader = CallRecords.reader()
  const items = [
    ...all.flatMap((record, index) =>
      reader.read(JSON.parse(toJson(record)), { file: "calls.jsonl", line: index + 1 })
    ),
    ...reader.end()
  ]
  return items.flatMap((item) => (item._tag === "Conversation" ? [item] : assert.fail(JSON.stringify(item))))
}

const foldOf = (conversations: ReadonlyArray<Conversation>, tools: ReadonlyArray<Tool> = []): Report => {
  const replay = Effect.runSync(
    Effect.scoped(Replay.make({ tools: new Map(tools.map((each) => [each.toolName, each])) }))
  )
  const fold = Fold.make({ redact: (text) => text })
  for (const one of conversations) fold.add(one, replay.play(one))
  const report = fold.report()
  assertAgreement(report)
  return report
}

const reportOf = (all: ReadonlyArray<CallRecord>, tools: ReadonlyArray<Tool> = []): Report =>
  foldOf(conversationsOf(all), tools)

/** Returns the printed report. */
const textOf = (report: Report): string => {
  const lines: Array<string> = []
  ReportText.write({ columns: 100, styled: (_, line) => line, line: (line) => void lines.push(line) }, report, {
    commandWith: () => "",
    isOwn: () => true
  })
  return lines.join("\n")
}

const [right, other, wrong] = ['{"q":"a"}', '{"q":"b"}', '{"q":7}']

/** The tokens of both sides depend on the lengths of texts, so that only their order of magnitude is known. */
const withoutTokens = ({ rollout }: Report) =>
  rollout.map(({ advised, enforced, ...row }) => {
    const [{ tokens: one, ...ofEnforced }, { tokens: two, ...ofAdvised }] = [enforced, advised]
    assert.strictEqual(one > 0, enforced.conversations > 0)
    assert.strictEqual(two > 0, advised.conversations > 0)
    return { ...row, enforced: ofEnforced, advised: ofAdvised }
  })

const none = { conversations: 0, calls: 0, failed: 0, repaired: 0, notEnforced: 0 }

describe("13.1 the comparison of a rollout", () => {
  it.effect("counts conversations, calls, failures, repairs and violations of both sides", () =>
    Effect.gen(function* () {
      const report = reportOf([
        // enforced: two failures, of which the first is repaired
        ...(yield* recorded("c-2", 0.3, [wrong, right, wrong])),
        ...(yield* recorded("c-4", 0.3, [right])),
        // advised: three violations, which the models did not read
        ...(yield* recorded("c-1", 0.3, [wrong, right])),
        ...(yield* recorded("c-3", 0.3, [wrong, '{"q":8}', other]))
      ])
      assert.deepStrictEqual(withoutTokens(report), [
        {
          tool: "read_order",
          enforced: { conversations: 2, calls: 4, failed: 2, repaired: 1, notEnforced: 0 },
          advised: { conversations: 2, calls: 5, failed: 0, repaired: 0, notEnforced: 3 },
          leftOut: 0
        }
      ])
      const text = textOf(report).split("\n")
      const [enforced = "", advised = ""] = text.slice(text.findIndex((line) => line.startsWith("Rollout:")) + 2)
      assert.match(enforced, /read_order\s+enforced\s+2\s+2\s+50 %\s+50 %\s+0 %\s+[\d.,]+$/)
      assert.match(advised, /advised\s+2\s+2\.5\s+0 %\s+0 %\s+60 %\s+[\d.,]+$/)
      assert.match(visibleTextOf(page(report)), /Left out\s+read_order\s+enforced\s+2\s+2\s+50 %\s+50 %\s+0 %/)
    })
  )

  it.effect("compares each tool by itself, and leaves out a conversation whose share was changed meanwhile", () =>
    Effect.gen(function* () {
      const report = reportOf([
        ...(yield* recorded("c-1", 0.3, [right])),
        ...(yield* recorded("c-1", 0.6, [right], "read_stock")),
        ...(yield* recorded("c-2", 0, [wrong])),
        ...(yield* recorded("c-2", 0.3, [right, wrong]))
      ])
      assert.deepStrictEqual(withoutTokens(report), [
        {
          tool: "read_order",
          enforced: none,
          advised: { conversations: 1, calls: 1, failed: 0, repaired: 0, notEnforced: 0 },
          leftOut: 1
        },
        {
          tool: "read_stock",
          enforced: { conversations: 1, calls: 1, failed: 0, repaired: 0, notEnforced: 0 },
          advised: none,
          leftOut: 0
        }
      ])
    })
  )

  it.effect(
    "keeps the recorded sides if today's contract is stricter, and shows what a larger share would refuse",
    () =>
      Effect.gen(function* () {
        const today = tool("read_order", { enforce: { share: 0 } }, { n: 1 })
        const all = [...(yield* recorded("c-1", 0.3, [wrong])), ...(yield* recorded("c-2", 0.3, [right]))]
        const report = reportOf(all, [today.tool])
        assert.deepStrictEqual(
          withoutTokens(report).map(({ advised, enforced }) => [enforced.conversations, advised.conversations]),
          [[1, 1]]
        )
        assert.strictEqual(report.guarded.refused, 1)
        assert.deepStrictEqual(report.refused, [{ code: "invalid_arguments", count: 1 }])
      })
  )

  it.effect("is absent without such a tool, and for calls without a conversation", () =>
    Effect.gen(function* () {
      const own = tool("read_order", { enforce: { share: 0.5 } }, { n: 1 })
      const layer = Guard.layerMemoryWith(CallLogMemory.layerWith({ keep: "full" }))
      const alone = yield* Effect.andThen(ask([own.tool], "read_order", right), records).pipe(
        within([own.layer], layer, { turn: "t" })
      )
      const report = reportOf(alone)
      assert.deepStrictEqual(report.rollout, [])
      assert.notInclude(visibleTextOf(page(report)), "Rollout")
    })
  )

  it("is printed for the example of the guide", () => {
    const guide = readFileSync("docs/rollout.md", "utf8")
    const [, shown = "none"] = /^```text\n(Rollout:[^]*?)\n```$/m.exec(guide) ?? []
    const lines = readFileSync("examples/traffic/rollout.jsonl", "utf8").trim().split("\n")
    const reader = CallRecords.reader()
    const items = [
      ...lines.flatMap((text, index) => reader.read(JSON.parse(text), { file: "rollout.jsonl", line: index + 1 })),
      ...reader.end()
    ]
    const conversations = items.flatMap((item) => (item._tag === "Conversation" ? [item] : []))
    assert.include(textOf(foldOf(conversations)), shown)
  })

  it("a record with an unknown side is read without it", () => {
    const record = {
      conversation: "c",
      turn: "t",
      tool: "x",
      arguments: {},
      keyDigest: "d",
      attempts: [],
      decisions: []
    }
    const outcome = { _tag: "Success", result: 1 }
    const reader = CallRecords.reader()
    const line = { ...record, sideEffect: "none", outcome, enforcement: "half" }
    const items = [...reader.read(line, { file: "calls.jsonl", line: 1 }), ...reader.end()]
    const [only] = items
    if (only?._tag !== "Conversation") return assert.fail(JSON.stringify(items))
    const { rollout, totals } = foldOf([only])
    assert.deepStrictEqual(rollout, [])
    assert.strictEqual(totals.calls, 1)
  })
})
