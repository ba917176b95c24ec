/** Tests the reader of logs with one message per line. */
import { assert, describe, it } from "@effect/vitest"
import * as MessageLines from "#kit/traffic/formats/MessageLines"
import { maxText } from "#kit/traffic/Window"
import { at, conversation, readAll, skipped } from "../lines.ts"

const read = (...lines: ReadonlyArray<unknown>) => readAll(MessageLines.reader(), ...lines)

const parameters = { type: "object", properties: { order_id: { type: "string" } } }

describe("one message per line", () => {
  it("13.1 messages of a conversation id are one conversation, with calls in OpenAI's or Anthropic's form", () => {
    const openAi = (rest: object) => ({ conversation_id: "c-1", created_at: "2026-01-05 09:00:00.500000", ...rest })
    const anthropic = (role: string, content: unknown) => ({ session_id: "s-1", role, content })
    const call = { id: "a", type: "function", function: { name: "get_order", arguments: '{"order_id":"O-1"}' } }
    const use = (id: string) => ({ type: "tool_use", id, name: "get_order", input: { order_id: id } })
    const image = { type: "image", source: { type: "base64", media_type: "image/png", data: "aGk=" } }
    const tool = { type: "function", function: { name: "get_order", parameters } }
    const items = read(
      openAi({ role: "user", content: "Where is O-1?", model: "gpt-5", tools: [tool] }),
      anthropic("user", [image, { type: "text", text: "And these?" }]),
      openAi({ role: "assistant", content: null, tool_calls: [call] }),
      anthropic("assistant", [use("b"), use("c")]),
      openAi({ role: "tool", tool_call_id: "a", content: '{"status":"shipped"}' }),
      anthropic("user", [{ type: "tool_result", tool_use_id: "c", content: "timeout", is_error: true }]),
      openAi({ role: "assistant", content: "It is shipped." })
    )
    assert.deepStrictEqual(items, [
      conversation({
        id: "c-1",
        model: "gpt-5",
        tools: [{ name: "get_order", parameters }],
        messages: [
          { role: "user", text: "Where is O-1?" },
          {
            role: "assistant",
            text: "",
            calls: [{ id: "a", name: "get_order", arguments: '{"order_id":"O-1"}' }]
          },
          { role: "tool", callId: "a", text: '{"status":"shipped"}', at: Date.UTC(2026, 0, 5, 9, 0, 0, 500) },
          { role: "assistant", text: "It is shipped.", calls: [] }
        ]
      }),
      conversation({
        id: "s-1",
        place: at(2),
        messages: [
          { role: "user", text: "And these?", texts: [] },
          {
            role: "assistant",
            text: "",
            calls: [
              { id: "b", name: "get_order", arguments: { order_id: "b" } },
              { id: "c", name: "get_order", arguments: { order_id: "c" } }
            ]
          },
          { role: "tool", callId: "c", text: "timeout", isError: true }
        ]
      })
    ])
  })

  it("13.1 messages without an id are one conversation of the file, even in different forms", () => {
    const langChain = { type: "human", data: { content: "Hi" } }
    assert.deepStrictEqual(
      read(
        { id: 1, message: JSON.stringify(langChain) },
        { id: 2, message: { role: "assistant", content: "Look" } },
        { type: "reasoning", id: "rs_1", summary: [] },
        { type: "function_call", call_id: "a", name: "x", arguments: "{}" },
        { type: "function_call", call_id: "b", name: "x", arguments: "{}" },
        { type: "function_call_output", call_id: "a", output: "1" }
      ),
      [
        conversation({
          id: "log.jsonl",
          messages: [
            { role: "user", text: "Hi" },
            { role: "assistant", text: "Look", calls: [] },
            {
              role: "assistant",
              text: "",
              calls: [
                { id: "a", name: "x", arguments: "{}" },
                { id: "b", name: "x", arguments: "{}" }
              ]
            },
            { role: "tool", callId: "a", text: "1" }
          ]
        })
      ]
    )
  })

  it("13.1 reports messages that cannot be read, other lines, and conversations that exceed the limits", () => {
    const long = "x".repeat(maxText / 2)
    assert.deepStrictEqual(
      read({ role: "critic", content: "Bad." }, { level: "info", when: 1 }, { messages: [{ role: "tool" }] }),
      [
        skipped(1, 'The message was skipped: its role is "critic".'),
        skipped(2, 'The file holds one message per line, but this line is an object with "level", "when".'),
        skipped(3, "The file holds one message per line, but this line looks like OpenAI chat messages.")
      ]
    )
    const items = read(
      { chat_id: "c", role: "user", content: long },
      { chat_id: "c", role: "user", content: long },
      { chat_id: "c", role: "user", content: "Hi" }
    )
    assert.deepStrictEqual(
      items.map((item) => (item._tag === "Conversation" ? item.messages.length : item.reason)),
      [2, 'The conversation "c" continues here as a separate one: the open conversations exceeded a limit.', 1]
    )
  })
})
