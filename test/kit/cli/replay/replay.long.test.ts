/** Runs `toolguard replay` and `toolguard explain` as processes. */
import * as CallLogSql from "#layers/CallLogSql"
import * as SqliteNode from "#layers/SqliteNode"
import { Guard } from "#src/guard/Guard"
import * as GuardedTool from "#src/tool/GuardedTool"
import * as Shadow from "#src/guard/Shadow"
import * as Toolbox from "#src/tool/Toolbox"
import { afterAll, assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Schema } from "effect"
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { gzipSync } from "node:zlib"
import { read } from "../../../support/sources.ts"
import { toolguard } from "../toolguard.ts"
import { box } from "./replayTools.ts"

const folder = mkdtempSync(join(tmpdir(), "toolguard-replay-"))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

let count = 0
const call = (name: string, args: object, content: string, more: object = {}) => {
  const id = `call_${(count += 1)}`
  return [
    {
      role: "assistant",
      content: null,
      tool_calls: [{ id, type: "function", function: { name, arguments: JSON.stringify(args) } }]
    },
    { role: "tool", tool_call_id: id, content, ...more }
  ]
}

const tools = [
  {
    type: "function",
    function: {
      name: "get_order",
      description: "Gets an order.",
      parameters: {
        type: "object",
        properties: { id: { type: "string" } },
        required: ["id"],
        additionalProperties: false
      }
    }
  }
]

const line = (id: string, ...messages: ReadonlyArray<object>): string =>
  JSON.stringify({ id, model: "model-1", tools, messages: [{ role: "user", content: "go" }, ...messages] })

const failing = { is_error: true }
const log = join(folder, "log.jsonl")
writeFileSync(
  log,
  [
    line("well", ...call("get_order", { id: "o-1" }, '{"id":"o-1"}')),
    line("loop", ...Array.from({ length: 17 }, () => call("get_order", { id: "o-1" }, '{"id":"o-1"}')).flat()),
    "not json",
    line("rejected", ...call("get_order", { order: "o-1" }, "Error: id is required", failing)),
    line(
      "suspect",
      ...call("get_order", { id: "o-9" }, "Error: order o-9 not found", failing),
      ...call("get_order", { id: "o-9" }, '{"id":"o-9"}')
    )
  ].join("\n")
)

/** The commands of the guide and their output. */
const guideCommands = [
  ...read("docs/replay.md").matchAll(/^```console\n\$ toolguard ((?:replay|explain) [^\n]+)\n([^]*?)\n```$/gm)
]

const lastLine = (text: string): string => text.trim().split("\n").at(-1) ?? ""

describe("the guide", () => {
  it("13.1 shows the output of its commands", async () => {
    assert.isAtLeast(guideCommands.length, 2)
    for (const [, command = "", printed] of guideCommands) {
      assert.strictEqual((await toolguard(command.split(" "))).stdout.trimEnd(), printed)
    }
  })
})

