import { assert, describe, it } from "@effect/vitest"
import { Prompt } from "effect/ai"
import * as Transcript from "#domain/transcript/Transcript"
import { assistant, call, conversation, result, system, text, tool, user } from "../../support/conversation.ts"

const file = (mediaType: string, data: Prompt.FilePart["data"], fileName?: string) =>
  Prompt.filePart({ mediaType, data, ...(fileName === undefined ? {} : { fileName }) })
const toolCall = (id: string, name: string, args: string) => ({
  id,
  type: "function" as const,
  function: { name, arguments: args }
})

describe("toOpenAi", () => {
  it("9.1 binds each result to its call by tool_call_id, and writes texts verbatim and other values as JSON", () => {
    assert.deepStrictEqual(
      Transcript.toOpenAi(
        conversation(
          system("be brief"),
          user("hi"),
          assistant(text("let me "), text("see"), call("a"), call("b", "read", '{"cut')),
          tool(result("a", '{"status": "ok"}'), result("b", { rows: [1] })),
          assistant(Prompt.reasoningPart({ text: "hm" }), call("c", "stop", {}))
        )
      ),
      [
        { role: "system", content: "be brief" },
        { role: "user", content: "hi" },
        {
          role: "assistant",
          content: "let me see",
          tool_calls: [toolCall("a", "search", '{"q":"a"}'), toolCall("b", "read", '{"cut')]
        },
        { role: "tool", tool_call_id: "a", content: '{"status": "ok"}' },
        { role: "tool", tool_call_id: "b", content: '{"rows":[1]}' },
        { role: "assistant", content: null, tool_calls: [toolCall("c", "stop", "{}")] }
      ]
    )
  })

  it("9.2 sends images, audio, text and other files in the forms that the format supports", () => {
    const bytes = new TextEncoder().encode("héllo")
    const [message] = Transcript.toOpenAi(
      conversation(
        Prompt.userMessage({
          content: [
            text("look"),
            file("image/png", new Uint8Array([1, 2, 3])),
            file("image/*", "AQID"),
            file("image/png", new URL("https://example.com/a.png")),
            file("image/png", "data:image/png;base64,AQID"),
            file("audio/mpeg", "AQID"),
            file("text/plain", bytes),
            file("application/pdf", "AQID", "a.pdf"),
            file("application/pdf", new URL("https://example.com/a.pdf"))
          ]
        })
      )
    )
    assert.deepStrictEqual(message, {
      role: "user",
      content: [
        { type: "text", text: "look" },
        { type: "image_url", image_url: { url: "data:image/png;base64,AQID" } },
        { type: "image_url", image_url: { url: "data:image/png;base64,AQID" } },
        { type: "image_url", image_url: { url: "https://example.com/a.png" } },
        { type: "image_url", image_url: { url: "data:image/png;base64,AQID" } },
        { type: "input_audio", input_audio: { data: "AQID", format: "mp3" } },
        { type: "text", text: "héllo" },
        { type: "file", file: { filename: "a.pdf", file_data: "data:application/pdf;base64,AQID" } },
        { type: "text", text: "[application/pdf https://example.com/a.pdf]" }
      ]
    })
  })

  it("9.2 leaves out calls that the provider ran, and names a file without a name", () => {
    const own = Prompt.toolCallPart({ id: "p", name: "web", params: {}, providerExecuted: true })
    const ownResult = { ...result("p", "found", "web"), providerExecuted: true }
    assert.deepStrictEqual(
      Transcript.toOpenAi(
        conversation(
          assistant(own, ownResult, text("ok")),
          Prompt.userMessage({
            content: [
              file("application/pdf", new Uint8Array([1, 2, 3])),
              file("text/plain", "AQID"),
              file("audio/x-wav", "data:audio/wav;base64,AQID")
            ]
          })
        )
      ),
      [
        { role: "assistant", content: "ok" },
        {
          role: "user",
          content: [
            { type: "file", file: { filename: "file", file_data: "data:application/pdf;base64,AQID" } },
            { type: "file", file: { filename: "file", file_data: "data:text/plain;base64,AQID" } },
            { type: "input_audio", input_audio: { data: "AQID", format: "wav" } }
          ]
        }
      ]
    )
  })

  it("5.6 puts the text of a result's further parts into the tool message, and a note for each file", () => {
    const part = { ...result("a", { w: 1 }), modelOutput: [text("320px"), file("image/png", "AQID", "shot.png")] }
    assert.deepStrictEqual(Transcript.toOpenAi(conversation(tool(part))), [
      { role: "tool", tool_call_id: "a", content: "320px\n[image/png shot.png omitted]" }
    ])
  })
})

