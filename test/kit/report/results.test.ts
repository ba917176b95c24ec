/** Tests how a report shows results that violate the schema of the tool's results. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Result, Schema } from "effect"
import { GuardedTool } from "effect-toolguard"
import type { Conversation, RecordedTool } from "#kit/traffic/Conversation"
import * as Replay from "#kit/replay/Replay"
import * as ReportText from "#kit/cli/replay/Text"
import * as Fold from "#kit/report/Fold"
import * as Page from "#kit/report/html/Page"
import * as Proposal from "#kit/propose/Proposal"
import type { Report } from "#kit/report/Report"
import { call, conversation, said, tool, user } from "../replay/logs.ts"
import { assertAgreement } from "./agreement.ts"

const reportOf = (
  conversations: ReadonlyArray<Conversation>,
  options: Replay.ReplayOptions = {},
  redact = (text: string) => text
): Report => {
  const replay = Effect.runSync(Effect.scoped(Replay.make(options)))
  const fold = Fold.make({ redact })
  for (const one of conversations) fold.add(one, replay.play(one))
  const report = fold.report()
  assertAgreement(report)
  return report
}

const result = {
  type: "object",
  properties: {
    id: { type: "string" },
    name: { type: "string" },
    status: { enum: ["placed", "shipped"] },
    items: { type: "array", items: { type: "object", properties: { qty: { type: "integer" } }, required: ["qty"] } }
  },
  required: ["id", "name", "status"]
}
const getOrder: RecordedTool = { ...tool("get_order", { id: { type: "string" } }), result }
const putOrder: RecordedTool = { ...tool("put_order", { id: { type: "string" } }), access: "write", result }
const good = { id: "o", name: "A", status: "placed", items: [] }

let count = 0
/** Creates the call for an order, with a new id unless `id` is given, and its answer. */
const order = (value: unknown, id = `o-${(count += 1)}`, name = "get_order") =>
  call(name, { id }, typeof value === "string" ? value : JSON.stringify({ ...(value as object), id }))
/** Creates one conversation for each list of messages. */
const logs = (...lists: ReadonlyArray<Conversation["messages"]>) =>
  lists.map((messages, index) =>
    conversation([getOrder, putOrder], [user("go"), ...messages, said("done")], { id: `c${index}`, line: index + 1 })
  )

const groups = (report: Report) =>
  report.rejected.map(({ count: calls, part, passes, path, problem, suggestion }) => [
    part,
    path,
    problem,
    calls,
    suggestion._tag,
    passes.alone,
    passes.together
  ])

