/**
 * Tests the preset `strict`: each step of a review fails a list that breaks only this step, and good lists have no
 * finding.
 */
import { rules } from "#kit/lint/Rules"
import * as Settings from "#kit/lint/Settings"
import { stepOf, steps } from "#kit/lint/Steps"
import { stepTable } from "#kit/lint/report/RulePage"
import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import { read } from "../../support/sources.ts"
import { breaches, create, fullWidth, remove, search, withProperties } from "./reviewed.ts"
import { lintText } from "./support.ts"

const strict = Settings.of("strict")

const reported = (tools: unknown, settings = strict) => reportedIn(JSON.stringify(tools), settings)

const reportedIn = (json: string, settings = strict) =>
  lintText(json, settings).findings.map(({ message, rule, severity }) => ({
    step: stepOf(rule),
    severity,
    text: `${rule}: ${message}`
  }))

describe("the preset strict", () => {
  it("14 has no finding in good tools whose descriptions are English or Chinese", () => {
    assert.deepStrictEqual(reported([search, create, remove]), [])
    const wide = fullWidth(JSON.stringify([search, create, remove]))
    assert.match(wide, /\uff1b/u)
    assert.deepStrictEqual(reportedIn(wide), [])
  })

  it("14 reads statements in traditional characters, and other words for when not to use a tool", () => {
    for (const [description, missing] of [
      ["查詢工單。唯讀。適用於按關鍵字查找;不適用於建立工單。", ""],
      ["查詢工單。僅讀取資料。當使用者要查找時使用。請勿用於建立工單。", ""],
      ["查询工单。只读操作。当用户想查找工单时使用。不要用它创建工单。", ""],
      ["查询工单。只读。何时使用:用户给出关键词。何时不用:创建工单。", ""],
      ["查詢工單。適用於按關鍵字查找;不適用於建立工單。", "description-access"],
      ["查询工单。适用于按关键词查找;不适用于创建工单。", "description-access"],
      ["查询工单。当用户想查找工单时使用。不可用于更新工单。", "description-access"],
      ["查詢工單。唯讀。不適用於建立工單。", "description-when"],
      ["查詢工單。唯讀。適用於按關鍵字查找。", "description-when"]
    ] as const) {
      const found = reported([{ ...search, description }]).map(({ text }) => text.split(":", 1)[0])
      assert.strictEqual(found.join(), missing, description)
    }
    const query = { type: "string", minLength: 1, maxLength: 50, description: "關鍵字,嚴禁傳入 SQL,請勿拼接 SQL" }
    assert.deepStrictEqual(reported([withProperties(search, { query })]), [])
  })

  for (const { step, tools, what } of breaches) {
    it(`14 step ${step} fails ${what}, and no other step does`, () => {
      for (const found of [reported(tools), reportedIn(fullWidth(JSON.stringify(tools)))]) {
        assert.isAbove(found.length, 0)
        assert.deepStrictEqual(
          found.filter((each) => each.step !== step || each.severity !== "error"),
          []
        )
      }
    })
  }

  it("14 has fifteen steps, of which all but the last are broken above, and each rule is in one step", () => {
    assert.strictEqual(steps.length, 15)
    assert.deepStrictEqual(
      steps.flatMap(({ rules }, index) => (rules.length > 0 ? [index + 1] : [])),
      [...new Set(breaches.map(({ step }) => step))]
    )
    assert.deepStrictEqual(steps.flatMap(({ rules }) => rules).toSorted(), rules.map(({ id }) => id).toSorted())
    assert.include(read("docs/linting.md"), stepTable())
  })

  it("14 does not report a description that forbids what a rule looks for, and reports one that forbids something else", () => {
    for (const description of [
      "关键词,勿拼接 SQL",
      "关键词。禁止传入 SQL 语句",
      "搜索词(不支持 SQL)",
      "查询不会被当作 SQL 执行",
      "Words to search for; do not concatenate SQL.",
      "Words to search for, never SQL.",
      "Plain words. SQL is not executed."
    ]) {
      const query = { type: "string", minLength: 1, maxLength: 50, description }
      const tools = [withProperties(search, { query })]
      assert.deepStrictEqual([...reported(tools), ...reportedIn(fullWidth(JSON.stringify(tools)))], [], description)
    }
    for (const description of ["Runs a SQL query but does not modify data.", "执行 SQL,不支持事务。"]) {
      const query = { type: "string", minLength: 1, maxLength: 50, description }
      assert.deepStrictEqual(
        reported([withProperties(search, { query })]).map(({ text }) => text),
        ["executed-code: `query` is executed as SQL; offer the needed actions as separate tools."],
        description
      )
    }
  })

  it("14 takes the access from the declaration, otherwise from the description, otherwise from the name", () => {
    const rules = (tool: object) => [
      ...new Set(reported([tool]).flatMap(({ text }) => text.match(/^(?:idempotency-key|target-environment)\b/u) ?? []))
    ]
    const bare = { ...withProperties(search, { cursor: undefined }), name: "delete_orders", outputSchema: undefined }
    const reads = "Read-only: lists the orders that a deletion would remove. Use it before a deletion. Not for orders."
    const writes = "This tool modifies orders. Use it when the user asks. Not for customers."
    const open = "Orders of a customer. Use it when the user asks. Not for customers."
    assert.deepStrictEqual(rules({ ...bare, description: open }), ["idempotency-key", "target-environment"])
    assert.deepStrictEqual(rules({ ...bare, description: reads }), [])
    assert.deepStrictEqual(rules({ ...bare, name: "list_orders", description: writes }), ["idempotency-key"])
    assert.deepStrictEqual(rules({ ...bare, name: "list_orders", description: open }), [])
    const declared = (hints: object, description: string) => rules({ ...bare, annotations: hints, description })
    assert.deepStrictEqual(declared({ readOnlyHint: true }, writes), [])
    assert.deepStrictEqual(declared({ readOnlyHint: false, destructiveHint: true }, reads), [
      "idempotency-key",
      "target-environment"
    ])
  })

  it("14 reports a description in another language, and accepts a declared access instead of a stated access", () => {
    const german = {
      ...search,
      name: "search_tickets",
      description: "Sucht alle Tickets eines Kunden nach Stichwort und Status, ohne Daten zu ändern."
    }
    const texts = (tool: object) => reported([tool]).map(({ text }) => text.split(",")[0])
    assert.deepStrictEqual(texts(german), [
      "description-access: The description is not in English or Chinese",
      "description-when: The description is not in English or Chinese"
    ])
    assert.deepStrictEqual(texts({ ...german, annotations: { readOnlyHint: true } }), [
      "description-when: The description is not in English or Chinese"
    ])
    assert.deepStrictEqual(reported([german], Settings.defaults), [])
  })

  it("14 reports mixed spellings of cursors by name, in parameters, results and across tools", () => {
    const cursor = { type: "string", minLength: 1, maxLength: 50, description: "Where to go on." }
    const mixed = withProperties(search, { nextPage: cursor, page_token: cursor })
    assert.deepStrictEqual(
      reported([mixed], Settings.only("pagination-spelling", {}, "strict")).map(({ text }) => text),
      [
        "pagination-spelling: `nextPage` is mixed with `cursor` in the same tool; write cursor everywhere.",
        "pagination-spelling: `page_token` is mixed with `cursor` in the same tool; write cursor everywhere."
      ]
    )
    const other = {
      ...search,
      name: "list_notes",
      outputSchema: { type: "object", properties: { nextPageToken: { type: "string" } } }
    }
    const tokens = withProperties(other, { cursor: undefined, pageToken: cursor })
    assert.deepStrictEqual(
      reported([search, tokens], Settings.only("pagination-spelling")).map(({ text }) => text),
      [
        "pagination-spelling: `pageToken` is mixed with `cursor` in the list; write cursor everywhere.",
        "pagination-spelling: `nextPageToken` is mixed with `cursor` in the list; write next_cursor everywhere."
      ]
    )
    assert.deepStrictEqual(reported([tokens], Settings.only("pagination-spelling", {}, "strict")), [])
  })

  it("14 is set by the configuration or by a caller, and levels of the configuration apply to it", () => {
    const configured = Result.getOrThrow(Settings.read({ preset: "strict", rules: { "string-bounds": "warning" } }))
    const severities = (settings: Settings.Settings) =>
      Object.fromEntries(rules.map((rule) => [rule.id, settings.levelOf(rule)]))
    assert.deepStrictEqual(severities(configured), {
      ...Object.fromEntries(rules.map(({ id }) => [id, "error"])),
      "string-bounds": "warning"
    })
    assert.strictEqual(Result.getOrThrow(Settings.read({}, "strict")).preset, "strict")
    assert.strictEqual(Result.getOrThrow(Settings.read({ preset: "default" }, "strict")).preset, "strict")
    assert.strictEqual(Result.getOrThrow(Settings.read({})).preset, "default")
    assert.strictEqual(
      Result.getOrElse(Result.flip(Settings.read({ preset: "strickt" })), () => ""),
      'preset: expected one of default, strict, got "strickt"; nearest: strict'
    )
  })
})
