/** Tests that names of authors, lists of images and unknown parts of a log are kept, and that changes are reported. */
import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { Prompt } from "effect/ai"
import * as Transcript from "#domain/transcript/Transcript"
import { assistant, call, conversation, result, system, text, tool, user } from "../../support/conversation.ts"
import { anthropicError, openAiError } from "./exportChecks.ts"

const png = "iVBORw0KGgoAAAA"
const file = (data: string, mediaType = "image/png") => Prompt.filePart({ mediaType, data })

describe("names of authors", () => {
  const log = [
    { role: "system", name: "host", content: "be brief" },
    { role: "user", name: "Ann", content: "hi" },
    { role: "assistant", name: "helper", content: "hello" },
    { role: "user", name: "Bob", content: "and me?" }
  ] as const

  it("9.4 of users, assistants and the system are the same after reading and writing", () => {
    const prompt = Transcript.fromOpenAi(log)
    assert.deepStrictEqual(Transcript.toOpenAi(prompt), log)
    assert.strictEqual(Transcript.repair(prompt).prompt, prompt)
    assert.strictEqual(openAiError(Transcript.toOpenAi(prompt)), undefined)
  })

  it("9.4 survive a checkpoint", () => {
    const prompt = Transcript.fromOpenAi(log)
    const stored = JSON.parse(JSON.stringify(Schema.encodeSync(Prompt.Prompt)(prompt)))
    assert.deepStrictEqual(Transcript.toOpenAi(Schema.decodeSync(Prompt.Prompt)(stored)), log)
  })

  it("9.4 lose the characters that the API does not accept, which is reported once", () => {
    const { changes, prompt } = Transcript.repair(
      Transcript.fromOpenAi([
        { role: "user", name: "Ann Lee/<x>", content: "hi" },
        { role: "user", name: "n".repeat(70), content: "hi" }
      ])
    )
    assert.deepStrictEqual(changes, [
      { _tag: "NameReplaced", message: 0, name: "Ann_Lee__x_", was: "Ann Lee/<x>" },
      { _tag: "NameReplaced", message: 1, name: "n".repeat(64), was: "n".repeat(70) }
    ])
    assert.deepStrictEqual(Transcript.validate(prompt), [])
    assert.strictEqual(Transcript.repair(prompt).prompt, prompt)
    assert.deepStrictEqual(
      Transcript.toOpenAi(prompt).map((message) => message.role === "user" && message.name),
      ["Ann_Lee__x_", "n".repeat(64)]
    )
  })

  it("9.4 are removed for Anthropic, which is reported", () => {
    const { changes, prompt } = Transcript.repairForAnthropic(Transcript.fromOpenAi(log))
    assert.deepStrictEqual(
      changes,
      ["host", "Ann", "helper", "Bob"].map((name, message) => ({ _tag: "NameLeftOut", message, name }))
    )
    assert.strictEqual(Transcript.repairForAnthropic(prompt).prompt, prompt)
    assert.strictEqual(anthropicError(Transcript.toAnthropic(prompt)), undefined)
  })

  it("9.4 are removed without the other options of their messages", () => {
    const message = (openai: { readonly [field: string]: string }) =>
      Prompt.userMessage({ content: [text("hi")], options: { openai } })
    const { prompt } = Transcript.repairForAnthropic(conversation(message({ name: "Ann", seed: "1" })))
    assert.deepStrictEqual(prompt.content, [message({ seed: "1" })])
    assert.deepStrictEqual(Transcript.repair(conversation(message({ name: "A b", seed: "1" }))).prompt.content, [
      message({ name: "A_b", seed: "1" })
    ])
  })

  it("9.1 that the API does not accept are violations", () => {
    const named = (name: string) => Prompt.userMessage({ content: [text("hi")], options: { openai: { name } } })
    const names = ["Ann", "", "n".repeat(64), "n".repeat(65), "A b", "a/b", "a\\b", "a|b", "<a", "a>"]
    assert.deepStrictEqual(
      Transcript.validate(conversation(...names.map(named))),
      [3, 4, 5, 6, 7, 8, 9].map((message) => ({ rule: "invalid name", message }))
    )
  })

  it("9.2 are kept when a log of Anthropic's shape has them", () => {
    const prompt = Transcript.fromAnthropic([{ role: "user", name: "Ann", content: "hi" }])
    assert.deepStrictEqual(Transcript.toOpenAi(prompt), [{ role: "user", name: "Ann", content: "hi" }])
  })
})

