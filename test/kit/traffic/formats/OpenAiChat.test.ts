/** Tests the reader of OpenAI chat messages, as applications log them. */
import { assert, describe, it } from "@effect/vitest"
import * as Format from "#kit/traffic/Format"
import * as AnthropicMessages from "#kit/traffic/formats/AnthropicMessages"
import * as OpenAiChat from "#kit/traffic/formats/OpenAiChat"
import { conversation, readAll, skipped } from "../lines.ts"

const parameters = { type: "object", properties: { city: { type: "string" } } }

const tools = [
  { type: "function", function: { name: "get_weather", description: "Weather of a city.", parameters } },
  { type: "web_search" }
]

const call = (id: string, args: unknown, name = "get_weather") => ({
  id,
  type: "function",
  function: { name, arguments: args }
})

const read = (...lines: ReadonlyArray<unknown>) => readAll(OpenAiChat.reader(), ...lines)

/** Reads one line, and returns the messages of its only conversation. */
const messagesOf = (...messages: ReadonlyArray<unknown>) => {
  const items = read({ messages })
  assert.lengthOf(items, 1)
  const [item] = items
  return item?._tag === "Conversation" ? item.messages : assert.fail(JSON.stringify(item))
}

describe("messages of Rig", () => {
  const rig = [
    { role: "user", content: [{ type: "text", text: "Paris?" }] },
    {
      role: "assistant",
      id: null,
      content: [
        { text: "I look." },
        { id: "a", call_id: null, function: { name: "get_weather", arguments: { city: "Paris" } } },
        { id: "b", function: { name: "get_weather", arguments: '{"city":"Rome"}' } }
      ]
    },
    {
      role: "user",
      content: [
        { type: "toolresult", id: "a", content: [{ type: "text", text: '{"celsius":21}' }] },
        { type: "toolresult", id: "b", content: { type: "text", text: "Error: timeout" } },
        { type: "text", text: "And now?" }
      ]
    }
  ]

  it("13.1 are read with their calls, results and texts", () => {
    assert.deepStrictEqual(messagesOf(...rig), [
      { role: "user", text: "Paris?" },
      {
        role: "assistant",
        text: "I look.",
        calls: [
          { id: "a", name: "get_weather", arguments: { city: "Paris" } },
          { id: "b", name: "get_weather", arguments: '{"city":"Rome"}' }
        ]
      },
      { role: "tool", callId: "a", text: '{"celsius":21}' },
      { role: "tool", callId: "b", text: "Error: timeout" },
      { role: "user", text: "And now?" }
    ])
  })

  it("13.1 are detected by a call or a result", () => {
    for (const messages of [rig, rig.slice(1, 2), rig.slice(2)]) {
      assert.strictEqual(Format.of({ messages }), "openai")
      assert.strictEqual(Format.of(messages), "openai")
    }
  })
})

