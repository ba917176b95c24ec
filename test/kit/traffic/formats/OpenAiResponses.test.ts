/** Tests the reader of OpenAI's Responses API with requests and responses as applications log them. */
import { assert, describe, it } from "@effect/vitest"
import * as OpenAiResponses from "#kit/traffic/formats/OpenAiResponses"
import { conversation, readAll, skipped } from "../lines.ts"

const parameters = { type: "object", properties: { order_id: { type: "string" } }, required: ["order_id"] }
const tools = [
  { type: "function", name: "get_order", description: "Reads an order.", parameters, strict: true },
  { type: "web_search" }
]
const listedTools = [{ name: "get_order", description: "Reads an order.", parameters }]

const question = { role: "user", content: [{ type: "input_text", text: "Where are O-1 and O-2?" }] }
const reasoning = { id: "rs_1", type: "reasoning", summary: [], encrypted_content: "gAAAA" }
const callOf = (id: string, order: string) => ({
  id: `fc_${id}`,
  type: "function_call",
  status: "completed",
  call_id: `call_${id}`,
  name: "get_order",
  arguments: `{"order_id":"${order}"}`
})
const outputOf = (id: string, output: unknown) => ({ type: "function_call_output", call_id: `call_${id}`, output })
const said = (text: string) => ({
  id: "msg_1",
  type: "message",
  role: "assistant",
  status: "completed",
  content: [{ type: "output_text", text, annotations: [], logprobs: [] }]
})
const responseOf = (id: string, output: ReadonlyArray<unknown>, rest: object = {}) => ({
  id,
  object: "response",
  created_at: 1767225600,
  status: "completed",
  error: null,
  incomplete_details: null,
  model: "gpt-5-2025-08-07",
  output,
  parallel_tool_calls: true,
  tool_choice: "auto",
  usage: { input_tokens: 120, input_tokens_details: { cached_tokens: 64 }, output_tokens: 40, total_tokens: 160 },
  ...rest
})

const usage = { input: 120, output: 40 }
const calls = [
  { id: "call_a", name: "get_order", arguments: '{"order_id":"O-1"}' },
  { id: "call_b", name: "get_order", arguments: '{"order_id":"O-2"}' }
]
const whole = [
  { role: "system", text: "Be brief." },
  { role: "user", text: "Where are O-1 and O-2?" },
  { role: "assistant", text: "", calls, usage },
  { role: "tool", callId: "call_a", text: '{"status":"shipped"}' },
  { role: "tool", callId: "call_b", text: "Error: timeout" },
  { role: "assistant", text: "O-1 is shipped.", calls: [], usage }
] as const

const read = (...lines: ReadonlyArray<unknown>) => readAll(OpenAiResponses.reader(), ...lines)

const first = { model: "gpt-5", instructions: "Be brief.", tools, input: [question] }
const answered = [reasoning, callOf("a", "O-1"), callOf("b", "O-2")]
const outputs = [outputOf("a", '{"status":"shipped"}'), outputOf("b", [{ type: "input_text", text: "Error: timeout" }])]