describe("toolguard replay", () => {
  it("13.1 prints what the guard would have done, in lines of at most 100 columns", async () => {
    const { code, stderr, stdout } = await toolguard(["replay", log])
    assert.strictEqual(stderr, "")
    assert.strictEqual(code, 0)
    assert.isAtMost(Math.max(...stdout.split("\n").map(({ length }) => length)), 100)
    assert.include(stdout, "4 conversations, 4 turns, 21 calls of 1 tool.")
    assert.include(stdout, "16 calls (76.2 %), 16 requests to the model")
    assert.match(stdout, /log\.jsonl:5#2 +get_order +recall +\{"id":"o-9"\}/)
    assert.match(stdout, /get_order +identical +15 +log\.jsonl:2 +3, 4, 5/)
    assert.match(stdout, /get_order +id +missing +1 +0 +keep: a real fault/)
    assert.match(stdout, /^  log\.jsonl:3: \S/m)
    assert.notInclude(stdout, "\u001b")
  })

  it("13.1 prints the same report for the same files, byte for byte, compressed or not", async () => {
    writeFileSync(`${log}.gz`, gzipSync(readFileSync(log)))
    const [first, second, compressed] = await Promise.all([
      toolguard(["replay", log, "--json"]),
      toolguard(["replay", log, "--json"]),
      toolguard(["replay", `${log}.gz`, "--json"])
    ])
    assert.strictEqual(first.stdout, second.stdout)
    assert.strictEqual(compressed.stdout.replaceAll("log.jsonl.gz", "log.jsonl"), first.stdout)
    const report = JSON.parse(first.stdout)
    assert.deepStrictEqual(
      [report.version, report.totals.calls, report.saved.calls, report.suspects.total, report.skipped.total],
      [1, 21, 16, 1, 1]
    )
  })

  it("13.1 writes the report as a page, but not to a missing folder or over a log", async () => {
    const page = join(folder, "report.html")
    const { code } = await toolguard(["replay", log, "--html", page, "--json"])
    assert.strictEqual(code, 0)
    assert.match(readFileSync(page, "utf8"), /^<!doctype html>/i)
    const failed = await toolguard(["replay", log, "--html", join(folder, "missing", "report.html")])
    assert.strictEqual(failed.code, 1)
    assert.include(failed.stderr, `The folder of ${join(folder, "missing", "report.html")} does not exist.`)
    const before = readFileSync(log)
    const refused = await toolguard(["replay", log, "--html", log])
    assert.deepStrictEqual([refused.code, refused.stdout], [1, ""])
    assert.include(refused.stderr, `The file ${log} exists and is not an HTML page.`)
    assert.deepStrictEqual(readFileSync(log), before)
  })

  it("13.1 exits with 1 if a condition holds, and with 0 if none does", async () => {
    const [held, not] = await Promise.all([
      toolguard(["replay", log, "--fail-if", "suspects>0.1%,loops>=5"]),
      toolguard(["replay", log, "--fail-if", "suspects > 10 %, failures>=3"])
    ])
    assert.deepStrictEqual([held.code, lastLine(held.stderr)], [1, "See the report."])
    assert.include(held.stderr, "toolguard: The condition suspects>0.1% holds: 1 of 21 (4.762 %).")
    assert.strictEqual(not.code, 0)
  })

  it("13.1 exits with 1 if no conversation was read, even with a condition, a wrong format or a mapping", async () => {
    const map = join(folder, "map.json")
    writeFileSync(map, '{"role":"speaker"}')
    const all = await Promise.all([
      toolguard(["replay", log, "--format", "claude-code"]),
      toolguard(["replay", log, "--format", "claude-code", "--fail-if", "suspects>0.1%"]),
      toolguard(["infer", log, "--format", "otel"]),
      toolguard(["explain", `${log}#1`, "--format", "otel"]),
      toolguard(["replay", log, "--map", map]),
      toolguard(["golden", "verify", log, "--map", log])
    ])
    for (const { code, stderr } of all.slice(0, -1)) {
      assert.strictEqual(code, 1)
      assert.include(stderr, `toolguard: No conversation was read from ${log}. Line 1: `)
    }
    assert.include(all[0]?.stderr, "--map FILE")
    assert.include(all.at(-1)?.stderr, `${log} is not JSON:`)
  })

  it("13.1 uses the definitions of a module of guarded tools instead of the log's", async () => {
    const module = join(import.meta.dirname, "replayTools.ts")
    const { code, stderr, stdout } = await toolguard(["replay", log, "--tools", module, "--json"])
    assert.strictEqual(stderr, "")
    assert.strictEqual(code, 0)
    const report = JSON.parse(stdout)
    assert.deepStrictEqual(
      report.rejected.map((row: { part: string; path: string; count: number; accepted: number }) => [
        row.part,
        row.path,
        row.count,
        row.accepted
      ]),
      [
        ["arguments", "id", 20, 19],
        ["result", "total", 19, 19],
        ["arguments", "id", 1, 0],
        ["arguments", "order", 1, 0]
      ]
    )
  })

  it("13.1 only reports the violations of the tools that --advise names, and proposes the command that names them", async () => {
    const monday = "examples/traffic/monday.jsonl"
    const first = await toolguard(["replay", monday])
    const proposed =
      /^Report such calls only: (?<command>toolguard .*)$/mu.exec(first.stdout)?.groups?.["command"] ?? ""
    assert.strictEqual(proposed, `toolguard replay ${monday} --advise search_orders`)
    const advised = await toolguard(proposed.split(" ").slice(1))
    assert.notInclude(advised.stdout, "Report such calls only")
    const refused = ({ stdout }: { readonly stdout: string }) =>
      /refused: (?<calls>\d+)/u.exec(stdout)?.groups?.["calls"]
    assert.deepStrictEqual([first, advised].map(refused), ["4", "2"])
    const all = await toolguard(["replay", monday, "--advise", "search_orders,refund_order"])
    assert.deepStrictEqual(refused(all), "1")
  })

  it("13.1 reports what is wrong with the command or a file and how to fix it, in at most two lines", async () => {
    const wrong: ReadonlyArray<readonly [ReadonlyArray<string>, number, string]> = [
      [["replay", join(folder, "nothing.jsonl")], 1, "There is no file"],
      [["replay", folder], 1, "is a folder"],
      [["replay", log, "--fail-if", "suspect>1"], 2, `"suspect>1" is not a condition.`],
      [["replay", log, "--price", "cheap"], 2, `"cheap" is not a price.`],
      [["replay", log, "--price", "1/2", "--prices", "x.json"], 2, "--price and --prices cannot be combined."],
      [["replay", log, "--prices", log], 1, "is not a table of prices:"],
      [["replay", log, "--tools", join(folder, "none.ts")], 1, "There is no file"],
      [
        ["replay", log, "--tools", ""],
        2,
        "--tools has no file name.\nName a module of guarded tools, such as ./tools.ts."
      ],
      [
        ["replay", ""],
        2,
        "The files of recorded traffic include an empty name.\nName each file, or - for standard input."
      ],
      [["describe", ""], 2, "The argument for the module has no file name."],
      [["replay", log, "--tools", log], 1, "cannot be loaded"],
      [
        ["replay", log, "--advise", "get_orders"],
        2,
        "--advise names get_orders, and the log has no such tool.\nDid you mean get_order?"
      ],
      [["replay", log, "--advise", "get_order,"], 2, "--advise names a tool without a name."],
      [["replay", "--advise", log], 2, `Type: toolguard replay ${log} --advise all`],
      [["explain", "--advise", `${log}:2#3`], 2, `Type: toolguard explain '${log}:2#3' --advise all`],
      [
        ["explain", `${log}:2#3`, "--advise", "get_orders"],
        2,
        "--advise names get_orders, and the log has no such tool.\nDid you mean get_order?"
      ],
      [["replay"], 2, ""]
    ]
    const all = await Promise.all(wrong.map(([args]) => toolguard(args)))
    for (const [index, { code, stderr }] of all.entries()) {
      const [args, expected, text] = wrong[index] ?? [[], 0, ""]
      assert.strictEqual(code, expected, `${args.join(" ")}: ${stderr}`)
      assert.include(stderr, text)
      assert.isAtMost(stderr.trim().split("\n").length, 2, stderr)
      assert.notMatch(stderr, /\n\s+at /)
    }
  })
})

describe("toolguard explain", () => {
  it("13.1 explains why a recorded call was stopped, with the state of the turn and what would have let it pass", async () => {
    const { code, stderr, stdout } = await toolguard(["explain", `${log}:2#3`])
    assert.strictEqual(stderr, "")
    assert.strictEqual(code, 0)
    for (const text of [
      "get_order  stopped",
      "An identical call was made 2 times before in this turn.",
      "identical call #1: Success",
      "What would have let it pass",
      `{"id":"o-1"}`
    ]) {
      assert.include(stdout, text)
    }
  })

  it("13.1 counts the calls of the whole file if no line is named, and explains schema violations", async () => {
    const { stdout } = await toolguard(["explain", `${log}#19`, "--json"])
    const explanation = JSON.parse(stdout)
    assert.deepStrictEqual(
      [explanation.verdict, explanation.failure.code, explanation.issues],
      ["refused", "invalid_arguments", ["id: Required", "order: unknown field; allowed: id"]]
    )
    assert.include(explanation.wouldPass, "arguments that match the schema")
  })

  it("13.1 explains a call under tools that only advise, also of tools that occur only after the call", async () => {
    const late = join(folder, "late.jsonl")
    writeFileSync(
      late,
      [line("one", ...call("get_order", { order: 1 }, "{}")), line("two", ...call("find", {}, "{}"))].join("\n")
    )
    const [refused, advised] = await Promise.all([
      toolguard(["explain", `${late}:1#1`, "--json", "--advise", "find"]),
      toolguard(["explain", `${late}:1#1`, "--json", "--advise", "find,get_order"])
    ])
    assert.deepStrictEqual(
      [refused, advised].map(({ stdout }) => JSON.parse(stdout).verdict),
      ["refused", "passed"]
    )
  })

  it("13.1 reports that a stopped call is a suspect", async () => {
    const { stdout } = await toolguard(["explain", `${log}:5#2`])
    assert.include(stdout, "Suspect: the guard would have blocked this call")
  })

  it("13.1 explains a live call by its trace id", async () => {
    const database = join(folder, "stores.db")
    const stores = CallLogSql.layer.pipe(Layer.provide(SqliteNode.layer({ filename: database })))
    class ReadStock extends GuardedTool.Service<ReadStock>()("read_stock", {
      description: "Reads how many are left. Read-only.",
      access: "read",
      parameters: Schema.Struct({ article: Schema.String }),
      success: Schema.Struct({ left: Schema.Int })
    }) {}
    const ask = Toolbox.make(ReadStock).answer({
      name: "read_stock",
      arguments: '{"article":7}',
      callId: "c",
      round: 1
    })
    const { traceId } = await Effect.runPromise(
      Guard.turn(ask).pipe(
        Effect.provide([ReadStock.layerTest(() => Effect.succeed({ left: 1 })), Guard.layerMemoryWith(stores)])
      )
    )
    const [live, other] = await Promise.all([
      toolguard(["explain", traceId, "--database", database, "--json"]),
      toolguard(["explain", "tr_0_0", "--database", database])
    ])
    const explanation = JSON.parse(live.stdout)
    assert.deepStrictEqual(
      [explanation.verdict, explanation.failure.code, explanation.arguments],
      ["refused", "invalid_arguments", '{"article":7}']
    )
    assert.include(other.stderr, "No record has the trace id tr_0_0.")
  })

  it("15.2 explains an exported record as it explains the live call", async () => {
    const database = join(folder, "own.db")
    const stores = CallLogSql.layer.pipe(Layer.provide(SqliteNode.layer({ filename: database })))
    class ReadStock extends GuardedTool.Service<ReadStock>()("read_stock", {
      description: "Reads how many are left. Read-only.",
      access: "read",
      parameters: Schema.Struct({ article: Schema.String }),
      success: Schema.Struct({ left: Schema.Int })
    }) {}
    const ask = (article: unknown, round: number) =>
      Toolbox.make(ReadStock).answer({ name: "read_stock", arguments: { article }, callId: `c${round}`, round })
    const answers = await Effect.runPromise(
      Guard.turn(Effect.all([ask("page", 1), ask(7, 2), ask("bug", 3)])).pipe(
        Effect.provide([
          ReadStock.layerTest(({ article }) =>
            article === "bug" ? Effect.die(new TypeError("boom")) : Effect.succeed("<!doctype html><p>Log in</p>")
          ),
          Guard.layerMemoryWith(stores)
        ])
      )
    )
    const file = join(folder, "own.jsonl")
    assert.strictEqual((await toolguard(["calls", "export", file, "--database", database])).code, 0)
    const expected = ["SchemaMismatch unexpected_content", "ToolArgError invalid_arguments", "Permanent tool_crashed"]
    for (const [index, { traceId }] of answers.entries()) {
      const [live, logged] = await Promise.all([
        toolguard(["explain", traceId, "--database", database, "--json"]),
        toolguard(["explain", `${file}#${index + 1}`, "--json"])
      ])
      const [one, other] = [live, logged].map(({ stdout }) => {
        const { answer: _, call: _call, turn: _turn, ...rest } = JSON.parse(stdout)
        return rest
      })
      assert.deepStrictEqual(other, one)
      assert.strictEqual(`${one.failure.class} ${one.failure.code}`, expected[index])
      if (index === 2) assert.match(one.crash, /^TypeError: boom\n/u)
    }
  })

  it("13.1 the commands of docs/rollout.md report what a shadow guard did not enforce", async () => {
    const database = join(folder, "shadow.db")
    const stores = CallLogSql.layerWith({ keep: "full" }).pipe(Layer.provide(SqliteNode.layer({ filename: database })))
    const tool = box.get("get_order")
    const orders = tool.layerTest(({ id }) =>
      Effect.succeed(JSON.stringify({ id, total: Number(id) % 4 === 0 ? null : 1 }))
    )
    const ask = (id: number) =>
      box.answer({ name: "get_order", arguments: { id: `${id}` }, callId: `c${id}`, round: id + 1 })
    const ids = Array.from({ length: 20 }, (_, id) => id)
    const answers = await Effect.runPromise(
      Guard.turn(Effect.forEach(ids, ask)).pipe(Effect.provide([orders, Shadow.layerWith(stores)]))
    )
    assert.isTrue(answers.every(({ isFailure }) => !isFailure))
    const [, commands = ""] = /^```sh\n(toolguard [^]*?)\n```$/mu.exec(read("docs/rollout.md")) ?? []
    const paths: ReadonlyArray<readonly [string, string]> = [
      ["stores.db", database],
      ["calls.jsonl", join(folder, "shadow.jsonl")],
      ["report.html", join(folder, "shadow.html")],
      ["./tools.ts", "test/kit/cli/replay/replayTools.ts"]
    ]
    const outputs: Array<string> = []
    for (const command of commands.split("\n")) {
      const args = paths
        .reduce((text, [name, path]) => text.replaceAll(name, path), command)
        .split(" ")
        .slice(1)
      const { code, stderr, stdout } = await toolguard(args)
      assert.strictEqual(code, 0, `${command}: ${stderr}`)
      outputs.push(stdout)
    }
    const [, report = "", , explanation = ""] = outputs
    assert.include(report, "Succeeded: 20; partial: 0; failed: 0 (0 %)")
    assert.include(report, "Not enforced: 5, calls with a failure that was recorded and not returned.")
    assert.match(
      report,
      /Over-strict: a person would have been informed\n.*\n.*get_order +13 +4 of 13 +total: Schema\.NullOr/u
    )
    assert.match(explanation, /Not enforced\n +SchemaMismatch invalid_result/u)
  })

  it("13.1 reports why a call cannot be found", async () => {
    const [call, line, text, trace] = await Promise.all([
      toolguard(["explain", `${log}:2#99`]),
      toolguard(["explain", `${log}:77#1`]),
      toolguard(["explain", "monday"]),
      toolguard(["explain", "tr_1_1", "--database", join(folder, "none.db")])
    ])
    assert.deepStrictEqual([call.code, line.code, text.code, trace.code], [1, 1, 2, 1])
    assert.include(call.stderr, "There is no call 99 in line 2")
    assert.include(line.stderr, "There is no call 1 in line 77")
    assert.include(text.stderr, `"monday" does not name a call.`)
    assert.include(trace.stderr, "There is no file")
  })

  it("13.1 explain refuses a flag that would change nothing", async () => {
    const [advise, tools, database] = await Promise.all([
      toolguard(["explain", "tr_1_1", "--advise", "get_order"]),
      toolguard(["explain", "tr_1_1", "--tools", "tools.ts"]),
      toolguard(["explain", `${log}:2#1`, "--database", join(folder, "none.db")])
    ])
    assert.deepStrictEqual([advise.code, tools.code, database.code], [2, 2, 2])
    assert.include(advise.stderr, `--advise applies only to recorded traffic, and "tr_1_1" names a live call.`)
    assert.include(tools.stderr, `--tools applies only to recorded traffic, and "tr_1_1" names a live call.`)
    assert.include(database.stderr, `--database applies only to live calls, and "${log}:2#1" names a recorded call.`)
  })
})
