/** Tests the comparison of one log under two versions of the tools: causes, counts and examples. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import type { Conversation } from "#kit/traffic/Conversation"
import * as Replay from "#kit/replay/Replay"
import * as Comparison from "#kit/report/Comparison"
import * as Verdict from "#domain/tool/Verdict"
import * as GuardedTool from "#src/tool/GuardedTool"
import * as Toolbox from "#src/tool/Toolbox"
import { call, conversation, tool, user } from "../replay/logs.ts"

/** Replays conversations under two versions. The compared tools are those of the second version and `more`. */
const compare = (
  conversations: ReadonlyArray<Conversation>,
  before: Replay.ReplayOptions,
  after: Replay.ReplayOptions,
  { added = [], more = [] }: { readonly added?: ReadonlyArray<string>; readonly more?: ReadonlyArray<string> } = {}
): Comparison.Comparison => {
  const replayOf = (options: Replay.ReplayOptions) => Effect.runSync(Effect.scoped(Replay.make(options)))
  const [one, other] = [replayOf(before), replayOf(after)]
  const names = [...(after.listed ?? []).map(({ name }) => name), ...(after.tools?.keys() ?? []), ...more]
  const fold = Comparison.make({ before: "old", after: "new", tools: new Set(names), added }, (text) =>
    text.replaceAll("s3cret", "[redacted]")
  )
  for (const each of conversations) fold.add(each, one.play(each), other.play(each))
  return fold.comparison()
}

/** Returns the rows without their examples. */
const rowsOf = ({ causes }: Comparison.Comparison) =>
  causes.map(({ answered, broken, cause, count, path, rule, tool }) => [
    cause,
    tool,
    path,
    rule,
    count,
    answered,
    broken
  ])

const totalsOf = ({ answered, broken, calls, changed }: Comparison.Comparison) => ({ answered, broken, calls, changed })

const good = '{"orders":[]}'
const inEnum = tool("search", { status: { enum: ["open", "late"] }, page: { type: "integer" } }, { required: [] })
const narrower = tool("search", { status: { enum: ["open"] }, page: { type: "integer", maximum: 3 } }, { required: [] })

