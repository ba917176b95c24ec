/** Tests the findings in skills and prompts: statements that no longer agree with the tools, and missing advice. */
import { assert, describe, it } from "@effect/vitest"
import { findings } from "#kit/diff/Skills"
import { ofListing, type Snapshot, type ToolPromise } from "#kit/diff/Snapshot"
import * as ListingFormats from "#kit/lint/reading/ListingFormats"
import { Result } from "effect"

const tools = (all: Readonly<Record<string, Partial<ToolPromise> & { readonly fields?: object }>>): Snapshot =>
  new Map(
    Object.entries(all).map(([name, { fields = {}, ...promise }]) => [
      name,
      {
        description: "",
        parameters: { type: "object", properties: fields, additionalProperties: false },
        annotations: {},
        isGuarded: false,
        ...promise
      }
    ])
  )

const mcp = (name: string, description: string): object => ({ name, description, inputSchema: { type: "object" } })

const openAi = (name: string, description: string, properties: object = {}): object => ({
  type: "function",
  function: { name, description, parameters: { type: "object", properties } }
})

/** Returns the snapshot of a list with one tool. */
const listed = (tool: object): Snapshot => ofListing(Result.getOrThrow(ListingFormats.read([tool])), [tool])

const found = (text: string, before: Snapshot, after: Snapshot): ReadonlyArray<string> =>
  findings("SKILL.md", text, before, after).map(({ kind, line, text }) => `${line} ${kind}: ${text}`)

const before = tools({
  search_orders: {
    fields: {
      customer_id: { type: "string" },
      status: { enum: ["placed", "late", "in_transit"] },
      limit: { type: "integer", minimum: 1, maximum: 1_000 },
      page: { type: "integer" },
      filter: { type: "object", properties: { since_date: { type: "string" } } }
    }
  },
  find: {},
  fetch: { fields: { state: { enum: ["late"] } } }
})
const after = tools({
  search_orders: {
    fields: {
      customer: { type: "string" },
      status: { enum: ["placed", "delayed"] },
      limit: { type: "integer", minimum: 1, maximum: 50 },
      filter: { type: "object", properties: {} }
    }
  },
  fetch: { fields: { state: { enum: ["late"] } } }
})