describe("the results of a report", () => {
  it("13.1 groups rejected results by path and fault, and states what each change lets pass", () => {
    const report = reportOf(
      logs(
        order({ ...good, name: null }),
        order({ ...good, name: null }),
        order({ ...good, name: null, status: "late" }),
        order({ ...good, items: [{ qty: 1 }, { qty: "2" }, { qty: "3" }] }),
        order('{"id":"o-1","name":"A'),
        order(good)
      )
    )
    assert.deepStrictEqual(groups(report), [
      ["result", "name", "expected string, got null", 3, "nullable", 2, 3],
      ["result", "(whole)", "truncated JSON", 1, "keep", 0, 0],
      ["result", "items[].qty", "expected integer, got a number as text", 1, "wider type", 1, 1],
      ["result", "status", "not one of 2 values", 1, "wider enum", 0, 1]
    ])
    assert.deepStrictEqual(report.rejected[0]?.examples, [
      { sent: "null", at: { file: "log.jsonl", line: 1, conversation: "c0", call: 1 } }
    ])
    assert.deepStrictEqual(report.results, [
      { tool: "get_order", checked: 6, rejected: 5, enforced: 5, failed: 5, passes: 4 }
    ])
  })

  it("13.1 the report, its text and its page have the changed line of each relaxed group, as JSON Schema if the schema comes from the log", () => {
    const report = reportOf(
      logs(
        order({ ...good, name: null }),
        order({ ...good, status: "late" }),
        order({ ...good, items: [{ qty: "2" }] }),
        order({ ...good, items: [{}] }),
        order('{"id":"o-1","name":"A'),
        order(good)
      )
    )
    const lines = [
      ["name", '"name": {"type":["string","null"]}'],
      ["status", '"status": {"type":"string","enum":["placed","shipped","late"]}'],
      ["(whole)", undefined],
      ["items[].qty", '"required": []'],
      [
        "items[].qty",
        String.raw`"qty": {
  "anyOf": [
    {
      "type": "integer"
    },
    {
      "type": "string",
      "pattern": "^-?(?:0|[1-9]\\d{0,15})(?:\\.\\d{1,16})?(?:[eE][+-]?\\d{1,3})?$"
    }
  ]
}`
      ]
    ]
    const byText = (a: ReadonlyArray<unknown>, b: ReadonlyArray<unknown>) =>
      JSON.stringify(a).localeCompare(JSON.stringify(b))
    assert.deepStrictEqual(
      report.rejected.map(({ line, path }) => [path, line]).toSorted(byText),
      lines.toSorted(byText)
    )
    const page = Page.page(report)
      .replaceAll(/<br[^>]*>/g, "\n")
      .replaceAll(/<[^>]*>/g, "")
      .replaceAll("&quot;", '"')
    const printed: Array<string> = []
    ReportText.write({ columns: 100, styled: (_, text) => text, line: (text) => void printed.push(text) }, report, {
      commandWith: () => "",
      isOwn: () => false
    })
    for (const [, line = ""] of lines) {
      assert.include(page, line)
      assert.include(printed.join("\n"), line.replaceAll("\n", "\n    "))
    }
  })

  it("13.1 has JSON Schema lines of unions, with exact tuples and with escapes of hidden characters", () => {
    const card = { type: "object", properties: { kind: { const: "card" }, last: { type: "string" } } }
    const place = { type: "array", prefixItems: [{ type: "number" }, { type: "number" }], items: false, minItems: 2 }
    const stop = { type: "object", properties: { kind: { const: "stop" }, at: place, name: { enum: ["a"] } } }
    const of = (schema: { readonly properties: object }) => ({ ...schema, required: Object.keys(schema.properties) })
    const union = { ...getOrder, result: { oneOf: [of(card), of(stop)] } }
    const fine = { kind: "stop", at: [1, 2], name: "a" }
    const values = [{ kind: "card" }, { ...fine, at: [1, null] }, { ...fine, name: "in\u00a0use" }, fine]
    const report = reportOf(
      values.map((value, index) =>
        conversation([union], [user("go"), ...order(value), said("done")], { id: `c${index}`, line: index + 1 })
      )
    )
    assert.deepStrictEqual(Object.fromEntries(report.rejected.map(({ line, path }) => [path, line])), {
      last: '"required": ["kind"]',
      "at[1]": [
        '"at": {',
        '  "type": "array",',
        '  "prefixItems": [',
        "    {",
        '      "type": "number"',
        "    },",
        "    {",
        '      "type": [',
        '        "number",',
        '        "null"',
        "      ]",
        "    }",
        "  ],",
        '  "maxItems": 2,',
        '  "minItems": 2',
        "}"
      ].join("\n"),
      name: String.raw`"name": {"type":"string","enum":["a","in\u00a0use"]}`
    })
  })

  it("13.1 has the changed line as Effect source code for a guarded tool, and no line for a kept schema", () => {
    const Order = Schema.Struct({
      id: Schema.String,
      name: Schema.String,
      status: Schema.Literals(["placed", "shipped"]),
      buyer: Schema.Struct({ name: Schema.String.check(Schema.isMaxLength(3)) })
    })
    const guarded = GuardedTool.dynamic("get_order", {
      description: "Gets an order. Read-only.",
      access: "read",
      parameters: { type: "object", properties: { id: { type: "string" } } },
      success: Order,
      handler: () => Effect.succeed({})
    })
    const fine = { id: "o", name: "A", status: "placed", buyer: { name: "B" } }
    const report = reportOf(
      logs(
        order({ ...fine, name: null }),
        order({ ...fine, status: "late" }),
        order({ ...fine, buyer: { name: "Bettina" } }),
        order({ id: "o", name: "A", status: "placed" }),
        order('{"id":"o-1","name":"A'),
        order(fine)
      ),
      { tools: new Map([["get_order", guarded]]) }
    )
    assert.deepStrictEqual(Object.fromEntries(report.rejected.map(({ line, path }) => [path, line])), {
      name: "name: Schema.NullOr(Schema.String)",
      status: 'status: Schema.Literals(["placed", "shipped", "late"])',
      "buyer.name": "name: Schema.String.check(Schema.isMaxLength(7))",
      buyer: [
        "buyer: Schema.optionalKey(",
        "  Schema.Struct({",
        "    name: Schema.String.check(Schema.isMaxLength(3))",
        "  })",
        ")"
      ].join("\n"),
      "(whole)": undefined
    })
  })

  it("13.1 omits a filter with a computed message from the line, and keeps the schema of a value inside a JSON text", () => {
    const guarded = GuardedTool.dynamic("get_order", {
      description: "Gets an order. Read-only.",
      access: "read",
      parameters: { type: "object", properties: { id: { type: "string" } } },
      success: Schema.Struct({
        mail: Schema.String.check(
          Schema.isMaxLength(4),
          Schema.makeFilter((text: string) => text.includes("@") || `${text} has no @`)
        ),
        body: Schema.fromJsonString(Schema.Struct({ n: Schema.Int }))
      }),
      handler: () => Effect.succeed({})
    })
    const tools = new Map([["get_order", guarded]])
    const replay = Effect.runSync(Effect.scoped(Replay.make({ tools })))
    const fold = Fold.make({ redact: (text) => text })
    const wrong = order({ mail: "none", body: '{"n":1}' })
    for (const one of logs(wrong, order({ mail: "a@b", body: '{"n":null}' }))) fold.add(one, replay.play(one))
    const report = fold.report()
    assert.deepStrictEqual(
      report.rejected.map(({ line, passes, path, suggestion }) => [path, suggestion._tag, passes.alone, line]),
      [
        ["body.n", "keep", 0, undefined],
        ["mail", "wider bound", 1, "mail: Schema.String.check(Schema.isMaxLength(4))"]
      ]
    )
    const [proposal] = fold.rejectedTools().map(Proposal.of)
    // the relaxed schema keeps the conversion of the body
    const decode = Schema.decodeUnknownResult(
      Schema.toCodecJson(Schema.make(proposal!.relaxed) as Schema.Codec<unknown>)
    )
    const relaxed = (value: unknown) => Result.isSuccess(decode(value))
    assert.isFalse(relaxed({ mail: "a@b", body: '{"n":null}' }))
    assert.deepStrictEqual(
      ["none", "no one", "a@b"].map((mail) => relaxed({ mail, body: '{"n":1}' })),
      [true, false, true]
    )
  })

  it("13.1 reports a field that is missing from an empty item of a record at the path of the items", () => {
    const getPrices: RecordedTool = {
      ...tool("get_prices", {}),
      result: {
        type: "object",
        additionalProperties: { type: "object", properties: { cents: { type: "integer" } }, required: ["cents"] }
      }
    }
    const report = reportOf(
      ["a", "b", "c"].map((name, index) =>
        conversation(
          [getPrices],
          [user("go"), ...call("get_prices", { n: index }, JSON.stringify({ [name]: {} })), said("done")],
          { id: `p${index}`, line: index + 1 }
        )
      )
    )
    const returned = groups(report).filter(([part]) => part === "result")
    assert.deepStrictEqual(returned, [["result", "*.cents", "missing", 3, "optional", 3, 3]])
  })

  it("13.1 reports a key that is never accepted as a fault at its path, not as invalid JSON, and keeps the schema", () => {
    const report = reportOf(
      logs(
        order('{"id":"o-1","name":"A","status":"placed","items":[{"qty":1},{"qty":2,"__proto__":{"admin":true}}]}'),
        order('{"id":"o-2","name":"A","status":"placed","constructor":{"prototype":{"admin":true}}}'),
        order(good)
      )
    )
    const problem = "a key that is never accepted"
    assert.deepStrictEqual(groups(report), [
      ["result", "constructor.prototype", problem, 1, "keep", 0, 0],
      ["result", "items[].__proto__", problem, 1, "keep", 0, 0]
    ])
    assert.deepStrictEqual(
      report.rejected.map(({ examples, reason }) => [examples[0]?.sent, reason]),
      [`"\\"prototype\\":{\\"admin\\":true}}}"`, `"\\"__proto__\\":{\\"admin\\":true}}]}"`].map((sent) => [
        sent,
        "No schema allows this key, because it can change the prototype of an object that copies it."
      ])
    )
    assert.deepStrictEqual(
      report.failures.map(({ code, count: calls }) => [code, calls]),
      [["invalid_result", 2]]
    )
  })

  it("13.1 states an upper bound of the results that pass if only the first fault of a very large result is listed", () => {
    const items = Array.from({ length: 11_000 }, () => ({ qty: "1" }))
    const large = () => order({ ...good, name: null, items })
    const small = () => order({ ...good, name: null })
    const [exact, bound] = [logs(small(), small()), logs(small(), large(), large())].map((log) => reportOf(log))
    assert.deepStrictEqual(
      [exact, bound].map((report) => [report?.results[0]?.passes, report?.results[0]?.passesIsUpperBound]),
      [
        [2, undefined],
        [3, true]
      ]
    )
    assert.deepStrictEqual(
      bound?.rejected.map(({ passes, passesIsUpperBound, path }) => [path, passes.alone, passesIsUpperBound]),
      [["name", 3, true]]
    )
    assert.include(JSON.stringify(bound), '"passesIsUpperBound":true')
    const page = Page.page(bound ?? assert.fail("no report"))
    assert.match(page, /at most 3 rejected calls\s+would pass/)
    assert.notInclude(Page.page(exact ?? assert.fail("no report")), "at most")
  })

  it("13.1 relaxes the newest of several schemas of one name, for the results that it rejected", () => {
    const newer = { ...result, properties: { ...result.properties, note: { type: "string" } } }
    const version = (schema: NonNullable<RecordedTool["result"]>, messages: Conversation["messages"], line: number) =>
      conversation([{ ...getOrder, result: schema }], [user("go"), ...messages, said("done")], { id: `v${line}`, line })
    const foldOf = (conversations: ReadonlyArray<Conversation>) => {
      const replay = Effect.runSync(Effect.scoped(Replay.make()))
      const fold = Fold.make({ redact: (text) => text })
      for (const one of conversations) fold.add(one, replay.play(one))
      return fold.rejectedTools()
    }
    const noName = version(result, order({ ...good, name: null }), 1)
    const noNote = version(newer, order({ ...good, note: null }), 2)
    const [proposal, ...more] = foldOf([noName, noNote]).map(Proposal.of)
    assert.deepStrictEqual(more, [])
    const written = Proposal.source([proposal ?? assert.fail("no proposal")])
    assert.deepStrictEqual([proposal?.versions, proposal?.rejected, proposal?.passes], [2, 1, 1])
    assert.match(written, /note: Schema\.optionalKey\(Schema\.NullOr\(Schema\.String\)\)/)
    assert.match(written, /name: Schema\.String/)
    assert.include(written, "The log has 2 versions of the schema.")
    assert.nestedPropertyVal(Proposal.jsonSchemas([proposal ?? assert.fail("no proposal")]), "get_order.versions", 2)
    assert.deepStrictEqual(foldOf([noName, version(newer, order(good), 2)]), [])
    const same = foldOf([noName, version({ ...result }, order({ ...good, name: null }), 2)])
    assert.deepStrictEqual([same[0]?.versions, same[0]?.rejected], [1, 2])
    assert.notInclude(Proposal.source(same.map(Proposal.of)), "versions of the schema")
  })

  it("13.1 counts a rejected result as a failed call in the totals, and in the tables of failures, tools and repairs", () => {
    const report = reportOf(logs(...[1, 2, 3].map(() => order({ ...good, name: null })), order(good)))
    assert.deepInclude(report.totals, { calls: 4, succeeded: 1, failed: 3 })
    assert.deepInclude(report.guarded, { succeeded: 1, failed: 3 })
    assert.deepStrictEqual(
      report.failures.map(({ class: tag, code, count: calls }) => [tag, code, calls]),
      [["SchemaMismatch", "invalid_result", 3]]
    )
    assert.deepStrictEqual(
      report.tools.map(({ calls, failed }) => [calls, failed]),
      [[4, 3]]
    )
    assert.deepStrictEqual(
      report.repair.map(({ class: tag, failures, repaired }) => [tag, failures, repaired]),
      [["SchemaMismatch", 3, 0]]
    )
  })

  it("13.1 checks the results of calls that the guard would not have made, and counts them as failed", () => {
    const broken = Array.from({ length: 8 }, () => order({ ...good, name: null }, "o-same"))
    const report = reportOf(logs(broken.flat()))
    assert.strictEqual(report.totals.failed, 8)
    const [row] = report.results
    assert.strictEqual(row?.rejected, 8)
    assert.strictEqual(row?.failed, report.guarded.failed)
    assert.isBelow(row?.failed ?? 8, 8)
    assert.isAbove(report.guarded.saved, 0)
  })

  it("13.1 keeps the schema if the identical call later returned a correct result", () => {
    const glitch = () => [...order({ ...good, name: null }, `g-${count}`), ...order(good, `g-${count}`)]
    const report = reportOf(logs(glitch(), glitch(), glitch()))
    const [group] = report.rejected
    assert.deepStrictEqual([group?.suggestion._tag, group?.accepted, group?.count], ["keep", 0, 3])
    assert.include(group?.reason, "3 of 3 such calls had a correct result when they were repeated.")
  })

  it("13.1 an answer that states a failure is not a rejected result", () => {
    const report = reportOf(logs(order('{"error":"order not found"}'), order("Error: order not found")))
    assert.deepStrictEqual([report.rejected, report.results], [[], []])
    assert.strictEqual(report.totals.failed, 2)
  })

  it("13.1 groups the unreadable result of a write under the whole answer", () => {
    const page = "<html><body><h1>Orders</h1>All is well.</body></html>"
    const report = reportOf(logs(order(page, "w-1", "put_order"), order(good, "w-2", "put_order")))
    assert.deepStrictEqual(groups(report), [["result", "(whole)", "an HTML or XML page", 1, "keep", 0, 0]])
  })

  it("13.1 redacts values of results", () => {
    const report = reportOf(logs(order({ ...good, status: "hunter2" })), {}, (text) =>
      text.replaceAll("hunter2", "[redacted]")
    )
    assert.notInclude(JSON.stringify(report), "hunter2")
    assert.deepStrictEqual(report.rejected[0]?.suggestion, { _tag: "wider type", type: "string" })
  })

  it("13.1 lists rejected results without counting them as failed if the schemas only advise", () => {
    const report = reportOf(logs(order({ ...good, name: null }), order(good)), { advise: "all" })
    assert.deepStrictEqual(report.results, [
      { tool: "get_order", checked: 2, rejected: 1, enforced: 0, failed: 0, passes: 1 }
    ])
    assert.deepInclude(report.totals, { succeeded: 2, failed: 0 })
    assert.deepInclude(report.guarded, { succeeded: 2, failed: 0 })
    assert.deepStrictEqual(groups(report), [["result", "name", "expected string, got null", 1, "nullable", 1, 1]])
  })

  it("13.1 lists the constraints of results that cannot be checked", () => {
    const odd = { ...tool("get_odd", {}), result: { type: "object", properties: { a: { not: { type: "string" } } } } }
    const replay = Effect.runSync(Effect.scoped(Replay.make()))
    replay.play(conversation([odd], [user("go"), ...call("get_odd", {}, '{"a":1}')]))
    assert.deepStrictEqual(
      replay.unchecked().map(({ tool: name, unchecked }) => [name, unchecked.map(({ pointer }) => pointer)]),
      [["get_odd", ["result/properties/a/not"]]]
    )
  })

  it("13.1 results of tools without a schema are not checked", () => {
    const plain = tool("get_text", {})
    const report = reportOf([conversation([plain], [user("go"), ...call("get_text", {}, '{"name":null}')])])
    assert.deepStrictEqual([report.results, report.rejected], [[], []])
    assert.strictEqual(report.totals.succeeded, 1)
  })
})
