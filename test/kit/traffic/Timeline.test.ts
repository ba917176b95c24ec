/** Tests recorded conversations as turns, rounds and calls, with their answers. */
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
  it("13.1 starts a turn with the user's first message after an answer", () => {
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
      Timeline.of(conversation([], messages)).map(({ number, rounds }) => [number, rounds[0]?.userTexts]),
      [
        [1, ["a"]],
        [2, ["b"]]
      ]
    )
  })

  it("13.1 keeps a user message in the middle of a turn in that turn", () => {
    const messages = [user("a"), ...call("get_a", {}, "1"), user("hurry"), ...call("get_a", {}, "2")]
    assert.deepStrictEqual(answers(messages), [[[[1, "1"]], [[2, "2"]]]])
  })

  it("13.1 passes user messages of turns without calls, and within a turn, to the round after them", () => {
    const messages = [user("a"), said("hm"), user("b"), ...call("get_a", {}, "1"), user("c"), ...call("get_a", {}, "2")]
    assert.deepStrictEqual(
      Timeline.of(conversation([], messages)).map(({ rounds }) => rounds.map(({ userTexts }) => userTexts)),
      [[["a", "b"], ["c"]]]
    )
  })

  it("9.1 assigns a late answer to its own call, and ignores a repeated answer", () => {
    const late = [calls("x"), calls("y"), result("x", "of x"), result("y", "of y")]
    assert.deepStrictEqual(answers(late), [[[[1, "of x"]], [[2, "of y"]]]])
    const twice = [calls("x", "y"), result("x", "of x"), result("x", "again"), result("y", "of y")]
    assert.deepStrictEqual(answers(twice)[0]?.[0], [
      [1, "of x"],
      [2, "of y"]
    ])
  })

  it("9.1 assigns answers to calls by id, even in another order", () => {
    assert.deepStrictEqual(answers([calls("x", "y"), result("y", "of y"), result("x", "of x")]), [
      [
        [
          [1, "of x"],
          [2, "of y"]
        ]
      ]
    ])
  })

  it("9.1 assigns an answer with an empty, unknown or repeated id to the first unanswered call", () => {
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

  it("9.1 leaves a call without an answer if the log holds none, even if its id is repeated", () => {
    assert.deepStrictEqual(answers([calls("x"), calls("x"), result("x", "later")]), [
      [[[1, undefined]], [[2, "later"]]]
    ])
  })

  it("13.1 estimates tokens only if the log does not record them", () => {
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
