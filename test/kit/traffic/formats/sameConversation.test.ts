/** Tests that the same conversation has the same replay figures in every format. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Result } from "effect"
import * as Replay from "#kit/replay/Replay"
import * as Fold from "#kit/report/Fold"
import type { FormatName } from "#kit/traffic/Format"
import * as FormatDetector from "#kit/traffic/formats/FormatDetector"
import * as Mapped from "#kit/traffic/formats/Mapped"
import * as Mapping from "#kit/traffic/Mapping"
import type { Item } from "#kit/traffic/Reader"
import { readAll } from "../lines.ts"
import { span, spans } from "../otlp.ts"

interface Call {
  readonly id: string
  readonly name: string
  readonly args: { readonly order_id: string }
  /** The answer; absent if the log ends before it. */
  readonly result?: string
}

/** A conversation of parallel and repeated calls, with a failure and a missing answer. */
const question = "Where are O-1, O-2 and O-3?"
const call = (id: string, order: string, result?: string): Call => ({
  id,
  name: "get_order",
  args: { order_id: order },
  ...(result === undefined ? {} : { result })
})
const shipped = '{"order_id":"O-1","status":"shipped"}'
const rounds: ReadonlyArray<ReadonlyArray<Call>> = [
  [call("a", "O-1", shipped), call("b", "O-2", "Error: 503 Service Unavailable")],
  [call("c", "O-1", shipped)],
  [call("d", "O-1", shipped)],
  [call("e", "O-1", shipped)],
  [call("f", "O-2", '{"order_id":"O-2","status":"placed"}')],
  [call("g", "O-3")]
]

const openAiCalls = (calls: ReadonlyArray<Call>) =>
  calls.map(({ args, id, name }) => ({ id, type: "function", function: { name, arguments: JSON.stringify(args) } }))

const answered = (calls: ReadonlyArray<Call>) =>
  calls.flatMap(({ id, name, result }) => (result === undefined ? [] : [{ id, name, result }]))

const openAi = [
  { role: "user", content: question },
  ...rounds.flatMap((calls): ReadonlyArray<object> => [
    { role: "assistant", content: null, tool_calls: openAiCalls(calls) },
    ...answered(calls).map(({ id, result }) => ({ role: "tool", tool_call_id: id, content: result }))
  ])
]

const anthropic = [
  { role: "user", content: question },
  ...rounds.flatMap((calls): ReadonlyArray<object> => [
    { role: "assistant", content: calls.map(({ args, id, name }) => ({ type: "tool_use", id, name, input: args })) },
    ...answered(calls).map(({ id, result }) => ({
      role: "user",
      content: [{ type: "tool_result", tool_use_id: id, content: result }]
    }))
  ])
]

/** Returns the items up to a round. */
const itemsUntil = (last: number): ReadonlyArray<object> => [
  { role: "user", content: question },
  ...rounds.slice(0, last + 1).flatMap((calls): ReadonlyArray<object> => [
    ...calls.map(({ args, id, name }) => ({
      type: "function_call",
      call_id: id,
      name,
      arguments: JSON.stringify(args)
    })),
    ...answered(calls).map(({ id, result }) => ({ type: "function_call_output", call_id: id, output: result }))
  ])
]

const items = itemsUntil(rounds.length)

const contents = [
  { role: "user", parts: [{ text: question }] },
  ...rounds.flatMap((calls) => [
    { role: "model", parts: calls.map(({ args, name }) => ({ functionCall: { name, args } })) },
    {
      role: "user",
      parts: answered(calls).map(({ name, result }) => ({ functionResponse: { name, response: { result } } }))
    }
  ])
]

const langChain = [
  { type: "human", data: { content: question } },
  ...rounds.flatMap((calls): ReadonlyArray<object> => [
    { type: "ai", data: { content: "", tool_calls: calls.map(({ args, id, name }) => ({ id, name, args })) } },
    ...answered(calls).map(({ id, result }) => ({ type: "tool", data: { content: result, tool_call_id: id } }))
  ])
]

const modelMessages = [
  { role: "user", content: question },
  ...rounds.flatMap((calls): ReadonlyArray<object> => [
    {
      role: "assistant",
      content: calls.map(({ args, id, name }) => ({ type: "tool-call", toolCallId: id, toolName: name, input: args }))
    },
    ...answered(calls).map(({ id, name, result }) => ({
      role: "tool",
      content: [{ type: "tool-result", toolCallId: id, toolName: name, output: { type: "text", value: result } }]
    }))
  ])
]

const genAi = [
  { role: "user", parts: [{ type: "text", content: question }] },
  ...rounds.flatMap((calls): ReadonlyArray<object> => [
    {
      role: "assistant",
      parts: calls.map(({ args, id, name }) => ({ type: "tool_call", id, name, arguments: args }))
    },
    ...answered(calls).map(({ id, result }) => ({
      role: "tool",
      parts: [{ type: "tool_call_response", id, response: result }]
    }))
  ])
]

/** Returns each answer of the model with the messages before it. */
const requests = (messages: ReadonlyArray<object>) =>
  messages.flatMap((message, index) =>
    "role" in message && message.role === "assistant" ? [{ before: messages.slice(0, index), answer: message }] : []
  )

const chat = (input: ReadonlyArray<object>, output: object) => ({
  "gen_ai.operation.name": "chat",
  "gen_ai.conversation.id": "c",
  "gen_ai.input.messages": JSON.stringify(input),
  "gen_ai.output.messages": JSON.stringify([output])
})

const time = (index: number): string => new Date(Date.UTC(2026, 0, 5, 9, 0, index)).toISOString()

