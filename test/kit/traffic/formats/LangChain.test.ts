/** Tests the reader of LangChain's dumps in the forms that its versions write. */
import { assert, describe, it } from "@effect/vitest"
import * as LangChain from "#kit/traffic/formats/LangChain"
import { conversation, readAll, skipped } from "../lines.ts"

const read = (...lines: ReadonlyArray<unknown>) => readAll(LangChain.reader(), ...lines)

const called = (id: string, order: string) => ({
  name: "get_order",
  args: { order_id: order },
  id,
  type: "tool_call"
})

const fields: ReadonlyArray<readonly [type: string, name: string, fields: object]> = [
  ["system", "SystemMessage", { content: "Be brief.", additional_kwargs: {}, response_metadata: {} }],
  ["human", "HumanMessage", { content: [{ type: "text", text: "O-1 and O-2?" }], additional_kwargs: {} }],
  [
    "ai",
    "AIMessage",
    {
      content: [
        { type: "text", text: "I look." },
        { type: "tool_use", id: "a", name: "get_order", input: { order_id: "O-1" } }
      ],
      additional_kwargs: {},
      response_metadata: { model_name: "claude-sonnet-4-5", stop_reason: "max_tokens" },
      id: "run--1",
      tool_calls: [called("a", "O-1"), called("b", "O-2")],
      invalid_tool_calls: [
        { name: "get_order", args: '{"order_id": "O', id: "c", error: "Unterminated string", type: "invalid_tool_call" }
      ],
      usage_metadata: { input_tokens: 120, output_tokens: 40, total_tokens: 160 }
    }
  ],
  ["tool", "ToolMessage", { content: '{"status":"shipped"}', tool_call_id: "a", status: "success", name: "get_order" }],
  ["tool", "ToolMessage", { content: "Error: timeout", tool_call_id: "b", status: "error", name: "get_order" }],
  ["ai", "AIMessageChunk", { content: "O-1 is shipped.", tool_calls: [], invalid_tool_calls: [] }]
]

const messages = [
  { role: "system", text: "Be brief." },
  { role: "user", text: "O-1 and O-2?" },
  {
    role: "assistant",
    text: "I look.",
    calls: [
      { id: "a", name: "get_order", arguments: { order_id: "O-1" } },
      { id: "b", name: "get_order", arguments: { order_id: "O-2" } },
      { id: "c", name: "get_order", arguments: '{"order_id": "O' }
    ],
    isCut: true,
    usage: { input: 120, output: 40 }
  },
  { role: "tool", callId: "a", text: '{"status":"shipped"}', isError: false },
  { role: "tool", callId: "b", text: "Error: timeout", isError: true },
  { role: "assistant", text: "O-1 is shipped.", calls: [] }
] as const

describe("messages of LangChain", () => {
  it("13.1 reads messages_to_dict, the constructor form and plain fields, in lists, objects and states of LangGraph", () => {
    const dicts = fields.map(([type, , data]) => ({ type, data: { ...data, type } }))
    const dumped = fields.map(([, name, kwargs]) => ({
      lc: 1,
      type: "constructor",
      id: ["langchain", "schema", "messages", name],
      kwargs
    }))
    const plain = fields.map(([type, , message]) => ({ type, ...message }))
    for (const list of [dicts, dumped, plain]) {
      for (const line of [list, { messages: list }, { values: { messages: list }, next: [] }]) {
        assert.deepStrictEqual(read(line), [conversation({ messages })])
      }
    }
  })

  it("13.1 reads requests with their generations, and the calls of older dumps", () => {
    const human = { type: "human", data: { content: "Hi" } }
    const older = {
      type: "ai",
      data: {
        content: "",
        additional_kwargs: {
          tool_calls: [{ id: "a", type: "function", function: { name: "get_order", arguments: '{"order_id":"O-1"}' } }]
        }
      }
    }
    const [, , , result] = fields
    const tool = { type: "tool", data: result?.[2] }
    assert.deepStrictEqual(
      read(
        { request: { messages: [[human]] }, response: { generations: [[{ text: "", message: older }]] } },
        { request: { messages: [[human, older, tool]] }, response: { type: "ai", content: "Shipped." } }
      ),
      [
        conversation({
          messages: [
            { role: "user", text: "Hi" },
            {
              role: "assistant",
              text: "",
              calls: [{ id: "a", name: "get_order", arguments: '{"order_id":"O-1"}' }]
            },
            messages[3],
            { role: "assistant", text: "Shipped.", calls: [] }
          ]
        })
      ]
    )
  })

  it("13.1 reports what it cannot read", () => {
    assert.deepStrictEqual(
      read({
        messages: [
          { type: "human", content: "Hi" },
          { type: "remove", id: "1" },
          { type: "chat", role: "critic", data: { content: "Bad.", role: "critic" } }
        ]
      }),
      [
        skipped(1, "2 messages were skipped, the first after 1 readable message: it has no role."),
        conversation({ messages: [{ role: "user", text: "Hi" }] })
      ]
    )
    assert.deepStrictEqual(read({ messages: [{ role: "assistant", parts: [] }] }), [
      skipped(1, "The file holds messages of LangChain, but this line looks like Vercel AI SDK messages.")
    ])
  })
})
