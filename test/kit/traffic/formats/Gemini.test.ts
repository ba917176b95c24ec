/** Tests the reader of Gemini's requests and responses in the names of the REST interface and of the Python SDK. */
import { assert, describe, it } from "@effect/vitest"
import * as Gemini from "#kit/traffic/formats/Gemini"
import { conversation, readAll, skipped } from "../lines.ts"

const read = (...lines: ReadonlyArray<unknown>) => readAll(Gemini.reader(), ...lines)

const callOf = (order: string) => ({ functionCall: { name: "get_order", args: { order_id: order } } })
const responseOf = (response: unknown) => ({ functionResponse: { name: "get_order", response } })
const asked = { role: "user", parts: [{ text: "O-1 and O-2?" }] }
const called = { role: "model", parts: [{ text: "Hm", thought: true }, callOf("O-1"), callOf("O-2")] }
const answered = { role: "user", parts: [responseOf({ status: "shipped" }), responseOf({ error: "timeout" })] }
const said = { role: "model", parts: [{ text: "O-1 is shipped." }] }

const request = {
  systemInstruction: { parts: [{ text: "Be brief." }] },
  tools: [
    {
      functionDeclarations: [
        {
          name: "get_order",
          description: "Reads an order.",
          parameters: {
            type: "OBJECT",
            properties: { order_id: { type: "STRING", minLength: "1" }, type: { type: "STRING", nullable: true } },
            required: ["order_id"],
            propertyOrdering: ["order_id", "type"]
          }
        }
      ]
    },
    { googleSearch: {} }
  ]
}

const usageMetadata = { promptTokenCount: 120, candidatesTokenCount: 30, thoughtsTokenCount: 10, totalTokenCount: 160 }
const usage = { input: 120, output: 40 }

/** Returns a value with its names in snake case, as the Python SDK writes them. */
const snakeCase = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(snakeCase)
  if (typeof value !== "object" || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [
      key.replace(/[A-Z]/gu, (letter) => `_${letter.toLowerCase()}`),
      key === "parameters" ? inner : snakeCase(inner)
    ])
  )
}

const lines = [
  {
    model: "gemini-2.5-flash",
    request: { ...request, contents: [asked] },
    response: { candidates: [{ content: called, finishReason: "STOP", index: 0 }], usageMetadata }
  },
  {
    model: "gemini-2.5-flash",
    request: { ...request, contents: [asked, called, answered] },
    response: { candidates: [{ content: said, finishReason: "MAX_TOKENS" }], usageMetadata }
  }
]

describe("Gemini", () => {
  it("13.1 reads growing requests with their responses, in both cases of names", () => {
    for (const log of [lines, lines.map(snakeCase)]) {
      assert.deepStrictEqual(read(...log), [
        conversation({
          tools: [
            {
              name: "get_order",
              description: "Reads an order.",
              parameters: {
                type: "object",
                properties: {
                  order_id: { type: "string", minLength: 1 },
                  type: { type: ["string", "null"] }
                },
                required: ["order_id"]
              }
            }
          ],
          messages: [
            { role: "system", text: "Be brief." },
            { role: "user", text: "O-1 and O-2?" },
            {
              role: "assistant",
              text: "",
              calls: [
                { id: "get_order", name: "get_order", arguments: { order_id: "O-1" } },
                { id: "get_order", name: "get_order", arguments: { order_id: "O-2" } }
              ],
              usage
            },
            { role: "tool", callId: "get_order", text: '{"status":"shipped"}' },
            { role: "tool", callId: "get_order", text: "timeout", isError: true },
            { role: "assistant", text: "O-1 is shipped.", calls: [], isCut: true, usage }
          ]
        })
      ])
    }
  })

  it("13.1 reads lists of contents, texts as contents, and ids", () => {
    const call = { role: "model", parts: [{ functionCall: { id: "c1", name: "get_order", args: {} } }] }
    const result = {
      role: "function",
      parts: [{ functionResponse: { id: "c1", name: "get_order", response: { result: 1 } } }]
    }
    const image = { role: "user", parts: [{ inlineData: { mimeType: "image/png", data: "aGk=" } }] }
    const messages = [
      { role: "user", text: "" },
      { role: "assistant", text: "", calls: [{ id: "c1", name: "get_order", arguments: {} }] },
      { role: "tool", callId: "c1", text: "1" }
    ] as const
    assert.deepStrictEqual(read([image, call, result]), [conversation({ messages })])
    assert.deepStrictEqual(
      read({ model: "g", contents: "Hi", config: { systemInstruction: "Be brief." }, candidates: [{ content: said }] }),
      [
        conversation({
          model: "g",
          messages: [
            { role: "system", text: "Be brief." },
            { role: "user", text: "Hi" },
            { role: "assistant", text: "O-1 is shipped.", calls: [] }
          ]
        })
      ]
    )
  })

  it("13.1 reports what it cannot read", () => {
    assert.deepStrictEqual(read({ contents: [asked, {}, { role: "critic", parts: [] }] }), [
      skipped(1, "2 messages were skipped, the first after 1 readable message: it has neither a role nor parts."),
      conversation({ messages: [{ role: "user", text: "O-1 and O-2?" }] })
    ])
    assert.deepStrictEqual(read({ messages: [{ role: "user", content: [{ type: "tool_result" }] }] }), [
      skipped(1, "The file holds Gemini contents, but this line looks like Anthropic messages.")
    ])
  })
})
