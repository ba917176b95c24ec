/** Tests reading lists of tools in the spellings of every format. */
import { assert, describe, it } from "@effect/vitest"
import * as RecordedTools from "#kit/traffic/RecordedTools"

const parameters = { type: "object", properties: { q: { type: "string" } } }
const result = { type: "object" }
const copy = <A>(value: A): A => structuredClone(value)

describe("RecordedTools", () => {
  it("13.1 reads tools as OpenAI, Anthropic, MCP, the AI SDK and OpenTelemetry write them", () => {
    const toolsOf = RecordedTools.make()
    const named = { name: "x", description: "An x." }
    const tool = { ...named, parameters }
    const expected = [tool]
    assert.deepStrictEqual(toolsOf([{ type: "function", function: { ...named, parameters } }]), expected)
    assert.deepStrictEqual(toolsOf([{ ...named, parameters }]), expected)
    assert.deepStrictEqual(toolsOf([{ ...named, input_schema: parameters }]), expected)
    assert.deepStrictEqual(toolsOf([{ ...named, inputSchema: { jsonSchema: parameters } }]), expected)
    assert.deepStrictEqual(toolsOf({ x: { description: "An x.", inputSchema: parameters } }), expected)
    assert.deepStrictEqual(toolsOf([{ ...named, parameters: JSON.stringify(parameters) }]), expected)
    assert.deepStrictEqual(toolsOf([{ ...named, parameters, response: result }]), [{ ...tool, result }])
    const mcp = (annotations: object) => [{ ...named, inputSchema: parameters, outputSchema: result, annotations }]
    assert.deepStrictEqual(toolsOf(mcp({ readOnlyHint: true })), [{ ...tool, result, access: "read" }])
    assert.deepStrictEqual(toolsOf(mcp({ readOnlyHint: false })), [{ ...tool, result, access: "write" }])
    assert.deepStrictEqual(toolsOf(mcp({ destructiveHint: true })), [{ ...tool, result, access: "destructive" }])
    assert.deepStrictEqual(toolsOf(mcp({ title: "X" })), [{ ...tool, result }])
    const openai = { type: "function", function: { ...named, parameters } }
    assert.deepStrictEqual(toolsOf([{ ...openai, outputSchema: result }]), [{ ...tool, result }])
    assert.deepStrictEqual(toolsOf([{ ...openai, output_schema: result }]), [{ ...tool, result }])
  })

  it("13.1 skips tools without a name, and schemas that are not objects", () => {
    const toolsOf = RecordedTools.make()
    for (const listed of [undefined, null, "x", 7, [], {}]) assert.deepStrictEqual(toolsOf(listed), [])
    assert.deepStrictEqual(toolsOf([null, 7, {}, { type: "web_search" }, { name: "x", parameters: true }]), [
      { name: "x" }
    ])
    assert.deepStrictEqual(toolsOf([{ name: "x", parameters: {} }]), [{ name: "x", parameters: {} }])
  })

  it("13.1 returns the same object for equal tools, and the same list for equal lists", () => {
    const toolsOf = RecordedTools.make()
    const list = ["a", "b"].map((name) => ({ type: "function", function: { name, parameters } }))
    const first = toolsOf(list)
    assert.strictEqual(toolsOf(copy(list)), first)
    const more = toolsOf([...copy(list), { name: "c" }])
    assert.strictEqual(more[0], first[0])
    assert.strictEqual(more[1], first[1])
    assert.deepStrictEqual(toolsOf(copy(list)), first)
  })

  it("13.1 distinguishes tools with different parameters, and reuses a tool with equal parameters", () => {
    const toolsOf = RecordedTools.make()
    const variants: ReadonlyArray<unknown> = [
      parameters,
      { ...parameters, required: ["q"] },
      { type: "object" },
      { ...parameters, properties: { q: { type: "integer" } } },
      { ...parameters, required: [] },
      { ...parameters, required: {} },
      { ...parameters, required: null },
      { ...parameters, required: ["q", "r"] }
    ]
    const read = variants.map((schema) => toolsOf([{ name: "x", parameters: schema }])[0])
    assert.deepStrictEqual(
      read.map((tool) => tool?.parameters),
      variants
    )
    assert.strictEqual(new Set(read).size, variants.length)
    for (const [index, schema] of variants.entries()) {
      assert.strictEqual(toolsOf([{ name: "x", parameters: copy(schema) }])[0], read[index])
    }
  })
})
