/** Checks valid and invalid streams of the Responses API. The tests are `it.live`, because they use sockets. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import type { AiError } from "effect/ai"
import * as ModelResponse from "#domain/transcript/ModelResponse"
import * as OpenAiResponses from "#layers/OpenAiResponses"
import { requestsTo, shown, stream } from "../../../support/modelRequests.ts"
import * as Server from "../../../support/ResponsesServer.ts"

const { served } = requestsTo(Server.serve, OpenAiResponses.layer)
const { added, done, events, itemEvents, responseObject, start } = Server

const message = (text: string, id = "msg_1") => ({
  type: "message",
  id,
  role: "assistant",
  status: "completed",
  content: [{ type: "output_text", text, annotations: [] }]
})
const empty = { ...message(""), content: [], status: "in_progress" }
const functionCall = (index: number, text: string) => ({
  type: "function_call",
  id: `fc_${index}`,
  call_id: `call_${index}`,
  name: "search",
  arguments: text
})
const textDelta = (delta: string, place: object = {}) => ({
  type: "response.output_text.delta",
  output_index: 0,
  content_index: 0,
  delta,
  ...place
})
const argumentsDelta = (output_index: number, delta: string) => ({
  type: "response.function_call_arguments.delta",
  output_index,
  delta
})
const completed = (...output: ReadonlyArray<object>) => ({
  type: "response.completed",
  response: responseObject({ output })
})

const reads = (name: string, respond: Server.Responder, expected: ReadonlyArray<unknown>) =>
  it.live(name, () =>
    served([respond], () =>
      Effect.gen(function* () {
        const { received, error } = yield* stream()
        assert.strictEqual(error, undefined)
        assert.deepStrictEqual(shown(received), expected)
      })
    )
  )

const fails = (
  name: string,
  respond: Server.Responder,
  expected: { readonly reason: AiError.AiErrorReason["_tag"]; readonly says: string }
) =>
  it.live(name, () =>
    served([respond], () =>
      Effect.gen(function* () {
        const { received, error } = yield* stream()
        assert.strictEqual(error?.reason._tag, expected.reason)
        assert.include(error?.message, expected.says)
        assert.deepStrictEqual(
          received.filter(({ type }) => type === "tool-call" || type === "finish"),
          []
        )
      })
    )
  )

const hello = ["text-start", "hel", "lo", "text-end", "stop"]
const callOf = (index: number) => [`call_${index}`, "search", { q: index }]

describe("a streamed response", () => {
  reads(
    "9.2 reads items that grow in parallel, and calls in the order in which they started",
    events([
      ...start(),
      added(0, functionCall(0, "")),
      added(1, functionCall(1, "")),
      argumentsDelta(1, '{"q":1}'),
      argumentsDelta(0, '{"q":0}'),
      done(1, functionCall(1, '{"q":1}')),
      done(0, functionCall(0, '{"q":0}')),
      completed()
    ]),
    [
      "tool-params-start",
      "tool-params-start",
      '{"q":1}',
      '{"q":0}',
      "tool-params-end",
      "tool-params-end",
      callOf(0),
      callOf(1),
      "tool-calls"
    ]
  )
  reads(
    "9.2 completes a text and arguments whose end was not streamed",
    events([
      ...start(),
      added(0, empty),
      textDelta("hel"),
      done(0, message("hello")),
      added(1, functionCall(1, "")),
      argumentsDelta(1, '{"q"'),
      done(1, functionCall(1, '{"q":1}')),
      completed()
    ]),
    [...hello.slice(0, -1), "tool-params-start", '{"q"', ":1}", "tool-params-end", callOf(1), "tool-calls"]
  )
  reads(
    "9.2 reads items that only the last event has, and ends items that are open",
    events([...start(), added(0, empty), textDelta("hel"), completed(message("hello"), functionCall(1, '{"q":1}'))]),
    [...hello.slice(0, -1), "tool-params-start", '{"q":1}', "tool-params-end", callOf(1), "tool-calls"]
  )
  reads(
    "9.2 skips unknown events, and parts without content",
    events([
      ...start(),
      { type: "response.web_search_call.searching", output_index: 0 },
      { type: "response.new_kind", delta: "x" },
      ...itemEvents(message("hello"), 0),
      added(1, { ...empty, id: "msg_2" }),
      done(1, { ...message("", "msg_2") }),
      { type: "response.audio.delta", delta: "x" },
      completed()
    ]),
    hello
  )

  it.live("9.2 joins the parts of a summary, and keeps the final encrypted content and the annotations", () => {
    const reasoning = {
      type: "reasoning",
      id: "rs_1",
      summary: ["one", "two"].map((text) => ({ type: "summary_text", text })),
      encrypted_content: "final"
    }
    const cited = {
      ...message("hello"),
      phase: "final_answer",
      content: [
        { type: "output_text", text: "hello", annotations: [{ type: "url_citation", url: "https://x.example" }] }
      ]
    }
    return served([events([...start(), ...itemEvents(reasoning, 0), ...itemEvents(cited, 1), completed()])], () =>
      Effect.gen(function* () {
        const { received } = yield* stream()
        const [, thought, said] = ModelResponse.collect(received)
        assert.deepInclude(thought, {
          type: "reasoning",
          text: "one\n\ntwo",
          metadata: { openai: { item: reasoning } }
        })
        assert.deepStrictEqual(said?.type === "text" && said.metadata["openai"], {
          id: "msg_1",
          phase: "final_answer",
          annotations: [{ type: "url_citation", url: "https://x.example" }]
        })
      })
    )
  })

  reads(
    "9.2 reads the reasoning text that some servers show",
    events([
      ...start(),
      added(0, { type: "reasoning", id: "rs_1", summary: [] }),
      { type: "response.reasoning_text.delta", output_index: 0, content_index: 0, delta: "hm" },
      done(0, { type: "reasoning", id: "rs_1", summary: [], content: [{ type: "reasoning_text", text: "hmm" }] }),
      ...itemEvents(message("hello"), 1),
      completed()
    ]),
    ["reasoning-start", "hm", "m", "reasoning-end", ...hello]
  )

  it.live("9.2 keeps the id of an item that its last event omits", () => {
    const { id: _, ...last } = functionCall(0, '{"q":0}')
    return served([events([...start(), added(0, functionCall(0, "")), done(0, last), completed()])], () =>
      Effect.gen(function* () {
        const { received } = yield* stream()
        const call = received.find((part) => part.type === "tool-call")
        assert.deepStrictEqual(call?.metadata["openai"], { id: "fc_0" })
      })
    )
  })

  fails(
    "11.3 `[DONE]` does not complete an answer",
    events([...start(), ...itemEvents(message("x"), 0), "data: [DONE]\n\n"]),
    {
      reason: "InternalProviderError",
      says: "is not JSON"
    }
  )
  for (const [what, list, says] of [
    ["a delta before its item", [textDelta("x")], "event 3 (response.output_text.delta): item 0 has not started"],
    [
      "a delta without a place",
      [textDelta("x", { output_index: null })],
      "item without an output_index has not started"
    ],
    ["a delta after its item", [...itemEvents(message("x"), 0), textDelta("y")], "item 0 has ended"],
    ["a second beginning", [added(0, empty), added(0, empty)], "item 0 has already started"],
    ["an item without a place", [{ type: "response.output_item.added", item: empty }], "it has no output_index"],
    [
      "text in a call",
      [added(0, functionCall(0, "")), textDelta("x")],
      "a text does not belong in an item of the type function_call"
    ],
    [
      "arguments in a text",
      [added(0, empty), argumentsDelta(0, "{")],
      "arguments do not belong in an item of the type message"
    ],
    [
      "reasoning in a text",
      [added(0, empty), { type: "response.reasoning_text.delta", output_index: 0, delta: "x" }],
      "reasoning does not belong in an item of the type message"
    ]
  ] as const) {
    fails(`9.2 names the violation of the protocol: ${what}`, events([...start(), ...list]), {
      reason: "InvalidResponseError",
      says
    })
  }
})
