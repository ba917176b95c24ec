/**
 * Tests the rules for names, descriptions, safety, paging and cost: the faults that each reports, and similar cases that
 * it does not report.
 */
import { assert, describe, it } from "@effect/vitest"
import { found, places, tool } from "./support.ts"

const text = { type: "string" }
const number = { type: "integer" }
const named = (...names: ReadonlyArray<string>) => names.map((name) => tool(name, `Does ${name} for the user.`))

describe("rules for names", () => {
  it("13.3 name-invalid applies the rules of providers, and to MCP servers those of MCP", () => {
    const openai = (name: string) => ({ name, description: "…", parameters: { type: "object" } })
    assert.deepStrictEqual(found("name-invalid", [openai("uber.ride")]), [
      "/0/name Providers refuse the name uber.ride: only 1 to 64 letters, digits, _ and - are allowed; write uber_ride."
    ])
    assert.lengthOf(found("name-invalid", [openai("a".repeat(65))]), 1)
    assert.deepStrictEqual(found("name-invalid", [openai("a".repeat(64)), openai("A-b_C9")]), [])
    assert.deepStrictEqual(places("name-invalid", named("a.b", "a".repeat(128), "a b", "ä", "a".repeat(129))), [
      "/2/name",
      "/3/name",
      "/4/name"
    ])
  })

  it("13.3 name-verb-first recognises verbs, shared prefixes, and compounds", () => {
    const fine = ["get_x", "is_open", "gzip_file", "echo", "getUserByName", "getuser", "obtener_datos", "查询"]
    assert.deepStrictEqual(places("name-verb-first", named(...fine)), [])
    assert.deepStrictEqual(places("name-verb-first", named("user_get", "weather", "5_day_forecast", "")), [
      "/0/name",
      "/1/name",
      "/2/name"
    ])
    const browser = ["browser_click", "browser_type", "browser_navigate", "browser_tabs"]
    assert.deepStrictEqual(places("name-verb-first", named(...browser)), ["/3/name"])
    assert.deepStrictEqual(places("name-verb-first", named("browser_click", "browser_type")), ["/0/name", "/1/name"])
    const order = (description: string) => [tool("order_pizza", description)]
    assert.deepStrictEqual(found("name-verb-first", order("Places an order.")), [])
    assert.lengthOf(found("name-verb-first", order("Gets the order.")), 1)
  })

  it("13.3 name-single-meaning finds two verbs, and parameters that select between reading and writing", () => {
    assert.deepStrictEqual(places("name-single-meaning", named("fetch_and_parse", "search_or_create_note")), [
      "/0/name",
      "/1/name"
    ])
    assert.deepStrictEqual(
      places("name-single-meaning", named("get_terms_and_conditions", "search_and_replace", "get_likes_and_comments")),
      []
    )
    const choosing = (name: string, ...values: ReadonlyArray<string>) => [
      tool("manage_x", "…", { [name]: { type: "string", enum: values } })
    ]
    assert.lengthOf(found("name-single-meaning", choosing("action", "get", "create")), 1)
    assert.lengthOf(found("name-single-meaning", choosing("http_method", "GET", "POST")), 1)
    assert.deepStrictEqual(found("name-single-meaning", choosing("action", "start", "stop")), [])
    assert.deepStrictEqual(found("name-single-meaning", choosing("sort", "create", "get")), [])
    assert.deepStrictEqual(found("name-single-meaning", choosing("merge_method", "merge", "squash", "rebase")), [])
  })

  it("13.3 name-near-duplicate distinguishes names with different meanings", () => {
    const near = (...names: ReadonlyArray<string>) => places("name-near-duplicate", named(...names))
    assert.deepStrictEqual(near("getUser", "get_user"), ["/1/name"])
    assert.deepStrictEqual(near("order_search", "search_order"), ["/1/name"])
    assert.deepStrictEqual(near("search_orders", "search_orders_v2"), ["/1/name"])
    assert.deepStrictEqual(
      near("miles_to_km", "km_to_miles", "get_user", "get_users", "get_news", "get_news_latest"),
      []
    )
    assert.deepStrictEqual(places("name-collision", named("a", "b", "a", "A")), ["/2/name"])
  })
})

