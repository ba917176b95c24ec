/** Tests reading calls and results that Anthropic's older models wrote as XML in texts. */
import { assert, describe, it } from "@effect/vitest"
import { Prompt } from "effect/ai"
import * as Transcript from "#domain/transcript/Transcript"
import { assistant, call, conversation, result, text, tool, user } from "../../support/conversation.ts"

describe("calls in texts", () => {
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

  it("9.2 reads XML calls and results of any layout, and keeps the text before them", () => {
    const read = (said: string, found: string, fields: object = {}) =>
      Transcript.fromAnthropic([
        { role: "assistant", content: [{ type: "text", text: said, ...fields }] },
        { role: "user", content: found }
      ]).content
    const one = `<function_results>${given("search", "1")}</function_results>`
    const searched = (params: object, ...before: ReadonlyArray<Prompt.TextPart>) => [
      assistant(...before, call("", "search", params)),
      tool(result("", "1"))
    ]
    // white space around the tags, and a call after a text
    assert.deepStrictEqual(
      read(`<function_calls>\n${invoke("search", "")}\n</function_calls>\n`, `\n${one}\n`),
      searched({})
    )
    const cache_control = { type: "ephemeral" }
    const before = Prompt.textPart({ text: "Let me see.", options: { anthropic: { cache_control } } })
    assert.deepStrictEqual(
      read(`Let me see. \n<function_calls>${invoke("search", "<a>1</a>")}`, one, { cache_control }),
      searched({ a: "1" }, before)
    )
    // attributes, and elements that are not closed or have no valid name
    const named = (params: string) => `<function_calls><invoke name="search">${params}</invoke>`
    assert.deepStrictEqual(read(named('<parameter name="a">1</parameter><parameter name="b">2</parameter>'), one), [
      assistant(call("", "search", { a: "1", b: "2" })),
      tool(result("", "1"))
    ])
    assert.deepStrictEqual(
      read(`<function_calls>${invoke("search", "<a>1</a><b>2<c>3</c>")}`, one),
      searched({ a: "1" })
    )
    assert.deepStrictEqual(
      read(`<function_calls>${invoke(" search ", "<1>x</1><a>\n1\n</a>")}`, one),
      searched({ a: "\n1\n" })
    )
    // a result without a name has the name of its call
    const bare = "<function_results><result>\n two \n</result></function_results>"
    assert.deepStrictEqual(read(named(""), bare), [assistant(call("", "search", {})), tool(result("", "two"))])
    const nameless = read("<function_calls><invoke></invoke>", bare)
    assert.deepStrictEqual(nameless, [assistant(call("", "", {})), tool(result("", "two", ""))])
    // only the last calls of a text are read, and the elements of results need not be closed
    const twice = read(`<function_calls></function_calls>${named("")}`, one.replace("</function_results>", ""))
    assert.deepStrictEqual(twice, [
      assistant(text("<function_calls></function_calls>"), call("", "search", {})),
      tool(result("", "1"))
    ])
  })

  it("9.2 keeps XML calls whose results are in several texts or in an assistant message", () => {
    const calls = { role: "assistant", content: `<function_calls>${invoke("search", "")}` }
    const results = `<function_results>${given("search", "1")}</function_results>`
    for (const next of [
      { role: "user", content: [results, "and?"].map((each) => ({ type: "text", text: each })) },
      { role: "user", content: `See: ${results}` },
      { role: "assistant", content: results }
    ]) {
      const { content } = Transcript.fromAnthropic([calls, next])
      assert.deepStrictEqual(content[0], assistant(text(calls.content)))
      assert.strictEqual(content[1]?.role, next.role)
    }
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
})