describe("lists of images", () => {
  const log = [
    { role: "system", content: "be brief", images: [png] },
    { role: "user", content: "look", images: [png, "https://e.com/a", "data:image/gif;base64,AQID"] },
    { role: "assistant", content: "like this", images: [png] }
  ]

  it("9.4 become parts, and the change is reported once for each message", () => {
    const read = Transcript.fromOpenAi(log)
    const { changes, prompt } = Transcript.repair(read)
    assert.deepStrictEqual(changes, [
      { _tag: "ImagesMoved", message: 1 },
      { _tag: "ImagesMoved", message: 2 },
      { _tag: "ImagesMoved", message: 3 }
    ])
    assert.deepStrictEqual(prompt.content, [
      system("be brief"),
      Prompt.userMessage({ content: [text("[Files of the system message:]"), file(png)] }),
      Prompt.userMessage({
        content: [
          text("look"),
          file(png),
          file("https://e.com/a", "image/*"),
          file("data:image/gif;base64,AQID", "image/gif")
        ]
      }),
      assistant(text("like this"), file(png))
    ])
    const second = Transcript.repair(prompt)
    assert.strictEqual(second.prompt, prompt)
    assert.deepStrictEqual(second.changes, [])
  })

  it("9.4 reach both providers, those of an assistant in a user message after it", () => {
    const { prompt } = Transcript.repair(Transcript.fromOpenAi(log))
    const messages = Transcript.toOpenAi(prompt)
    assert.strictEqual(openAiError(messages), undefined)
    assert.strictEqual(JSON.stringify(messages).split(png).length - 1, 3)
    assert.deepStrictEqual(messages.at(-1), {
      role: "user",
      content: [
        { type: "text", text: "[Files of the assistant's message:]" },
        { type: "image_url", image_url: { url: `data:image/png;base64,${png}` } }
      ]
    })
    const history = Transcript.toAnthropic(Transcript.repairForAnthropic(prompt).prompt)
    assert.strictEqual(anthropicError(history), undefined)
    assert.strictEqual(JSON.stringify(history).split(png).length - 1, 3)
  })

  it("9.4 of an assistant that calls a tool follow the result", () => {
    const prompt = conversation(user("u"), assistant(file(png), call("a")), tool(result("a")), assistant(text("done")))
    assert.deepStrictEqual(
      Transcript.toOpenAi(prompt).map(({ role }) => role),
      ["user", "assistant", "tool", "user", "assistant"]
    )
    assert.strictEqual(openAiError(Transcript.toOpenAi(prompt)), undefined)
    assert.strictEqual(anthropicError(Transcript.toAnthropic(prompt)), undefined)
  })

  it("9.4 of an assistant without a text follow a text that announces them", () => {
    const reasoning = Prompt.reasoningPart({ text: "hm" })
    for (const message of [assistant(file(png)), assistant(reasoning, file(png))]) {
      const [first, second] = Transcript.toOpenAi(conversation(message))
      assert.deepStrictEqual(first, { role: "assistant", content: "[The files of this message follow.]" })
      assert.strictEqual(second?.role, "user")
    }
    const [first] = Transcript.toOpenAi(conversation(assistant(text("see"), file(png))))
    assert.deepStrictEqual(first, { role: "assistant", content: "see" })
  })

  it("9.4 lose entries that are not images, which is reported for each message", () => {
    const invalid = [1, null, "", true, {}, "hello", "C:\\pictures\\a.png", "a chart of sales"]
    const part = { type: "image_url", image_url: { url: "https://e.com/b" } }
    const read = Transcript.fromOpenAi([
      { role: "system", content: "be brief", images: [1] },
      { role: "user", content: "look", images: [...invalid, png, "AQ==", "AQ\nID", part] },
      { role: "assistant", content: "see", tool_calls: [{ id: "a", function: { name: "search", arguments: "{}" } }] },
      { role: "tool", tool_call_id: "a", content: "found", images: [null] },
      { role: "user", content: "and this", images: "none" },
      { role: "user", content: "thanks", images: [] }
    ])
    const { changes, prompt } = Transcript.repair(read)
    assert.deepStrictEqual(
      changes.filter(({ _tag }) => _tag !== "ImagesMoved"),
      [0, 1, 3, 4].map((message) => ({ _tag: "ImageLeftOut", message }))
    )
    assert.deepStrictEqual(
      prompt.content[1],
      Prompt.userMessage({
        content: [
          text("look"),
          file(png),
          file("AQ==", "image/*"),
          file("AQ\nID", "image/*"),
          file("https://e.com/b", "image/*")
        ]
      })
    )
    assert.deepStrictEqual(prompt.content[3], tool(result("a", "found")))
    assert.deepStrictEqual(Transcript.repair(prompt).changes, [])
  })

  it("9.4 of a message with only a result are reported with the result", () => {
    const { changes } = Transcript.repair(
      Transcript.fromOpenAi([
        { role: "assistant", tool_calls: [{ id: "a", function: { name: "search", arguments: "{}" } }] },
        { role: "user", content: [{ type: "tool_result", tool_use_id: "a", content: "found" }], images: [1] }
      ])
    )
    assert.deepStrictEqual(changes, [{ _tag: "ImageLeftOut", message: 1 }])
  })

  it("9.4 of a tool message become parts of the result", () => {
    const { content } = Transcript.fromOpenAi([
      { role: "assistant", tool_calls: [{ id: "a", function: { name: "search", arguments: '{"q":"a"}' } }] },
      { role: "tool", tool_call_id: "a", content: "a chart", images: [png] }
    ])
    assert.deepStrictEqual(content[1], tool({ ...result("a", "a chart"), modelOutput: [text("a chart"), file(png)] }))
  })
})