describe("OpenAI chat messages", () => {
  it("13.1 reads calls, results, tools and the model, and keeps arguments as written", () => {
    const items = read({
      id: "c-1",
      model: "gpt-5",
      tools,
      messages: [
        { role: "system", content: "Be brief." },
        { role: "user", content: "Paris and Rome?" },
        { role: "assistant", content: null, tool_calls: [call("a", '{"city": "Paris'), call("b", '{"city":"Rome"}')] },
        { role: "tool", tool_call_id: "a", content: "not JSON", is_error: true },
        { role: "tool", tool_call_id: "b", content: '{"celsius":21}' },
        { role: "assistant", content: "21 °C in Rome." }
      ]
    })
    assert.deepStrictEqual(items, [
      conversation({
        id: "c-1",
        model: "gpt-5",
        tools: [{ name: "get_weather", description: "Weather of a city.", parameters }],
        messages: [
          { role: "system", text: "Be brief." },
          { role: "user", text: "Paris and Rome?" },
          {
            role: "assistant",
            text: "",
            calls: [
              { id: "a", name: "get_weather", arguments: '{"city": "Paris' },
              { id: "b", name: "get_weather", arguments: '{"city":"Rome"}' }
            ]
          },
          { role: "tool", callId: "a", text: "not JSON", isError: true },
          { role: "tool", callId: "b", text: '{"celsius":21}' },
          { role: "assistant", text: "21 °C in Rome.", calls: [] }
        ]
      })
    ])
  })

  it("13.1 reads a plain list, and identifies a conversation without an id by its place", () => {
    const messages = [{ role: "user", text: "Hi" }] as const
    assert.deepStrictEqual(read([{ role: "user", content: "Hi" }]), [conversation({ messages })])
    assert.deepStrictEqual(read({ id: 7, messages: [{ role: "user", content: "Hi" }] }), [
      conversation({ id: "7", messages })
    ])
    assert.deepStrictEqual(read({ id: "", session_id: "s", messages: [{ role: "user", content: "Hi" }] }), [
      conversation({ id: "s", messages })
    ])
  })

  it("13.1 reads the older form: function_call, the role function, functions", () => {
    const items = read({
      functions: [{ name: "get_weather", parameters }],
      messages: [
        { role: "user", content: "Paris?" },
        { role: "assistant", content: null, function_call: { name: "get_weather", arguments: '{"city":"Paris"}' } },
        { role: "function", name: "get_weather", content: "21" }
      ]
    })
    assert.deepStrictEqual(items, [
      conversation({
        tools: [{ name: "get_weather", parameters }],
        messages: [
          { role: "user", text: "Paris?" },
          { role: "assistant", text: "", calls: [{ id: "", name: "get_weather", arguments: '{"city":"Paris"}' }] },
          { role: "tool", callId: "", text: "21" }
        ]
      })
    ])
  })

  it("13.1 reads content parts: the texts of messages, and other parts of results as JSON", () => {
    const image = { type: "image_url", image_url: { url: "data:image/png;base64,AAAA" } }
    const messages = messagesOf(
      { role: "developer", content: [{ type: "text", text: "Be brief." }] },
      { role: "user", content: [{ type: "text", text: "What is this?" }, image, "Well?"] },
      { role: "assistant", content: [{ type: "text", text: "Let me look." }], tool_calls: [call("a", "{}")] },
      { role: "tool", tool_call_id: "a", content: [{ type: "text", text: "a dog" }, image] },
      { role: "assistant", content: null, refusal: "No." }
    )
    assert.deepStrictEqual(messages, [
      { role: "system", text: "Be brief." },
      { role: "user", text: "What is this?\nWell?", texts: [] },
      { role: "assistant", text: "Let me look.", calls: [{ id: "a", name: "get_weather", arguments: "{}" }] },
      { role: "tool", callId: "a", text: `a dog\n${JSON.stringify(image)}` },
      { role: "assistant", text: "No.", calls: [] }
    ])
  })

  it("13.1 reads arguments and results that are already parsed, and accepts missing values", () => {
    const messages = messagesOf(
      { role: "assistant", tool_calls: [call("a", { city: "Paris" }), call("b", null), { id: "c", name: "x" }, {}] },
      { role: "tool", tool_call_id: "a", content: { celsius: 21 } },
      { role: "tool", tool_call_id: "b", content: [1, 2] },
      { role: "tool", tool_call_id: "c", content: null },
      { role: "tool" }
    )
    assert.deepStrictEqual(messages, [
      {
        role: "assistant",
        text: "",
        calls: [
          { id: "a", name: "get_weather", arguments: { city: "Paris" } },
          { id: "b", name: "get_weather", arguments: "" },
          { id: "c", name: "x", arguments: "" },
          { id: "", name: "", arguments: "" }
        ]
      },
      { role: "tool", callId: "a", text: '{"celsius":21}' },
      { role: "tool", callId: "b", text: "[1,2]" },
      { role: "tool", callId: "c", text: "" },
      { role: "tool", callId: "", text: "" }
    ])
  })

  it("13.1 reads custom tools, results with the role user, and truncated messages", () => {
    const messages = messagesOf(
      { role: "assistant", tool_calls: [{ id: "a", type: "custom", custom: { name: "run", input: "ls -l" } }] },
      { role: "user", tool_call_id: "a", content: "total 0" },
      { role: "assistant", content: "The", finish_reason: "length" }
    )
    assert.deepStrictEqual(messages, [
      { role: "assistant", text: "", calls: [{ id: "a", name: "run", arguments: "ls -l" }] },
      { role: "tool", callId: "a", text: "total 0" },
      { role: "assistant", text: "The", calls: [], isCut: true }
    ])
  })

  it("13.1 keeps repeated ids", () => {
    const twice = { role: "assistant", tool_calls: [call("a", "{}"), call("a", "{}")] }
    const calls = [1, 2].map(() => ({ id: "a", name: "get_weather", arguments: "{}" }))
    assert.deepStrictEqual(messagesOf(twice, { role: "tool", tool_call_id: "a", content: "1" }), [
      { role: "assistant", text: "", calls },
      { role: "tool", callId: "a", text: "1" }
    ])
  })

  it("13.1 reports unreadable messages, and reads the rest", () => {
    const items = read({
      messages: [
        { role: "user", content: "Hi" },
        null,
        { role: "critic", content: "Bad." },
        { role: "assistant", content: "Yes?", tool_calls: ["x"] }
      ]
    })
    assert.deepStrictEqual(items, [
      skipped(1, "3 messages were skipped, the first after 1 readable message: it is not an object."),
      conversation({
        messages: [
          { role: "user", text: "Hi" },
          { role: "assistant", text: "Yes?", calls: [] }
        ]
      })
    ])
    assert.deepStrictEqual(read({ messages: [{ role: "critic\u001b[2J", content: "Bad." }] }), [
      skipped(
        1,
        'No message of the conversation can be read. Reason for the first message: its role is "critic[U+001B][2J".'
      )
    ])
    assert.deepStrictEqual(read({ messages: [] }), [skipped(1, "The conversation has no messages.")])
  })

  it("13.1 reports lines whose format differs from the file's", () => {
    const block = { type: "tool_use", id: "a", name: "x", input: {} }
    const items = read(
      { messages: [{ role: "user", content: "Hi" }] },
      { messages: [{ role: "assistant", content: [block] }] },
      { messages: [{ id: "m", role: "assistant", parts: [{ type: "text", text: "Hi" }] }] },
      { resourceSpans: [] },
      { a: 1, b: 2 },
      {},
      null,
      [],
      [1],
      "text",
      7
    )
    const not = "The file holds OpenAI chat messages, but this line is"
    assert.deepStrictEqual(items.slice(0, -1), [
      skipped(2, "The file holds OpenAI chat messages, but this line looks like Anthropic messages."),
      skipped(3, "The file holds OpenAI chat messages, but this line looks like Vercel AI SDK messages."),
      skipped(
        4,
        "The file holds OpenAI chat messages, but this line looks like OpenTelemetry GenAI spans (OTLP JSON)."
      ),
      skipped(5, `${not} an object with "a", "b".`),
      skipped(6, `${not} an object without fields.`),
      skipped(7, `${not} null.`),
      skipped(8, "The conversation has no messages."),
      skipped(9, "No message of the conversation can be read. Reason for the first message: it is not an object."),
      skipped(10, `${not} a string.`),
      skipped(11, `${not} a number.`)
    ])
  })
})

