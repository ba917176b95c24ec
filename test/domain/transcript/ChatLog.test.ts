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
