/** Tools that pass a strict review, in English and in Chinese, and lists that break one step of the review each. */

interface Tool {
  readonly name: string
  readonly description: string
  readonly annotations?: object
  readonly inputSchema: {
    readonly type: "object"
    readonly properties: Readonly<Record<string, object>>
    readonly required: ReadonlyArray<string>
    readonly additionalProperties: false
  }
  readonly outputSchema?: object
}

/** A tool that reads a page of tickets. The description of `query` forbids what `executed-code` looks for. */
export const search: Tool = {
  name: "ticket_search",
  description:
    "查询工单列表。只读,不修改任何数据。适用于按关键词和状态查找工单;不适用于创建或更新工单,请改用 ticket_create。",
  inputSchema: {
    type: "object",
    properties: {
      query: { type: "string", minLength: 1, maxLength: 200, description: "查询关键词,仅支持自然语言,勿拼接 SQL。" },
      status: { type: "string", enum: ["open", "closed", "any"], default: "any", description: "工单状态。" },
      limit: { type: "integer", minimum: 1, maximum: 50, default: 10, description: "每页返回的最大条数。" },
      cursor: { type: "string", minLength: 1, maxLength: 256, description: "上一页返回的 next_cursor。" },
      date_restrict: {
        type: ["string", "null"],
        enum: ["d1", "w1", "m1", null],
        default: null,
        description: "只返回最近一天、一周或一个月的工单。"
      }
    },
    required: ["query"],
    additionalProperties: false
  },
  outputSchema: {
    type: "object",
    properties: { tickets: { type: "array", items: { type: "object" } }, next_cursor: { type: ["string", "null"] } }
  }
}

/** A tool that writes. */
export const create: Tool = {
  name: "create_ticket",
  description:
    "Creates one ticket. Writes. Use it when the user has confirmed the title. Not for changes of a ticket: use update_ticket.",
  inputSchema: {
    type: "object",
    properties: {
      title: { type: "string", minLength: 5, maxLength: 120, description: "The title that users see." },
      priority: { type: "string", enum: ["low", "high"], description: "How soon the ticket is answered." },
      labels: {
        type: "array",
        maxItems: 5,
        items: { type: "string", minLength: 1, maxLength: 30 },
        description: "Labels to find the ticket by."
      },
      idempotency_key: {
        type: "string",
        minLength: 16,
        maxLength: 64,
        description: "Identifies one action: send the same key again for the same action."
      }
    },
    required: ["title", "priority"],
    additionalProperties: false
  }
}

/** A tool that destroys. */
export const remove: Tool = {
  name: "delete_rows",
  description: "删除表中的行,写入操作,不可恢复。当用户明确要求清理数据时使用。请勿用于删除单个用户。",
  annotations: { destructiveHint: true },
  inputSchema: {
    type: "object",
    properties: {
      ids: {
        type: "array",
        maxItems: 100,
        items: { type: "string", minLength: 1, maxLength: 36 },
        description: "要删除的行的编号。"
      },
      environment: { type: "string", enum: ["staging", "production"], description: "执行删除的环境。" },
      idempotency_key: { type: "string", minLength: 16, maxLength: 64, description: "同一操作重试时使用相同的键。" }
    },
    required: ["ids", "environment"],
    additionalProperties: false
  }
}