describe("a message with calls in two formats", () => {
  const use = { type: "tool_use", id: "a", name: "get_a", input: {} }
  const listed = [{ id: "a", type: "function", function: { name: "get_a", arguments: "{}" } }]
  const mixed = { role: "assistant", content: [{ type: "text", text: "I look." }, use], tool_calls: listed }
  const question = { role: "user", content: "Go" }

  it("13.1 is read from `tool_calls`, which repeat the parts, whatever decides the format of the file", () => {
    const asOpenAi = [question, mixed, { role: "tool", tool_call_id: "a", content: "ok" }]
    const result = { role: "user", content: [{ type: "tool_result", tool_use_id: "a", content: "ok" }] }
    const asAnthropic = [question, { role: "assistant", content: [use], tool_calls: [] }, result, mixed]
    assert.strictEqual(Format.of({ messages: asOpenAi }), "openai")
    assert.strictEqual(Format.of({ messages: asAnthropic }), "anthropic")
    const call = (args: unknown) => ({ id: "a", name: "get_a", arguments: args })
    assert.deepStrictEqual(messagesOf(...asOpenAi), [
      { role: "user", text: "Go" },
      { role: "assistant", text: "I look.", calls: [call("{}")] },
      { role: "tool", callId: "a", text: "ok" }
    ])
    assert.deepStrictEqual(readAll(AnthropicMessages.reader(), { messages: asAnthropic }), [
      conversation({
        messages: [
          { role: "user", text: "Go" },
          { role: "assistant", text: "", calls: [call({})] },
          { role: "tool", callId: "a", text: "ok" },
          { role: "assistant", text: "I look.", calls: [call({})] }
        ]
      })
    ])
  })

  it("13.1 is named if it has other calls in its parts, and so is a message of another format", () => {
    const reasonOf = (message: object) =>
      read({ messages: [question, { role: "assistant", tool_calls: listed }, message] })
    const file = "The file holds OpenAI chat messages, but message 3 of this line"
    assert.deepStrictEqual(reasonOf({ ...mixed, content: [use, { ...use, id: "b" }] }), [
      skipped(1, `${file} mixes two formats.`)
    ])
    assert.deepStrictEqual(reasonOf({ role: "user", content: [{ type: "tool_result", tool_use_id: "a" }] }), [
      skipped(1, `${file} looks like Anthropic messages.`)
    ])
  })
})