describe("OpenAI Responses", () => {
  it("13.1 growing requests with their responses are one conversation", () => {
    const items = read(
      { request: first, response: responseOf("resp_1", answered) },
      {
        request: { ...first, input: [question, ...answered, ...outputs] },
        response: responseOf("resp_2", [said("O-1 is shipped.")])
      }
    )
    assert.deepStrictEqual(items, [conversation({ model: "gpt-5", tools: listedTools, messages: whole })])
  })

  it("13.1 a request is joined with the response that it names", () => {
    const items = read(
      { body: first, response: { status_code: 200, body: responseOf("resp_1", answered) } },
      {
        body: { ...first, input: outputs, previous_response_id: "resp_1" },
        response: { status_code: 200, body: responseOf("resp_2", [said("O-1 is shipped.")]) }
      }
    )
    assert.deepStrictEqual(items, [conversation({ model: "gpt-5", tools: listedTools, messages: whole })])
  })

  it("13.1 a request is separate if another request has continued the response that it names, or the file lacks this response", () => {
    const next = { model: "gpt-5", input: outputs, previous_response_id: "resp_1" }
    const again = { request: next, response: responseOf("resp_2", [said("Done")]) }
    const items = read(
      { request: first, response: responseOf("resp_1", answered) },
      again,
      again,
      { request: next, response: responseOf("resp_3", [said("Other")]) },
      { request: { input: "Hi", previous_response_id: "resp_0" }, response: responseOf("resp_9", [said("Hello")]) }
    )
    assert.deepStrictEqual(
      items.map((item) =>
        item._tag === "Skipped" ? item : [item.id, item.messages.map(({ role, text }) => `${role}: ${text}`)]
      ),
      [
        skipped(5, 'The request continues "resp_0", which is not in the file before it.'),
        [
          "log.jsonl:1",
          [
            "system: Be brief.",
            "user: Where are O-1 and O-2?",
            "assistant: ",
            'tool: {"status":"shipped"}',
            "tool: Error: timeout",
            "assistant: Done"
          ]
        ],
        ["log.jsonl:4", ['tool: {"status":"shipped"}', "tool: Error: timeout", "assistant: Other"]],
        ["log.jsonl:5", ["user: Hi", "assistant: Hello"]]
      ]
    )
  })

  it("13.1 requests of a conversation that the server keeps are appended", () => {
    const [item, ...rest] = read(
      { request: { ...first, conversation: "conv_1" }, response: responseOf("resp_1", answered) },
      {
        request: { ...first, conversation: { id: "conv_1" }, input: outputs },
        response: responseOf("resp_2", [said("O-1 is shipped.")])
      }
    )
    assert.deepStrictEqual(
      [item, ...rest],
      [conversation({ id: "conv_1", model: "gpt-5", tools: listedTools, messages: whole })]
    )
  })

  it("13.1 reads other calls of the caller, truncated output and lists of items, and skips what it does not know", () => {
    const cut = responseOf("resp_1", [{ type: "custom_tool_call", call_id: "c", name: "run_sql", input: "SELECT" }], {
      status: "incomplete",
      incomplete_details: { reason: "max_output_tokens" }
    })
    assert.deepStrictEqual(read({ request: { model: "m", input: "Hi" }, response: cut }), [
      conversation({
        model: "m",
        messages: [
          { role: "user", text: "Hi" },
          {
            role: "assistant",
            text: "",
            calls: [{ id: "c", name: "run_sql", arguments: "SELECT" }],
            isCut: true,
            usage
          }
        ]
      })
    ])
    const shell = { type: "local_shell_call", call_id: "s", action: { type: "exec", command: ["ls"] } }
    assert.deepStrictEqual(
      read([
        { role: "user", content: [{ type: "input_image", image_url: "data:," }] },
        { type: "web_search_call", id: "ws_1", status: "completed" },
        said("Look"),
        shell,
        { type: "local_shell_call_output", call_id: "s", output: "a.txt", status: "failed" },
        { type: "item_reference", id: "msg_7" }
      ]),
      [
        skipped(1, 'A message was skipped after 3 readable messages: it is an item of the type "item_reference".'),
        conversation({
          messages: [
            { role: "user", text: "" },
            {
              role: "assistant",
              text: "Look",
              calls: [{ id: "s", name: "local_shell", arguments: shell.action }]
            },
            { role: "tool", callId: "s", text: "a.txt", isError: true }
          ]
        })
      ]
    )
  })

  it("13.1 reports lines of other formats", () => {
    assert.deepStrictEqual(read({ messages: [{ role: "user", parts: [] }] }), [
      skipped(
        1,
        "The file holds requests and responses of OpenAI's Responses API, but this line looks like Vercel AI SDK messages."
      )
    ])
  })
})