/** Returns JSON in which the punctuation next to Chinese characters is full-width, as in Chinese texts. */
export const fullWidth = (json: string): string =>
  json.replace(/(?<=\p{Script=Han})[,;:()/](?!["\\}\]])|[,;:()](?=\p{Script=Han})/gu, (character) =>
    String.fromCharCode(character.charCodeAt(0) + 0xfee0)
  )

/** Returns a tool with other properties; `undefined` removes one. */
export const withProperties = (tool: Tool, properties: Readonly<Record<string, object | undefined>>): Tool => {
  const all = Object.entries({ ...tool.inputSchema.properties, ...properties })
  const kept = all.filter((entry): entry is [string, object] => entry[1] !== undefined)
  return { ...tool, inputSchema: { ...tool.inputSchema, properties: Object.fromEntries(kept) } }
}

const withSchema = (tool: Tool, change: object): object => ({
  ...tool,
  inputSchema: { ...tool.inputSchema, ...change }
})

const text = (description: string) => ({ type: "string", minLength: 1, maxLength: 50, description })
const described = { description: "A part of the request." }

/** A list of tools that breaks one step. */
interface Breach {
  readonly step: number
  readonly what: string
  readonly tools: ReadonlyArray<object>
}

const breach = (step: number, what: string, ...tools: ReadonlyArray<object>): Breach => ({ step, what, tools })

/** Lists that break exactly one step each. */
export const breaches: ReadonlyArray<Breach> = [
  breach(1, "a name in camelCase", { ...create, name: "createTicket" }),
  breach(1, "a name without a verb", { ...create, name: "ticket" }),
  breach(1, "names that are easily confused", create, {
    ...create,
    name: "ticket_create",
    description: `${create.description} Fast.`
  }),
  breach(2, "an English description without access", {
    ...search,
    description: "Finds tickets by their words. Use it to find ticket ids, not for changes of tickets."
  }),
  breach(2, "a Chinese description without access", {
    ...search,
    description: "查询工单列表。适用于按关键词查找工单;不适用于其他系统的工单。"
  }),
  breach(3, "an English description without when", {
    ...create,
    description: "Creates one ticket. Writes. Not for changes of a ticket."
  }),
  breach(3, "an English description without when not", {
    ...create,
    description: "Creates one ticket. Writes. Use it when the user has confirmed the title."
  }),
  breach(3, "a Chinese description without when", { ...search, description: "查询工单列表。只读。不适用于创建工单。" }),
  breach(3, "a Chinese description without when not", {
    ...search,
    description: "查询工单列表。只读。适用于按关键词查找工单。"
  }),
  breach(4, "a description longer than 1,024 characters", {
    ...create,
    description: create.description + " Titles are short.".repeat(60)
  }),
  breach(
    4,
    "a parameter without a description",
    withProperties(create, { title: { type: "string", minLength: 5, maxLength: 120 } })
  ),
  breach(
    5,
    "a string without minLength",
    withProperties(create, { title: { type: "string", maxLength: 120, ...described } })
  ),
  breach(
    5,
    "a string without maxLength",
    withProperties(create, { title: { type: "string", minLength: 5, ...described } })
  ),
  breach(
    5,
    "a string with only a pattern",
    withProperties(create, { title: { type: "string", pattern: "^[a-z]{5,9}$", ...described } })
  ),
  breach(
    5,
    "an item without lengths",
    withProperties(create, { labels: { type: "array", maxItems: 5, items: { type: "string" }, ...described } })
  ),
  breach(6, "values in an English description", withProperties(create, { priority: text("One of: low, high.") })),
  ...[
    "可选值:open、closed、any",
    "取值范围:open/closed/any。",
    "枚举:open(打开)、closed(关闭)",
    "只能是 open 或 closed"
  ].map((description) =>
    breach(6, `values in "${description}"`, withProperties(search, { status: text(description) }))
  ),
  breach(7, "an open object", withSchema(create, { additionalProperties: undefined })),
  breach(7, "an object without required", withSchema(create, { required: undefined })),
  breach(
    7,
    "a required property that is not declared",
    withSchema(create, { required: ["title", "priority", "owner"] })
  ),
  breach(
    8,
    "a number without a maximum",
    withProperties(search, { limit: { type: "integer", minimum: 1, ...described } })
  ),
  breach(
    8,
    "an array without maxItems",
    withProperties(create, { labels: { type: "array", items: text("A label."), ...described } })
  ),
  ...["create", "update", "set", "send"].map((verb) =>
    breach(9, `${verb}_ticket without a key`, {
      ...withProperties(create, { idempotency_key: undefined }),
      name: `${verb}_ticket`
    })
  ),
  breach(9, "delete_rows without a key", withProperties(remove, { idempotency_key: undefined })),
  breach(9, "bulk_update without a key", {
    ...withProperties(remove, { idempotency_key: undefined }),
    name: "bulk_update_rows",
    description: "批量更新表中的行,写入操作。当用户要求批量修改时使用。请勿用于单行。"
  }),
  breach(9, "an idempotentHint in place of a key", {
    ...withProperties(create, { idempotency_key: undefined }),
    annotations: { idempotentHint: true }
  }),
  ...[
    "This tool modifies the ticket. Use it when the user asks. Not for new tickets.",
    "Overwrites the ticket. Use it when the user asks. Not for new tickets.",
    "工单。该工具会修改工单。当用户要求时使用。请勿用于新工单。"
  ].map((description) =>
    breach(9, `a tool without a key whose description says "${description.split(/[.。](?= |\p{Script=Han})/u)[0]}"`, {
      ...withProperties(create, { idempotency_key: undefined }),
      name: "check_ticket",
      description
    })
  ),
  breach(
    9,
    "a key that may be short",
    withProperties(create, { idempotency_key: { ...text("Names the action."), minLength: 8 } })
  ),
  breach(
    9,
    "a Chinese description that asks for a new key",
    withProperties(remove, {
      idempotency_key: { type: "string", minLength: 16, maxLength: 64, description: "每次请求生成新的键。" }
    })
  ),
  breach(
    10,
    "delete_rows without environment",
    withSchema(withProperties(remove, { environment: undefined }), { required: ["ids"] })
  ),
  ...["Deletes the rows that match.", "Cleans the table. It permanently deletes rows.", "清理表。该工具会删除行。"].map(
    (first) =>
      breach(10, `a tool without environment whose description says "${first}"`, {
        ...withSchema(withProperties(remove, { environment: undefined }), { required: ["ids"] }),
        name: "check_rows",
        annotations: undefined,
        description: `${first} Writes. Use it when the user asks. Not for users.`
      })
  ),
  breach(
    10,
    "an environment without production",
    withProperties(remove, { environment: { type: "string", enum: ["staging", "eu"], ...described } })
  ),
  ...["bulk_import_rows", "update_rows_batch", "update_rows_bulk"].map((name) =>
    breach(10, `${name} with another parameter for the place`, {
      ...withSchema(withProperties(remove, { environment: undefined, project: text("项目。") }), { required: ["ids"] }),
      name,
      annotations: undefined,
      description: "批量写入表中的行。当用户要求批量修改时使用。请勿用于单行。"
    })
  ),
  ...["page_token", "next_page_token", "pageToken", "nextPage", "nextCursor"].map((name) =>
    breach(11, `the parameter ${name}`, withProperties(search, { cursor: undefined, [name]: text("The page.") }), {
      ...create,
      name: "create_note"
    })
  ),
  ...["nextPage", "next_page_token", "nextCursor"].map((name) =>
    breach(11, `the result ${name} alongside the parameter cursor`, {
      ...search,
      outputSchema: { type: "object", properties: { [name]: { type: "string" } } }
    })
  ),
  ...["data", "options"].map((name) =>
    breach(12, `a free-form ${name}`, withProperties(create, { [name]: { type: "object", ...described } }))
  ),
  breach(12, "a free-form mode", withProperties(create, { mode: text("How it is done.") })),
  breach(13, "a parameter that is executed as SQL", withProperties(search, { query: text("要执行的 SQL 语句。") })),
  breach(
    13,
    "an English parameter that is executed as SQL",
    withProperties(search, { sql: text("Runs on a replica.") })
  ),
  breach(
    14,
    "an invalid schema",
    withProperties(create, { count: { type: "int", minimum: 1, maximum: 5, ...described } })
  ),
  breach(
    14,
    "a default that is not allowed",
    withProperties(create, { priority: { enum: ["low"], type: "string", default: "max", ...described } })
  ),
  breach(14, "a misspelt keyword", withProperties(create, { title: { ...text("The title."), maxlength: 3 } }))
]
