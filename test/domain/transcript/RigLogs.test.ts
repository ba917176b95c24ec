/** Tests that conversations in Rig's JSON are read with all calls, results, texts and files. */
import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { Prompt } from "effect/ai"
import * as Transcript from "#domain/transcript/Transcript"
import { assistant, call, conversation, result, system, text, tool, user } from "../../support/conversation.ts"
import { anthropicError, openAiError } from "./exportChecks.ts"

const ask = { role: "user", content: [{ type: "text", text: "Which tables are there?" }] }
const calling = (id: string, fields: object = {}) => ({
  id,
  call_id: null,
  function: { name: "list_tables", arguments: { schema: "public" } },
  ...fields
})
const answer = (id: string, value: string, fields: object = {}) => ({
  role: "user",
  content: [{ type: "toolresult", id, content: [{ type: "text", text: value }], ...fields }]
})
const tables = '["_sqlx_migrations","users"]'
const log = [
  ask,
  { role: "assistant", id: null, content: [{ text: "Let me see." }, calling("call_1")] },
  answer("call_1", tables),
  { role: "assistant", id: null, content: [{ text: "Two tables." }] }
]
const called = call("call_1", "list_tables", { schema: "public" })

describe("logs of Rig", () => {
  it("9.2 calls, results and texts are read, and the conversation is valid", () => {
    const expected = conversation(
      user("Which tables are there?"),
      assistant(text("Let me see."), called),
      tool(result("call_1", tables, "list_tables")),
      assistant(text("Two tables."))
    )
    for (const prompt of [Transcript.fromOpenAi(log), Transcript.fromAnthropic(log)]) {
      assert.deepStrictEqual(prompt.content, expected.content)
      const repaired = Transcript.repair(prompt)
      assert.strictEqual(repaired.prompt, prompt)
      assert.deepStrictEqual(repaired.changes, [])
    }
  })

  it("9.2 a request with a preamble and a history is read", () => {
    const prompt = Transcript.fromOpenAi({ preamble: "Be brief.", chat_history: log })
    assert.deepStrictEqual(prompt.content, [system("Be brief."), ...Transcript.fromOpenAi(log).content])
  })

  it("9.2 both exports of a conversation are valid and read as the same conversation", () => {
    const prompt = Transcript.fromOpenAi(log)
    const messages = Transcript.toOpenAi(prompt)
    assert.strictEqual(openAiError(messages), undefined)
    assert.deepStrictEqual(Transcript.fromOpenAi(messages).content, prompt.content)
    const history = Transcript.toAnthropic(Transcript.repairForAnthropic(prompt).prompt)
    assert.strictEqual(anthropicError(history), undefined)
    assert.deepStrictEqual(Transcript.fromAnthropic(history).content, prompt.content)
  })

  it("9.5 the call_id is kept in the call and its result, and survives a checkpoint", () => {
    const prompt = Transcript.fromOpenAi([
      ask,
      { role: "assistant", content: [calling("fc_1", { call_id: "call_1" })] },
      answer("fc_1", tables, { call_id: "call_1" })
    ])
    const rig = { rig: { call_id: "call_1" } }
    const expected = [
      assistant({ ...call("fc_1", "list_tables", { schema: "public" }), options: rig }),
      tool({ ...result("fc_1", tables, "list_tables"), options: rig })
    ]
    assert.deepStrictEqual(prompt.content.slice(1), expected)
    assert.deepStrictEqual(Transcript.repair(prompt).changes, [])
    const stored = JSON.parse(JSON.stringify(Schema.encodeSync(Prompt.Prompt)(prompt)))
    assert.deepStrictEqual(Schema.decodeSync(Prompt.Prompt)(stored), prompt)
  })

  it("9.2 arguments may be a text, and a single part may appear without a list", () => {
    const prompt = Transcript.fromOpenAi([
      { role: "assistant", content: { id: "a", function: { name: "search", arguments: '{"q":"a"}' } } },
      { role: "user", content: { type: "toolresult", id: "a", content: { type: "text", text: "3 rows" } } }
    ])
    assert.deepStrictEqual(prompt.content, [assistant(call("a")), tool(result("a", "3 rows"))])
  })

  it("9.2 several calls of a message keep their order and their results", () => {
    const prompt = Transcript.fromOpenAi([
      { role: "assistant", content: [calling("a"), calling("b")] },
      { role: "user", content: [answer("b", "two").content[0], answer("a", "one").content[0]] }
    ])
    const { changes, prompt: repaired } = Transcript.repair(prompt)
    assert.deepStrictEqual(changes, [{ _tag: "ResultsReordered", message: 1 }])
    assert.deepStrictEqual(
      repaired.content[1],
      tool(result("a", "one", "list_tables"), result("b", "two", "list_tables"))
    )
  })

  it("9.1 (mission 002.16) the results of calls without an id, or with one id, keep the order of the calls", () => {
    const functions = ["list_tables", "read_table", "list_tables"].map((name) => ({ name, arguments: {} }))
    for (const id of ["", "x"]) {
      const rig = [
        { role: "assistant", content: functions.map((each) => ({ id, function: each })) },
        ...["1", "2", "3"].map((value) => answer(id, value))
      ]
      const openAi = [
        { role: "assistant", tool_calls: functions.map((each) => ({ id, function: { ...each, arguments: "{}" } })) },
        ...["1", "2", "3"].map((content) => ({ role: "tool", tool_call_id: id, content }))
      ]
      for (const one of [rig, openAi]) {
        const { changes, prompt } = Transcript.repair(Transcript.fromOpenAi(one))
        const results = prompt.content.flatMap(({ content, role }) => (role === "tool" ? content : []))
        assert.deepStrictEqual(
          results.map((part) => part.type === "tool-result" && [part.name, part.result]),
          [
            ["list_tables", "1"],
            ["read_table", "2"],
            ["list_tables", "3"]
          ]
        )
        assert.isFalse(changes.some(({ _tag }) => _tag === "ResultsReordered"))
      }
    }
  })

  it("9.4 a call without a result is answered as interrupted, and the user's sentence stays", () => {
    const { changes, prompt } = Transcript.repair(
      Transcript.fromOpenAi([ask, { role: "assistant", content: [calling("a")] }, ask])
    )
    assert.deepStrictEqual(changes, [{ _tag: "OrphanCallAnswered", message: 1, callId: "a" }])
    assert.deepStrictEqual(prompt.content.at(-1), user("Which tables are there?"))
  })

  it("9.5 reasoning of older and newer versions keeps its signature", () => {
    const signed = (signature: string) =>
      Prompt.reasoningPart({ text: "Hm.", options: { anthropic: { type: "thinking", signature } } })
    const { content } = Transcript.fromOpenAi([
      { role: "assistant", content: [{ id: null, reasoning: ["Hm."], signature: "s1" }, { text: "one" }] },
      {
        role: "assistant",
        content: [
          { id: null, content: [{ type: "text", content: { text: "Hm.", signature: "s2" } }] },
          {
            id: "r",
            content: [
              { type: "redacted", content: { data: "EqoB" } },
              { type: "summary", content: "Short." }
            ]
          },
          { text: "two" }
        ]
      }
    ])
    assert.deepStrictEqual(content, [
      assistant(signed("s1"), text("one")),
      assistant(
        signed("s2"),
        Prompt.reasoningPart({ text: "", options: { anthropic: { type: "redacted_thinking", data: "EqoB" } } }),
        Prompt.reasoningPart({ text: "Short." }),
        text("two")
      )
    ])
  })

  it("9.2 images, sounds and documents of both versions become files", () => {
    const [message] = Transcript.fromOpenAi([
      {
        role: "user",
        content: [
          { type: "image", data: "AQID", format: "base64", media_type: "png" },
          { type: "image", data: { type: "url", value: "https://e.com/a" }, media_type: "jpeg" },
          { type: "audio", data: { type: "base64", value: "AQID" }, media_type: "mp3" },
          { type: "image", data: { type: "raw", value: [1, 2, 3] }, media_type: "svg" },
          { type: "document", data: { type: "string", value: "a,b" }, media_type: "csv" }
        ]
      }
    ]).content
    const file = (mediaType: string, data: string | Uint8Array) => Prompt.filePart({ mediaType, data })
    assert.deepStrictEqual(message?.content, [
      file("image/png", "AQID"),
      file("image/jpeg", "https://e.com/a"),
      file("audio/mpeg", "AQID"),
      file("image/svg+xml", new Uint8Array([1, 2, 3])),
      file("text/csv", new TextEncoder().encode("a,b"))
    ])
  })

  it("9.2 a call without arguments or id is read, and fields without a value are not kept", () => {
    const { content } = Transcript.fromOpenAi([
      {
        role: "assistant",
        content: [
          { call_id: "c", signature: null, function: { name: "a" } },
          { id: "d", function: { name: "b", arguments: null } },
          { id: "e", signature: "s", additional_params: { n: 1 }, function: { name: "c", arguments: {} } }
        ]
      },
      { role: "user", content: [{ type: "toolresult", call_id: "c", content: "found" }] }
    ])
    const openai = { arguments: "" }
    assert.deepStrictEqual(content, [
      assistant(
        { ...call("c", "a", {}), options: { openai, rig: { call_id: "c" } } },
        { ...call("d", "b", {}), options: { openai } },
        { ...call("e", "c", {}), options: { rig: { signature: "s", additional_params: { n: 1 } } } }
      ),
      tool({ ...result("c", "found", "a"), options: { rig: { call_id: "c" } } })
    ])
  })

  it("9.2 an image in a result of an older version becomes a part of the result", () => {
    const content = [{ Image: { data: "AQID", media_type: "gif" } }, { Text: null }, { Image: null }]
    const found = (entries: ReadonlyArray<unknown>) =>
      Transcript.fromOpenAi([
        { role: "assistant", content: [calling("a")] },
        { role: "user", content: [{ type: "toolresult", id: "a", content: entries }] }
      ]).content[1]
    assert.deepStrictEqual(
      found(content.slice(0, 1)),
      tool({
        ...result("a", "", "list_tables"),
        modelOutput: [Prompt.filePart({ mediaType: "image/gif", data: "AQID" })]
      })
    )
    // entries without a text or an image are data
    assert.deepStrictEqual(found(content.slice(1)), tool(result("a", '[{"Text":null},{"Image":null}]', "list_tables")))
  })

  it("9.2 an image in a result becomes a part of the result", () => {
    const { content } = Transcript.fromOpenAi([
      { role: "assistant", content: [calling("a")] },
      {
        role: "user",
        content: [
          {
            type: "toolresult",
            id: "a",
            content: [{ Text: { text: "a chart" } }, { type: "image", data: "AQID", media_type: "png" }]
          }
        ]
      }
    ])
    const modelOutput = [text("a chart"), Prompt.filePart({ mediaType: "image/png", data: "AQID" })]
    assert.deepStrictEqual(content[1], tool({ ...result("a", "a chart", "list_tables"), modelOutput }))
  })
})
