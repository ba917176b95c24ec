/** Lines of every format that hold nearly every field that a reader uses, for tests that damage them. */
import type { FormatName } from "#kit/traffic/Format"
import { attributes, logs, span, spans, wrapped } from "./otlp.ts"

const schema = { type: "object", properties: { q: { type: "string" } }, required: ["q"] }
const user = { role: "user", content: [{ type: "text", text: "Go" }] }

const openAiCall = {
  role: "assistant",
  content: null,
  tool_calls: [{ id: "a", function: { name: "x", arguments: "{}" } }]
}
const openAi = {
  model: "m",
  tools: [{ type: "function", function: { name: "x", description: "d", parameters: schema } }],
  messages: [
    { role: "system", content: "s" },
    user,
    openAiCall,
    { role: "tool", tool_call_id: "a", content: [{ type: "text", text: "1" }], is_error: false },
    { role: "assistant", content: "Done", finish_reason: "length" },
    { role: "assistant", function_call: { name: "x", arguments: "{}" } },
    { role: "function", name: "x", content: { n: 1 } }
  ]
}

const use = { type: "tool_use", id: "a", name: "x", input: { q: "1" } }
const usage = { input_tokens: 1, output_tokens: 2, cache_read_input_tokens: 3 }
const anthropic = {
  system: [{ type: "text", text: "s" }],
  tools: [{ name: "x", input_schema: schema, annotations: { readOnlyHint: true, destructiveHint: false } }],
  messages: [
    user,
    { role: "assistant", content: [{ type: "text", text: "Look" }, use] },
    { role: "user", content: [{ type: "tool_result", tool_use_id: "a", content: [user.content[0]], is_error: true }] }
  ]
}

const responses = {
  model: "m",
  instructions: "s",
  tools: [{ type: "function", name: "x", description: "d", parameters: schema, strict: true }],
  input: [
    { role: "user", content: [{ type: "input_text", text: "Go" }] },
    { type: "reasoning", id: "rs_1", summary: [] },
    { type: "function_call", id: "fc_1", call_id: "a", name: "x", arguments: "{}", status: "completed" },
    { type: "custom_tool_call", call_id: "b", name: "y", input: "z" },
    { type: "message", role: "assistant", content: [{ type: "output_text", text: "Done" }, { type: "refusal" }] },
    { type: "function_call_output", call_id: "a", output: [{ type: "input_text", text: "1" }], status: "failed" }
  ]
}

const gemini = {
  model: "g",
  systemInstruction: { parts: [{ text: "s" }] },
  tools: [
    {
      functionDeclarations: [
        {
          name: "x",
          parameters: { type: "OBJECT", properties: { q: { type: "STRING", nullable: true, minLength: "1" } } }
        }
      ]
    }
  ],
  contents: [
    { role: "user", parts: [{ text: "Go" }, { inlineData: { mimeType: "image/png", data: "" } }] },
    {
      role: "model",
      parts: [{ text: "t", thought: true }, { text: "Look" }, { functionCall: { name: "x", args: {} } }]
    },
    { role: "user", parts: [{ functionResponse: { id: "a", name: "x", response: { error: "e" } } }, { text: "Go" }] }
  ]
}
const langChain: ReadonlyArray<{ readonly type: string; readonly data: object }> = [
  { type: "system", data: { content: "s" } },
  { type: "human", data: { content: [{ type: "text", text: "Go" }] } },
  {
    type: "ai",
    data: {
      content: "",
      tool_calls: [{ id: "a", name: "x", args: { q: 1 }, type: "tool_call" }],
      invalid_tool_calls: [{ id: "b", name: "x", args: "{", error: null }],
      response_metadata: { finish_reason: "length" },
      usage_metadata: { input_tokens: 1, output_tokens: 2 }
    }
  },
  { type: "tool", data: { content: "1", tool_call_id: "a", status: "error" } },
  { type: "ai", data: { content: "", additional_kwargs: { tool_calls: openAiCall.tool_calls } } }
]

const observation = {
  id: "o",
  traceId: "t",
  type: "GENERATION",
  startTime: "2026-01-01T00:00:00.000Z",
  endTime: "2026-01-01T00:00:01.000Z",
  model: "m",
  sessionId: "s"
}
const run = {
  id: "r",
  trace_id: "t",
  start_time: "2026-01-01T00:00:00.000000",
  end_time: "2026-01-01T00:00:01.000000",
  inputs: {}
}

