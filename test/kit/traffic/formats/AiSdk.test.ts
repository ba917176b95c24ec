/** Tests the reader of UI messages and model messages of the Vercel AI SDK, as applications store them. */
import { assert, describe, it } from "@effect/vitest"
import * as AiSdk from "#kit/traffic/formats/AiSdk"
import { conversation, readAll, skipped } from "../lines.ts"

const read = (...lines: ReadonlyArray<unknown>) => readAll(AiSdk.reader(), ...lines)

const messagesOf = (...messages: ReadonlyArray<unknown>) => {
  const items = read(messages)
  assert.lengthOf(items, 1)
  const [item] = items
  return item?._tag === "Conversation" ? item.messages : assert.fail(JSON.stringify(item))
}

const call = (id: string, name: string, args: unknown) => ({ id, name, arguments: args })

describe("UI messages", () => {
  it("13.1 splits messages of version 5 into rounds, each with the results of its calls", () => {
    const items = read({
      id: "chat-1",
      messages: [
        {
          id: "1",
          role: "user",
          parts: [
            { type: "text", text: "Paris?" },
            { type: "file", url: "data:" }
          ]
        },
        {
          id: "2",
          role: "assistant",
          metadata: {},
          parts: [
            { type: "step-start" },
            { type: "reasoning", text: "Hm." },
            { type: "text", text: "I look.", state: "done" },
            {
              type: "tool-get_weather",
              toolCallId: "a",
              state: "output-available",
              input: { city: "Paris" },
              output: { celsius: 21 }
            },
            { type: "tool-get-time", toolCallId: "b", state: "output-error", input: {}, errorText: "no such city" },
            { type: "step-start" },
            { type: "dynamic-tool", toolName: "mcp_x", toolCallId: "c", state: "input-available", input: [1] },
            { type: "data-note", data: { text: "for people" } },
            { type: "step-start" },
            { type: "text", text: "21 °C." },
            { type: "source-url", sourceId: "s", url: "https://example.com" }
          ]
        }
      ]
    })
    assert.deepStrictEqual(items, [
      conversation({
        id: "chat-1",
        messages: [
          { role: "user", text: "Paris?", texts: [] },
          {
            role: "assistant",
            text: "I look.",
            calls: [call("a", "get_weather", { city: "Paris" }), call("b", "get-time", {})]
          },
          { role: "tool", callId: "a", text: '{"celsius":21}', isError: false },
          { role: "tool", callId: "b", text: "no such city", isError: true },
          { role: "assistant", text: "", calls: [call("c", "mcp_x", [1])] },
          { role: "assistant", text: "21 °C.", calls: [] }
        ]
      })
    ])
  })

  it("13.1 distinguishes calls that are unfinished, denied, malformed, waiting, or run by the provider", () => {
    const part = (state: string, rest: object) => ({ type: "tool-x", toolCallId: state, state, ...rest })
    const messages = messagesOf({
      role: "assistant",
      parts: [
        part("output-denied", { input: {}, approval: { id: "p", approved: false, reason: "too dear" } }),
        part("output-error", { rawInput: '{"a":', errorText: "Invalid input" }),
        part("approval-requested", { input: {}, approval: { id: "p" } }),
        part("output-available", { input: {}, output: null }),
        { ...part("output-available", { input: {}, output: "x" }), providerExecuted: true },
        part("input-streaming", { input: { ci: "P" } })
      ]
    })
    assert.deepStrictEqual(messages, [
      {
        role: "assistant",
        text: "",
        calls: [
          call("output-denied", "x", {}),
          call("output-error", "x", '{"a":'),
          call("approval-requested", "x", {}),
          call("output-available", "x", {}),
          call("input-streaming", "x", { ci: "P" })
        ],
        isCut: true
      },
      { role: "tool", callId: "output-denied", text: "too dear", isError: true },
      { role: "tool", callId: "output-error", text: "Invalid input", isError: true },
      { role: "tool", callId: "output-available", text: "null", isError: false }
    ])
  })

  it("13.1 starts a round at a text after a call if there is no step-start", () => {
    const tool = (id: string) => ({ type: "tool-x", toolCallId: id, state: "output-available", input: {}, output: id })
    const messages = messagesOf({
      role: "assistant",
      parts: [tool("a"), tool("b"), { type: "text", text: "Now c." }, tool("c"), { type: "text", text: "Done." }]
    })
    assert.deepStrictEqual(
      messages.map((message) => (message.role === "assistant" ? [message.text, message.calls.length] : message.text)),
      [["", 2], "a", "b", ["Now c.", 1], "c", ["Done.", 0]]
    )
  })

  it("13.1 reads version 4: toolInvocations by step, and parts of the type tool-invocation", () => {
    const invocation = (id: string, step: number, rest: object) => ({
      toolCallId: id,
      toolName: "x",
      args: { id },
      step,
      ...rest
    })
    const old = messagesOf(
      { id: "1", role: "user", content: "Go", parts: [{ type: "text", text: "Go" }] },
      {
        id: "2",
        role: "assistant",
        content: "Done.",
        toolInvocations: [
          invocation("a", 0, { state: "result", result: { ok: true } }),
          invocation("b", 1, { state: "call" }),
          invocation("c", 0, { state: "result", result: "text" })
        ]
      },
      { id: "3", role: "data", content: "" },
      {
        id: "4",
        role: "assistant",
        content: "",
        parts: [
          { type: "step-start" },
          { type: "tool-invocation", toolInvocation: invocation("d", 0, { state: "partial-call" }) }
        ]
      }
    )
    assert.deepStrictEqual(old, [
      { role: "user", text: "Go" },
      { role: "assistant", text: "", calls: [call("a", "x", { id: "a" }), call("c", "x", { id: "c" })] },
      { role: "tool", callId: "a", text: '{"ok":true}' },
      { role: "tool", callId: "c", text: "text" },
      { role: "assistant", text: "", calls: [call("b", "x", { id: "b" })] },
      { role: "assistant", text: "Done.", calls: [] },
      { role: "assistant", text: "", calls: [call("d", "x", { id: "d" })], isCut: true }
    ])
  })
})

