/** Tests messages whose content is one part instead of a list of parts. */
import { assert, describe, it } from "@effect/vitest"
import * as FormatDetector from "#kit/traffic/formats/FormatDetector"
import { readAll } from "./lines.ts"

const question = { role: "user", content: "Go" }
const use = { role: "assistant", content: { type: "tool_use", id: "a", name: "write_a", input: { n: 1 } } }
const used = { role: "user", content: { type: "tool_result", tool_use_id: "a", content: "done" } }
const call = {
  role: "assistant",
  content: { type: "tool-call", toolCallId: "a", toolName: "write_a", input: { n: 1 } }
}
const output = { type: "text", value: "done" }
const called = { role: "tool", content: { type: "tool-result", toolCallId: "a", output } }
const event = (message: { readonly role: string }) => ({ type: message.role, sessionId: "s", message })

const logs: ReadonlyArray<readonly [format: string, lines: ReadonlyArray<unknown>]> = [
  ["message-lines", [question, use, used]],
  ["anthropic", [{ messages: [question, use, used] }]],
  ["claude-code", [question, use, used].map(event)],
  ["message-lines", [question, call, called]],
  ["ai-sdk", [{ messages: [question, call, called] }]]
]

describe("a content that is one part", () => {
  it("13.1 has its call and its result, in every format that has parts", () => {
    for (const [format, lines] of logs) {
      const detector = FormatDetector.make()
      const [conversation, ...rest] = readAll(detector, ...lines)
      const found = detector.found()
      assert.strictEqual(found._tag === "Known" ? found.format : "", format)
      assert.lengthOf(rest, 0)
      const messages = conversation?._tag === "Conversation" ? conversation.messages : []
      assert.deepStrictEqual(messages.slice(0, 2), [
        { role: "user", text: "Go" },
        { role: "assistant", text: "", calls: [{ id: "a", name: "write_a", arguments: { n: 1 } }] }
      ])
      const answer = messages[2]
      assert.deepStrictEqual(
        answer?.role === "tool" ? [answer.callId, answer.text, messages.length] : [],
        ["a", "done", 3],
        format
      )
    }
  })

  it("13.1 that is the result of a tool is the result, whatever its fields are", () => {
    const tool_calls = [{ id: "a", function: { name: "get_a", arguments: "{}" } }]
    const content = { type: "tool_use", id: "b", name: "get_b" }
    const messages = [
      { role: "assistant", tool_calls },
      { role: "tool", tool_call_id: "a", content }
    ]
    const [conversation] = readAll(FormatDetector.make(), { messages })
    const answer = conversation?._tag === "Conversation" ? conversation.messages[1] : undefined
    assert.deepStrictEqual(answer, { role: "tool", callId: "a", text: JSON.stringify(content) })
  })
})
