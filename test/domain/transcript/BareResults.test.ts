/** Tests that unlabelled results in user messages become results, and that JSON of the user remains a user message. */
import { assert, describe, it } from "@effect/vitest"
import { Prompt } from "effect/ai"
import * as Transcript from "#domain/transcript/Transcript"
import { assistant, call, conversation, result, text, tool, user } from "../../support/conversation.ts"

const tables = '["_sqlx_migrations","users"]'

/** Asserts that a conversation is repaired to the given messages, and that a second repair changes nothing. */
const repairs = (
  damaged: Prompt.Prompt,
  expected: ReadonlyArray<Prompt.Message>,
  changes: ReadonlyArray<Transcript.Change>
) => {
  const repaired = Transcript.repair(damaged)
  assert.deepStrictEqual(repaired.prompt.content, expected)
  assert.deepStrictEqual(repaired.changes, changes)
  assert.strictEqual(Transcript.repair(repaired.prompt).prompt, repaired.prompt)
}

/** Asserts that every text of the user stays where it is, and that the calls are answered as interrupted. */
const keepsUser = (damaged: Prompt.Prompt) => {
  const { changes, prompt } = Transcript.repair(damaged)
  const users = ({ content }: Prompt.Prompt) => content.filter(({ role }) => role === "user")
  assert.deepStrictEqual(users(prompt), users(damaged))
  assert.isTrue(changes.every(({ _tag }) => _tag === "OrphanCallAnswered"))
  assert.isNotEmpty(changes)
}

describe("results without a label", () => {
  it("9.2 JSON as the user message after an open call is the result of the call", () => {
    const log = [
      { role: "user", content: "Which tables are there?" },
      { role: "assistant", tool_calls: [{ id: "a", function: { name: "list_tables", arguments: "{}" } }] },
      { role: "user", content: tables },
      { role: "assistant", content: "Two." }
    ]
    repairs(
      Transcript.fromOpenAi(log),
      [
        user("Which tables are there?"),
        assistant(call("a", "list_tables", {})),
        tool(result("a", tables, "list_tables")),
        assistant(text("Two."))
      ],
      [{ _tag: "RoleCorrected", message: 2, callId: "a" }]
    )
  })

  it("9.2 JSON after white space is the result of the call", () => {
    const { prompt } = Transcript.repair(conversation(assistant(call("a")), user(` \n${tables}`)))
    assert.deepStrictEqual(prompt.content[1], tool(result("a", ` \n${tables}`)))
  })

  it("9.2 each of several identical calls gets a result", () => {
    const rounds = ["a", "b", "c"].flatMap((id) => [assistant(call(id)), user(tables)])
    const { changes } = Transcript.repair(conversation(user("go"), ...rounds))
    assert.deepStrictEqual(
      changes,
      ["a", "b", "c"].map((callId, n) => ({ _tag: "RoleCorrected", message: 2 + 2 * n, callId }))
    )
  })

  it("9.2 several calls take the same number of JSON texts, in several messages or in one", () => {
    const calls = assistant(call("a"), call("b"))
    const results = tool(result("a", tables), result("b", '{"n":1}'))
    repairs(
      conversation(calls, user(tables), user('{"n":1}'), user("and?")),
      [calls, results, user("and?")],
      [
        { _tag: "RoleCorrected", message: 1, callId: "a" },
        { _tag: "RoleCorrected", message: 2, callId: "b" }
      ]
    )
    repairs(
      conversation(calls, Prompt.userMessage({ content: [text(tables), text('{"n":1}')] })),
      [calls, results],
      [
        { _tag: "RoleCorrected", message: 1, callId: "a" },
        { _tag: "RoleCorrected", message: 1, callId: "b" }
      ]
    )
  })

  it("9.2 a number or a string is a result if another round has an object or a list", () => {
    const { prompt } = Transcript.repair(
      conversation(
        assistant(call("a")),
        user(tables),
        assistant(call("b")),
        user("42"),
        assistant(call("c")),
        user('"ok"')
      )
    )
    assert.deepStrictEqual(prompt.content.slice(2), [
      assistant(call("b")),
      tool(result("b", "42")),
      assistant(call("c")),
      tool(result("c", '"ok"'))
    ])
  })
})

describe("texts of the user after an open call", () => {
  const cases: ReadonlyArray<readonly [name: string, conversation: Prompt.Prompt]> = [
    ["a sentence", conversation(assistant(call("a")), user("Stop, show me the tables first."))],
    ["a sentence that quotes JSON", conversation(assistant(call("a")), user(`Use ${tables} instead.`))],
    ["a number, without another result", conversation(assistant(call("a")), user("42"))],
    ["a quoted word, without another result", conversation(assistant(call("a")), user('"users"'))],
    ["a quoted sentence with a bracket", conversation(assistant(call("a")), user('"see [a]"'))],
    ["cut JSON", conversation(assistant(call("a")), user('["_sqlx_migrations","us'))],
    ["JSON after another message", conversation(assistant(call("a")), user("Wait."), user(tables))],
    [
      "JSON texts for more calls than there are",
      conversation(assistant(call("a")), Prompt.userMessage({ content: [text(tables), text(tables)] }))
    ],
    [
      "JSON and a sentence for two calls",
      conversation(assistant(call("a"), call("b")), Prompt.userMessage({ content: [text(tables), text("Use these.")] }))
    ],
    ["JSON for one of two calls", conversation(assistant(call("a"), call("b")), user(tables))],
    [
      "JSON and a sentence in one message",
      conversation(assistant(call("a")), Prompt.userMessage({ content: [text(tables), text("Use these.")] }))
    ],
    [
      "JSON in a conversation whose program uses the role tool",
      conversation(assistant(call("a")), tool(result("a")), assistant(call("b")), user(tables))
    ],
    [
      "JSON of a user who pastes JSON elsewhere too",
      conversation(user('{"plan":1}'), assistant(call("a")), user(tables))
    ],
    [
      "JSON after a call that waits for an approval",
      conversation(
        assistant(call("a"), Prompt.toolApprovalRequestPart({ approvalId: "p", toolCallId: "a" })),
        user(tables)
      )
    ]
  ]
  for (const [name, damaged] of cases) {
    it(`9.4 remain user messages: ${name}`, () => keepsUser(damaged))
  }

  it("9.4 remain user messages if the conversation starts with a result of the role tool", () => {
    const { prompt } = Transcript.repair(conversation(tool(result("x")), assistant(call("a")), user(tables)))
    assert.deepStrictEqual(prompt.content.at(-1), user(tables))
  })

  it("9.4 remain user messages if the conversation has labelled results", () => {
    const labelled = [assistant(call("a")), user("Tool result for a: 3 rows")]
    const { prompt } = Transcript.repair(conversation(...labelled, assistant(call("b")), user(tables)))
    assert.deepStrictEqual(prompt.content.at(-1), user(tables))
  })
})