describe("model messages", () => {
  const asked = {
    role: "assistant",
    content: [
      { type: "text", text: "I look." },
      { type: "tool-call", toolCallId: "a", toolName: "x", input: { q: 1 } },
      { type: "tool-call", toolCallId: "s", toolName: "search", input: {}, providerExecuted: true }
    ]
  }
  const answered = (...outputs: ReadonlyArray<object>) => ({
    role: "tool",
    content: outputs.map((rest) => ({ type: "tool-result", toolCallId: "a", toolName: "x", ...rest }))
  })

  it("13.1 reads every kind of result of versions 4 and 5", () => {
    const parts = [
      { type: "text", text: "1" },
      { type: "text", text: "2" }
    ]
    const messages = messagesOf(
      { role: "system", content: "Be brief." },
      { role: "user", content: [{ type: "text", text: "Go" }] },
      asked,
      answered(
        { output: { type: "text", value: "plain" } },
        { output: { type: "json", value: [{ type: "x" }] } },
        { output: { type: "error-text", value: "boom" } },
        { output: { type: "error-json", value: { code: 7 } } },
        { output: { type: "execution-denied", reason: "too dear" } },
        { output: { type: "content", value: parts } },
        { result: { ok: true }, isError: true },
        { result: "old" }
      ),
      { role: "assistant", content: "Done." }
    )
    const text = (value: string, isError?: boolean) => ({
      role: "tool" as const,
      callId: "a",
      text: value,
      ...(isError === undefined ? {} : { isError })
    })
    assert.deepStrictEqual(messages, [
      { role: "system", text: "Be brief." },
      { role: "user", text: "Go" },
      { role: "assistant", text: "I look.", calls: [call("a", "x", { q: 1 })] },
      text("plain", false),
      text('[{"type":"x"}]', false),
      text("boom", true),
      text('{"code":7}', true),
      text("too dear", true),
      text("1\n2", false),
      text('{"ok":true}', true),
      text("old"),
      { role: "assistant", text: "Done.", calls: [] }
    ])
  })

  it("13.1 merges request logs into one conversation, with tools by name", () => {
    const user = { role: "user", content: "Go" }
    const result = answered({ output: { type: "text", value: "1" } })
    const said = { role: "assistant", content: "Done." }
    const schema = { type: "object" }
    const tools = { x: { description: "An x.", inputSchema: { jsonSchema: schema } } }
    const items = read(
      { request: { system: "Be brief.", messages: [user], tools }, response: { messages: [asked, result] } },
      { request: { system: "Be brief.", messages: [user, asked, result], tools }, response: { messages: [said] } }
    )
    assert.deepStrictEqual(items, [
      conversation({
        tools: [{ name: "x", description: "An x.", parameters: schema }],
        messages: [
          { role: "system", text: "Be brief." },
          { role: "user", text: "Go" },
          { role: "assistant", text: "I look.", calls: [call("a", "x", { q: 1 })] },
          { role: "tool", callId: "a", text: "1", isError: false },
          { role: "assistant", text: "Done.", calls: [] }
        ]
      })
    ])
  })

  it("13.1 reports messages of other formats", () => {
    const items = read(
      [{ role: "assistant", content: "", tool_calls: [] }],
      [{ role: "tool", tool_call_id: "a", content: "x" }],
      [{ role: "user", content: [{ type: "tool_result", tool_use_id: "a" }] }],
      [{ role: "user", content: "Hi" }, { role: "wizard" }, { content: "Hi" }]
    )
    const not = "The file holds Vercel AI SDK messages, but this line looks like"
    assert.deepStrictEqual(items, [
      skipped(1, `${not} OpenAI chat messages.`),
      skipped(2, `${not} OpenAI chat messages.`),
      skipped(3, `${not} Anthropic messages.`),
      skipped(4, '2 messages were skipped, the first after 1 readable message: its role is "wizard".'),
      {
        ...conversation({ messages: [{ role: "user", text: "Hi" }] }),
        id: "log.jsonl:4",
        place: { file: "log.jsonl", line: 4 }
      }
    ])
  })
})