const part = { type: "tool-x", toolCallId: "a", state: "output-available", input: { q: 1 }, output: { n: 1 } }
const uiMessages = [
  { id: "1", role: "user", parts: [{ type: "text", text: "Go" }] },
  {
    id: "2",
    role: "assistant",
    parts: [
      { type: "step-start" },
      part,
      { ...part, state: "output-error", errorText: "e" },
      { type: "dynamic-tool", toolName: "y", toolCallId: "b", state: "output-denied", approval: { reason: "no" } },
      {
        type: "tool-invocation",
        toolInvocation: { toolCallId: "c", toolName: "z", args: {}, state: "result", result: 1 }
      },
      { type: "text", text: "Done" }
    ]
  },
  { role: "assistant", content: "", toolInvocations: [{ toolCallId: "c", toolName: "z", step: 1, state: "call" }] }
]
const modelMessages = [
  user,
  { role: "assistant", content: [{ type: "tool-call", toolCallId: "a", toolName: "x", input: {} }] },
  { role: "tool", content: [{ type: "tool-result", toolCallId: "a", output: { type: "json", value: { n: 1 } } }] }
]

const said = [
  {
    role: "assistant",
    parts: [{ type: "tool_call", id: "a", name: "x", arguments: { q: 1 } }],
    finish_reason: "length"
  }
]
const chat = {
  "gen_ai.operation.name": "chat",
  "gen_ai.request.model": "m",
  "gen_ai.conversation.id": "c",
  "gen_ai.system_instructions": [{ type: "text", content: "s" }],
  "gen_ai.input.messages": [
    { role: "user", parts: [{ type: "text", content: "Go" }] },
    ...said,
    { role: "tool", parts: [{ type: "tool_call_response", id: "a", response: { n: 1 } }] }
  ],
  "gen_ai.output.messages": said,
  "gen_ai.usage.input_tokens": 1,
  "gen_ai.usage.output_tokens": 1,
  "gen_ai.response.finish_reasons": ["stop"],
  "gen_ai.tool.definitions": [{ type: "function", name: "x", parameters: schema, response: schema }]
}
const execute = {
  "gen_ai.operation.name": "execute_tool",
  "gen_ai.tool.name": "x",
  "gen_ai.tool.call.id": "a",
  "gen_ai.tool.call.arguments": "{}",
  "gen_ai.tool.call.result": { n: 1 }
}
const numbered = {
  "gen_ai.request.model": "m",
  "gen_ai.prompt.0.role": "user",
  "gen_ai.prompt.0.content": "Go",
  "gen_ai.completion.0.tool_calls.0.name": "x"
}
const events = [
  { name: "gen_ai.user.message", attributes: attributes({ content: "Go" }) },
  { name: "gen_ai.choice", attributes: attributes({ index: 0, message: JSON.stringify(openAiCall) }) }
]

const session = { sessionId: "s", uuid: "u1", timestamp: "2026-01-01T00:00:00Z" }