describe("skills", () => {
  it("13.4 are stale if they mention a removed tool, and the line is reported", () => {
    const text = "# Orders\n\nCall `find` first.\nYou will find them.\nThen find(x).\nfind_all is another."
    assert.deepStrictEqual(found(text, before, after), ["3 stale: find was removed", "5 stale: find was removed"])
  })

  it("13.4 are checked for tools with a hyphen in the name, including example calls", () => {
    const old = tools({ "find-orders": { fields: { id: { type: "string" } } } })
    assert.deepStrictEqual(found('Call find-orders(id="7").', old, old), [])
    assert.deepStrictEqual(found("Call find-orders(id=7).", old, old), [
      "1 stale: find-orders refuses this call: id: expected string, got number"
    ])
    assert.deepStrictEqual(found("Call find-orders first.", old, tools({})), ["1 stale: find-orders was removed"])
  })

  it("13.4 are stale if they mention a removed parameter; a common word counts only in code", () => {
    const text = [
      "# Orders with search_orders",
      "Give the customer_id, and the `page`.",
      "Turn the page. Use page=2.",
      "`filter` takes since_date."
    ].join("\n")
    assert.deepStrictEqual(found(text, before, after), [
      "2 stale: search_orders no longer has customer_id; nearest: customer",
      "2 stale: search_orders no longer has page",
      "3 stale: search_orders no longer has page",
      "4 stale: search_orders no longer has since_date"
    ])
  })

  it("13.4 are stale if they mention a removed value or bound", () => {
    const text = [
      "# Orders with search_orders",
      `The status "late" is for orders that come late.`,
      "in_transit means that it was sent.",
      "Set limit to at most 1,000; there are 1000 of them, and 10005."
    ].join("\n")
    assert.deepStrictEqual(found(text, before, after), [
      `2 stale: status of search_orders no longer accepts "late"`,
      `3 stale: status of search_orders no longer accepts "in_transit"`,
      "4 stale: maximum of limit of search_orders is 50, was 1000"
    ])
  })

  it("13.4 are searched section by section, because another tool can still have the removed parameter", () => {
    const text = "# Orders\nsearch_orders finds them.\n\n# People\nfetch takes `page` and customer_id.\n"
    assert.deepStrictEqual(found(text, before, after), [])
  })

  it("13.4 are stale if an example call is refused, whatever the lock contains", () => {
    const text = [
      "```py",
      `search_orders(customer="C-1", limit=500)`,
      `search_orders({"customer": "C-1", "limit": 5})`,
      "search_orders({",
      `  "status": "gone"`,
      "})",
      "search_orders()",
      "search_orders(…)",
      "```"
    ].join("\n")
    assert.deepStrictEqual(found(text, after, after), [
      "2 stale: search_orders refuses this call: limit: expected a value less than or equal to 50",
      `4 stale: search_orders refuses this call: status: expected one of placed, delayed, got "gone"`
    ])
  })

  it("13.4 are reported if they mention a destructive tool without advising a plan, check or question first", () => {
    const writes = tools({
      refund_order: { access: "destructive" },
      send_mail: { access: "write" },
      look_up: { access: "read" }
    })
    const text =
      "# Refunds\nUse refund_order.\n\n# Mail\nBefore you call send_mail, show the text.\n\n# Look\nlook_up is free.\n"
    assert.deepStrictEqual(found(text, writes, writes), [
      "2 advice: refund_order is destructive, and the text does not advise the model to plan, check or ask before calling it"
    ])
    for (const advice of [
      "Plan the steps.",
      "Ask the user.",
      "First check the order.",
      "Confirm the amount.",
      "Do a dry run."
    ]) {
      assert.deepStrictEqual(found(`refund_order refunds.\n${advice}`, writes, writes), [])
    }
  })

  it("13.4 are stale if a list of values in prose has a removed value, and the line is reported", () => {
    const priority = (values: ReadonlyArray<string>) =>
      tools({ create_ticket: { fields: { priority: { enum: values }, other: { enum: ["open"] } } } })
    const [old, current] = [priority(["low", "medium", "high", "critical"]), priority(["low", "medium", "high"])]
    const stale = (line: string) =>
      found(`create_ticket creates.\n${line}`, old, current).filter((each) => each.includes("stale"))
    for (const line of [
      "Choose low/medium/high/critical.",
      "`priority`: low, medium, high, critical",
      "The priority is low, medium, high, or critical.",
      "优先级为 low、medium、high、critical。",
      "优先级可取low、medium、high或critical。",
      "优先级只能是\u201clow\u201d、\u201cmedium\u201d、\u201chigh\u201d或\u201ccritical\u201d",
      "优先级：low、medium、high 以及 critical 四种",
      "紧急时用high或critical",
      "紧急时用「critical」",
      "| priority | low, medium, high, critical | How soon |",
      "high / critical"
    ]) {
      assert.deepStrictEqual(stale(line), [`2 stale: priority of create_ticket no longer accepts "critical"`], line)
    }
    for (const line of [
      "This is critical and/or urgent.",
      "Read/write access is critical.",
      "A critical, high and steep wall.",
      "The critical/urgent cases come first.",
      "Choose low/medium/high.",
      "It is high, critical.",
      "这个系统很critical，不要乱动",
      "high和critical的区别很大，务必小心",
      "| critical path | high ground |"
    ]) {
      assert.deepStrictEqual(stale(line), [], line)
    }
  })

  it("13.4 lack advice too if a tool without a declared access writes by its description or name", () => {
    const lists = [
      openAi("refund_order", "Refunds one order."),
      openAi("order_rows", "Manages rows. It permanently deletes the rows that match."),
      mcp("update_address", "The address of a customer."),
      mcp("订单", "会修改订单状态。"),
      mcp("customer_address", "This tool modifies the address of a customer."),
      openAi("get_train_tickets", "Reserves tickets for a train."),
      openAi("process_refunds", "Refunds all orders that match.")
    ]
    for (const list of lists) {
      const after = listed(list)
      const [name = ""] = after.keys()
      for (const text of [`# Notes\nUse \`${name}\`.`, `The tools are look_up, \`${name}\` and others.`]) {
        const [only, ...more] = found(text, after, after)
        assert.match(only ?? "", / advice: .* and the text does not advise the model to plan, check or ask/, name)
        assert.deepStrictEqual(more, [])
        for (const advice of ["Plan the steps first.", "先规划再调用。", "先规划,再调用。", "调用之前请询问用户。"]) {
          assert.deepStrictEqual(found(`${text}\n${advice}`, after, after), [], advice)
        }
      }
    }
    assert.match(found("order_rows", listed(lists[1]!), listed(lists[1]!))[0] ?? "", /order_rows is destructive/)
  })

  it("13.4 need no advice for a tool that reads by its annotation, description or name, in this order", () => {
    const lists = [
      { ...mcp("delete_preview", "Deletes the rows."), annotations: { readOnlyHint: true } },
      mcp("update_check", "Read-only. Compares versions."),
      openAi("delete_preview", "Lists what a deletion would remove; does not change anything."),
      openAi("删除预览", "只读,不修改任何数据。"),
      openAi("summarize_text", "Creates a summary of a text."),
      openAi("find_orders", "Finds orders."),
      openAi("add", "Adds two numbers.", { a: { type: "number" }, b: { type: "number" } })
    ]
    for (const list of lists) {
      const after = listed(list)
      const [name = ""] = after.keys()
      assert.deepStrictEqual(found(`Use \`${name}\`.`, after, after), [], name)
    }
  })

  it("13.4 may advise in English or Chinese to plan before a call", () => {
    const writes = tools({ refund_order: { access: "destructive" } })
    for (const advice of [
      "先规划再调用。",
      "先计划,再执行。",
      "调用前与用户确认。",
      "Plan first.",
      "Before calling it, look."
    ]) {
      assert.deepStrictEqual(found(`refund_order: ${advice}`, writes, writes), [], advice)
    }
    for (const text of ["退款工具。", "用户先登录。", "The plane leaves."]) {
      assert.lengthOf(found(`refund_order: ${text}`, writes, writes), 1, text)
    }
  })

  it("13.4 have no findings if nothing has changed or a call is not closed, and odd names are found", () => {
    assert.deepStrictEqual(found("search_orders takes customer_id and page, limit 1000, `late`.", before, before), [])
    const odd = tools({ "a.b/c(": { fields: { "x$[": { type: "string" } } } })
    assert.deepStrictEqual(found("a.b/c( `x$[`\n".repeat(50), odd, tools({ "a.b/c(": {} })).length, 50)
    assert.deepStrictEqual(found("search_orders(".repeat(2_000), after, after), [])
  })
})
