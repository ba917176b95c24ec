/** Recorded conversations as turns, rounds and calls with their answers. */
import { assert, describe, it } from "@effect/vitest"
import type { RecordedMessage } from "#kit/traffic/Conversation"
import * as Timeline from "#kit/traffic/Timeline"
import { call, conversation, said, user } from "../replay/logs.ts"

const answers = (messages: ReadonlyArray<RecordedMessage>) =>
  Timeline.of(conversation([], messages)).map(({ rounds }) =>
    rounds.map(({ calls }) => calls.map(({ answer, number }) => [number, answer?.text]))
  )

const calls = (...ids: ReadonlyArray<string>): RecordedMessage => ({
  role: "assistant",
  text: "",
  calls: ids.map((id) => ({ id, name: "get_a", arguments: "{}" }))
})
const result = (callId: string, text: string): RecordedMessage => ({ role: "tool", callId, text })

describe("Timeline", () => {
  it("13.1 begins a turn with what the user says after an answer", () => {
    const messages = [
      user("a"),
      ...call("get_a", {}, "1"),
      said("done"),
      user("b"),
      ...call("get_a", {}, "2"),
      said("x")
    ]
    assert.deepStrictEqual(answers(messages), [[[[1, "1"]]], [[[2, "2"]]]])
    assert.deepStrictEqual(
      Timeline.of(conversation([], messages)).map(({ number, rounds }) => [number, rounds[0]?.asked]),
      [
        [1, ["a"]],
        [2, ["b"]]
      ]
    )
  })

  it("13.1 counts what the user says in the middle of a turn to that turn", () => {
    const messages = [user("a"), ...call("get_a", {}, "1"), user("hurry"), ...call("get_a", {}, "2")]
    assert.deepStrictEqual(answers(messages), [[[[1, "1"]], [[2, "2"]]]])
  })

  it("13.1 keeps what the user says in turns without calls, and in the middle of one, for the round after it", () => {
    const messages = [user("a"), said("hm"), user("b"), ...call("get_a", {}, "1"), user("c"), ...call("get_a", {}, "2")]
    assert.deepStrictEqual(
      Timeline.of(conversation([], messages)).map(({ rounds }) => rounds.map(({ asked }) => asked)),
      [[["a", "b"], ["c"]]]
    )
  })

  it("9.1 gives a late answer to its own call, and leaves out one that comes twice", () => {
    const late = [calls("x"), calls("y"), result("x", "of x"), result("y", "of y")]
    assert.deepStrictEqual(answers(late), [[[[1, "of x"]], [[2, "of y"]]]])
    const twice = [calls("x", "y"), result("x", "of x"), result("x", "again"), result("y", "of y")]
    assert.deepStrictEqual(answers(twice)[0]?.[0], [
      [1, "of x"],
      [2, "of y"]
    ])
  })

  it("9.1 binds answers to calls by id, in whatever order they come", () => {
    assert.deepStrictEqual(answers([calls("x", "y"), result("y", "of y"), result("x", "of x")]), [
      [
        [
          [1, "of x"],
          [2, "of y"]
        ]
      ]
    ])
  })

  it("9.1 gives an answer of an empty, unknown or repeated id to the first call that waits", () => {
    const messages = [calls("", "x", "x"), result("", "1"), result("x", "2"), result("x", "3"), result("x", "4")]
    assert.deepStrictEqual(answers(messages), [
      [
        [
          [1, "1"],
          [2, "2"],
          [3, "3"]
        ]
      ]
    ])
    assert.deepStrictEqual(answers([calls("x"), result("unknown", "1")]), [[[[1, "1"]]]])
  })

  it("9.1 leaves a call without an answer where the log holds none, also when its id comes again", () => {
    assert.deepStrictEqual(answers([calls("x"), calls("x"), result("x", "later")]), [
      [[[1, undefined]], [[2, "later"]]]
    ])
  })

  it("13.1 counts tokens about where the log has none, and takes the log's own where it has", () => {
    const logged: RecordedMessage = {
      role: "assistant",
      text: "",
      calls: [{ id: "x", name: "get_a", arguments: "{}" }],
      usage: { input: 1_000, output: 7 }
    }
    const tokens = (messages: ReadonlyArray<RecordedMessage>) =>
      Timeline.of(conversation([], messages)).flatMap(({ rounds }) => rounds.map((round) => round.tokens))
    assert.deepStrictEqual(tokens([user("a".repeat(400)), ...call("get_a", {}, "b".repeat(40)), calls("z")]), [
      { input: 100, output: 2 },
      { input: 112, output: 2 }
    ])
    assert.deepStrictEqual(tokens([user("a"), logged]), [{ input: 1_000, output: 7 }])
  })

  it("13.1 has no turns for a conversation without calls", () => {
    assert.deepStrictEqual(answers([user("a"), said("b")]), [])
    assert.deepStrictEqual(answers([result("x", "of nothing")]), [])
  })
})
