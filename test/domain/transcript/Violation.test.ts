import { assert, describe, it } from "@effect/vitest"
import { Prompt } from "effect/ai"
import * as Transcript from "#domain/transcript/Transcript"
import { assistant, call, conversation, result, system, text, tool, user } from "../../support/conversation.ts"

const own = Prompt.toolCallPart({ id: "p", name: "web", params: {}, providerExecuted: true })
const ownResult = { ...result("p", "found", "web"), providerExecuted: true }
const reasoning = Prompt.reasoningPart({ text: "hm" })

describe("Transcript.validate", () => {
  const violations = (...messages: ReadonlyArray<Prompt.Message>) => Transcript.validate(conversation(...messages))

  it("9.1 accepts rounds with separate results, calls of the provider, approvals and empty results", () => {
    const request = Prompt.toolApprovalRequestPart({ approvalId: "q", toolCallId: "a" })
    const response = Prompt.toolApprovalResponsePart({ approvalId: "q", approved: true })
    assert.deepStrictEqual(
      violations(
        system("s"),
        user("u"),
        assistant(reasoning, own, ownResult, call("a"), call("b"), request),
        tool(response, result("a", "")),
        tool(result("b", null)),
        assistant(own, ownResult),
        user("p"),
        assistant(call("p")),
        tool(result("p"))
      ),
      []
    )
  })

  it("9.1 reports calls without a result where their round ends", () => {
    assert.deepStrictEqual(
      violations(assistant(call("a"), call("b")), tool(result("a")), user("u"), assistant(call("c"))),
      [
        { rule: "call without a result", message: 2, callId: "b" },
        { rule: "call without a result", message: 4, callId: "c" }
      ]
    )
  })

  it("9.1 reports results without a call, second results, and results apart from their calls", () => {
    assert.deepStrictEqual(
      violations(
        tool(result("x")),
        assistant(call("a"), call("b")),
        tool(result("a"), result("a")),
        user("u"),
        tool(result("b"), result("b"))
      ),
      [
        { rule: "result without a call", message: 0, callId: "x" },
        { rule: "second result of a call", message: 2, callId: "a" },
        { rule: "call without a result", message: 3, callId: "b" },
        { rule: "result apart from its call", message: 4, callId: "b" },
        { rule: "second result of a call", message: 4, callId: "b" }
      ]
    )
  })

  it("9.1 reports results in another order or role, and without a value", () => {
    assert.deepStrictEqual(
      violations(
        assistant(call("a"), call("b")),
        tool(result("b"), { ...result("a"), result: undefined }),
        assistant(call("c"), result("c"))
      ),
      [
        { rule: "results out of order", message: 1, callId: "b" },
        { rule: "result without a value", message: 1, callId: "a" },
        { rule: "result in the wrong role", message: 2, callId: "c" },
        { rule: "call without a result", message: 3, callId: "c" }
      ]
    )
  })

  it("9.1 reports empty and repeated ids, but not those of the provider's calls", () => {
    assert.deepStrictEqual(
      violations(assistant(call("")), tool(result("")), assistant(own, own, call("a"), call("a"))).slice(0, 2),
      [
        { rule: "empty or repeated call id", message: 0, callId: "" },
        { rule: "empty or repeated call id", message: 2, callId: "a" }
      ]
    )
  })

  it("9.1 reports each message without content, or with an empty text", () => {
    const empty = [
      system(""),
      user(""),
      Prompt.userMessage({ content: [] }),
      Prompt.userMessage({ content: [text("u"), text("")] }),
      assistant(),
      assistant(text("")),
      assistant(reasoning),
      assistant(text("t"), text("")),
      tool()
    ]
    assert.deepStrictEqual(
      violations(...empty),
      empty.map((_, message) => ({ rule: "empty content", message }))
    )
  })
})