describe("OpenAI request logs", () => {
  const user = { role: "user", content: "Paris?" }
  const asked = { role: "assistant", content: null, tool_calls: [call("a", '{"city":"Paris"}')] }
  const result = { role: "tool", tool_call_id: "a", content: "21" }
  const said = { role: "assistant", content: "21 °C." }
  const usage = (input: number, output: number) => ({ prompt_tokens: input, completion_tokens: output })
  const exchange = (messages: ReadonlyArray<unknown>, message: unknown, rest: object = {}) => ({
    request: { model: "gpt-5", tools, messages },
    response: { choices: [{ index: 0, message, finish_reason: "stop" }], ...rest }
  })
  const whole = [
    { role: "user", text: "Paris?" },
    { role: "assistant", text: "", calls: [{ id: "a", name: "get_weather", arguments: '{"city":"Paris"}' }] },
    { role: "tool", callId: "a", text: "21" },
    { role: "assistant", text: "21 °C.", calls: [] }
  ] as const
  const listed = [{ name: "get_weather", description: "Weather of a city.", parameters }]

  it("13.1 merges requests into one conversation with each call once and the tokens of each round", () => {
    const items = read(
      exchange([user], asked, { usage: usage(10, 5) }),
      exchange([user, asked, result], said, { usage: usage(20, 6) })
    )
    assert.deepStrictEqual(items, [
      conversation({
        model: "gpt-5",
        tools: listed,
        messages: [
          whole[0],
          { ...whole[1], usage: { input: 10, output: 5 } },
          whole[2],
          { ...whole[3], usage: { input: 20, output: 6 } }
        ]
      })
    ])
  })

  it("13.1 separates concurrent conversations by id, or by the user's first message", () => {
    const rome = { role: "user", content: "Rome?" }
    const items = read(
      exchange([user], asked),
      exchange([rome], said),
      exchange([user, asked, result], said),
      { conversation_id: "x", ...exchange([user], asked) },
      { conversation_id: "y", ...exchange([user], asked) },
      { conversation_id: "x", ...exchange([user, asked, result], said) }
    )
    assert.deepStrictEqual(
      items.map((item) => (item._tag === "Conversation" ? [item.id, item.messages.length] : item)),
      [
        ["log.jsonl:1", 4],
        ["log.jsonl:2", 2],
        ["x", 4],
        ["y", 2]
      ]
    )
  })

  it("13.1 reads nested bodies, and requests without an answer", () => {
    const { request, response } = exchange([user], asked)
    const [item] = read({ request: { method: "POST", body: request }, response: { status: 200, body: response } })
    assert.deepStrictEqual(item, conversation({ model: "gpt-5", tools: listed, messages: whole.slice(0, 2) }))
    const failed = { request, response: { error: { message: "overloaded" } } }
    assert.deepStrictEqual(read(failed, failed, exchange([user], asked), exchange([user, asked, result], said)), [
      conversation({ model: "gpt-5", tools: listed, messages: whole })
    ])
    assert.deepStrictEqual(read({ messages: [user], choices: [{ message: said }] }), [
      conversation({ messages: [whole[0], whole[3]] })
    ])
  })

  it("13.1 counts each call of growing requests without answers once, with and without a conversation id", () => {
    const request = (...messages: ReadonlyArray<unknown>) => ({ model: "gpt-5", messages, tools })
    const other = { ...asked, tool_calls: [call("b", '{"city":"Paris"}')] }
    const lines = [
      request(user),
      request(user, other, result),
      request(user, asked, result),
      request(user, asked, result),
      request(user, asked, result, said)
    ]
    const separate = [whole[0], { ...whole[1], calls: [{ ...whole[1].calls[0], id: "b" }] }, whole[2]]
    const expected = (id: string, second: object) => [
      conversation({ id, model: "gpt-5", tools: listed, messages: separate }),
      conversation({ model: "gpt-5", tools: listed, messages: whole, place: { file: "log.jsonl", line: 3 }, ...second })
    ]
    assert.deepStrictEqual(read(...lines), expected("log.jsonl:1", { id: "log.jsonl:3" }))
    const named = (line: object) => ({ conversation_id: "c", ...line })
    assert.deepStrictEqual(read(...lines.map(named)), expected("c", { id: "c#2" }))
    const steps = Array.from({ length: 20 }, (_, i) => [
      { ...asked, tool_calls: [call(`call_${i}`, `{"city":"${i}"}`)] },
      { ...result, tool_call_id: `call_${i}` }
    ])
    const growing = steps.map((_, i) => request(user, ...steps.slice(0, i + 1).flat()))
    for (const log of [growing, growing.map(named)]) {
      const [item, ...rest] = read(...log)
      assert.deepStrictEqual([item?._tag === "Conversation" && item.messages.length, rest], [41, []])
    }
  })

  it("13.1 conversations without a conversation id that only begin alike are separate", () => {
    const request = (...messages: ReadonlyArray<unknown>) => ({ messages })
    const anonymous = { ...asked, tool_calls: [call("", '{"city":"Paris"}')] }
    const lines = [request(user, said), request(user, said), request(user, anonymous), request(user, anonymous)]
    assert.lengthOf(read(...lines), 4)
    assert.lengthOf(read({ id: "1", ...request(user, asked) }, { id: "2", ...request(user, asked, result) }), 2)
    assert.lengthOf(read({ id: "1", ...request(user, asked) }, { id: "1", ...request(user, asked, result) }), 1)
  })

  it("13.1 merges requests that were logged twice, and marks a truncated answer", () => {
    const first = exchange([user], asked)
    const cut = { request: { messages: [user] }, response: { choices: [{ message: said, finish_reason: "length" }] } }
    assert.deepStrictEqual(read(first, first, exchange([user, asked, result], said)), [
      conversation({ model: "gpt-5", tools: listed, messages: whole })
    ])
    assert.deepStrictEqual(read(cut), [conversation({ messages: [whole[0], { ...whole[3], isCut: true }] })])
  })
})

