/** Tests which fields and parts are kept when Anthropic's messages are read, and written. */
import { assert, describe, it } from "@effect/vitest"
import { Prompt } from "effect/ai"
import * as Transcript from "#domain/transcript/Transcript"
import { assistant, call, conversation, result, system, text, tool } from "../../support/conversation.ts"

const cached = { cache_control: { type: "ephemeral" } } as const
const cachedOptions = { options: { anthropic: cached } }

describe("the fields of Anthropic's blocks", () => {
  it("9.2 omits marks without a value", () => {
    for (const anthropic of [{ cache_control: null }, { cacheControl: null }]) {
      const message = Prompt.userMessage({ content: [Prompt.textPart({ text: "hi", options: { anthropic } })] })
      assert.deepStrictEqual(Transcript.toAnthropic(conversation(message)).messages, [{ role: "user", content: "hi" }])
    }
  })

  it("9.2 keeps only those fields of a known block that the API accepts", () => {
    const optionsOf = (fields: object) => {
      const [message] = Transcript.fromAnthropic([
        { role: "user", content: [{ type: "text", text: "x", ...fields }] }
      ]).content
      return message?.role === "user" ? message.content[0]?.options : undefined
    }
    for (const field of [
      { citations: null },
      { citations: "all" },
      { context: 3 },
      { cache_control: null },
      { cache_control: { type: "forever" } },
      { caller: "me" },
      { caller: { type: "direct" } },
      { index: 0 }
    ]) {
      assert.deepStrictEqual(optionsOf(field), {}, JSON.stringify(field))
    }
    const caller = { type: "code_execution_20250825", tool_id: "srvtoolu_1" }
    assert.deepStrictEqual(optionsOf({ caller, context: "c" }), { anthropic: { caller, context: "c" } })
  })

  it("9.2 keeps every field with a value of a block that the provider wrote, and of a system block", () => {
    const block = { type: "mcp_tool_use", id: "m", name: "echo", input: {}, origin: { type: "direct" } }
    const written = Transcript.toAnthropic(
      Transcript.fromAnthropic([{ role: "assistant", content: [{ ...block, server: null, note: undefined }] }])
    )
    assert.deepStrictEqual<unknown>(written.messages, [{ role: "assistant", content: [block] }])
    const read = Transcript.fromAnthropic({ system: [{ type: "note", text: "be brief" }], messages: [] })
    assert.deepStrictEqual(read.content, [system("be brief")])
  })

  it("9.2 writes the fields of a message into its last block", () => {
    const [first, second] = Transcript.toAnthropic(
      conversation(
        Prompt.userMessage({ content: [text("a")], ...cachedOptions }),
        Prompt.assistantMessage({ content: [text("a"), text("b"), text("c")], ...cachedOptions })
      )
    ).messages
    assert.deepStrictEqual<unknown>(first?.content, [{ type: "text", text: "a", ...cached }])
    assert.deepStrictEqual<unknown>(second?.content, [
      { type: "text", text: "a" },
      { type: "text", text: "b" },
      { type: "text", text: "c", ...cached }
    ])
  })

  it("9.2 leaves out approvals, and calls and results that only other providers or messages can have", () => {
    const own = Prompt.toolCallPart({ id: "p", name: "web", params: {}, providerExecuted: true })
    const ownResult = { ...result("p", "found", "web"), providerExecuted: true }
    const request = Prompt.toolApprovalRequestPart({ approvalId: "q", toolCallId: "a" })
    const response = Prompt.toolApprovalResponsePart({ approvalId: "q", approved: true })
    assert.deepStrictEqual<unknown>(
      Transcript.toAnthropic(
        conversation(assistant(own, ownResult, call("a"), result("a"), request), tool(response, result("a", "found")))
      ).messages,
      [
        { role: "assistant", content: [{ type: "tool_use", id: "a", name: "search", input: { q: "a" } }] },
        { role: "user", content: [{ type: "tool_result", tool_use_id: "a", content: "found" }] }
      ]
    )
  })
})
