/** Tests the reader of spans and log records of the GenAI conventions, as exporters write them. */
import { assert, describe, it } from "@effect/vitest"
import * as OpenTelemetry from "#kit/traffic/formats/OpenTelemetry"
import { conversation, readAll, skipped } from "../lines.ts"
import { attributes, logs, span, spans, wrapped } from "../otlp.ts"

const read = (...lines: ReadonlyArray<unknown>) => readAll(OpenTelemetry.reader(), ...lines)

const text = (content: string) => ({ type: "text", content })
const user = (content: string) => ({ role: "user", parts: [text(content)] })
const asked = {
  role: "assistant",
  parts: [text("I look."), { type: "tool_call", id: "a", name: "get_weather", arguments: { city: "Paris" } }]
}
const answered = { role: "tool", parts: [{ type: "tool_call_response", id: "a", response: { celsius: 21 } }] }
const said = {
  role: "assistant",
  parts: [{ type: "reasoning", content: "Hm." }, text("21 °C.")],
  finish_reason: "stop"
}

const parameters = { type: "object", properties: {} }
const tools = [{ type: "function", name: "get_weather", description: "Weather.", parameters }]

const chat = (from: number, input: unknown, output: unknown, rest: object = {}) =>
  span("chat gpt-5", from, {
    "gen_ai.operation.name": "chat",
    "gen_ai.request.model": "gpt-5",
    "gen_ai.conversation.id": "c1",
    "gen_ai.input.messages": JSON.stringify(input),
    "gen_ai.output.messages": JSON.stringify(output),
    ...rest
  })