describe("times of messages", () => {
  const at = Date.UTC(2026, 0, 5, 9, 30)
  const timed = (time: object) =>
    messagesOf(
      { role: "user", content: "Go" },
      { role: "assistant", content: null, tool_calls: [call("a", "{}")], ...time },
      { role: "tool", tool_call_id: "a", content: "21", ...time }
    ).at(-1)

  it("13.1 reads the time of a result from the fields that programs use, in any unit", () => {
    for (const time of [
      { timestamp: "2026-01-05T09:30:00Z" },
      { timestamp: "2026-01-05T10:30:00+01:00" },
      { created_at: "2026-01-05 09:30:00" },
      { createdAt: at },
      { created: at / 1_000 },
      { time: String(at) },
      { timestamp: null, created_at: at * 1_000 }
    ]) {
      assert.deepStrictEqual(timed(time), { role: "tool", callId: "a", text: "21", at }, JSON.stringify(time))
    }
  })

  it("13.1 ignores a value that is no time, such as a duration, so that the result counts as untimed", () => {
    for (const time of [{ time: 0.53 }, { time: "NaN" }, { created: true }, { timestamp: {} }, { timestamp: -1 }]) {
      assert.deepStrictEqual(timed(time), { role: "tool", callId: "a", text: "21" }, JSON.stringify(time))
    }
  })

  it("13.1 reads the time of results in messages of the other formats", () => {
    const items = readAll(AnthropicMessages.reader(), {
      messages: [
        { role: "user", content: "Go" },
        { role: "assistant", content: [{ type: "tool_use", id: "a", name: "x", input: {} }] },
        { role: "user", content: [{ type: "tool_result", tool_use_id: "a", content: "21" }], timestamp: at }
      ]
    })
    const [item] = items
    assert.deepStrictEqual(item?._tag === "Conversation" ? item.messages.at(-1) : item, {
      role: "tool",
      callId: "a",
      text: "21",
      at
    })
  })
})