describe("fromOpenAi", () => {
  it("9.2 reads a log, and names each result after its call", () => {
    const log = [
      { role: "developer", content: "be brief" },
      {
        role: "user",
        content: [
          { type: "text", text: "hi" },
          { type: "image_url", image_url: { url: "https://e.com/a" } }
        ]
      },
      {
        role: "assistant",
        content: "",
        tool_calls: [toolCall("a", "search", '{ "q": 1 }'), toolCall("b", "read", "{")]
      },
      {
        role: "tool",
        tool_call_id: "a",
        content: [
          { type: "text", text: "one" },
          { type: "text", text: "two" }
        ]
      },
      { role: "tool", tool_call_id: "b", content: "", is_error: true },
      { role: "assistant", content: null, refusal: "I will not", reasoning_content: "hm" }
    ]
    const prompt = Transcript.fromOpenAi(log)
    assert.deepStrictEqual(prompt.content, [
      system("be brief"),
      Prompt.userMessage({ content: [text("hi"), file("image/*", "https://e.com/a")] }),
      assistant(
        { ...call("a", "search", { q: 1 }), options: { openai: { arguments: '{ "q": 1 }' } } },
        call("b", "read", "{")
      ),
      tool(result("a", "one\ntwo"), { ...result("b", "", "read"), isFailure: true }),
      assistant(Prompt.reasoningPart({ text: "hm" }), text("I will not"))
    ])
  })

  it("9.2 reads legacy results: role function, user messages with an id, tool_result parts", () => {
    const prompt = Transcript.fromOpenAi([
      { role: "assistant", content: null, function_call: { name: "search", arguments: '{"q":1}' } },
      { role: "function", name: "search", content: "one" },
      {
        role: "assistant",
        content: [
          { type: "text", text: "and" },
          { type: "tool_use", id: "b", name: "read", input: { p: 1 } }
        ]
      },
      {
        role: "user",
        content: [
          { type: "tool_result", tool_use_id: "b", content: [{ type: "text", text: "two" }], is_error: true },
          { type: "text", text: "go on" }
        ]
      },
      { role: "assistant", tool_calls: [toolCall("c", "read", "{}")] },
      { role: "user", tool_call_id: "c", content: "three" }
    ])
    assert.deepStrictEqual(Transcript.repair(prompt).prompt.content, [
      assistant(call("call_3", "search", { q: 1 })),
      tool(result("call_3", "one")),
      assistant(text("and"), call("b", "read", { p: 1 })),
      tool({ ...result("b", "two", "read"), isFailure: true }),
      user("go on"),
      assistant(call("c", "read", {})),
      tool(result("c", "three", "read"))
    ])
  })

  it("9.2 reads calls whose arguments are missing or a value", () => {
    const none = { openai: { arguments: "" } }
    const calls = [{ name: "a" }, { name: "b", arguments: null }, { name: "c", arguments: { q: 1 } }, {}]
    const { content } = Transcript.fromOpenAi([
      { role: "assistant", tool_calls: calls.map((each, n) => ({ id: `${n}`, function: each })) },
      { role: "assistant", function_call: { arguments: "{}" } },
      { role: "assistant", function_call: { name: "d", arguments: "{}" } }
    ])
    assert.deepStrictEqual(content, [
      assistant(
        { ...call("0", "a", {}), options: none },
        { ...call("1", "b", {}), options: none },
        call("2", "c", { q: 1 }),
        { ...call("3", "", {}), options: none }
      ),
      assistant(),
      assistant(call("", "d", {}))
    ])
  })

  it("9.2 reads the reasoning of each server, before the text", () => {
    const { content } = Transcript.fromOpenAi([
      { role: "assistant", content: "a", reasoning: "hm" },
      { role: "assistant", content: "b", reasoning_content: "so", reasoning: "hm" }
    ])
    const thought = (said: string) => Prompt.reasoningPart({ text: said })
    assert.deepStrictEqual(content, [assistant(thought("hm"), text("a")), assistant(thought("so"), text("b"))])
  })

  it("9.2 reads a content that is missing, a value or a list of other values as a text", () => {
    const { content } = Transcript.fromOpenAi([
      { role: "user", content: null },
      { role: "user" },
      { role: "user", content: 7 },
      { role: "user", content: [{ a: 1 }] },
      "hi"
    ])
    const none = Prompt.userMessage({ content: [] })
    assert.deepStrictEqual(content, [none, none, user("7"), user('[{"a":1}]'), user("hi")])
  })

  it("9.2 reads the messages of a request rather than its history, and instructions that are not empty", () => {
    const history = [{ role: "user", content: "history" }]
    const messages = [{ role: "user", content: "messages" }]
    assert.deepStrictEqual(Transcript.fromOpenAi({ messages, chat_history: history } as never).content, [
      user("messages")
    ])
    assert.deepStrictEqual(Transcript.fromOpenAi({ chat_history: history, preamble: "" }).content, [user("history")])
    assert.deepStrictEqual(Transcript.fromOpenAi({ messages: "none" } as never).content, [])
  })

  it("9.1 names results after the calls that share an id, in their order or by their own names", () => {
    const calls = ["a", "b", "c"].map((name) => toolCall("x", name, "{}"))
    const named = (...names: ReadonlyArray<string | undefined>) =>
      Transcript.fromOpenAi([
        { role: "assistant", tool_calls: calls },
        ...names.map((name) => ({
          role: "tool",
          tool_call_id: "x",
          content: "",
          ...(name === undefined ? {} : { name })
        }))
      ]).content.flatMap(({ content, role }) => (role === "tool" ? content : []))
    const namesOf = (...names: ReadonlyArray<string | undefined>) =>
      named(...names).map((part) => part.type === "tool-result" && part.name)
    assert.deepStrictEqual(namesOf(undefined, undefined, undefined), ["a", "b", "c"])
    assert.deepStrictEqual(namesOf("b", undefined, undefined, undefined), ["b", "a", "c", "c"])
    assert.deepStrictEqual(namesOf("z", undefined), ["z", "a"])
    assert.deepStrictEqual(Transcript.fromOpenAi([{ role: "tool", name: "search", content: "found" }]).content, [
      tool(result("", "found"))
    ])
    assert.deepStrictEqual(Transcript.fromOpenAi([{ role: "tool", tool_call_id: "y", content: "found" }]).content, [
      tool(result("y", "found", "unknown"))
    ])
  })

  it("9.4 reads malformed messages without failing", () => {
    const junk = [null, 7, "x", [], {}, { role: "tool" }, { role: "assistant", tool_calls: [null, { function: 3 }] }]
    const more = [
      { role: "user", content: [null, 3, { type: "image_url" }] },
      { role: "system" },
      { role: "user", content: { a: 1 } }
    ]
    const { prompt } = Transcript.repair(Transcript.fromOpenAi([...junk, ...more]))
    assert.deepStrictEqual(Transcript.validate(prompt), [])
  })
})
