/** Tests the readers of traces: exports of Langfuse and LangSmith, with their steps in any order. */
import { assert, describe, it } from "@effect/vitest"
import * as Langfuse from "#kit/traffic/formats/Langfuse"
import * as LangSmith from "#kit/traffic/formats/LangSmith"
import { maxOpen } from "#kit/traffic/Window"
import { at, conversation, readAll, skipped } from "../lines.ts"

const parameters = { type: "object", properties: { order_id: { type: "string" } } }
const listed = [{ name: "get_order", description: "Reads an order.", parameters }]

const asked = { role: "user", content: "O-1 and O-2?" }
const callOf = (id: string, order: string) => ({
  id,
  type: "function",
  function: { name: "get_order", arguments: `{"order_id":"${order}"}` }
})
const called = { role: "assistant", content: null, tool_calls: [callOf("a", "O-1"), callOf("b", "O-2")] }
const result = { role: "tool", tool_call_id: "a", content: '{"status":"shipped"}' }
const said = { role: "assistant", content: "O-1 is shipped." }

/** Returns the conversation that all of these traces contain. */
const whole = (first: object, second: object, rest: object) =>
  conversation({
    tools: listed,
    messages: [
      { role: "user", text: "O-1 and O-2?" },
      {
        role: "assistant",
        text: "",
        calls: [
          { id: "a", name: "get_order", arguments: '{"order_id":"O-1"}' },
          { id: "b", name: "get_order", arguments: '{"order_id":"O-2"}' }
        ],
        usage: { input: 120, output: 40 }
      },
      { role: "tool", callId: "a", text: '{"status":"shipped"}', ...first },
      { role: "tool", callId: "b", text: "Timed out after 5 s", isError: true, ...second },
      { role: "assistant", text: "O-1 is shipped.", calls: [], usage: { input: 150, output: 12 } }
    ],
    ...rest
  })

const second = (seconds: number): number => Date.UTC(2026, 0, 5, 9, 0, seconds)

describe("exports of Langfuse", () => {
  const tool = { type: "function", function: { name: "get_order", description: "Reads an order.", parameters } }
  const read = (...lines: ReadonlyArray<unknown>) => readAll(Langfuse.reader(), ...lines)
  const observation = (type: string, from: number, to: number, rest: object) => ({
    id: `o-${from}`,
    traceId: "trace-1",
    projectId: "p",
    environment: "production",
    type,
    startTime: `2026-01-05T09:00:0${from}.000Z`,
    endTime: `2026-01-05T09:00:0${to}.000Z`,
    level: "DEFAULT",
    statusMessage: null,
    parentObservationId: null,
    sessionId: "session-1",
    ...rest
  })
  const generation = (from: number, to: number, messages: ReadonlyArray<object>, output: object, tokens: object) =>
    observation("GENERATION", from, to, {
      name: "OpenAI-generation",
      model: "gpt-5",
      input: { messages, tools: [tool] },
      output,
      usageDetails: { ...tokens, total: 1 }
    })
  const steps = [
    generation(0, 1, [asked], called, { input: 100, input_cached_tokens: 20, output: 40 }),
    observation("TOOL", 1, 2, { name: "get_order", input: { order_id: "O-1" }, output: { status: "shipped" } }),
    observation("TOOL", 1, 3, {
      name: "get_order",
      level: "ERROR",
      statusMessage: "Timed out after 5 s",
      input: { order_id: "O-2" },
      output: null
    }),
    generation(4, 5, [asked, called, result], said, { input: 150, output: 12 }),
    observation("SPAN", 0, 5, { name: "agent", input: asked, output: said })
  ]
  const expected = (id: string, line: number) =>
    whole({ at: second(2), isError: false }, { at: second(3) }, { id, model: "gpt-5", place: at(line) })

  it("13.1 observations of a session are one conversation, whatever their order", () => {
    const [item, ...rest] = read(...steps)
    assert.deepStrictEqual(rest, [])
    if (item?._tag !== "Conversation") return assert.fail("It is skipped.")
    assert.deepStrictEqual(item.messages[1], expected("session-1", 1).messages[1])
    assert.deepStrictEqual([item.id, item.model, item.tools, item.messages.length], ["session-1", "gpt-5", listed, 5])
    const [reversed] = read(...steps.toReversed())
    assert.deepStrictEqual(reversed?._tag === "Conversation" && reversed.messages, item.messages)
  })

  it("13.1 reads rows of the blob storage, traces and sessions", () => {
    const rows = steps.map(({ endTime, sessionId, startTime, statusMessage, traceId, type, ...rest }) => {
      const { input, model, output, usageDetails, ...others } = rest as Record<string, unknown>
      return {
        ...others,
        type,
        trace_id: traceId,
        session_id: sessionId,
        start_time: `${startTime.slice(0, -1).replace("T", " ")}000`,
        end_time: `${endTime.slice(0, -1).replace("T", " ")}000`,
        status_message: statusMessage,
        provided_model_name: model,
        usage_details: usageDetails,
        input: JSON.stringify(input),
        output: output === null ? null : JSON.stringify(output)
      }
    })
    const expectedItems = read(...steps)
    assert.deepStrictEqual(read(...rows), expectedItems)
    const observations = steps.map(({ sessionId: _, traceId: _trace, ...rest }) => rest)
    for (const line of [
      { id: "trace-1", sessionId: "session-1", observations },
      { trace: { id: "trace-1", sessionId: "session-1" }, observations },
      { id: "session-1", traces: [{ id: "trace-1", observations }] },
      { data: steps, meta: { page: 1 } }
    ]) {
      assert.deepStrictEqual(read(line), expectedItems)
    }
  })

  it("13.1 reports generations without contents, and other lines", () => {
    assert.deepStrictEqual(read(observation("GENERATION", 0, 1, { input: null, output: null }), { a: 1 }), [
      skipped(1, "A model request has no messages: contents were not recorded."),
      skipped(2, 'The file holds observations of Langfuse, but this line is an object with "a".')
    ])
  })
})

