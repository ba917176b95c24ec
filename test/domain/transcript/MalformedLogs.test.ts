/**
 * Reads malformed logs of hosts and frameworks, for example calls and results in messages of the wrong role, nested
 * results, and blocks with unknown fields. After repair, both APIs accept the export, and no text is lost.
 */
import { assert, describe, it } from "@effect/vitest"
import { Prompt } from "effect/ai"
import * as Transcript from "#domain/transcript/Transcript"
import { anthropicError, openAiError } from "./exportChecks.ts"

const use = (id: string, fields: object = {}) => ({ type: "tool_use", id, name: "search", input: { q: 1 }, ...fields })
const answer = (id: string, content: unknown, fields: object = {}) => ({
  type: "tool_result",
  tool_use_id: id,
  content,
  ...fields
})
const ask = { role: "user", content: "ASKED" }

/** Asserts that both exports are valid and contain every text, and that no existing result was replaced. */
const assertExports = (prompt: ReturnType<typeof Transcript.fromOpenAi>, texts: ReadonlyArray<string>) => {
  const anthropic = Transcript.repairForAnthropic(prompt)
  const history = Transcript.toAnthropic(anthropic.prompt)
  const messages = Transcript.toOpenAi(Transcript.repair(prompt).prompt)
  assert.strictEqual(anthropicError(history), undefined)
  assert.strictEqual(openAiError(messages), undefined)
  assert.strictEqual(Transcript.repairForAnthropic(anthropic.prompt).prompt, anthropic.prompt)
  for (const text of texts) {
    assert.include(JSON.stringify(history), text)
    assert.include(JSON.stringify(messages), text)
  }
  assert.notInclude(JSON.stringify(anthropic.changes), "OrphanCallAnswered")
}

const anthropicLogs: ReadonlyArray<readonly [string, ReadonlyArray<unknown>, ReadonlyArray<string>]> = [
  [
    "a result next to its call in an assistant message",
    [ask, { role: "assistant", content: [use("a"), answer("a", "FOUND")] }],
    ["ASKED", "FOUND"]
  ],
  [
    "a result alone in an assistant message",
    [ask, { role: "assistant", content: [use("a")] }, { role: "assistant", content: [answer("a", "FOUND")] }],
    ["FOUND"]
  ],
  [
    "a call in a user message",
    [
      { role: "user", content: [{ type: "text", text: "ASKED" }, use("a")] },
      { role: "user", content: [answer("a", "FOUND")] }
    ],
    ["ASKED", "FOUND"]
  ],
  [
    "a result within a result",
    [
      ask,
      { role: "assistant", content: [use("a")] },
      { role: "user", content: [answer("a", [answer("b", "INNER"), use("c"), { type: "text", text: "OUTER" }])] }
    ],
    ["INNER", "OUTER"]
  ],
  [
    "thinking in a user message",
    [
      {
        role: "user",
        content: [
          { type: "thinking", thinking: "hm", signature: "s" },
          { type: "text", text: "ASKED" }
        ]
      }
    ],
    ["ASKED"]
  ],
  [
    "blocks without a type, and files without content",
    [
      {
        role: "user",
        content: [{ foo: 1 }, {}, { type: "image" }, { type: "document", source: { type: "url", url: "no url" } }]
      }
    ],
    []
  ],
  [
    "fields that a framework added",
    [
      ask,
      { role: "assistant", content: [use("a", { index: 0, partial_json: "{}" })] },
      { role: "user", content: [answer("a", "FOUND", { index: 1, cache_control: "yes" })] }
    ],
    ["FOUND"]
  ],
  ["messages that are texts", ["ASKED"], ["ASKED"]]
]

const openAiLogs: ReadonlyArray<readonly [string, ReadonlyArray<unknown>, ReadonlyArray<string>]> = [
  [
    "texts in a list of parts",
    [{ role: "user", content: ["ASKED", { type: "text", text: "MORE" }] }],
    ["ASKED", "MORE"]
  ],
  ["a refusal next to a text", [ask, { role: "assistant", content: "SAID", refusal: "REFUSED" }], ["SAID", "REFUSED"]],
  [
    "a refusal as a part",
    [ask, { role: "assistant", content: [{ type: "refusal", refusal: "REFUSED" }] }],
    ["REFUSED"]
  ],
  [
    "calls in a user message",
    [
      { ...ask, tool_calls: [{ id: "a", type: "function", function: { name: "search", arguments: "{}" } }] },
      { role: "tool", tool_call_id: "a", content: "FOUND" }
    ],
    ["ASKED", "FOUND"]
  ],
  [
    "a call of a custom tool",
    [
      ask,
      { role: "assistant", tool_calls: [{ id: "a", type: "custom", custom: { name: "python", input: "print(1)" } }] },
      { role: "tool", tool_call_id: "a", content: "FOUND" }
    ],
    ["print(1)", "python", "FOUND"]
  ]
]