const execute = (from: number, fields: object, rest: object = {}) =>
  span(
    "execute_tool get_weather",
    from,
    { "gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "get_weather", ...fields },
    rest
  )

const call = { id: "a", name: "get_weather", arguments: { city: "Paris" } }
const whole = [
  { role: "user", text: "Paris?" },
  { role: "assistant", text: "I look.", calls: [call] },
  { role: "tool", callId: "a", text: '{"celsius":21}' },
  { role: "assistant", text: "21 °C.", calls: [] }
] as const

describe("OpenTelemetry spans", () => {
  it("13.1 merges the requests of one conversation, and adds the times of its tools", () => {
    const usage = { "gen_ai.usage.input_tokens": 17, "gen_ai.usage.output_tokens": 5 }
    const items = read(
      spans(
        chat(5, [user("Paris?"), asked, answered], [said], { "gen_ai.tool.definitions": JSON.stringify(tools) }),
        execute(3, { "gen_ai.tool.call.id": "a", "gen_ai.tool.call.result": "21" }),
        chat(1, [user("Paris?")], [{ ...asked, finish_reason: "tool_call" }], usage),
        span("GET /", 0, { "http.request.method": "GET" })
      )
    )
    assert.deepStrictEqual(items, [
      conversation({
        id: "c1",
        model: "gpt-5",
        tools: [{ name: "get_weather", description: "Weather.", parameters }],
        messages: [whole[0], { ...whole[1], usage: { input: 17, output: 5 } }, { ...whole[2], at: 4_000 }, whole[3]]
      })
    ])
  })

  it("13.1 reads several lines, structured values, results with older names, and a truncated answer", () => {
    const old = { role: "tool", parts: [{ type: "tool_call_response", id: "a", result: "21" }] }
    const structured = (from: number, input: unknown, output: unknown, rest: object = {}) =>
      span("chat", from, {
        "gen_ai.operation.name": "chat",
        "gen_ai.system_instructions": [text("Be brief.")],
        "gen_ai.input.messages": input,
        "gen_ai.output.messages": output,
        ...rest
      })
    const items = read(
      spans(structured(1, [user("Paris?")], [asked])),
      spans(),
      spans(structured(2, [user("Paris?"), asked, old], [said], { "gen_ai.response.finish_reasons": ["length"] }))
    )
    assert.deepStrictEqual(items, [
      conversation({
        id: "t1",
        messages: [
          { role: "system", text: "Be brief." },
          whole[0],
          whole[1],
          { ...whole[2], text: "21" },
          { ...whole[3], isCut: true }
        ]
      })
    ])
  })

  it("13.1 adds results and errors of tool spans to their calls if no message holds them", () => {
    const two = { role: "assistant", parts: [asked.parts[1], { type: "tool_call", id: "b", name: "get_time" }] }
    const items = read(
      spans(
        chat(1, [user("Paris?")], [two]),
        execute(2, { "gen_ai.tool.call.id": "a" }, { status: { code: 2, message: "boom" } }),
        execute(3, { "gen_ai.tool.name": "get_time", "gen_ai.tool.call.result": { hour: 7 } })
      )
    )
    assert.deepStrictEqual(items, [
      conversation({
        id: "c1",
        model: "gpt-5",
        messages: [
          whole[0],
          { role: "assistant", text: "", calls: [call, { id: "b", name: "get_time", arguments: "" }] },
          { role: "tool", callId: "a", text: "boom", isError: true, at: 3_000 },
          { role: "tool", callId: "b", text: '{"hour":7}', at: 4_000 }
        ]
      })
    ])
  })

  it("13.1 forms a conversation from tool spans alone, and reports spans that are incomplete or match no call", () => {
    const args = { "gen_ai.tool.call.arguments": '{"city":"Paris"}' }
    const alone = read(
      spans(
        execute(2, { "gen_ai.tool.call.id": "b", ...args, "error.type": "timeout" }),
        execute(1, { "gen_ai.tool.call.id": "a", ...args, "gen_ai.tool.call.result": "21" }),
        execute(3, { "gen_ai.tool.call.id": "c" })
      )
    )
    const one = (id: string) => ({
      role: "assistant" as const,
      text: "",
      calls: [{ id, name: "get_weather", arguments: '{"city":"Paris"}' }]
    })
    assert.deepStrictEqual(alone, [
      conversation({
        id: "t1",
        messages: [
          one("a"),
          { role: "tool", callId: "a", text: "21", at: 2_000 },
          one("b"),
          { role: "tool", callId: "b", text: "timeout", isError: true, at: 3_000 }
        ]
      }),
      skipped(1, 'The execution of "get_weather" was recorded without its arguments or its result.')
    ])
    const other = read(spans(chat(1, [user("Hi")], [said]), execute(2, { "gen_ai.tool.call.id": "x", ...args })))
    assert.deepStrictEqual(other, [
      conversation({ id: "c1", model: "gpt-5", messages: [{ role: "user", text: "Hi" }, whole[3]] }),
      skipped(1, 'The execution of "get_weather" does not match any call of its conversation.')
    ])
  })

  it("13.1 appends requests with only new messages to the conversation of their id and agent", () => {
    const agent = (name: string) => ({ "gen_ai.agent.name": name })
    const items = read(
      spans(
        chat(1, [user("Paris?")], [asked], agent("main")),
        chat(2, [user("Look up Paris.")], [{ role: "assistant", parts: [text("Done.")] }], agent("helper")),
        chat(3, [answered], [said], agent("main")),
        chat(4, [user("Thanks.")], [{ role: "assistant", parts: [text("Bye.")] }], agent("main"))
      )
    )
    assert.deepStrictEqual(items, [
      conversation({
        id: "c1",
        model: "gpt-5",
        messages: [...whole, { role: "user", text: "Thanks." }, { role: "assistant", text: "Bye.", calls: [] }]
      }),
      conversation({
        id: "c1#2",
        model: "gpt-5",
        messages: [
          { role: "user", text: "Look up Paris." },
          { role: "assistant", text: "Done.", calls: [] }
        ]
      })
    ])
  })

  it("13.1 reports spans without contents, and ignores unrelated spans", () => {
    const empty = { "gen_ai.operation.name": "chat", "gen_ai.request.model": "gpt-5" }
    const items = read(
      spans(span("chat gpt-5", 1, empty), span("chat gpt-5", 2, empty)),
      spans(span("invoke_agent x", 1, { "gen_ai.operation.name": "invoke_agent" }), span("SELECT", 2, {})),
      spans(span("chat gpt-5", 1, empty)),
      { resourceMetrics: [] }
    )
    assert.deepStrictEqual(items, [
      skipped(1, "2 model requests have no messages: contents were not recorded."),
      skipped(3, "A model request has no messages: contents were not recorded."),
      skipped(
        4,
        `The file holds OpenTelemetry GenAI spans (OTLP JSON), but this line is an object with "resourceMetrics".`
      )
    ])
  })

  it("13.1 ignores late and repeated spans", () => {
    const first = chat(1, [user("Paris?")], [asked])
    const second = chat(5, [user("Paris?"), asked, answered], [said])
    assert.deepStrictEqual(read(spans(second), spans(first), spans(first, second)), [
      conversation({ id: "c1", model: "gpt-5", messages: whole })
    ])
  })
})

describe("older forms of OpenTelemetry's conventions", () => {
  const message = {
    tool_calls: [{ id: "a", type: "function", function: { name: "get_weather", arguments: '{"city":"Paris"}' } }]
  }
  const written = { ...call, arguments: '{"city":"Paris"}' }
  const bodies = [
    ["gen_ai.system.message", { content: "Be brief." }],
    ["gen_ai.user.message", { content: "Paris?" }],
    ["gen_ai.assistant.message", message],
    ["gen_ai.tool.message", { id: "a", content: "21" }],
    ["gen_ai.choice", { index: 0, finish_reason: "stop", message: { content: "21 °C." } }]
  ] as const
  const expected = [
    { role: "system", text: "Be brief." },
    whole[0],
    { role: "assistant", text: "", calls: [written] },
    { role: "tool", callId: "a", text: "21" },
    whole[3]
  ] as const
  const model = { "gen_ai.operation.name": "chat", "gen_ai.request.model": "gpt-4" }

  it("13.1 reads events of a span, with the message in attributes or as JSON in one attribute", () => {
    const events = bodies.map(([name, body]) => ({ name, attributes: attributes(body) }))
    const packed = bodies.map(([name, body]) => ({
      name,
      attributes: attributes({ "gen_ai.event.content": JSON.stringify(body) })
    }))
    for (const list of [events, packed]) {
      assert.deepStrictEqual(read(spans(span("chat", 1, model, { events: list }))), [
        conversation({ id: "t1", model: "gpt-4", messages: expected })
      ])
    }
  })

  it("13.1 reads log records over several lines, even if the answer is missing", () => {
    const record = (spanId: string, name: string, body: unknown) => ({
      traceId: "t1",
      spanId,
      eventName: name,
      body: wrapped(body)
    })
    const choice = record("s1", "gen_ai.choice", { index: 0, finish_reason: "tool_calls", message })
    const lines = [
      logs(...bodies.slice(0, 2).map(([name, body]) => record("s1", name, body))),
      logs(choice, record("s1", "gen_ai.choice", { index: 1, message: { content: "another" } })),
      logs(...bodies.map(([name, body]) => record("s2", name, body)), { body: { stringValue: "a log line" } })
    ]
    assert.deepStrictEqual(read(...lines), [conversation({ id: "t1", messages: expected })])
    const named = { traceId: "t1", spanId: "s3", attributes: attributes({ "event.name": "gen_ai.user.message" }) }
    assert.deepStrictEqual(read(logs({ ...named, body: wrapped({ content: "Hi" }) })), [
      conversation({ id: "t1", messages: [{ role: "user", text: "Hi" }] })
    ])
    assert.deepStrictEqual(read(logs(record("s1", "gen_ai.choice", { index: 0, finish_reason: "stop" }))), [
      skipped(1, "A model request has no messages: contents were not recorded.")
    ])
  })

  it("13.1 reads one event that holds a whole request", () => {
    const prompt = [{ role: "user", content: "Paris?" }]
    const events = [
      { name: "gen_ai.content.prompt", attributes: attributes({ "gen_ai.prompt": JSON.stringify(prompt) }) },
      {
        name: "gen_ai.content.completion",
        attributes: attributes({ "gen_ai.completion": JSON.stringify([{ role: "assistant", content: "21 °C." }]) })
      }
    ]
    const expected = [conversation({ id: "t1", model: "gpt-4", messages: [whole[0], whole[3]] })]
    assert.deepStrictEqual(read(spans(span("chat", 1, model, { events }))), expected)
    const record = {
      traceId: "t1",
      eventName: "gen_ai.client.inference.operation.details",
      attributes: attributes({
        ...model,
        "gen_ai.input.messages": [user("Paris?")],
        "gen_ai.output.messages": [said]
      })
    }
    assert.deepStrictEqual(read(logs(record)), expected)
    const { attributes: fields, ...bare } = record
    assert.deepStrictEqual(read(logs({ ...bare, body: { kvlistValue: { values: fields } } })), expected)
  })

  it("13.1 reads plain texts, and the providers' words for a truncated answer", () => {
    const texts = { "gen_ai.input.messages": "Paris?", "gen_ai.output.messages": "21 °C." }
    const old = { "gen_ai.prompt": "Paris?", "gen_ai.completion": "21 °C." }
    for (const fields of [texts, old]) {
      const cut = { "gen_ai.response.finish_reasons": ["MAX_TOKENS"] }
      assert.deepStrictEqual(read(spans(span("chat", 1, { ...model, ...fields, ...cut }))), [
        conversation({ id: "t1", model: "gpt-4", messages: [whole[0], { ...whole[3], isCut: true }] })
      ])
    }
  })

  it("13.1 reads numbered attributes", () => {
    const fields = {
      "llm.request.functions.0.name": "get_weather",
      "llm.request.functions.0.description": "Weather.",
      "llm.request.functions.0.parameters": JSON.stringify(parameters),
      "gen_ai.request.model": "gpt-4",
      "gen_ai.prompt.1.role": "assistant",
      "gen_ai.prompt.1.tool_calls.0.id": "a",
      "gen_ai.prompt.1.tool_calls.0.name": "get_weather",
      "gen_ai.prompt.1.tool_calls.0.arguments": '{"city":"Paris"}',
      "gen_ai.prompt.0.role": "user",
      "gen_ai.prompt.0.content": "Paris?",
      "gen_ai.prompt.2.role": "tool",
      "gen_ai.prompt.2.tool_call_id": "a",
      "gen_ai.prompt.2.content": "21",
      "gen_ai.completion.0.content": "21 °C.",
      "gen_ai.completion.0.finish_reason": "length",
      "gen_ai.prompt.4000000000.role": "user"
    }
    assert.deepStrictEqual(read(spans(span("openai.chat", 1, fields))), [
      conversation({
        id: "t1",
        model: "gpt-4",
        tools: [{ name: "get_weather", description: "Weather.", parameters }],
        messages: [...expected.slice(1, 4), { ...whole[3], isCut: true }]
      })
    ])
  })
})