describe("exports of LangSmith", () => {
  const read = (...lines: ReadonlyArray<unknown>) => readAll(LangSmith.reader(), ...lines)
  const run = (type: string, from: number, to: number, rest: object) => ({
    id: `run-${from}-${to}`,
    name: "ChatOpenAI",
    run_type: type,
    start_time: `2026-01-05T09:00:0${from}.000000`,
    end_time: `2026-01-05T09:00:0${to}.000000`,
    error: null,
    session_id: "a-project",
    trace_id: "trace-1",
    parent_run_id: "run-0-9",
    ...rest
  })
  const dumped = (name: string, kwargs: object) => ({
    lc: 1,
    type: "constructor",
    id: ["langchain", "schema", "messages", name],
    kwargs
  })
  const args = (id: string, order: string) => ({ name: "get_order", args: { order_id: order }, id, type: "tool_call" })
  const human = dumped("HumanMessage", { content: "O-1 and O-2?" })
  const answer = dumped("AIMessage", {
    content: "",
    tool_calls: [args("a", "O-1"), args("b", "O-2")],
    usage_metadata: { input_tokens: 120, output_tokens: 40 }
  })
  const shipped = dumped("ToolMessage", { content: '{"status":"shipped"}', tool_call_id: "a", status: "success" })
  const model = (from: number, to: number, messages: ReadonlyArray<object>, message: object) =>
    run("llm", from, to, {
      extra: {
        metadata: { thread_id: "thread-1", ls_model_name: "gpt-5" },
        invocation_params: { model: "gpt-5", tools: [{ type: "function", function: listed[0] }] }
      },
      inputs: { messages: [messages] },
      outputs: { generations: [[{ text: "", message }]], llm_output: null }
    })
  const steps = [
    model(0, 1, [human], answer),
    run("tool", 1, 2, { name: "get_order", inputs: { input: '{"order_id":"O-1"}' }, outputs: { output: shipped } }),
    run("tool", 1, 3, { name: "get_order", inputs: args("b", "O-2"), outputs: {}, error: "Timed out after 5 s" }),
    model(4, 5, [human, answer, shipped], dumped("AIMessage", { content: "O-1 is shipped." })),
    run("chain", 0, 9, { id: "run-0-9", name: "agent", inputs: {}, outputs: {}, parent_run_id: null })
  ]

  it("13.1 runs of a thread are one conversation, whatever their order, one by one or below their parents", () => {
    const [item, ...rest] = read(...steps)
    const calls = ["a", "b"].map((id, i) => ({ id, name: "get_order", arguments: { order_id: `O-${i + 1}` } }))
    assert.deepStrictEqual(
      [item, ...rest],
      [
        conversation({
          id: "thread-1",
          model: "gpt-5",
          tools: listed,
          messages: [
            { role: "user", text: "O-1 and O-2?" },
            { role: "assistant", text: "", calls, usage: { input: 120, output: 40 } },
            { role: "tool", callId: "a", text: '{"status":"shipped"}', isError: false, at: second(2) },
            { role: "tool", callId: "b", text: "Timed out after 5 s", isError: true, at: second(3) },
            { role: "assistant", text: "O-1 is shipped.", calls: [] }
          ]
        })
      ]
    )
    const [reversed] = read(...steps.toReversed())
    assert.deepStrictEqual(
      reversed?._tag === "Conversation" && reversed.messages,
      item?._tag === "Conversation" && item.messages
    )
    assert.deepStrictEqual(read({ ...steps[4], child_runs: steps.slice(0, 4) }), read(...steps))
  })

  it("13.1 closes the least recently used traces, and reports those that continue", () => {
    const chain = (trace: string) => run("chain", 0, 1, { trace_id: trace, extra: { metadata: { thread_id: trace } } })
    const reader = LangSmith.reader()
    const tool = { ...steps[2], trace_id: "t-0" }
    assert.deepStrictEqual(reader.read(tool, at(1)), [])
    const closed = Array.from({ length: maxOpen }, (_, i) => reader.read(chain(`t-${i + 1}`), at(i + 2))).flat()
    assert.deepStrictEqual(
      closed.map((item) => (item._tag === "Conversation" ? item.id : item)),
      ["t-0"]
    )
    assert.deepStrictEqual(reader.read(tool, at(1)), [
      skipped(1, 'The conversation "t-0" continues here as a separate one: the open conversations exceeded a limit.')
    ])
  })

  it("13.1 reads runs of other clients, and runs of tools alone", () => {
    const [item] = read(
      run("llm", 0, 1, {
        inputs: { model: "gpt-5", messages: [asked] },
        outputs: { choices: [{ message: said }], usage: { prompt_tokens: 1, completion_tokens: 2 } }
      })
    )
    assert.deepStrictEqual(
      item,
      conversation({
        id: "trace-1",
        model: "gpt-5",
        messages: [
          { role: "user", text: "O-1 and O-2?" },
          { role: "assistant", text: "O-1 is shipped.", calls: [], usage: { input: 1, output: 2 } }
        ]
      })
    )
    assert.deepStrictEqual(read(steps[2]), [
      conversation({
        id: "trace-1",
        messages: [
          { role: "assistant", text: "", calls: [{ id: "b", name: "get_order", arguments: { order_id: "O-2" } }] },
          { role: "tool", callId: "b", text: "Timed out after 5 s", isError: true, at: second(3) }
        ]
      })
    ])
  })
})