describe("a comparison of two versions", () => {
  it("13.1 groups newly refused arguments by field and rule, and counts those that the log answered well", () => {
    const log = [
      conversation(
        [inEnum],
        [
          user("go"),
          ...call("search", { status: "late", page: 1 }, good),
          ...call("search", { status: "late", page: 2 }, "Error: order store is down", true),
          ...call("search", { page: 4 }, good),
          ...call("search", { page: 2 }, good)
        ]
      )
    ]
    const found = compare(log, {}, { listed: [narrower] })
    assert.deepStrictEqual(rowsOf(found), [
      ["arguments", "search", "status", "not one of 1 values", 2, 1, 1],
      ["arguments", "search", "page", "expected a value less than or equal to 3", 1, 1, 1]
    ])
    assert.deepStrictEqual(totalsOf(found), { answered: 2, broken: 2, calls: 4, changed: 3 })
    const [{ example } = assert.fail()] = found.causes
    assert.deepStrictEqual([example.call, example.line, example.arguments], [1, 1, '{"status":"late","page":1}'])
    assert.deepStrictEqual(example.before, { verdict: "ran", detail: "" })
    assert.strictEqual(example.after.verdict, "refused")
    assert.match(example.after.detail, /^ToolArgError invalid_arguments: .*status/)
  })

  it("13.1 counts a call once, under the first fault that only the second version has", () => {
    const log = [conversation([inEnum], [user("go"), ...call("search", { status: "late", page: 9 }, good)])]
    assert.deepStrictEqual(totalsOf(compare(log, {}, { listed: [narrower] })), {
      answered: 1,
      broken: 1,
      calls: 1,
      changed: 1
    })
  })

  it("13.1 finds calls that succeed now, with the rule that refused them", () => {
    const log = [conversation([narrower], [user("go"), ...call("search", { status: "late" }, good)])]
    const found = compare(log, {}, { listed: [inEnum] })
    assert.deepStrictEqual(rowsOf(found), [["repaired", "search", "status", "not one of 1 values", 1, 1, 0]])
    assert.strictEqual(found.causes[0]?.example.after.verdict, "ran")
  })

  it("13.1 finds refused results, by field and rule", () => {
    const result = (total: object) => ({ ...inEnum, result: { type: "object", properties: { total } } })
    const log = [
      conversation(
        [],
        [user("go"), ...call("search", {}, '{"total":"3"}'), ...call("search", { page: 1 }, '{"total":3}')]
      )
    ]
    const found = compare(log, { listed: [result({})] }, { listed: [result({ type: "integer" })] })
    assert.deepStrictEqual(rowsOf(found), [
      ["result", "search", "total", "expected integer, got a number as text", 1, 1, 1]
    ])
  })

  it("13.1 finds calls of a tool that is gone, and names its successor", () => {
    const log = [conversation([inEnum], [user("go"), ...call("search", {}, good), ...call("list", {}, good)])]
    const found = compare(
      log,
      { listed: [inEnum] },
      { listed: [{ ...inEnum, name: "search_orders" }], removed: new Set(["search"]) },
      { added: ["search_orders"], more: ["search"] }
    )
    assert.deepStrictEqual(rowsOf(found), [["tool", "search", "", "is gone; search_orders is new", 1, 1, 1]])
    assert.deepStrictEqual(totalsOf(found), { answered: 1, broken: 1, calls: 1, changed: 1 })
  })

  it("13.1 finds that an identical call is stopped, if the second version declares a write that runs once", () => {
    const versions = (repeats: "once" | "allowed") => {
      class Save extends GuardedTool.Service<Save>()("save", {
        description: "Saves. Writes.",
        access: "write",
        parameters: Schema.Struct({ id: Schema.String }),
        success: Schema.Struct({ ok: Schema.Boolean }),
        idempotency: "none",
        repeats
      }) {}
      return { tools: Toolbox.make(Save).tools }
    }
    const log = [conversation([], [user("go"), ...[1, 2, 3].flatMap(() => call("save", { id: "a" }, '{"ok":true}'))])]
    const found = compare(log, versions("allowed"), versions("once"))
    assert.deepStrictEqual(rowsOf(found), [
      ["repeat", "save", "", "answered from memory", 1, 1, 0],
      ["repeat", "save", "", "stopped as a loop", 1, 1, 1]
    ])
  })

  it("13.1 finds that a person is asked, or no longer asked", () => {
    const versions = (approval: "auto" | "confirm") => {
      class Pay extends GuardedTool.Service<Pay>()("pay", {
        description: "Pays. Writes.",
        access: "write",
        parameters: Schema.Struct({ id: Schema.String }),
        success: Schema.Struct({ ok: Schema.Boolean }),
        approval
      }) {}
      return { tools: Toolbox.make(Pay).tools }
    }
    const log = [conversation([], [user("go"), ...call("pay", { id: "a" }, '{"ok":true}')])]
    const asked = compare(log, versions("auto"), versions("confirm"))
    assert.deepStrictEqual(rowsOf(asked), [["approval", "pay", "", "a person is asked", 1, 1, 0]])
    assert.strictEqual(asked.causes[0]?.example.after.verdict, "ran, after a person was asked")
    const unasked = compare(log, versions("confirm"), versions("auto"))
    assert.deepStrictEqual(rowsOf(unasked), [["approval", "pay", "", "no person is asked any more", 1, 1, 0]])
  })

  it("13.1 finds calls that a limit refuses, and calls that end with another class", () => {
    const versions = (argumentBytes: number, verdict: Verdict.OkVerdict | Verdict.GarbageVerdict) => {
      class Note extends GuardedTool.Service<Note>()("note", {
        description: "Keeps a note. Writes.",
        access: "write",
        parameters: Schema.Struct({ text: Schema.String }),
        success: Schema.Struct({ ok: Schema.Boolean }),
        limits: { argumentBytes },
        checks: { judged: () => verdict }
      }) {}
      return { tools: Toolbox.make(Note).tools }
    }
    const wrong = Verdict.garbage({ code: "wrong_note", detail: "It is another note.", hint: "" })
    const log = [conversation([], [user("go"), ...call("note", { text: "x".repeat(300) }, '{"ok":true}')])]
    const limited = compare(log, versions(2_000, Verdict.ok), versions(100, Verdict.ok))
    assert.deepStrictEqual(rowsOf(limited), [["policy", "note", "", "arguments_too_large", 1, 1, 1]])
    const judged = compare(log, versions(2_000, Verdict.ok), versions(2_000, wrong))
    assert.deepStrictEqual(rowsOf(judged), [
      ["class", "note", "", "Success becomes SemanticGarbage wrong_note", 1, 1, 1]
    ])
  })

  it("13.1 finds nothing if both versions decide the same, and redacts examples", () => {
    const log = [conversation([inEnum], [user("go"), ...call("search", { status: "s3cret" }, good)])]
    const same = compare(log, {}, { listed: [inEnum] })
    assert.deepStrictEqual(totalsOf(same), { answered: 0, broken: 0, calls: 1, changed: 0 })
    const found = compare(log, {}, { listed: [tool("search", { status: { type: "string" } })] })
    assert.include(found.causes[0]?.example.arguments, "[redacted]")
    assert.notInclude(JSON.stringify(found), "s3cret")
  })
})
