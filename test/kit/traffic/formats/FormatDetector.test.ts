/** Tests the detection of a file's format from its lines. */
import { assert, describe, it } from "@effect/vitest"
import * as FormatDetector from "#kit/traffic/formats/FormatDetector"
import { type FormatName, names, of } from "#kit/traffic/Format"
import { readerOf } from "#kit/traffic/formats/Readers"
import { conversation, readAll, skipped } from "../lines.ts"
import { logs, spans } from "../otlp.ts"

const hello = {
  messages: [
    { role: "user", content: "Hi" },
    { role: "assistant", content: "Hello" }
  ]
}
const withCall = (message: object) => ({ messages: [{ role: "user", content: "Hi" }, message] })
const withTool = (tool: object) => ({ ...hello, tools: [tool] })

const lines: ReadonlyArray<readonly [FormatName, ReadonlyArray<unknown>]> = [
  [
    "openai",
    [
      withCall({ role: "assistant", content: null, tool_calls: [] }),
      withCall({ role: "assistant", function_call: { name: "x", arguments: "" } }),
      withCall({ role: "tool", tool_call_id: "a", content: "x" }),
      withCall({ role: "developer", content: "x" }),
      withCall({ role: "user", content: [{ type: "image_url", image_url: { url: "x" } }] }),
      withTool({ type: "function", function: { name: "x" } }),
      { ...hello, functions: [] },
      { request: hello, response: { choices: [] } },
      withCall({ role: "assistant", content: null, tool_calls: [] }).messages
    ]
  ],
  [
    "openai-responses",
    [
      { request: { model: "m", input: "Hi" }, response: { id: "resp_1", object: "response", output: [] } },
      { model: "m", input: [{ type: "function_call_output", call_id: "a", output: "1" }] },
      { model: "m", input: "Hi", tools: [{ type: "function", name: "x", parameters: {} }] },
      { id: "resp_1", output: [{ type: "message", role: "assistant", content: [{ type: "output_text", text: "x" }] }] },
      [
        { role: "user", content: "Hi" },
        { type: "reasoning", id: "rs_1", summary: [] }
      ]
    ]
  ],
  [
    "anthropic",
    [
      withCall({ role: "assistant", content: [{ type: "tool_use", id: "a" }] }),
      withCall({ role: "user", content: [{ type: "text", text: "x" }, { type: "tool_result" }] }),
      withTool({ name: "x", input_schema: {} }),
      { ...hello, system: "Be brief." },
      { request: hello, response: { content: [], stop_reason: "end_turn" } }
    ]
  ],
  [
    "ai-sdk",
    [
      withCall({ role: "assistant", parts: [] }),
      withCall({ role: "assistant", content: "", toolInvocations: [] }),
      withCall({ role: "assistant", content: [{ type: "tool-call" }] }),
      withCall({ role: "tool", content: [{ type: "tool-result" }] }),
      withTool({ name: "x", inputSchema: {} }),
      { request: hello, response: { messages: [{ role: "tool", content: [{ type: "tool-result" }] }] } },
      [{ id: "1", role: "user", parts: [{ type: "text", text: "x" }] }]
    ]
  ],
  [
    "gemini",
    [
      { contents: [{ parts: [{ text: "Hi" }] }] },
      { request: { contents: [{ role: "model", parts: [{ function_call: { name: "x" } }] }] } },
      { response: { candidates: [] } },
      [{ role: "user", parts: [{ text: "Hi" }] }]
    ]
  ],
  [
    "langchain",
    [
      { messages: [{ type: "human", data: { content: "Hi" } }] },
      { values: { messages: [{ type: "ai", content: "Hi" }] } },
      [{ lc: 1, type: "constructor", id: ["langchain_core", "messages", "AIMessageChunk"], kwargs: { content: "" } }]
    ]
  ],
  [
    "message-lines",
    [
      { role: "user", content: "Hi" },
      { session_id: "s", message: { type: "human", data: { content: "Hi" } } },
      { type: "message", sessionId: "s", role: "assistant", content: "Hi" },
      { type: "function_call", call_id: "a", name: "x", arguments: "{}" }
    ]
  ],
  [
    "langfuse",
    [
      { id: "o", traceId: "t", type: "SPAN" },
      { id: "o", trace_id: "t", type: "GENERATION", input: { messages: [{ role: "tool", content: "" }] } },
      { id: "s", traces: [{ id: "t", observations: [{ type: "EVENT", traceId: "t" }] }] },
      { data: [{ type: "TOOL", traceId: "t" }], meta: {} }
    ]
  ],
  ["langsmith", [{ id: "r", run_type: "chain", inputs: {} }]],
  [
    "otel",
    [
      spans(),
      logs(),
      { traceId: "t", id: "s", name: "chat", duration: 1, attributes: {} },
      { name: "chat", context: { trace_id: "0x1" }, start_time: "2026-01-01T00:00:00Z", attributes: {} },
      { body: "Hi", severity_number: 9, trace_id: "0x1", attributes: {} }
    ]
  ],
  [
    "claude-code",
    [
      { type: "summary", summary: "x", leafUuid: "u" },
      { type: "file-history-snapshot", snapshot: {} },
      { type: "user", sessionId: "s", message: { content: "x" } },
      { type: "system", subtype: "init", session_id: "s" },
      { type: "user", uuid: "u", message: { content: "x" } },
      { type: "assistant", message: { role: "assistant", content: [{ type: "tool_use", id: "a", name: "x" }] } },
      { type: "user", message: { content: "x" } }
    ]
  ],
  [
    "codex",
    [
      { timestamp: "2026-01-01T00:00:00Z", type: "session_meta", payload: { id: "s" } },
      { type: "event_msg", payload: { type: "token_count" } },
      { type: "response_item", payload: { type: "function_call", call_id: "a", name: "x", arguments: "{}" } }
    ]
  ],
  ["toolguard", [{ conversation: "c", tool: "x", keyDigest: "d", attempts: [], outcome: { _tag: "Success" } }]]
]

