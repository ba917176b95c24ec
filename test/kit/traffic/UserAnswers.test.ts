/** Tests how logs are read in which the answers of tools are user messages. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { Transcript } from "effect-toolguard"
import * as FormatDetector from "#kit/traffic/formats/FormatDetector"
import * as Fold from "#kit/report/Fold"
import * as Replay from "#kit/replay/Replay"
import * as Timeline from "#kit/traffic/Timeline"
import { readAll } from "./lines.ts"

type Message = { readonly role: string; readonly content: unknown; readonly [field: string]: unknown }

const user = (content: unknown): Message => ({ role: "user", content })
const calls = (...names: ReadonlyArray<string>): Message => ({
  role: "assistant",
  content: null,
  tool_calls: names.map((name, index) => ({
    id: `call_${index + 1}`,
    type: "function",
    function: { name, arguments: "{}" }
  }))
})
const tool = (id: string, content: string): Message => ({ role: "tool", tool_call_id: id, content })

const conversationOf = (line: unknown) => {
  const [first, ...rest] = readAll(FormatDetector.make(), line)
  assert.lengthOf(rest, 0)
  return first?._tag === "Conversation" ? first : assert.fail(JSON.stringify(first))
}

/** Returns the answers to the calls of a log, as replay reads them. */
const replayed = (line: unknown) =>
  Timeline.of(conversationOf(line)).flatMap(({ rounds }) =>
    rounds.flatMap((round) => round.calls.map(({ answer }) => answer?.text))
  )

/** Returns the same answers, as `Transcript.repair` reads them. */
const repaired = (messages: ReadonlyArray<unknown>) => {
  const { prompt } = Transcript.repair(Transcript.fromOpenAi(messages), () => "(none)")
  return prompt.content.flatMap((message) =>
    message.role === "tool"
      ? message.content.flatMap((part) =>
          part.type === "tool-result" ? [part.result === "(none)" ? undefined : part.result] : []
        )
      : []
  )
}

/** Logs, each with the answers of its calls. */
const logs: { readonly [what: string]: readonly [messages: ReadonlyArray<Message>, answers: ReadonlyArray<unknown>] } =
  {
    "the bare result directly after its call": [
      [user("Which tables?"), calls("list_tables"), user('["_sqlx_migrations","users"]'), user("Thanks.")],
      ['["_sqlx_migrations","users"]']
    ],
    "one bare result for each call": [
      [user("Look."), calls("a", "b"), user('{"n":1}'), user('{"n":2}')],
      ['{"n":1}', '{"n":2}']
    ],
    "a bare result as the part of a message": [
      [user("Look."), calls("a", "b"), user([{ type: "text", text: '{"n":1}' }]), user('{"n":2}')],
      ['{"n":1}', '{"n":2}']
    ],
    "two texts in one message": [
      [
        user("Look."),
        calls("a", "b"),
        user([
          { type: "text", text: '{"n":1}' },
          { type: "text", text: '{"n":2}' }
        ])
      ],
      ['{"n":1}', '{"n":2}']
    ],
    "labelled results in a different order from the calls": [
      [user("Look."), calls("a", "b"), user("Tool result for b: two"), user("Tool result for a: one")],
      ["one", "two"]
    ],
    "tool_response blocks": [
      [user("Look."), calls("a", "b"), user("<tool_response>one</tool_response><tool_response>two</tool_response>")],
      ["one", "two"]
    ],
    "an observation": [[user("Look."), calls("a"), user("Observation: 3 rows")], ["3 rows"]],
    "a labelled result alongside a message of the role tool": [
      [user("Look."), calls("a", "b"), tool("call_1", "one"), user("Tool result for b: two")],
      ["one", "two"]
    ],
    "JSON that a person pasted elsewhere too": [[user('{"pasted":1}'), calls("a"), user('{"pasted":2}')], [undefined]],
    "JSON in a log that has the role tool": [
      [user("Look."), calls("a"), tool("call_1", "one"), calls("b"), user('{"pasted":2}')],
      ["one", undefined]
    ],
    "JSON alongside an image": [
      [
        user("Look."),
        calls("a"),
        user([
          { type: "text", text: '{"n":1}' },
          { type: "image_url", image_url: { url: "https://example.com/a.png" } }
        ])
      ],
      [undefined]
    ],
    "an ordinary text after an interrupted call": [
      [user("Look."), calls("a"), user("Stop, do b instead.")],
      [undefined]
    ]
  }

describe("a log with answers in user messages", () => {
  for (const [what, [messages, answers]] of Object.entries(logs)) {
    it(`13.1 replay reads the answers that Transcript.repair reads, from ${what}`, () => {
      assert.deepStrictEqual(replayed({ messages }), answers)
      assert.deepStrictEqual(repaired(messages), answers)
    })
  }

  it("13.1 the first of two calls with an empty id does not get the answer of the second", () => {
    const nameless = {
      role: "assistant",
      tool_calls: ["a", "b"].map((name) => ({ function: { name, arguments: "{}" } }))
    }
    const only = { messages: [user("Look."), nameless, user("Tool result for b: two")] }
    assert.deepStrictEqual(replayed(only), [undefined, undefined])
    const both = { messages: [user("Look."), nameless, user("Tool result for b: two"), user("Tool result for a: one")] }
    assert.deepStrictEqual(replayed(both), ["one", "two"])
  })

  it("13.1 each call occurs once, with its answer, in requests that repeat the history", () => {
    const first = [user("Which tables?")]
    const second = [...first, calls("list_tables"), user('["users"]')]
    const items = readAll(
      FormatDetector.make(),
      { request: { messages: first }, response: { choices: [{ message: calls("list_tables") }] } },
      { request: { messages: second }, response: { choices: [{ message: { role: "assistant", content: "users" } }] } }
    )
    const answers = items.map((item) =>
      item._tag === "Conversation" ? item.messages.filter(({ role }) => role === "tool") : item
    )
    assert.deepStrictEqual(answers, [[{ role: "tool", callId: "call_1", text: '["users"]', isFromUser: true }]])
  })

  it("13.1 reads chat_history and preamble from a request of Rig", () => {
    const call = { id: "a", function: { name: "list_tables", arguments: {} } }
    const { messages } = conversationOf({
      preamble: "Be brief.",
      chat_history: [
        user([{ type: "text", text: "Which tables?" }]),
        { role: "assistant", content: [call] },
        user('["users"]')
      ]
    })
    assert.deepStrictEqual(messages, [
      { role: "system", text: "Be brief." },
      { role: "user", text: "Which tables?" },
      { role: "assistant", text: "", calls: [{ id: "a", name: "list_tables", arguments: {} }] },
      { role: "tool", callId: "a", text: '["users"]', isFromUser: true }
    ])
  })

  it("13.1 the report counts these answers, and the calls as answered", () => {
    const [messages] = logs["labelled results in a different order from the calls"]!
    const conversation = conversationOf({ messages })
    const replay = Effect.runSync(Effect.scoped(Replay.make({})))
    const fold = Fold.make({ redact: (text) => text })
    fold.add(conversation, replay.play(conversation))
    const { calls: count, fromUserMessages, unanswered } = fold.report().totals
    assert.deepStrictEqual({ count, fromUserMessages, unanswered }, { count: 2, fromUserMessages: 2, unanswered: 0 })
  })
})