/** Returns the strings inside a JSON value. */
const textsIn = (value: unknown): ReadonlyArray<string> => {
  if (typeof value === "string") return [value]
  return typeof value === "object" && value !== null ? Object.values(value).flatMap(textsIn) : []
}

describe("parts that a log contains", () => {
  const roles = Schema.Literals(["user", "assistant", "system", "tool"])
  const message = Schema.Struct({
    role: roles,
    name: Schema.String,
    content: Schema.Json,
    images: Schema.Array(Schema.Json)
  })
  it.prop(
    "9.4 keep their texts, and a second repair changes nothing",
    [Schema.Array(message)],
    ([messages]) => {
      const log = messages.map((each) => ({ ...each, tool_call_id: each.role === "tool" ? "a" : undefined }))
      const asked = { role: "assistant", tool_calls: [{ id: "a", function: { name: "search", arguments: "{}" } }] }
      const read = Transcript.fromOpenAi([asked, ...log])
      const contents = JSON.stringify(read.content).replaceAll("\\", "")
      for (const text of messages.flatMap(({ content }) => textsIn(content))) {
        assert.include(contents, JSON.stringify(text).slice(1, -1).replaceAll("\\", ""))
      }
      const { prompt } = Transcript.repair(read)
      assert.deepStrictEqual(Transcript.validate(prompt), [])
      assert.deepStrictEqual(Transcript.repair(prompt), { prompt, changes: [] })
    },
    { arbitrary: { runs: 300 } }
  )

  it("9.4 of an unknown type are kept as their JSON, which is reported", () => {
    const part = { type: "video_url", video_url: { url: "https://e.com/v" } }
    const read = Transcript.fromOpenAi([
      { role: "user", content: [{ type: "text", text: "look" }, part] },
      { role: "assistant", content: [{ type: "sketch", lines: 3 }] },
      { role: "system", content: [part] }
    ])
    const { changes, prompt } = Transcript.repair(read)
    assert.deepStrictEqual(prompt.content, [
      Prompt.userMessage({ content: [text("look"), text(JSON.stringify(part))] }),
      assistant(text('{"type":"sketch","lines":3}')),
      system(JSON.stringify(part))
    ])
    assert.deepStrictEqual(
      changes,
      [0, 1, 2].map((message) => ({ _tag: "PartKeptAsText", message }))
    )
    assert.strictEqual(Transcript.repair(prompt).prompt, prompt)
  })

  it("9.4 in a result are kept as JSON if they are data", () => {
    const rows = [[{ id: 1, text: "a" }, { id: 2 }], [{ type: "bug", id: 1 }], { rows: 3 }, { id: 1, text: "a" }]
    for (const content of rows) {
      const { content: messages } = Transcript.fromOpenAi([
        { role: "assistant", tool_calls: [{ id: "a", function: { name: "search", arguments: '{"q":"a"}' } }] },
        { role: "tool", tool_call_id: "a", content }
      ])
      assert.deepStrictEqual(messages[1], tool(result("a", JSON.stringify(content))))
    }
  })

  it("9.4 keep images of Anthropic's form, thinking, and the transcript of a spoken answer", () => {
    const { content } = Transcript.fromOpenAi([
      { role: "user", content: [{ type: "image", source: { type: "base64", media_type: "image/png", data: png } }] },
      {
        role: "assistant",
        content: [
          { type: "thinking", thinking: "hm", signature: "s" },
          { type: "text", text: "yes" }
        ]
      },
      { role: "assistant", content: null, audio: { id: "audio_1", transcript: "I said this" } }
    ])
    assert.deepStrictEqual(content, [
      Prompt.userMessage({ content: [file(png)] }),
      assistant(
        Prompt.reasoningPart({ text: "hm", options: { anthropic: { type: "thinking", signature: "s" } } }),
        text("yes")
      ),
      assistant(text("I said this"))
    ])
  })
})
