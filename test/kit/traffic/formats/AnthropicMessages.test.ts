/** Tests the reader of Anthropic messages, as applications log them. */
import { assert, describe, it } from "@effect/vitest"
import * as AnthropicMessages from "#kit/traffic/formats/AnthropicMessages"
import { conversation, readAll, skipped } from "../lines.ts"

const schema = { type: "object", properties: { city: { type: "string" } } }
const tools = [
  { name: "get_weather", description: "Weather of a city.", input_schema: schema },
  { type: "bash_20250124", name: "bash" }
]
const listed = [{ name: "get_weather", description: "Weather of a city.", parameters: schema }, { name: "bash" }]

const read = (...lines: ReadonlyArray<unknown>) => readAll(AnthropicMessages.reader(), ...lines)
const use = (id: string, input: unknown) => ({ type: "tool_use", id, name: "get_weather", input })
const result = (id: string, content: unknown, rest: object = {}) => ({
  type: "tool_result",
  tool_use_id: id,
  content,
  ...rest
})

describe("Anthropic messages", () => {
  it("13.1 reads calls, results, errors, the system prompt and tools", () => {
    const image = { type: "image", source: { type: "base64", media_type: "image/png", data: "AAAA" } }
    const items = read({
      model: "claude-opus-5",
      system: [{ type: "text", text: "Be brief.", cache_control: { type: "ephemeral" } }],
      tools,
      messages: [
        { role: "user", content: "Paris and Rome?" },
        {
          role: "assistant",
          content: [
            { type: "thinking", thinking: "Hm.", signature: "x" },
            { type: "text", text: "I look." },
            use("a", { city: "Paris" }),
            use("b", {}),
            { type: "server_tool_use", id: "s", name: "web_search", input: { query: "Rome" } },
            { type: "web_search_tool_result", tool_use_id: "s", content: [] }
          ]
        },
        {
          role: "user",
          content: [
            result("a", [{ type: "text", text: "21" }, image]),
            result("b", "city: Required", { is_error: true }),
            { type: "text", text: "And Oslo?" }
          ]
        },
        { role: "assistant", content: "21 °C in Paris." }
      ]
    })
    assert.deepStrictEqual(items, [
      conversation({
        model: "claude-opus-5",
        tools: listed,
        messages: [
          { role: "system", text: "Be brief." },
          { role: "user", text: "Paris and Rome?" },
          {
            role: "assistant",
            text: "I look.",
            calls: [
              { id: "a", name: "get_weather", arguments: { city: "Paris" } },
              { id: "b", name: "get_weather", arguments: {} }
            ]
          },
          { role: "tool", callId: "a", text: `21\n${JSON.stringify(image)}` },
          { role: "tool", callId: "b", text: "city: Required", isError: true },
          { role: "user", text: "And Oslo?" },
          { role: "assistant", text: "21 °C in Paris.", calls: [] }
        ]
      })
    ])
  })

  it("13.1 reads results without content, and user messages without text", () => {
    const items = read({
      messages: [
        { role: "user", content: [{ type: "image", source: {} }] },
        { role: "assistant", content: [use("a", undefined)] },
        { role: "user", content: [result("a", undefined, { is_error: false })] },
        { role: "system", content: "Later instructions." }
      ]
    })
    assert.deepStrictEqual(items, [
      conversation({
        messages: [
          { role: "user", text: "" },
          { role: "assistant", text: "", calls: [{ id: "a", name: "get_weather", arguments: "" }] },
          { role: "tool", callId: "a", text: "", isError: false },
          { role: "system", text: "Later instructions." }
        ]
      })
    ])
  })

  it("13.1 merges request logs into one conversation, with tokens and the stop reason", () => {
    const user = { role: "user", content: "Paris?" }
    const asked = { role: "assistant", content: [use("a", { city: "Paris" })] }
    const answered = { role: "user", content: [result("a", "21")] }
    const usage = { input_tokens: 10, output_tokens: 5, cache_read_input_tokens: 3, cache_creation_input_tokens: 4 }
    const items = read(
      { request: { tools, messages: [user] }, response: { ...asked, model: "m", stop_reason: "tool_use", usage } },
      {
        request: { tools, messages: [user, asked, answered] },
        response: { role: "assistant", content: [{ type: "text", text: "It is" }], stop_reason: "max_tokens" }
      }
    )
    assert.deepStrictEqual(items, [
      conversation({
        model: "m",
        tools: listed,
        messages: [
          { role: "user", text: "Paris?" },
          {
            role: "assistant",
            text: "",
            calls: [{ id: "a", name: "get_weather", arguments: { city: "Paris" } }],
            usage: { input: 17, output: 5 }
          },
          { role: "tool", callId: "a", text: "21" },
          { role: "assistant", text: "It is", calls: [], isCut: true }
        ]
      })
    ])
  })

  it("13.1 reports unreadable messages, and messages of other formats", () => {
    const hello = { role: "user", content: "Hi" }
    const openAi = { role: "assistant", tool_calls: [{ id: "a", function: { name: "x", arguments: "{}" } }] }
    const items = read(
      { messages: [hello, 7] },
      { messages: [hello, { role: "tool", tool_call_id: "a", content: "x" }] },
      { messages: [hello, openAi] },
      { messages: [hello, { role: "assistant", content: [{ type: "tool-call", toolCallId: "a" }] }] }
    )
    const not = "The file holds Anthropic messages, but this line looks like"
    assert.deepStrictEqual(items, [
      skipped(1, "A message was skipped after 1 readable message: it is not an object."),
      skipped(2, `${not} OpenAI chat messages.`),
      skipped(3, `${not} OpenAI chat messages.`),
      skipped(4, `${not} Vercel AI SDK messages.`),
      conversation({ messages: [{ role: "user", text: "Hi" }] })
    ])
  })
})
