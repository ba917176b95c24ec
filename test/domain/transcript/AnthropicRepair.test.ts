/** Tests the repair of conversations that only Anthropic's Messages API rejects. */
import { assert, describe, it } from "@effect/vitest"
import { Prompt } from "effect/ai"
import * as Transcript from "#domain/transcript/Transcript"
import { assistant, call, conversation, result, system, text, tool, user } from "../../support/conversation.ts"

describe("repairForAnthropic", () => {
  const repairs = (
    damaged: Prompt.Prompt,
    expected: ReadonlyArray<Prompt.Message>,
    changes: ReadonlyArray<Transcript.Change>
  ) => {
    const repaired = Transcript.repairForAnthropic(damaged)
    assert.deepStrictEqual(repaired.prompt.content, expected)
    assert.deepStrictEqual(repaired.changes, changes)
  }

  it("9.4 returns a valid conversation as the same object", () => {
    const fine = conversation(system("s"), user("u"), assistant(text("hm "), call("a")), tool(result("a")))
    assert.strictEqual(Transcript.repairForAnthropic(fine).prompt, fine)
  })

  it("9.4 removes texts of only white space, and white space at the end", () => {
    repairs(
      conversation(
        user("u"),
        assistant(text("\n\n"), call("a")),
        tool(result("a")),
        assistant(text(" \n")),
        user("  "),
        assistant(text("so \n"))
      ),
      [user("u"), assistant(call("a")), tool(result("a")), user("(empty message)"), assistant(text("so"))],
      [
        { _tag: "EmptyContentRemoved", message: 1 },
        { _tag: "EmptyContentRemoved", message: 3 },
        { _tag: "EmptyContentRemoved", message: 4 },
        { _tag: "TrailingSpaceRemoved", message: 5 }
      ]
    )
  })

  it("9.4 replaces ids and tool names that the API rejects, in call and result", () => {
    repairs(
      conversation(
        user("u"),
        assistant(call("functions.a:0", "my search!")),
        tool(result("functions.a:0", "x", "my search!"))
      ),
      [
        user("u"),
        assistant(call("call_2", "my_search_", { q: "functions.a:0" })),
        tool(result("call_2", "x", "my_search_"))
      ],
      [
        { _tag: "ToolNameReplaced", message: 1, name: "my_search_", was: "my search!" },
        { _tag: "CallIdReplaced", message: 1, callId: "call_2", was: "functions.a:0" }
      ]
    )
  })

  it("9.4 removes and reports reasoning without a signature, and calls that another provider ran", () => {
    const own = Prompt.toolCallPart({ id: "p", name: "web", params: {}, providerExecuted: true })
    const ownResult = { ...result("p", "found", "web"), providerExecuted: true }
    repairs(
      conversation(user("u"), assistant(Prompt.reasoningPart({ text: "hm" }), own, ownResult, text("ok"))),
      [user("u"), assistant(text("ok"))],
      [
        { _tag: "PartLeftOut", message: 1, part: "reasoning" },
        { _tag: "PartLeftOut", message: 1, part: "provider call" }
      ]
    )
  })

  it("9.4 puts the system messages first, then a user message", () => {
    repairs(
      conversation(assistant(text("Hello")), user("u"), system("s"), system(" ")),
      [system("s"), user("(the conversation begins)"), assistant(text("Hello")), user("u")],
      [
        { _tag: "FirstMessageAdded", message: 0 },
        { _tag: "SystemMoved", message: 2 },
        { _tag: "EmptyContentRemoved", message: 3 }
      ]
    )
    repairs(
      conversation(system("s")),
      [system("s"), user("(the conversation begins)")],
      [{ _tag: "FirstMessageAdded", message: 0 }]
    )
  })

  it("9.4 adds a text to an empty failed result", () => {
    const failed = { ...result("a", ""), isFailure: true }
    const blank = { ...result("b", "x"), isFailure: true, modelOutput: [text(" ")] }
    const { modelOutput: _, ...said } = { ...blank, result: "(no message)" }
    repairs(
      conversation(user("u"), assistant(call("a"), call("b")), tool(failed, blank)),
      [user("u"), assistant(call("a"), call("b")), tool({ ...failed, result: "(no message)" }, said)],
      [
        { _tag: "EmptyContentRemoved", message: 2 },
        { _tag: "EmptyContentRemoved", message: 2 }
      ]
    )
  })
})
