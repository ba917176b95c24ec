/** Tests how a replay treats failed writes, identical calls and pending reads, and how a report counts them. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import * as GuardedTool from "#src/tool/GuardedTool"
import * as Toolbox from "#src/tool/Toolbox"
import type { Conversation, RecordedMessage } from "#kit/traffic/Conversation"
import * as Replay from "#kit/replay/Replay"
import * as Fold from "#kit/report/Fold"
import { call, conversation, tool, user } from "./logs.ts"

const played = (
  messages: ReadonlyArray<RecordedMessage>,
  tools: Conversation["tools"] = [numbered],
  options: Replay.ReplayOptions = {}
) =>
  Effect.scoped(
    Effect.map(Replay.make(options), (replay) => {
      const one = conversation(tools, messages)
      const fold = Fold.make({ redact: (text) => text.replaceAll("hunter2", "[redacted]") })
      const replayed = replay.play(one)
      fold.add(one, replayed)
      return { ...replayed, report: fold.report() }
    })
  )

const numbered = tool("get_a", { n: { type: "integer" }, m: { type: "integer" } })

/** Creates the messages of one round: its calls, each with its answer. */
const round = (...made: ReadonlyArray<readonly [name: string, args: unknown, text: string, isError?: boolean]>) => {
  const calls = made.map(([name, args], index) => ({ id: `r${index}`, name, arguments: JSON.stringify(args) }))
  const answers = made.map(([, , text, isError = false], index): RecordedMessage => ({
    role: "tool",
    callId: `r${index}`,
    text,
    isError
  }))
  return [{ role: "assistant", text: "", calls } as const, ...answers]
}

const broken = (name: string) => [name, {}, "Error: invalid value for n", true] as const

describe("recorded writes whose answers state a failure alongside data", () => {
  const flagged = `{"ok":false,"data":{"id":1,"lines":[1]}}`
  const write = { ...tool("create_a", { n: { type: "integer" } }), access: "write" } as const
  const result = (properties: object) => ({ ...write, result: { type: "object", properties } })
  const once = [user("x"), ...call("create_a", { n: 1 }, flagged)]

  for (const [name, tools] of [
    ["no contract of results", [write]],
    ["a contract without the field", [result({ data: { type: "object" } })]],
    ["no tools", []]
  ] as const) {
    it.effect(`13.1 with ${name} in the log, the call counts as failed, in the log and with the guard`, () =>
      Effect.gen(function* () {
        const { calls, report } = yield* played(once, tools)
        assert.deepStrictEqual(
          calls.map(({ loggedEnd, record }) => [loggedEnd, record.outcome._tag]),
          [
            [
              {
                _tag: "Failure",
                class: "Permanent",
                code: "tool_failed",
                detail: 'The answer says that "ok" is false.'
              },
              "Failure"
            ]
          ]
        )
        assert.deepInclude(report.totals, { calls: 1, failed: 1, succeeded: 0 })
        assert.deepInclude(report.guarded, { failed: 1, succeeded: 0 })
      })
    )
  }

  it.effect("13.1 the answers of a guarded write are classified by its own contract", () =>
    Effect.gen(function* () {
      const policy = {
        description: "Creates a. Writes.",
        access: "write",
        parameters: Schema.Struct({ n: Schema.Int })
      } as const
      class Plain extends GuardedTool.Service<Plain>()("create_a", {
        ...policy,
        success: Schema.Struct({ data: Schema.Json })
      }) {}
      class Declared extends GuardedTool.Service<Declared>()("create_a", {
        ...policy,
        success: Schema.Struct({ ok: Schema.Boolean, data: Schema.Json })
      }) {}
      class Text extends GuardedTool.Service<Text>()("create_a", { ...policy, success: Schema.String }) {}
      for (const [tools, ended] of [
        [Toolbox.make(Plain).tools, "failed"],
        [Toolbox.make(Declared).tools, "succeeded"],
        [Toolbox.make(Text).tools, "succeeded"]
      ] as const) {
        const { report } = yield* played(once, [write], { tools })
        assert.deepInclude(report.totals, { calls: 1, failed: 0, succeeded: 0, [ended]: 1 })
        assert.deepInclude(report.guarded, { failed: 0, succeeded: 0, [ended]: 1 })
      }
    })
  )

  it.effect("13.1 a field that the contract declares, the state of an entity, and an answer of a read succeed", () =>
    Effect.gen(function* () {
      const declared = result({ ok: { type: "boolean" }, data: { type: "object" } })
      const entity = `{"id":"p-1","status":"failed","amount":3}`
      for (const [messages, tools] of [
        [once, [declared]],
        [[user("x"), ...call("create_a", { n: 1 }, entity)], [write]],
        [[user("x"), ...call("get_a", { n: 1 }, flagged)], [numbered]],
        [[user("x"), ...call("create_a", { n: 1 }, flagged)], [{ ...write, access: "read" as const }]]
      ] as const) {
        const { report } = yield* played(messages, tools)
        assert.deepInclude(report.totals, { calls: 1, failed: 0, succeeded: 1 })
        assert.deepInclude(report.guarded, { failed: 0, succeeded: 1 })
      }
    })
  )
})