const logs: ReadonlyArray<readonly [string, FormatName, ReadonlyArray<unknown>]> = [
  ["OpenAI conversations", "openai", [{ messages: openAi }]],
  ["growing requests", "openai", openAi.map((_, index) => ({ model: "m", messages: openAi.slice(0, index + 1) }))],
  [
    "requests with responses",
    "openai",
    requests(openAi).map(({ answer, before }) => ({
      request: { messages: before },
      response: { choices: [{ message: answer }] }
    }))
  ],
  ["Anthropic messages", "anthropic", [{ messages: anthropic }]],
  ["lists of Responses items", "openai-responses", [items]],
  [
    "growing requests of Responses",
    "openai-responses",
    rounds.map((_, round) => ({ model: "m", input: itemsUntil(round) }))
  ],
  [
    "linked requests of Responses",
    "openai-responses",
    rounds.map((calls, index) => ({
      request: {
        ...(index === 0 ? {} : { previous_response_id: `resp_${index - 1}` }),
        input:
          index === 0
            ? question
            : answered(rounds[index - 1] ?? []).map(({ id, result }) => ({
                type: "function_call_output",
                call_id: id,
                output: result
              }))
      },
      response: {
        id: `resp_${index}`,
        object: "response",
        output: calls.map(({ args, id, name }) => ({
          type: "function_call",
          call_id: id,
          name,
          arguments: JSON.stringify(args)
        }))
      }
    }))
  ],
  ["Gemini contents", "gemini", [{ contents }]],
  ["LangChain messages", "langchain", [{ messages: langChain }]],
  ["AI SDK messages", "ai-sdk", [modelMessages]],
  ["messages of OpenAI, one per line", "message-lines", openAi.map((message) => ({ session_id: "s", ...message }))],
  ["messages of Anthropic, one per line", "message-lines", anthropic],
  ["messages of LangChain, one per line", "message-lines", langChain],
  ["items of Responses, one per line", "message-lines", items],
  ["Codex CLI", "codex", items.map((item) => ({ type: "response_item", payload: { type: "message", ...item } }))],
  [
    "Claude Code",
    "claude-code",
    anthropic.map((message) => ({
      type: "role" in message ? message.role : "",
      sessionId: "s",
      message
    }))
  ],
  [
    "OpenTelemetry",
    "otel",
    requests(genAi).map(({ answer, before }, index) => spans(span("chat m", index, chat(before, answer))))
  ],
  [
    "OpenTelemetry console",
    "otel",
    requests(genAi).map(({ answer, before }, index) => ({
      name: "chat m",
      context: { trace_id: "0x1", span_id: `0x${index}` },
      start_time: time(index),
      end_time: time(index),
      attributes: chat(before, answer)
    }))
  ],
  [
    "Langfuse",
    "langfuse",
    requests(openAi)
      .map(({ answer, before }, index) => ({
        id: `o-${index}`,
        traceId: "t",
        type: "GENERATION",
        startTime: time(index),
        input: before,
        output: answer
      }))
      .toReversed()
  ],
  [
    "LangSmith",
    "langsmith",
    requests(openAi).map(({ answer, before }, index) => ({
      id: `r-${index}`,
      trace_id: "t",
      run_type: "llm",
      start_time: time(index),
      inputs: { messages: before },
      outputs: { choices: [{ message: answer }] }
    }))
  ]
]

/** Returns the figures of a replay, without ids and places. */
const figuresOf = (read: ReadonlyArray<Item>): Effect.Effect<unknown> =>
  Effect.scoped(
    Effect.map(Replay.make(), (replay) => {
      const fold = Fold.make({ redact: (text) => text, prices: undefined })
      for (const item of read) {
        if (item._tag === "Skipped") fold.skip(item)
        else fold.add(item, replay.play(item))
      }
      const { failures, guarded, loops, refused, repeats, saved, skipped, suspects, tools, totals } = fold.report()
      return {
        failures: failures.map(({ class: kind, code, count, tool }) => [tool, kind, code, count]),
        guarded,
        loops: loops.shown.map(({ calls, pattern, tool }) => [tool, pattern, calls]),
        refused,
        repeats: [repeats.calls, repeats.sameAnswer, repeats.longestRun],
        saved: [saved.byReason, saved.rounds],
        skipped,
        suspects: suspects.shown.map(({ call, reason, tool }) => [tool, call, reason]),
        tools,
        totals
      }
    })
  )

describe("the same conversation", () => {
  const expected = figuresOf(readAll(FormatDetector.make(), { messages: openAi }))

  for (const [name, format, lines] of logs) {
    it.effect(`13.1 has the same figures as ${name}`, () =>
      Effect.gen(function* () {
        const reader = FormatDetector.make()
        const found = yield* figuresOf(readAll(reader, ...lines))
        assert.deepStrictEqual(reader.found(), { _tag: "Known", format })
        assert.deepStrictEqual(found, yield* expected)
      })
    )
  }

  it.effect("13.1 has the same figures by a mapping", () =>
    Effect.gen(function* () {
      const mapping = Mapping.read({
        role: "kind",
        roles: { question: "user", call: "assistant", result: "tool" },
        text: "text",
        calls: { id: "id", name: "name", arguments: "args" },
        results: { call: "id", text: "result" }
      })
      const events = [
        { kind: "question", text: question },
        ...rounds.flatMap((calls) => [
          ...calls.map(({ args, id, name }) => ({ kind: "call", id, name, args })),
          ...answered(calls).map((answer) => ({ kind: "result", ...answer }))
        ])
      ]
      const read = readAll(Mapped.reader(Result.getOrThrow(mapping)), ...events)
      assert.deepStrictEqual(yield* figuresOf(read), yield* expected)
    })
  )
})