/** Valid lines, by format. */
export const samples: { readonly [Name in FormatName]: ReadonlyArray<unknown> } = {
  openai: [
    openAi,
    {
      request: { ...openAi, messages: [user] },
      response: { choices: [{ message: openAiCall, finish_reason: "stop" }] }
    },
    { request: { ...openAi, messages: [user, openAiCall] }, response: { choices: [], usage: { prompt_tokens: 1 } } }
  ],
  "openai-responses": [
    {
      request: responses,
      response: {
        id: "resp_1",
        object: "response",
        status: "incomplete",
        incomplete_details: { reason: "max_output_tokens" },
        output: responses.input.slice(1, 4),
        usage
      }
    },
    { request: { previous_response_id: "resp_1", input: "And now?" }, response: { id: "resp_2", output: [] } },
    { model: "m", conversation: { id: "conv_1" }, input: [user], output: [responses.input[4]] },
    responses.input
  ],
  anthropic: [
    anthropic,
    { request: { messages: [user] }, response: { content: [use], stop_reason: "tool_use", usage } },
    { request: anthropic, response: { content: "Done", stop_reason: "end_turn", usage } }
  ],
  "ai-sdk": [
    { id: "1", messages: uiMessages },
    modelMessages,
    { request: { messages: [user] }, response: { messages: modelMessages } }
  ],
  gemini: [
    {
      request: gemini,
      response: {
        candidates: [{ content: gemini.contents[1], finishReason: "MAX_TOKENS" }],
        usageMetadata: { promptTokenCount: 1, candidatesTokenCount: 2, thoughtsTokenCount: 3 }
      }
    },
    gemini,
    { contents: "Go", config: { tools: [{ function_declarations: [{ name: "x" }] }], system_instruction: "s" } },
    { contents: [{ role: "user", parts: [{ text: "Go" }] }], candidates: [{ content: { parts: [{ text: "Done" }] } }] }
  ],
  langchain: [
    { messages: langChain },
    {
      values: {
        messages: langChain.map(({ data, type }) => ({
          lc: 1,
          type: "constructor",
          id: ["langchain", "schema", "messages", type === "ai" ? "AIMessage" : "HumanMessage"],
          kwargs: data
        }))
      }
    },
    { request: { messages: [langChain.slice(0, 2)] }, response: { generations: [[{ message: langChain[2] }]] } }
  ],
  "message-lines": [
    { session_id: "s", timestamp: "2026-01-01T00:00:00Z", role: "user", content: "Go" },
    { session_id: "s", model: "m", tools: openAi.tools, ...openAiCall },
    { session_id: "s", created_at: 1767225600, role: "tool", tool_call_id: "a", content: "1" },
    { message: { role: "assistant", content: [use] } },
    { message: anthropic.messages[2] },
    langChain[2],
    responses.input[2],
    responses.input[5],
    gemini.contents[1]
  ],
  langfuse: [
    { ...observation, input: { messages: openAi.messages.slice(0, 2), tools: openAi.tools }, output: openAiCall },
    {
      ...observation,
      type: "TOOL",
      name: "x",
      level: "ERROR",
      input: "{}",
      output: { content: "1", type: "tool", tool_call_id: "a", status: "error" }
    },
    {
      id: "t2",
      session_id: "s",
      observations: [
        {
          type: "GENERATION",
          start_time: "2026-01-01 00:00:02.000000",
          provided_model_name: "m",
          tool_definitions: { x: JSON.stringify({ description: "d", parameters: schema }) },
          usage_details: { input: 1, input_cached_tokens: 2, output: 3 },
          input: JSON.stringify({ system: "s", messages: anthropic.messages }),
          output: JSON.stringify({ content: [use], stop_reason: "tool_use", usage })
        },
        { type: "SPAN", name: "agent", start_time: "2026-01-01 00:00:01.000000" }
      ]
    },
    { id: "s2", traces: [{ id: "t3", observations: [{ ...observation, input: "Go", output: { toolCalls: "[]" } }] }] },
    { data: [{ ...observation, input: gemini, output: { candidates: [{ content: gemini.contents[1] }] } }] }
  ],
  langsmith: [
    {
      ...run,
      run_type: "llm",
      extra: { metadata: { thread_id: "c", ls_model_name: "m" }, invocation_params: { tools: openAi.tools } },
      inputs: { messages: [langChain.slice(0, 2)] },
      outputs: { generations: [[{ text: "", message: langChain[2] }]] }
    },
    {
      ...run,
      run_type: "chain",
      child_runs: [
        { ...run, run_type: "tool", name: "x", inputs: { input: "{}" }, outputs: { output: langChain[3] } },
        { ...run, run_type: "tool", name: "x", inputs: { name: "x", args: {}, id: "b" }, outputs: {}, error: "e" },
        {
          ...run,
          run_type: "llm",
          inputs: { input: responses.input },
          outputs: { output: responses.input.slice(1, 4) }
        },
        {
          ...run,
          run_type: "llm",
          inputs: { messages: openAi.messages },
          outputs: { choices: [{ message: openAiCall }] }
        }
      ]
    }
  ],
  otel: [
    spans(span("chat m", 1, chat), span("execute_tool x", 2, execute, { status: { code: 2, message: "e" } })),
    spans(span("chat", 3, { "gen_ai.request.model": "m" }, { events }), span("openai.chat", 4, numbered)),
    logs(
      { traceId: "t", spanId: "s", eventName: "gen_ai.user.message", body: wrapped({ content: "Go" }) },
      {
        traceId: "t",
        spanId: "s",
        eventName: "gen_ai.choice",
        body: wrapped({ index: 0, message: { content: "Done" } })
      }
    )
  ],
  "claude-code": [
    { ...session, type: "user", message: user },
    { ...session, type: "assistant", message: { id: "m", model: "c", content: [use, user.content[0]], usage } },
    { ...session, type: "user", isSidechain: true, parentUuid: "u1", message: anthropic.messages[2] }
  ],
  codex: [
    { timestamp: session.timestamp, type: "session_meta", payload: { id: "s", cwd: "/" } },
    { timestamp: session.timestamp, type: "turn_context", payload: { model: "m" } },
    ...responses.input.map((payload) => ({ timestamp: session.timestamp, type: "response_item", payload }))
  ],
  toolguard: [
    {
      tenant: "t",
      conversation: "c",
      turn: "1",
      round: 1,
      callId: "a",
      tool: "x",
      argumentsText: "{}",
      keyDigest: "d",
      startedAt: 1,
      durationMillis: 1,
      attempts: [],
      outcome: { _tag: "Success", result: { n: 1 } }
    },
    {
      tenant: "t",
      conversation: "c",
      turn: "2",
      tool: "x",
      arguments: {},
      keyDigest: "d",
      attempts: [],
      outcome: { _tag: "Failure", failure: { _tag: "PartialData", data: [1], cause: "c" } }
    }
  ]
}