describe("Replay", () => {
  it.effect("9.2 answers identical reads of a round with the answer of the first read, and reports no loop", () =>
    Effect.gen(function* () {
      const read = ["get_a", { n: 1 }, `{"v":1}`] as const
      const { calls, report } = yield* played([user("x"), ...round(read, read, read)])
      assert.deepStrictEqual(
        calls.map(({ contradiction, tally }) => [tally.saving, contradiction !== undefined]),
        [
          [undefined, false],
          ["replay", false],
          ["replay", false]
        ]
      )
      assert.strictEqual(report.loops.total, 0)
    })
  )

  it.effect("13.1 marks an identical read of a round as a suspect if its answer differed", () =>
    Effect.gen(function* () {
      const { calls } = yield* played([user("x"), ...round(["get_a", {}, "[1]"], ["get_a", {}, "[2]"])])
      assert.deepStrictEqual(
        calls.map(({ contradiction }) => contradiction !== undefined),
        [false, true]
      )
    })
  )

  it.effect("13.1 makes each identical write of a round", () =>
    Effect.gen(function* () {
      const write = ["update_a", {}, "[1]"] as const
      const { calls } = yield* played([user("x"), ...round(write, write)], [tool("update_a", {})])
      assert.deepStrictEqual(
        calls.map(({ tally }) => tally.saving),
        [undefined, undefined]
      )
    })
  )

  it.effect("2.2 treats calls as identical in any order of their fields", () =>
    Effect.gen(function* () {
      const orders = ['{"n":1,"m":2}', '{"m":2,"n":1}', '{ "n": 1, "m": 2 }']
      const { calls, report } = yield* played([user("x"), ...orders.flatMap((args) => call("get_a", args, "[1]"))])
      assert.deepStrictEqual(
        calls.map(({ contradiction, tally }) => [tally.saving, contradiction !== undefined]),
        [
          [undefined, false],
          [undefined, false],
          ["loop", false]
        ]
      )
      assert.deepInclude(report.repeats, { calls: 2, sameAnswer: 2, longestRun: 3 })
    })
  )

  it.effect("15.2 counts each failure once, as repaired if the model's next call of that tool succeeds", () =>
    Effect.gen(function* () {
      const { report } = yield* played([
        user("x"),
        ...round(broken("get_a"), ["get_a", { n: 1 }, "[1]"]),
        ...call("get_a", { n: 2 }, undefined),
        ...round(broken("get_a"), broken("get_a")),
        ...call("get_a", { n: 3 }, "[3]")
      ])
      assert.deepStrictEqual(
        report.repair.map(({ failures, repaired }) => [failures, repaired]),
        [[3, 2]]
      )
    })
  )

  it.effect("13.1 replays the calls of a log with invalid times", () =>
    Effect.gen(function* () {
      const answers = [Number.NaN, Infinity, 1.5, -1, 1e300].flatMap((at, n) =>
        call("get_a", { n }, "[1]").map((message) => (message.role === "tool" ? { ...message, at } : message))
      )
      const { calls } = yield* played([user("x"), ...answers])
      assert.strictEqual(calls.length, 5)
    })
  )
})

describe("Fold", () => {
  it.effect("13.1 redacts secrets in suggestions and in names of fields", () =>
    Effect.gen(function* () {
      const strict = tool("get_a", { kind: { type: "string", enum: ["a"] } })
      const { report } = yield* played(
        [user("x"), ...call("get_a", { kind: "hunter2" }, "[1]"), ...call("get_a", { hunter2: 1 }, "[1]")],
        [strict]
      )
      assert.notInclude(JSON.stringify(report.rejected), "hunter2")
      assert.strictEqual(report.rejected.length, 2)
    })
  )

  it.effect("13.1 holds rows for 5,000 tools, and counts all others in one row", () =>
    Effect.gen(function* () {
      const names = Array.from({ length: 5_010 }, (_, n) => `get_${n}`)
      const { report } = yield* played([user("x"), ...names.flatMap((name) => call(name, {}, "[1]"))], [])
      assert.strictEqual(report.tools.length, 5_001)
      assert.deepInclude(
        report.tools.find(({ tool }) => tool === "(others)"),
        { calls: 10, failed: 0, refused: 0, saved: 0 }
      )
    })
  )
})

describe("recorded reads that answered pending", () => {
  const answered = (at?: number) =>
    call("get_a", { n: 1 }, '{"status":"pending"}').map((message) =>
      message.role === "tool" && at !== undefined ? { ...message, at } : message
    )
  for (const [what, times, attempts] of [
    ["within a second", Array.from({ length: 17 }, (_, n) => 1_000_000 + n), 1],
    ["every two seconds", Array.from({ length: 17 }, (_, n) => 1_000_000 + 2_000 * n), 2],
    ["without times", Array.from({ length: 17 }, () => undefined), 2]
  ] as const) {
    it.effect(`7.2, 13.1 of seventeen calls ${what}, the guard would have made ${attempts}`, () =>
      Effect.gen(function* () {
        const { calls } = yield* played([user("x"), ...times.flatMap(answered)])
        assert.strictEqual(calls.filter(({ record }) => record.attempts.length > 0).length, attempts)
      })
    )
  }
})