describe("rules for descriptions", () => {
  it("13.3 description-length counts a Chinese character as three", () => {
    const lengths = (...texts: ReadonlyArray<string>) =>
      places(
        "description-length",
        texts.map((text) => tool("get_x", text))
      )
    assert.deepStrictEqual(lengths("x".repeat(19), "x".repeat(20), "x".repeat(1_024), "x".repeat(1_025), ""), [
      "/0/description",
      "/3/description"
    ])
    assert.deepStrictEqual(lengths("查询余票信息吧", "查询余票"), ["/1/description"])
    assert.deepStrictEqual(places("description-length", [tool("x", "x".repeat(30))], { min: 31, max: 100 }), [
      "/0/description"
    ])
  })

  it("13.3 description-repeats-name and description-duplicate compare words, not letters", () => {
    assert.lengthOf(found("description-repeats-name", [tool("getUserProfile", "Gets the user's profile")]), 0)
    assert.lengthOf(
      found("description-repeats-name", [tool("getUserProfile", "This tool gets the profile of a user.")]),
      1
    )
    assert.lengthOf(found("description-repeats-name", [tool("get_user", "Gets the user and the plan.")]), 0)
    const twice = (a: string, b: string) => found("description-duplicate", [tool("get_a", a), tool("get_b", b)]).length
    assert.strictEqual(twice("Gets an order.", "gets an  ORDER"), 1)
    assert.strictEqual(twice("Gets version 1.", "Gets version 2."), 0)
    assert.strictEqual(twice("", ""), 0)
    assert.strictEqual(twice("查询余票", "查询余票"), 1)
  })

  it("13.3 parameter-description accepts the tool's documentation of a parameter", () => {
    const described = (description: string, name = "file_path") =>
      found("parameter-description", [tool("read_x", description, { [name]: text })]).length
    assert.strictEqual(described("Reads a file."), 1)
    assert.strictEqual(described("Reads a file at file_path."), 1)
    assert.strictEqual(described("Reads a file.\n\nArgs:\n    file_path: Where it is.\n"), 0)
    assert.strictEqual(described("Reads a file.\n- file_path (str): Where it is."), 0)
    assert.strictEqual(described("Reads a file. The 'file_path' is absolute."), 0)
    assert.strictEqual(described("Reads the file_path parameter."), 0)
    assert.strictEqual(described("Reads a(b*.", "a(b*"), 1)
    assert.deepStrictEqual(
      places("parameter-description", [
        tool(
          "get_x",
          "…",
          { kind: { const: "x" }, a: { $ref: "#/$defs/A" } },
          { $defs: { A: { type: "string", description: "A." } } }
        )
      ]),
      []
    )
  })
})

