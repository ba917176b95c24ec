/** Tests reading the messages of Anthropic's APIs, in current and legacy forms. */
import { assert, describe, it } from "@effect/vitest"
import { Prompt } from "effect/ai"
import * as Transcript from "#domain/transcript/Transcript"
import { assistant, call, result, system, text, tool, user } from "../../support/conversation.ts"

describe("fromAnthropic", () => {
  it("9.2 reads system text, calls, results with their failure, and the text after them", () => {
    assert.deepStrictEqual(
      Transcript.fromAnthropic({
        system: "be brief",
        messages: [
          { role: "user", content: "hi" },
          {
            role: "assistant",
            content: [
              { type: "text", text: "Let me look." },
              { type: "tool_use", id: "a", name: "search", input: { q: 1 }, caller: { type: "direct" } },
              { type: "tool_use", id: "b", name: "read", input: {} }
            ]
          },
          {
            role: "user",
            content: [
              { type: "tool_result", tool_use_id: "a", content: "one" },
              { type: "text", text: "and?" },
              { type: "tool_result", tool_use_id: "b", content: "gone", is_error: true }
            ]
          },
          { role: "assistant", content: "done" }
        ]
      }).content,
      [
        system("be brief"),
        user("hi"),
        assistant(text("Let me look."), call("a", "search", { q: 1 }), call("b", "read", {})),
        tool(result("a", "one"), { ...result("b", "gone", "read"), isFailure: true }),
        user("and?"),
        assistant(text("done"))
      ]
    )
  })

  it("9.2 reads legacy results in other roles, tool_calls, function_call and plain text of user messages", () => {
    const prompt = Transcript.fromAnthropic([
      { role: "system", content: "be brief" },
      { role: "user", content: "hi" },
      { role: "assistant", content: null, function_call: { name: "search", arguments: '{"q":1}' } },
      { role: "function", name: "search", content: "one" },
      { role: "assistant", tool_calls: [{ id: "b", type: "function", function: { name: "read", arguments: "{}" } }] },
      { role: "tool", tool_call_id: "b", content: "two" },
      { role: "assistant", content: [{ type: "tool_use", id: "c", name: "read", input: { p: 3 } }] },
      { role: "user", content: "Tool result for c: three" }
    ])
    assert.deepStrictEqual(Transcript.repair(prompt).prompt.content, [
      system("be brief"),
      user("hi"),
      assistant(call("call_3", "search", { q: 1 })),
      tool(result("call_3", "one")),
      assistant(call("b", "read", {})),
      tool(result("b", "two", "read")),
      assistant(call("c", "read", { p: 3 })),
      tool(result("c", "three", "read"))
    ])
  })

  it("9.2 reads a content that is a text, a list of texts, empty or missing", () => {
    const cache_control = { type: "ephemeral" }
    assert.deepStrictEqual(
      Transcript.fromAnthropic([
        { role: "user", content: ["hi", { text: "there", cache_control }] },
        { role: "user", content: null },
        { role: "user", content: [] },
        { role: "assistant" },
        { role: "user", content: 7 }
      ]).content,
      [
        Prompt.userMessage({
          content: [text("hi"), Prompt.textPart({ text: "there", options: { anthropic: { cache_control } } })]
        }),
        Prompt.userMessage({ content: [] }),
        Prompt.userMessage({ content: [] }),
        assistant(),
        user("7")
      ]
    )
  })

  it("9.2 keeps a block whose text does not belong to its type", () => {
    for (const block of [
      { type: "video", text: "a film" },
      { type: "text", text: 3 }
    ]) {
      const [message] = Transcript.fromAnthropic([{ role: "user", content: [block] }]).content
      const described = typeof block.text === "string" ? block.text : "[text omitted]"
      assert.deepStrictEqual<unknown>(message?.content, [
        Prompt.textPart({ text: described, options: { anthropic: { block } } })
      ])
    }
  })

  it("9.2 reads a result that is a list of blocks, a value or missing", () => {
    const results = [[{ type: "text", text: "one" }, "two"], { rows: 3 }, null, undefined]
    const { content } = Transcript.fromAnthropic([
      { role: "user", content: results.map((value) => ({ type: "tool_result", tool_use_id: "a", content: value })) }
    ])
    const unnamed = (value: string) => result("a", value, "unknown")
    assert.deepStrictEqual(content, [
      tool(
        { ...unnamed("one\ntwo"), modelOutput: [text("one"), text("two")] },
        unnamed('{"rows":3}'),
        unnamed(""),
        unnamed("")
      )
    ])
  })

  it("9.2 reads a result in a user message that names its call", () => {
    const { content } = Transcript.fromAnthropic([
      { role: "assistant", content: [{ type: "tool_use", id: "a", name: "search", input: { q: "a" } }] },
      { role: "user", tool_call_id: "a", content: "found" }
    ])
    assert.deepStrictEqual(content, [assistant(call("a")), tool(result("a", "found"))])
  })

  it("9.2 reads whether a call of the provider failed", () => {
    const isFailure = (content: unknown, fields: object = {}) => {
      const block = { type: "web_search_tool_result", tool_use_id: "s", content, ...fields }
      const [message] = Transcript.fromAnthropic([{ role: "assistant", content: [block] }]).content
      const [part] = message?.role === "assistant" ? message.content : []
      return part?.type === "tool-result" && part.isFailure
    }
    assert.isTrue(isFailure({ type: "web_search_tool_result_error", error_code: "unavailable" }))
    assert.isTrue(isFailure("gone", { is_error: true }))
    assert.isFalse(isFailure([{ type: "web_search_result", url: "https://e.com" }]))
    assert.isFalse(isFailure({ type: "_error_page" }, { is_error: false }))
  })

  it("9.2 reads the turns of a text completion", () => {
    const prompt = "You are kind.\n\nHuman: hi\nthere\n\nAssistant: Hello!\n\nHuman: how are you?\n\nAssistant:"
    const expected = [system("You are kind."), user("hi\nthere"), assistant(text("Hello!")), user("how are you?")]
    assert.deepStrictEqual(Transcript.fromAnthropic({ prompt }).content, expected)
    assert.deepStrictEqual(Transcript.fromAnthropic({ prompt, completion: " Fine." }).content, [
      ...expected,
      assistant(text("Fine."))
    ])
    assert.deepStrictEqual(Transcript.fromAnthropic({ prompt: " Human: hi\n\nAssistant:\n\nHuman:" }).content, [
      user("hi"),
      assistant(text("")),
      user("")
    ])
    assert.deepStrictEqual(Transcript.fromAnthropic({ prompt: " " }).content, [])
  })

  it("9.4 reads malformed messages and logs without failing, and the result can be repaired", () => {
    const junk = [null, 7, "x", [], {}, { role: "user" }, { role: "assistant", content: [null, 3, { type: 4 }, "x"] }]
    const more = [
      { role: "assistant", content: [{ type: "tool_use" }, { type: "thinking" }, { type: "redacted_thinking" }] },
      {
        role: "user",
        content: [{ type: "tool_result", content: [null, { type: "image", source: 3 }] }, { type: "image" }]
      },
      { role: "user", content: { a: 1 } }
    ]
    const { prompt } = Transcript.repairForAnthropic(Transcript.fromAnthropic([...junk, ...more]))
    assert.deepStrictEqual(Transcript.validate(prompt), [])
    for (const odd of [null, 3, {}, { messages: 3 }, { system: 3, messages: [] }]) {
      assert.isArray(Transcript.fromAnthropic(odd as never).content) // the log is invalid on purpose
    }
  })
})
