/** Tests that every format of a list yields the same tools, and that other entries are reported. */
import * as JsonPointer from "#domain/json/JsonPointer"
import * as ListingFormats from "#kit/lint/reading/ListingFormats"
import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"

const schema = { type: "object", properties: { q: { type: "string" } } }
const common = { name: "search_orders", description: "Searches orders." }
const openai = { type: "function", function: { ...common, parameters: schema } }
const flat = { type: "function", ...common, parameters: schema }
const anthropic = { ...common, input_schema: schema }
const mcp = { ...common, inputSchema: schema }
const bare = { ...common, parameters: schema }

const tools = (document: unknown) => Result.getOrThrow(ListingFormats.read(document)).tools
const unreadable = (document: unknown) =>
  Result.getOrThrow(ListingFormats.read(document)).unreadable.map(
    ({ pointer, reason }) => `${JsonPointer.format(pointer)} ${reason}`
  )
const refused = (document: unknown) => Result.getOrElse(Result.flip(ListingFormats.read(document)), () => "")

describe("ListingFormats", () => {
  it("13.3 reads the lists of OpenAI, Anthropic and MCP, even mixed", () => {
    const read = tools([openai, flat, anthropic, mcp, bare])
    assert.deepStrictEqual(
      read.map(({ style }) => style),
      ["openai", "flat", "anthropic", "mcp", "functions"]
    )
    for (const tool of read) {
      assert.deepStrictEqual(
        [tool.name, tool.description, tool.parameters, tool.access, tool.isRepeatable],
        [common.name, common.description, schema, undefined, false]
      )
    }
    assert.deepStrictEqual(
      read.map(({ at }) => JsonPointer.format(at.parameters)),
      ["/0/function/parameters", "/1/parameters", "/2/input_schema", "/3/inputSchema", "/4/parameters"]
    )
  })

  it("13.3 finds the list in requests, results and responses, and alone", () => {
    for (const [document, at] of [
      [[mcp], "/0"],
      [{ tools: [mcp] }, "/tools/0"],
      [{ model: "m", messages: [], tools: [mcp] }, "/tools/0"],
      [{ functions: [bare] }, "/functions/0"],
      [{ jsonrpc: "2.0", id: 1, result: { tools: [mcp], nextCursor: "x" } }, "/result/tools/0"],
      [{ tools: [{ functionDeclarations: [bare] }] }, "/tools/0/functionDeclarations/0"],
      [mcp, ""],
      [openai, "/function"]
    ] as const) {
      assert.deepStrictEqual(
        tools(document).map((tool) => JsonPointer.format(tool.at.tool)),
        [at]
      )
    }
    assert.deepStrictEqual(tools([]), [])
  })

  it("13.3 uses MCP's hints, but not their defaults", () => {
    const hinted = (annotations: unknown) => tools([{ ...mcp, annotations }])[0]!
    assert.strictEqual(hinted({ readOnlyHint: true, destructiveHint: true }).access, "read")
    assert.strictEqual(hinted({ readOnlyHint: false, destructiveHint: true }).access, "destructive")
    assert.strictEqual(hinted({ readOnlyHint: false }).access, "write")
    assert.strictEqual(hinted({ destructiveHint: null }).access, undefined)
    assert.strictEqual(hinted({ idempotentHint: true }).isRepeatable, true)
    assert.strictEqual(hinted("odd").access, undefined)
  })

  it("13.3 skips tools that the provider runs, and reports entries that are not tools", () => {
    assert.deepStrictEqual(unreadable([mcp, { type: "web_search_20250305", name: "web_search" }]), [])
    assert.deepStrictEqual(
      unreadable([
        mcp,
        7,
        null,
        [[]],
        {},
        { type: "function", function: {} },
        { inputSchema: schema },
        { name: 7, parameters: schema }
      ]),
      [
        "/1 it is a number",
        "/2 it is null",
        "/3 it is an array",
        "/4 it has no function, `parameters`, `inputSchema` or `input_schema`",
        "/5 it has no `name`",
        "/6 it has no `name`",
        "/7 its `name` is not a non-empty string"
      ]
    )
  })

  it("13.3 says why a document is not a list", () => {
    assert.strictEqual(refused(7), "It is not a list of tools.")
    assert.strictEqual(refused({}), "It is an empty object.")
    assert.strictEqual(refused({ a: 1, b: 2 }), "It has no `tools`; its fields are a, b.")
    assert.strictEqual(
      refused({ jsonrpc: "2.0", id: 1, error: { code: -32601, message: "Method not found" } }),
      "It is an error, not a list of tools: Method not found"
    )
    assert.strictEqual(
      refused([{ role: "user" }, {}]),
      "None of its 2 entries is a tool: it has no function, `parameters`, `inputSchema` or `input_schema`."
    )
  })

  it("13.3 reads tools whose parts have unexpected types", () => {
    const [tool] = tools([{ name: "x", description: 7, inputSchema: "none" }])
    assert.deepStrictEqual([tool?.description, tool?.parameters], ["", "none"])
  })
})
