/** Tests reading the messages of Anthropic's APIs, in current and legacy forms. */
import { assert, describe, it } from "@effect/vitest"
import type { Prompt } from "effect/ai"
import * as Transcript from "#domain/transcript/Transcript"
import { assistant, call, conversation, result, system, text, tool, user } from "../../support/conversation.ts"

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

  it("9.2 reads the turns of a text completion", () => {
    const prompt = "You are kind.\n\nHuman: hi\nthere\n\nAssistant: Hello!\n\nHuman: how are you?\n\nAssistant:"
    const expected = [system("You are kind."), user("hi\nthere"), assistant(text("Hello!")), user("how are you?")]
    assert.deepStrictEqual(Transcript.fromAnthropic({ prompt }).content, expected)
    assert.deepStrictEqual(Transcript.fromAnthropic({ prompt, completion: " Fine." }).content, [
      ...expected,
      assistant(text("Fine."))
    ])
  })

  const invoke = (name: string, params: string) =>
    `<invoke>\n<tool_name>${name}</tool_name>\n<parameters>\n${params}\n</parameters>\n</invoke>`
  const given = (name: string, text: string) =>
    `<result>\n<tool_name>${name}</tool_name>\n<stdout>\n${text}\n</stdout>\n</result>`

  it("9.2 reads calls and results that are written as XML in texts", () => {
    const prompt = [
      "\n\nHuman: Where are they?",
      "\n\nAssistant: Let me see.\n<function_calls>",
      invoke("search", "<q>a <b></q>\n<page>2</page>"),
      invoke("read", ""),
      "</function_calls>",
      "\n\nHuman: <function_results>",
      given("search", "one\ntwo"),
      given("read", "3"),
      "</function_results>",
      '\n\nAssistant: <function_calls><invoke name="read"><parameter name="p">1</parameter></invoke>',
      "\n\nHuman: <function_results><error>\ngone\n</error></function_results>",
      "\n\nAssistant: Done."
    ].join("")
    assert.deepStrictEqual(Transcript.repair(Transcript.fromAnthropic({ prompt })).prompt.content, [
      user("Where are they?"),
      assistant(text("Let me see."), call("call_1", "search", { q: "a <b>", page: "2" }), call("call_2", "read", {})),
      tool(result("call_1", "one\ntwo"), result("call_2", "3", "read")),
      assistant(call("call_3", "read", { p: "1" })),
      tool({ ...result("call_3", "gone", "read"), isFailure: true }),
      assistant(text("Done."))
    ])
  })

  it("9.2 keeps texts that only mention XML calls and results", () => {
    const calls = `<function_calls>${invoke("search", "<q>a</q>")}</function_calls>`
    const spoken: ReadonlyArray<ReadonlyArray<Prompt.Message>> = [
      [user("How?"), assistant(text(calls)), user("Thanks")],
      [user("How?"), assistant(text(calls))],
      [assistant(text(`${calls} is how`)), user(`<function_results>${given("search", "1")}</function_results>`)],
      [assistant(text("<function_calls>")), user(`<function_results>${given("search", "1")}</function_results>`)],
      [assistant(text(calls)), user(`<function_results>${given("a", "1")}${given("b", "2")}</function_results>`)],
      [assistant(text(calls)), user("<function_results></function_results>")]
    ]
    for (const messages of spoken) {
      const history = Transcript.toAnthropic(conversation(...messages))
      assert.deepStrictEqual(Transcript.fromAnthropic(history).content, messages)
    }
  })

  it("9.4 reads texts with very many XML tags, closed or not", () => {
    const many = (text: string) => text.repeat(Math.ceil(200_000 / text.length))
    for (const end of ["", "</function_calls>", "x", " "]) {
      for (const text of [
        "<function_calls>",
        "<invoke>",
        "<invoke ",
        "<a><b>",
        " ",
        "\n\nHuman:",
        "<invoke><parameters><a>"
      ]) {
        const said = `<function_calls><invoke>${many(text)}</invoke>${end}`
        const results = `<function_results>${many(text)}<result>1</result></function_results>`
        const log = [
          { role: "assistant", content: said },
          { role: "user", content: results }
        ]
        const read = Transcript.fromAnthropic(log).content.map(({ role }) => role)
        assert.deepStrictEqual(read, ["assistant", end === "x" || text === "<function_calls>" ? "user" : "tool"])
        assert.isNotEmpty(Transcript.fromAnthropic({ prompt: said }).content)
      }
    }
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
