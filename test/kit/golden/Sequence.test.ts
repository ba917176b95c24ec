/** Tests the sequence of a recorded conversation: its calls, which of them failed, and which the guard made itself. */
import * as Sequence from "#kit/golden/Sequence"
import type { Conversation, RecordedMessage } from "#kit/traffic/Conversation"
import { assert, describe, it } from "@effect/vitest"

const conversation = (...messages: ReadonlyArray<RecordedMessage>): Conversation => ({
  _tag: "Conversation",
  id: "c",
  place: { file: "log", line: 1 },
  tools: [],
  messages
})

const user: RecordedMessage = { role: "user", text: "Go." }
const calls = (...made: ReadonlyArray<readonly [id: string, name: string, args?: unknown]>): RecordedMessage => ({
  role: "assistant",
  text: "",
  calls: made.map(([id, name, args = "{}"]) => ({ id, name, arguments: args }))
})
const answer = (callId: string, text: string, isError?: boolean): RecordedMessage => ({
  role: "tool",
  callId,
  text,
  ...(isError === undefined ? {} : { isError })
})

const errors = (...messages: ReadonlyArray<RecordedMessage>) =>
  Sequence.of(conversation(...messages))
    .flat()
    .map(({ error }) => error)

const brief = (...messages: ReadonlyArray<RecordedMessage>) =>
  Sequence.of(conversation(...messages)).map((round) =>
    round.map(({ hasFailed, tool }) => `${tool}${hasFailed ? " failed" : ""}`)
  )

describe("the sequence of a conversation", () => {
  it("13.5 has a round for each message with calls, and arguments as values", () => {
    const sequence = Sequence.of(
      conversation(
        user,
        calls(["1", "a", `{"n":1,"m":null}`], ["2", "b", { n: 2 }]),
        answer("2", "fine"),
        answer("1", "fine"),
        { role: "assistant", text: "So.", calls: [] },
        calls(["3", "c", "{broken"])
      )
    )
    assert.deepStrictEqual(sequence, [
      [
        { tool: "a", arguments: { n: 1, m: null }, hasFailed: false },
        { tool: "b", arguments: { n: 2 }, hasFailed: false }
      ],
      [{ tool: "c", arguments: "{broken", hasFailed: false }]
    ])
  })

  it("13.5 recognises failures by the log's flag, by the guard's envelopes, and by the rules of replay", () => {
    assert.deepStrictEqual(
      brief(
        user,
        calls(["1", "a"], ["2", "b"], ["3", "c"], ["4", "d"], ["5", "e"], ["6", "f"]),
        answer("1", "no such order", true),
        answer("2", `{"status":"error","error":{"code":"not_found"}}`),
        answer("3", `{"status":"partial","data":[],"error":{"code":"incomplete_result"}}`),
        answer("4", `{"status":"success","data":{"error":"none"}}`),
        answer("5", "Error: 503 Service Unavailable"),
        answer("6", `{"orders":[]}`)
      ),
      [["a failed", "b failed", "c", "d", "e failed", "f"]]
    )
  })

  it("13.5 reads the error with its side effect from the envelope of a failure or a partial result, and no error from another answer", () => {
    const error = { error_class: "permanent", code: "tool_failed", next_step: "ask_user", retryable: false }
    const partial = { error_class: "partial_data", code: "incomplete_result", next_step: "continue", retryable: false }
    const envelope = (error: object, status = "error") => JSON.stringify({ status, error })
    assert.deepStrictEqual(
      errors(
        user,
        calls(["1", "a"], ["2", "b"], ["3", "c"], ["4", "d"], ["5", "e"], ["6", "f"], ["7", "g"]),
        answer("1", envelope({ ...error, side_effect: "unknown", message: "It failed." })),
        answer("2", envelope(error)),
        answer("3", envelope(partial, "partial")),
        answer("4", envelope({ code: 404, retryable: "no" })),
        answer("5", envelope({ code: `ghp_${"0123456789abcdefghijklmnopqrstuvwxyz"}` })),
        answer("6", "Error: 503 Service Unavailable"),
        answer("7", `{"status":"success","data":1,"error":{"code":"x"}}`)
      ),
      [
        { fields: { ...error, side_effect: "unknown" } },
        { fields: { ...error, side_effect: "none" } },
        { fields: { ...partial, side_effect: "none" } },
        undefined,
        { fields: { code: "[redacted]" } },
        undefined,
        undefined
      ]
    )
  })

  it("13.5 assigns answers to calls with repeated ids, in one round and in several", () => {
    assert.deepStrictEqual(
      brief(
        user,
        calls(["call_0", "a"]),
        answer("call_0", "no", true),
        calls(["call_0", "a"], ["call_0", "b"]),
        answer("call_0", "fine"),
        answer("call_0", "no", true)
      ),
      [["a failed"], ["a", "b failed"]]
    )
  })

  it("13.5 omits the calls that the guard's own records mark as made by the guard", () => {
    const own: RecordedMessage = { role: "user", text: "" }
    assert.deepStrictEqual(brief(own, calls(["1", "cache"], ["1", "search"], ["2", "search"])), [["search", "search"]])
    assert.deepStrictEqual(brief(own, calls(["1", "cache"]), calls(["1", "search"])), [["search"]])
    assert.deepStrictEqual(brief(own, calls(["1", "search"]), calls(["1", "search"])), [["search"], ["search"]])
    assert.deepStrictEqual(brief(user, calls(["1", "cache"], ["1", "search"])), [["cache", "search"]])
  })
})
