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

  it("9.4 replaces an id and a name independently, and gives each id a different replacement", () => {
    const searched = { anthropic: { type: "server_tool_use" } }
    const own = Prompt.toolCallPart({ id: "s:1", name: "a b", params: {}, providerExecuted: true, options: searched })
    const request = Prompt.toolApprovalRequestPart({ approvalId: "p", toolCallId: "a:1" })
    const other = Prompt.toolApprovalRequestPart({ approvalId: "q", toolCallId: "c" })
    repairs(
      conversation(
        user("u"),
        assistant(own, call("a:1"), call("b:1"), call("c", "a b"), request, other),
        tool(result("a:1", "x"), result("b:1", "y"), result("c", "z", "a b"))
      ),
      [
        user("u"),
        assistant(
          own,
          call("call_5", "search", { q: "a:1" }),
          call("call_6", "search", { q: "b:1" }),
          call("c", "a_b"),
          { ...request, toolCallId: "call_5" },
          other
        ),
        tool(result("call_5", "x"), result("call_6", "y"), result("c", "z", "a_b"))
      ],
      [
        { _tag: "CallIdReplaced", message: 1, callId: "call_5", was: "a:1" },
        { _tag: "CallIdReplaced", message: 1, callId: "call_6", was: "b:1" },
        { _tag: "ToolNameReplaced", message: 1, name: "a_b", was: "a b" }
      ]
    )
  })

  it("9.4 keeps a name of 128 characters, and shortens a longer one", () => {
    const named = (length: number) =>
      conversation(user("u"), assistant(call("a", "n".repeat(length))), tool(result("a")))
    assert.deepStrictEqual(Transcript.repairForAnthropic(named(128)).changes, [])
    assert.deepStrictEqual(Transcript.repairForAnthropic(named(129)).changes, [
      { _tag: "ToolNameReplaced", message: 1, name: "n".repeat(128), was: "n".repeat(129) }
    ])
    assert.deepStrictEqual(Transcript.repairForAnthropic(named(0)).changes, [
      { _tag: "ToolNameReplaced", message: 1, name: "_", was: "" }
    ])
  })

  it("9.4 removes blank texts of a result, and keeps its other parts", () => {
    const part = (...modelOutput: ReadonlyArray<Prompt.TextPart>) => ({ ...result("a", "x"), modelOutput })
    const expected = [user("u"), assistant(call("a")), tool(part(text("x")))]
    repairs(conversation(user("u"), assistant(call("a")), tool(part(text(" "), text("x")))), expected, [
      { _tag: "EmptyContentRemoved", message: 2 }
    ])
    repairs(conversation(...expected), expected, [])
    const failed = [user("u"), assistant(call("a")), tool({ ...part(text("x")), isFailure: true })]
    repairs(conversation(...failed), failed, [])
    const unsaid = [user("u"), assistant(call("a")), tool(result("a", ""))]
    repairs(conversation(...unsaid), unsaid, [])
  })

  it("9.4 keeps reasoning that Anthropic can verify, in all forms in which readers store it", () => {
    const kept = [
      { type: "thinking", signature: "s" },
      { info: { type: "thinking", signature: "s" } },
      { info: { type: "redacted_thinking", redactedData: "x" } },
      { type: "redacted_thinking", data: "x" },
      { block: { type: "sealed_thinking", data: "x" } }
    ].map((anthropic) => Prompt.reasoningPart({ text: "", options: { anthropic } }))
    const messages = [user("u"), assistant(...kept, text("ok"))]
    repairs(conversation(...messages), messages, [])
    assert.deepStrictEqual<unknown>(Transcript.toAnthropic(conversation(...messages)).messages[1]?.content, [
      { type: "thinking", thinking: "", signature: "s" },
      { type: "thinking", thinking: "", signature: "s" },
      { type: "redacted_thinking", data: "x" },
      { type: "redacted_thinking", data: "x" },
      { type: "sealed_thinking", data: "x" },
      { type: "text", text: "ok" }
    ])
    const unsigned = Prompt.reasoningPart({ text: "hm", options: { anthropic: { type: "thinking", signature: "" } } })
    repairs(
      conversation(user("u"), assistant(unsigned, text("ok"))),
      [user("u"), assistant(text("ok"))],
      [{ _tag: "PartLeftOut", message: 1, part: "reasoning" }]
    )
  })

  it("9.4 a call that another provider ran is reported once, even without its result", () => {
    const own = Prompt.toolCallPart({ id: "p", name: "web", params: {}, providerExecuted: true })
    repairs(
      conversation(user("u"), assistant(own, text("ok"))),
      [user("u"), assistant(text("ok"))],
      [{ _tag: "PartLeftOut", message: 1, part: "provider call" }]
    )
  })

  it("9.4 removes white space at the end of the last message only, if the message is the assistant's", () => {
    const spaced = [user("u "), assistant(text("hm ")), user("and? ")]
    repairs(conversation(...spaced), spaced, [])
    repairs(
      conversation(user("u"), assistant(text("a"), text("so ")), system("s")),
      [system("s"), user("u"), assistant(text("a"), text("so"))],
      [
        { _tag: "TrailingSpaceRemoved", message: 1 },
        { _tag: "SystemMoved", message: 2 }
      ]
    )
  })

  it("9.4 reports only the system messages that move", () => {
    repairs(
      conversation(system("first"), user("u"), system("s"), assistant(text("hi"))),
      [system("first"), system("s"), user("u"), assistant(text("hi"))],
      [{ _tag: "SystemMoved", message: 2 }]
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
