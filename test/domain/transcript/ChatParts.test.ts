/** Tests reading and writing the parts of messages in the chat completions format. */
import { assert, describe, it } from "@effect/vitest"
import { Prompt } from "effect/ai"
import * as Transcript from "#domain/transcript/Transcript"
import { assistant, call, conversation, result, text, tool, user } from "../../support/conversation.ts"

const contentOf = (content: unknown, role = "user"): unknown =>
  Transcript.fromOpenAi([{ role, content }]).content[0]?.content
const file = (mediaType: string, data: string, fileName?: string) =>
  Prompt.filePart({ mediaType, data, ...(fileName === undefined ? {} : { fileName }) })

describe("parts of chat messages", () => {
  it("9.2 sounds and files are read with their type and name", () => {
    assert.deepStrictEqual(
      contentOf([
        { type: "input_audio", input_audio: { data: "AQID", format: "mp3" } },
        { type: "input_audio", input_audio: { data: "AQID", format: "wav" } },
        { type: "file", file: { file_data: "data:application/pdf;base64,AQID", filename: "a.pdf" } },
        { type: "file", file: { file_data: "AQID" } },
        { type: "image_url", image_url: "https://e.com/a" },
        { type: "image_url", image_url: { url: "data:image/gif;base64,R0lGOD" } }
      ]),
      [
        file("audio/mpeg", "AQID"),
        file("audio/wav", "AQID"),
        file("application/pdf", "data:application/pdf;base64,AQID", "a.pdf"),
        file("application/octet-stream", "AQID"),
        file("image/*", "https://e.com/a"),
        file("image/gif", "data:image/gif;base64,R0lGOD")
      ]
    )
  })

  it("9.2 an image without a declared type gets the type of its content", () => {
    const { content } = Transcript.fromOpenAi([
      { role: "user", content: "look", images: ["iVBORw0KGgo", "/9j/", "R0lGODlh", "UklGRA", "AQID"] }
    ])
    assert.deepStrictEqual<unknown>(content[0]?.content, [
      text("look"),
      file("image/png", "iVBORw0KGgo"),
      file("image/jpeg", "/9j/"),
      file("image/gif", "R0lGODlh"),
      file("image/webp", "UklGRA"),
      file("image/*", "AQID")
    ])
  })

  it("9.4 an address of any scheme is written as it was read", () => {
    for (const url of ["gs://bucket/a.png", "s3://bucket/a.png", "HTTPS://e.com/a"]) {
      const read = Transcript.fromOpenAi([{ role: "user", content: "look", images: [url] }])
      assert.deepStrictEqual(Transcript.toOpenAi(read)[0]?.content, [
        { type: "text", text: "look" },
        { type: "image_url", image_url: { url } }
      ])
    }
  })

  it("9.2 texts of an assistant are joined by line breaks, without empty ones, up to another part", () => {
    const said = (...texts: ReadonlyArray<string>) => texts.map((each) => ({ type: "text", text: each }))
    assert.deepStrictEqual(contentOf(said("a", "", "b"), "assistant"), [text("a\nb")])
    assert.deepStrictEqual(contentOf(said("", "b", "c"), "assistant"), [text("b\nc")])
    assert.deepStrictEqual(contentOf(said("", ""), "assistant"), [])
    const use = { type: "tool_use", id: "a", name: "search", input: { q: "a" } }
    assert.deepStrictEqual(contentOf([...said("a"), use, ...said("b")], "assistant"), [text("a"), call("a"), text("b")])
  })

  it("9.2 a list is read part by part only if it consists of parts", () => {
    assert.deepStrictEqual(contentOf(["a", { type: "text", text: "b" }, { text: "c" }]), [
      text("a"),
      text("b"),
      text("c")
    ])
    assert.deepStrictEqual(contentOf(["a", 3]), [text('["a",3]')])
    for (const part of [
      { type: "thinking", thinking: 3 },
      { type: "note", thinking: "hm" }
    ]) {
      assert.deepStrictEqual(contentOf([part], "assistant"), [text(JSON.stringify(part))])
    }
  })

  it("9.2 a result that is a list of texts is read as their lines, without empty ones", () => {
    const found = (content: unknown) =>
      Transcript.fromOpenAi([{ role: "tool", tool_call_id: "a", name: "search", content }]).content
    assert.deepStrictEqual(found(["a", { text: "" }, { type: "text", text: "b" }, { text: "c" }]), [
      tool(result("a", "a\nb\nc"))
    ])
    for (const data of [["a", 1], [1], { text: "a", n: 1 }]) {
      assert.deepStrictEqual(found(data), [tool(result("a", JSON.stringify(data)))])
    }
    for (const none of [null, undefined]) assert.deepStrictEqual(found(none), [tool(result("a", ""))])
  })

  it("9.4 a message without images says so in any form", () => {
    for (const images of [null, [], undefined]) {
      assert.deepStrictEqual(Transcript.fromOpenAi([{ role: "user", content: "hi", images }]).content, [user("hi")])
    }
  })

  it("9.2 results in an assistant message follow it", () => {
    const { content } = Transcript.fromOpenAi([
      {
        role: "assistant",
        content: [
          { type: "tool_use", id: "a", name: "search", input: { q: "a" } },
          { type: "tool_result", tool_use_id: "a", content: "found" }
        ]
      }
    ])
    assert.deepStrictEqual(content, [assistant(call("a")), tool(result("a", "found"))])
  })

  it("9.2 thinking and calls in a user message move to an assistant message after it", () => {
    const thinking = { type: "thinking", thinking: "hm", signature: "s" }
    const thought = Prompt.reasoningPart({ text: "hm", options: { anthropic: { type: "thinking", signature: "s" } } })
    const { content } = Transcript.fromOpenAi([{ role: "user", content: [thinking, { type: "text", text: "hi" }] }])
    assert.deepStrictEqual(content, [user("hi"), assistant(thought)])
  })

  it("9.4 an invalid image of a message with a result and a call is reported once, with the result", () => {
    const { content } = Transcript.fromOpenAi([
      { role: "assistant", content: [{ type: "tool_use", id: "a", name: "search", input: { q: "a" } }] },
      {
        role: "user",
        images: [1],
        content: [
          { type: "tool_result", tool_use_id: "a", content: "found" },
          { type: "tool_use", id: "b", name: "search", input: { q: "b" } }
        ]
      },
      { role: "user", images: [1], content: [{ type: "tool_use", id: "c", name: "search", input: { q: "c" } }] }
    ])
    const options = { toolguard: { read: ["ImageLeftOut"] } } as const
    assert.deepStrictEqual(content, [
      assistant(call("a")),
      Prompt.toolMessage({ content: [result("a", "found")], options }),
      assistant(call("b")),
      Prompt.assistantMessage({ content: [call("c")], options })
    ])
  })

  it("9.2 answers to approvals are not written", () => {
    const response = Prompt.toolApprovalResponsePart({ approvalId: "p", approved: true })
    assert.deepStrictEqual(Transcript.toOpenAi(conversation(tool(response, result("a", "found")))), [
      { role: "tool", tool_call_id: "a", content: "found" }
    ])
  })
})
