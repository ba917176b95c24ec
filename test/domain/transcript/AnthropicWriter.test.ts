/** Tests writing conversations as messages for Anthropic's API. */
import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { Prompt } from "effect/ai"
import * as Transcript from "#domain/transcript/Transcript"
import { assistant, call, conversation, result, system, text, tool, user } from "../../support/conversation.ts"

const cached = { cache_control: { type: "ephemeral" } } as const
const cachedOptions = { options: { anthropic: cached } }

/** Reads messages, stores and loads the conversation, and writes it again. */
const again = (log: Transcript.AnthropicLog): Transcript.AnthropicHistory => {
  const stored = JSON.stringify(Schema.encodeSync(Prompt.Prompt)(Transcript.fromAnthropic(log)))
  return Transcript.toAnthropic(Schema.decodeSync(Prompt.Prompt)(JSON.parse(stored)))
}

describe("toAnthropic", () => {
  it("9.2 puts the results first in the next user message, with is_error, and merges neighbours of one role", () => {
    assert.deepStrictEqual(
      Transcript.toAnthropic(
        conversation(
          system("be brief"),
          user("hi"),
          user("there"),
          assistant(text("Let me see.")),
          assistant(call("a"), call("b", "read", '{"cut')),
          tool(result("a", { rows: [1] })),
          tool({ ...result("b", "no"), isFailure: true }),
          user("go on"),
          system("in French")
        )
      ),
      {
        system: [
          { type: "text", text: "be brief" },
          { type: "text", text: "in French" }
        ],
        messages: [
          {
            role: "user",
            content: [
              { type: "text", text: "hi" },
              { type: "text", text: "there" }
            ]
          },
          {
            role: "assistant",
            content: [
              { type: "text", text: "Let me see." },
              { type: "tool_use", id: "a", name: "search", input: { q: "a" } },
              { type: "tool_use", id: "b", name: "read", input: { malformed_arguments: '{"cut' } }
            ]
          },
          {
            role: "user",
            content: [
              { type: "tool_result", tool_use_id: "a", content: '{"rows":[1]}' },
              { type: "tool_result", tool_use_id: "b", content: "no", is_error: true },
              { type: "text", text: "go on" }
            ]
          }
        ]
      }
    )
  })

  it("9.2 puts the results first if the user wrote before them", () => {
    const { messages } = Transcript.toAnthropic(conversation(assistant(call("a")), user("wait"), tool(result("a"))))
    assert.deepStrictEqual(messages[1], {
      role: "user",
      content: [
        { type: "tool_result", tool_use_id: "a", content: "result of a" },
        { type: "text", text: "wait" }
      ]
    })
  })

  it("9.2 omits the citations of a user's text, and keeps the citations of the model's text", () => {
    const cited = Prompt.textPart({ text: "x", options: { anthropic: { citations: [{ type: "char_location" }] } } })
    assert.deepStrictEqual(
      Transcript.toAnthropic(conversation(Prompt.userMessage({ content: [cited] }), assistant(cited))).messages,
      [
        { role: "user", content: "x" },
        { role: "assistant", content: [{ type: "text", text: "x", citations: [{ type: "char_location" }] }] }
      ]
    )
  })

  it("9.2 restores malformed arguments to their original text", () => {
    const prompt = conversation(
      assistant(call("a", "search", '{"q":'), call("b", "search", { malformed_arguments: "{}" }))
    )
    assert.deepStrictEqual(Transcript.fromAnthropic(Transcript.toAnthropic(prompt)), prompt)
  })

  it("9.2 sends images and documents of supported types, and names other files", () => {
    const file = (mediaType: string, data: Prompt.FilePart["data"], fileName?: string) =>
      Prompt.filePart({ mediaType, data, ...(fileName === undefined ? {} : { fileName }) })
    const [message] = Transcript.toAnthropic(
      conversation(
        Prompt.userMessage({
          content: [
            file("image/png", new Uint8Array([1, 2, 3])),
            file("image/*", "/9j/AQID"),
            file("image/*", "data:image/gif;base64,R0lGODlh"),
            file("image/png", new URL("https://example.com/a.png")),
            file("image/svg+xml", "AQID", "a.svg"),
            file("application/pdf", "AQID", "a.pdf"),
            file("application/pdf", "https://example.com/a.pdf"),
            file("text/csv", new TextEncoder().encode("é;1"), "a.csv"),
            file("audio/wav", "AQID"),
            file("application/zip", new URL("https://example.com/a.zip"))
          ]
        })
      )
    ).messages
    const image = (media_type: string, data: string) => ({
      type: "image",
      source: { type: "base64", media_type, data }
    })
    assert.deepStrictEqual(message as unknown, {
      role: "user",
      content: [
        image("image/png", "AQID"),
        image("image/jpeg", "/9j/AQID"),
        image("image/gif", "R0lGODlh"),
        { type: "image", source: { type: "url", url: "https://example.com/a.png" } },
        { type: "text", text: "[image/svg+xml a.svg omitted]" },
        {
          type: "document",
          source: { type: "base64", media_type: "application/pdf", data: "AQID" },
          title: "a.pdf"
        },
        { type: "document", source: { type: "url", url: "https://example.com/a.pdf" } },
        { type: "document", source: { type: "text", media_type: "text/plain", data: "é;1" }, title: "a.csv" },
        { type: "text", text: "[audio/wav omitted]" },
        { type: "text", text: "[application/zip https://example.com/a.zip]" }
      ]
    })
  })

  it("5.6 writes further parts of a result as blocks in it", () => {
    const image = Prompt.filePart({ mediaType: "image/png", data: "AQID" })
    const part = { ...result("a", { w: 1 }), modelOutput: [text("320px"), image] }
    assert.deepStrictEqual(
      Transcript.toAnthropic(conversation(assistant(call("a")), tool(part))).messages[1]?.content,
      [
        {
          type: "tool_result",
          tool_use_id: "a",
          content: [
            { type: "text", text: "320px" },
            { type: "image", source: { type: "base64", media_type: "image/png", data: "AQID" } }
          ]
        }
      ]
    )
  })

  it("9.2 writes cache_control of parts and messages, including under the name of @effect/ai-anthropic", () => {
    const theirs = { anthropic: { cacheControl: { type: "ephemeral", ttl: "1h" } } } as const
    const history = Transcript.toAnthropic(
      conversation(
        Prompt.systemMessage({ content: "s", ...cachedOptions }),
        Prompt.userMessage({ content: [text("a"), text("b")], options: theirs }),
        assistant({ ...call("c"), ...cachedOptions }, Prompt.reasoningPart({ text: "hm" })),
        tool({ ...result("c"), ...cachedOptions })
      )
    )
    assert.deepStrictEqual(history as unknown, {
      system: [{ type: "text", text: "s", ...cached }],
      messages: [
        {
          role: "user",
          content: [
            { type: "text", text: "a" },
            { type: "text", text: "b", cache_control: { type: "ephemeral", ttl: "1h" } }
          ]
        },
        { role: "assistant", content: [{ type: "tool_use", id: "c", name: "search", input: { q: "c" }, ...cached }] },
        { role: "user", content: [{ type: "tool_result", tool_use_id: "c", content: "result of c", ...cached }] }
      ]
    })
    const info = { type: "thinking", signature: "sig" } as const
    const signed = Prompt.reasoningPart({ text: "hm", options: { anthropic: { info } } })
    assert.deepStrictEqual(Transcript.toAnthropic(conversation(assistant(signed))).messages[0]?.content, [
      { type: "thinking", thinking: "hm", signature: "sig" }
    ])
  })

  it("9.2 writes a single system text as a text, and no message without blocks", () => {
    const request = Prompt.toolApprovalRequestPart({ approvalId: "q", toolCallId: "a" })
    const unseen = Prompt.assistantMessage({ content: [request], ...cachedOptions })
    assert.deepStrictEqual(Transcript.toAnthropic(conversation(system("be brief"), user("hi"), unseen)), {
      system: "be brief",
      messages: [{ role: "user", content: "hi" }]
    })
  })

  it("9.2 preserves signatures, citations, blocks of unknown types and calls of the provider", () => {
    const log: Transcript.AnthropicLog = {
      system: [{ type: "text", text: "be brief", ...cached }],
      messages: [
        {
          role: "user",
          content: [
            { type: "text", text: "look", ...cached },
            { type: "image", source: { type: "url", url: "https://example.com/a.png" }, ...cached },
            {
              type: "document",
              source: { type: "text", media_type: "text/plain", data: "Grüße" },
              title: "a",
              context: "b",
              citations: { enabled: true }
            },
            { type: "document", source: { type: "file", file_id: "file_1" } },
            { type: "search_result", source: "x", title: "t", content: [{ type: "text", text: "found" }] },
            { type: "container_upload", file_id: "file_2" }
          ]
        },
        {
          role: "assistant",
          content: [
            { type: "thinking", thinking: "hm", signature: "sig-1" },
            { type: "redacted_thinking", data: "hidden" },
            { type: "thinking", thinking: "", signature: "sig-2" },
            { type: "text", text: "I see", citations: [{ type: "char_location", cited_text: "G" }] },
            { type: "server_tool_use", id: "srvtoolu_1", name: "web_search", input: { query: "x" } },
            {
              type: "web_search_tool_result",
              tool_use_id: "srvtoolu_1",
              content: { type: "web_search_tool_result_error", error_code: "unavailable" }
            },
            { type: "mcp_tool_use", id: "mcptoolu_1", name: "echo", server_name: "s", input: {} },
            {
              type: "mcp_tool_result",
              tool_use_id: "mcptoolu_1",
              is_error: false,
              content: [{ type: "text", text: "hi" }]
            },
            { type: "tool_use", id: "a", name: "search", input: { q: 1 }, ...cached }
          ]
        },
        {
          role: "user",
          content: [
            {
              type: "tool_result",
              tool_use_id: "a",
              content: [
                { type: "text", text: "one", ...cached },
                { type: "image", source: { type: "base64", media_type: "image/png", data: "AQID" } },
                { type: "tool_reference", tool_name: "x" }
              ],
              is_error: true,
              ...cached
            }
          ]
        }
      ]
    }
    assert.deepStrictEqual(again(log) as unknown, log)
    const { changes } = Transcript.repairForAnthropic(Transcript.fromAnthropic(log))
    // repair removes only cache_control marks, because the log has more than the API accepts
    assert.deepStrictEqual(
      changes.map(({ _tag }) => _tag),
      ["MarksLeftOut"]
    )
  })

  it("9.2 writes only the text of a block of an unknown type for other providers", () => {
    const prompt = Transcript.fromAnthropic([
      {
        role: "user",
        content: [
          { type: "search_result", source: "x", title: "t", content: [{ type: "text", text: "found" }] },
          { type: "container_upload", file_id: "file_2" }
        ]
      }
    ])
    assert.deepStrictEqual(Transcript.toOpenAi(prompt), [
      { role: "user", content: "found\n[container_upload omitted]" }
    ])
  })

  it("9.2 sends only the text of a block of an unknown type if the text was changed", () => {
    const prompt = Transcript.fromAnthropic([{ role: "user", content: [{ type: "odd", text: "my secret" }] }])
    const redacted = Prompt.fromMessages(
      prompt.content.map((message) =>
        message.role === "user"
          ? Prompt.userMessage({
              content: message.content.map((part) => (part.type === "text" ? { ...part, text: "my ***" } : part))
            })
          : message
      )
    )
    assert.deepStrictEqual(Transcript.toAnthropic(redacted).messages, [{ role: "user", content: "my ***" }])
  })
})