describe("rules for safety", () => {
  const runs = (name: string, description: string, parameter: string, documentation = "") =>
    found("executed-code", [
      tool(name, description, { [parameter]: { type: "string", description: documentation } })
    ]).map((message) => /as ([^;]+);/u.exec(message)?.[1])

  it("13.3 executed-code needs a word for a program, and a word for executing it", () => {
    assert.deepStrictEqual(runs("query", "Run a read-only SQL query", "sql"), ["SQL"])
    assert.deepStrictEqual(
      runs("read_query", "Execute a SELECT query on the SQLite database", "query", "SELECT SQL query to execute"),
      ["SQL"]
    )
    assert.deepStrictEqual(runs("run_cypher", "Runs Cypher on the database.", "query", "Cypher query"), ["Cypher"])
    assert.deepStrictEqual(runs("execute_command", "Execute a terminal command", "command"), ["a shell command"])
    assert.deepStrictEqual(
      runs("puppeteer_evaluate", "Execute JavaScript in the browser console", "script", "JavaScript code to execute"),
      ["code"]
    )
    assert.deepStrictEqual(runs("run_python", "Runs Python code in a sandbox.", "code"), ["code"])
  })

  it("13.3 executed-code ignores codes, commands and expressions that are not executed", () => {
    for (const [name, description, parameter, documentation] of [
      ["get_weather", "Gets the weather.", "country_code", "ISO code"],
      ["run_report", "Runs the report of a country.", "code", "Two-letter country code"],
      ["calculate", "Calculates a mathematical expression.", "expression", "Such as 2 + 2"],
      ["search", "Searches the web.", "query", "What to search for"],
      ["send_robot", "Sends a command to the robot.", "command", "left or right"],
      ["lint_script", "Says what is wrong with a script.", "script", "Text of the script"],
      ["start_process", "Starts a shell.", "shell", "Path of the shell"]
    ] as const) {
      assert.deepStrictEqual(runs(name, description, parameter, documentation), [], name)
    }
  })

  it("13.3 idempotency-key applies to tools that create something with each call", () => {
    const asks = (name: string, description: string, properties: object = { a: text }, extra: object = {}) =>
      found("idempotency-key", [{ ...tool(name, description, properties), ...extra }]).length
    assert.strictEqual(asks("create_order", "Creates an order."), 1)
    assert.strictEqual(asks("book_flight", "Books a flight."), 1)
    assert.strictEqual(asks("send_mail", "Sends a mail."), 1)
    assert.strictEqual(asks("create_order", "Creates an order.", { idempotency_key: text }), 0)
    assert.strictEqual(asks("create_order", "Creates an order.", { requestId: text }), 0)
    assert.strictEqual(asks("create_order", "Creates an order.", {}, { annotations: { idempotentHint: true } }), 0)
    assert.strictEqual(asks("create_chart", "Creates a chart.", {}, { annotations: { readOnlyHint: true } }), 0)
    for (const [name, description] of [
      ["get_order", "Gets an order."],
      ["update_order", "Updates an order."],
      ["order_history", "Lists the orders of a customer."],
      ["order_by_name", "Orders a list by name."],
      ["email_format", "The format of an email."],
      ["post_comments", "Gets the comments of a post."],
      ["create_directory", "Creates a directory, or ensures that it exists."],
      ["send_http_request", "Sends an HTTP request."]
    ] as const) {
      assert.strictEqual(asks(name, description), 0, name)
    }
    assert.strictEqual(asks("add", "Adds two numbers.", { a: number, b: number }), 0)
  })

  it("13.3 idempotency-key-shape and -advice check only the key", () => {
    const key = (schema: object, required: ReadonlyArray<string> = []) => [
      tool("pay", "Pays.", { idempotency_key: schema, note: text }, { required })
    ]
    assert.lengthOf(found("idempotency-key-shape", key({ ...text }, ["idempotency_key"])), 2)
    assert.lengthOf(found("idempotency-key-shape", key({ ...text, minLength: 8 })), 1)
    assert.lengthOf(found("idempotency-key-shape", key({ ...text, minLength: 16 })), 0)
    assert.lengthOf(found("idempotency-key-shape", key({ ...text, format: "uuid" })), 0)
    const reported = (description: string, rest = "Pays.") =>
      found("idempotency-key-advice", [tool("pay", rest, { idempotencyKey: { ...text, description } })]).length
    assert.strictEqual(reported("A new UUID for every request."), 1)
    assert.strictEqual(reported("Generate a fresh key per attempt."), 1)
    assert.strictEqual(reported("", "Pays. The idempotency key must be unique for each call."), 1)
    assert.strictEqual(reported("Use the same key for every retry of one payment."), 0)
    assert.strictEqual(reported("Do not generate a new key for each retry."), 0)
    assert.strictEqual(reported("Unique name of the payment."), 0)
  })

  it("13.3 target-environment applies to destructive and bulk tools", () => {
    const asks = (name: string, description: string, properties: object) =>
      found("target-environment", [tool(name, description, properties)]).length
    assert.strictEqual(asks("delete_user", "Deletes a user.", { id: text }), 1)
    assert.strictEqual(asks("delete_user", "Deletes a user.", { id: text, environment: text }), 0)
    assert.strictEqual(asks("delete_file", "Deletes a file.", { path: text }), 0)
    assert.strictEqual(asks("update_users_bulk", "Updates many users.", { ids: text }), 1)
    assert.strictEqual(asks("update_user", "Updates a user.", { id: text }), 0)
    assert.strictEqual(asks("delete_user", "Löscht einen Benutzer für immer aus dem System.", { umgebung: text }), 0)
    assert.strictEqual(asks("delete_preview", "Shows what would be deleted.", { id: text }), 0)
  })
})

describe("rules for paging and cost", () => {
  it("13.3 pagination-cursor distinguishes paging from counting", () => {
    const paged = (properties: object) =>
      found("pagination-cursor", [tool("list_x", "Lists.", properties)]).map((message) => /`(\w+)`/u.exec(message)?.[1])
    assert.deepStrictEqual(paged({ page: number }), ["page"])
    assert.deepStrictEqual(paged({ nextPageToken: text }), ["nextPageToken"])
    assert.deepStrictEqual(paged({ offset: { ...number, description: "Number of results to skip" }, limit: number }), [
      "offset"
    ])
    for (const properties of [
      { cursor: text },
      { page: { type: "string", description: "Title of the wiki page" } },
      { offset: { ...number, description: "Line to begin with" }, limit: number },
      { offset: number },
      { start: { ...number, description: "Start time in seconds" }, limit: number },
      { limit: number }
    ]) {
      assert.deepStrictEqual(paged(properties), [], JSON.stringify(properties))
    }
  })

  it("13.3 pagination-spelling names the most frequent spelling", () => {
    const list = ["page", "page", "pageNumber", "offset"].map((name, index) =>
      tool(`list_${index}`, "Lists.", { [name]: number })
    )
    assert.deepStrictEqual(found("pagination-spelling", list), [
      "/2/inputSchema/properties/pageNumber `pageNumber` is spelt `page` in 2 other tools of the list; use one spelling."
    ])
  })

  it("13.3 token-cost counts what the model reads", () => {
    const tools = [tool("get_x", "x".repeat(400)), tool("get_y", "y")]
    assert.deepStrictEqual(found("token-cost", tools, { max: 100 }), [
      "/0/name The definition costs 120 tokens in every request, more than 100; shorten descriptions, or split the tool."
    ])
    assert.deepStrictEqual(found("token-cost-list", tools, { max: 100 }), [
      " The 2 tools cost 141 tokens in every request, more than 100; offer fewer at a time."
    ])
  })
})
