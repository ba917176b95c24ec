/** Tests reading single parts of Rig's messages. */
import { assert, describe, it } from "@effect/vitest"
import { Prompt } from "effect/ai"
import * as Transcript from "#domain/transcript/Transcript"
import { assistant, text } from "../../support/conversation.ts"

describe("parts of Rig", () => {
  it("9.5 reasoning without a signature or data is kept as far as it can be read", () => {
    const thoughts = (...content: ReadonlyArray<unknown>) => {
      const [message] = Transcript.fromOpenAi([{ role: "assistant", content }]).content
      return message?.role === "assistant" ? message.content : []
    }
    const thought = (said: string, options = {}) => Prompt.reasoningPart({ text: said, options })
    assert.deepStrictEqual(thoughts({ reasoning: ["a", 3, "b"], signature: "" }), [thought("a\nb")])
    assert.deepStrictEqual(thoughts({ type: "reasoning", reasoning: ["a"], signature: 3 }), [thought("a")])
    assert.deepStrictEqual(thoughts({ content: [{ type: "redacted", content: { data: 3 } }] }), [
      thought("", { rig: { redacted: { data: 3 } } })
    ])
    // a text, and a list whose entries have no type, are not reasoning
    assert.deepStrictEqual(thoughts({ text: "t", reasoning: ["a"] }), [text("t")])
    assert.deepStrictEqual(thoughts({ type: "text", text: "t", content: [{ type: "text" }] }), [text("t")])
  })

  it("9.2 a file without readable content is kept as its JSON", () => {
    const parts = [
      { type: "image", data: { type: "raw", value: [256] } },
      { type: "image", data: { type: "raw", value: [-1] } },
      { type: "image", data: { type: "raw", value: [0, 1.5] } },
      { type: "image", data: { type: "raw", value: "AQID" } },
      { type: "image", data: { type: "base64", value: "" } },
      { type: "image", data: 3 },
      { type: "model", data: "AQID" }
    ]
    for (const part of parts) {
      const [message] = Transcript.fromOpenAi([{ role: "user", content: [part] }]).content
      assert.deepStrictEqual<unknown>(message?.content, [text(JSON.stringify(part))])
    }
  })

  it("9.2 a file gets the type of its kind if its own type is unknown", () => {
    const [message] = Transcript.fromOpenAi([
      {
        role: "user",
        content: [
          { data: "AQID" },
          { type: "image", data: "AQID", media_type: "PNG" },
          { type: "video", data: "AQID", media_type: "odd" },
          { type: "document", data: "AQID" },
          { type: "image", data: { type: "raw", value: [0, 255] } },
          { type: "document", data: { type: "string", value: "a" }, media_type: "pdf" }
        ]
      }
    ]).content
    const file = (mediaType: string, data: string | Uint8Array) => Prompt.filePart({ mediaType, data })
    assert.deepStrictEqual(message?.content, [
      file("image/*", "AQID"),
      file("image/png", "AQID"),
      file("video/mp4", "AQID"),
      file("application/octet-stream", "AQID"),
      file("image/*", new Uint8Array([0, 255])),
      file("text/plain", new TextEncoder().encode("a"))
    ])
  })

  it("9.5 encrypted reasoning is kept under its type", () => {
    const [message] = Transcript.fromOpenAi([
      { role: "assistant", content: [{ id: "r", content: [{ type: "encrypted", content: "EqoB" }] }] }
    ]).content
    assert.deepStrictEqual(
      message,
      assistant(Prompt.reasoningPart({ text: "", options: { rig: { encrypted: "EqoB" } } }))
    )
  })
})