describe("malformed logs", () => {
  for (const [name, log, texts] of anthropicLogs) {
    it(`9.4 of Anthropic are exported with every text: ${name}`, () =>
      assertExports(Transcript.fromAnthropic(log), texts))
  }
  for (const [name, log, texts] of openAiLogs) {
    it(`9.4 of chat completions are exported with every text: ${name}`, () =>
      assertExports(Transcript.fromOpenAi(log), texts))
  }

  it("9.4 reports a result in an assistant message as RoleCorrected, and names its tool", () => {
    const log = [ask, { role: "assistant", content: [use("a"), answer("a", "FOUND")] }]
    const { changes, prompt } = Transcript.repair(Transcript.fromAnthropic(log))
    assert.deepStrictEqual(changes, [{ _tag: "RoleCorrected", message: 1, callId: "a" }])
    const [found] = prompt.content.flatMap((message) => (message.role === "tool" ? message.content : []))
    assert.strictEqual(found?.type === "tool-result" && found.name, "search")
  })

  it("9.2 reads a complete request and a text, and reads other values as an empty log", () => {
    assert.lengthOf(Transcript.fromOpenAi({ messages: [ask] }).content, 1)
    // the types are wrong on purpose, because hosts without types can pass any value
    assert.lengthOf(Transcript.fromAnthropic("\n\nHuman: hi\n\nAssistant:" as never).content, 1)
    for (const odd of [null, undefined, 3, {}]) assert.lengthOf(Transcript.fromOpenAi(odd as never).content, 0)
  })

  it("9.2 writes images with their actual type, and unnamed files without a title", () => {
    const blocksFor = (mediaType: string, data: string, fileName = "") => {
      const part = Prompt.filePart({ mediaType, data, fileName })
      const prompt = Prompt.fromMessages([Prompt.userMessage({ content: [part] })])
      const history = Transcript.toAnthropic(prompt)
      assert.strictEqual(anthropicError(history), undefined)
      return history.messages[0]?.content as unknown
    }
    const image = (media_type: string, data: string) => [
      { type: "image", source: { type: "base64", media_type, data } }
    ]
    assert.deepStrictEqual(blocksFor("image/jpg", "AQID"), image("image/jpeg", "AQID"))
    assert.deepStrictEqual(blocksFor("IMAGE/PNG; q=1", "AQID"), image("image/png", "AQID"))
    assert.deepStrictEqual(blocksFor("image/png", "/9j/AAAA"), image("image/jpeg", "/9j/AAAA"))
    assert.deepStrictEqual(blocksFor("application/pdf", "AQID", " "), [
      { type: "document", source: { type: "base64", media_type: "application/pdf", data: "AQID" } }
    ])
  })

  it("9.2 keeps the last four cache_control marks of blocks and messages", () => {
    const cache_control = { type: "ephemeral" }
    const marked = (text: string) => ({ type: "text", text, cache_control })
    const messages = [
      { role: "user", content: [marked("one"), marked("two")] },
      { role: "assistant", content: [use("a", { cache_control })] },
      { role: "user", content: [answer("a", "FOUND", { cache_control }), marked("three")] }
    ]
    const read = Transcript.fromAnthropic({ system: [marked("be brief"), marked("be kind")], messages })
    const { changes, prompt } = Transcript.repairForAnthropic(read)
    assert.deepStrictEqual(changes, [
      { _tag: "MarksLeftOut", message: 0 },
      { _tag: "MarksLeftOut", message: 1 },
      { _tag: "MarksLeftOut", message: 2 }
    ])
    const history = Transcript.toAnthropic(prompt)
    assert.strictEqual(anthropicError(history), undefined)
    assert.lengthOf(JSON.stringify(history).match(/cache_control/gu) ?? [], 4)
    assert.strictEqual(Transcript.repairForAnthropic(prompt).prompt, prompt)
  })

  it("9.2 removes a mark without the options of other providers, and does not count marks without a value", () => {
    const marked = (name: string, cache_control: { readonly type: string } | null) =>
      Prompt.userMessage({
        content: [Prompt.textPart({ text: name, options: { anthropic: { cache_control }, openai: { name } } })]
      })
    const ephemeral = { type: "ephemeral" }
    const [first, ...rest] = ["a", "b", "c", "d", "e"].map((name) => marked(name, ephemeral))
    const unset = Prompt.fromMessages([marked("x", null), ...rest, marked("y", null)])
    assert.strictEqual(Transcript.repairForAnthropic(unset).prompt, unset)
    const { prompt } = Transcript.repairForAnthropic(Prompt.fromMessages([first!, ...rest]))
    const [unmarked] = prompt.content[0]?.role === "user" ? prompt.content[0].content : []
    assert.deepStrictEqual(unmarked?.options, { anthropic: {}, openai: { name: "a" } })
    assert.deepStrictEqual(prompt.content.slice(1), rest)
  })
})