describe("FormatDetector", () => {
  it("13.1 does not recognise events of other programs by their `session_id`", () => {
    const event = { type: "tool.start", session_id: "s", data: { tool_name: "ping" } }
    const reader = FormatDetector.make()
    assert.deepStrictEqual(readAll(reader, event, { ...event, type: "tool.end" }), [])
    assert.deepStrictEqual(reader.found(), {
      _tag: "Unknown",
      first: 'an object with "type", "session_id", "data"'
    })
    const read = FormatDetector.make()
    assert.lengthOf(readAll(read, event, { session_id: "s", role: "user", content: "Hi" }), 2)
    assert.deepStrictEqual(read.found(), { _tag: "Known", format: "message-lines" })
    for (const line of [
      { type: "event", message: { content: "x" } },
      { type: "user", message: { role: "critic", content: "x" } },
      { type: "user", message: "x" },
      { type: "assistant", message: { content: "x", tool_calls: [] } }
    ]) {
      assert.notStrictEqual(of(line), "claude-code", JSON.stringify(line))
    }
    for (const rest of [{ uuid: "u" }, { message: { content: "x" } }]) {
      const session = FormatDetector.make()
      readAll(session, { ...event, ...rest })
      assert.deepStrictEqual(session.found(), { _tag: "Known", format: "claude-code" })
    }
  })

  for (const [format, list] of lines) {
    it(`13.1 recognises ${format} by any of its lines, even after ambiguous lines`, () => {
      for (const line of list) {
        for (const before of [[], [hello], [{ a: 1 }]]) {
          const reader = FormatDetector.make()
          readAll(reader, ...before, line)
          assert.deepStrictEqual(reader.found(), { _tag: "Known", format }, JSON.stringify(line))
        }
      }
    })
  }

  it("13.1 has a reader for every format, and uses a given format", () => {
    assert.sameMembers(Object.keys(readerOf), [...names])
    for (const format of names) assert.deepStrictEqual(FormatDetector.make(format).found(), { _tag: "Known", format })
  })

  it("13.1 returns buffered lines in their order, and reports lines that are not of the format", () => {
    const place = { file: "log.jsonl", line: 2 }
    const messages = [
      { role: "user", text: "Hi" },
      { role: "assistant", text: "Hello", calls: [] }
    ] as const
    assert.deepStrictEqual(
      readAll(FormatDetector.make(), { a: 1 }, hello, withTool({ name: "x", input_schema: {} }), null),
      [
        skipped(1, `The file holds Anthropic messages, but this line is an object with "a".`),
        skipped(4, "The file holds Anthropic messages, but this line is null."),
        conversation({ id: "log.jsonl:2", place, messages }),
        conversation({
          id: "log.jsonl:3",
          place: { ...place, line: 3 },
          tools: [{ name: "x", parameters: {} }],
          messages
        })
      ]
    )
  })

  it("13.1 reads messages without any call as OpenAI's, at the end or after twenty lines", () => {
    const reader = FormatDetector.make()
    for (let line = 1; line < 20; line++) assert.deepStrictEqual(reader.read(hello, { file: "f", line }), [])
    assert.deepStrictEqual(reader.found(), { _tag: "Open" })
    reader.read(hello, { file: "f", line: 20 })
    assert.deepStrictEqual(reader.found(), { _tag: "Known", format: "openai" })
    assert.lengthOf(reader.end(), 20)
    assert.lengthOf(readAll(FormatDetector.make(), hello, hello), 2)
  })

  it("13.1 gives up if no line has a known format: at the end, or after a hundred lines", () => {
    const short = FormatDetector.make()
    assert.deepStrictEqual(readAll(short, { when: 1, level: "info" }, 7), [])
    assert.deepStrictEqual(short.found(), { _tag: "Unknown", first: 'an object with "when", "level"' })
    const long = FormatDetector.make()
    for (let line = 1; line <= 100; line++) assert.deepStrictEqual(long.read([line], { file: "f", line }), [])
    assert.deepStrictEqual(long.found(), { _tag: "Unknown", first: "a list of 1" })
    const empty = FormatDetector.make()
    assert.deepStrictEqual([readAll(empty), empty.found()], [[], { _tag: "Open" }])
  })
})
