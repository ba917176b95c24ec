import { assert, describe, it } from "@effect/vitest"
import { Response } from "effect/ai"
import * as ModelResponse from "#domain/transcript/ModelResponse"

const part = Response.makePart

const call = part("tool-call", { id: "c1", name: "search", params: { q: 1 }, providerExecuted: false })

describe("ModelResponse", () => {
  it("11.2 merges streamed parts into complete parts, in the order in which they started", () => {
    const finish = part("finish", {
      reason: "tool-calls",
      usage: new Response.Usage({ inputTokens: { total: 1 }, outputTokens: { total: 2 } })
    })
    assert.deepStrictEqual(
      ModelResponse.collect([
        part("response-metadata", { id: "r", modelId: undefined, timestamp: undefined }),
        part("reasoning-start", { id: "0", metadata: { a: { x: 1 } } }),
        part("text-start", { id: "0" }),
        part("reasoning-delta", { id: "0", delta: "h" }),
        part("text-delta", { id: "0", delta: "one " }),
        part("reasoning-delta", { id: "0", delta: "m" }),
        part("reasoning-end", { id: "0", metadata: { b: { y: 2 } } }),
        part("tool-params-start", { id: "c1", name: "search", providerExecuted: false }),
        part("tool-params-delta", { id: "c1", delta: '{"q":1}' }),
        part("tool-params-end", { id: "c1" }),
        call,
        part("text-delta", { id: "0", delta: "two" }),
        finish
      ]),
      [
        part("response-metadata", { id: "r", modelId: undefined, timestamp: undefined }),
        part("reasoning", { text: "hm", metadata: { a: { x: 1 }, b: { y: 2 } } }),
        part("text", { text: "one two" }),
        call,
        finish
      ]
    )
  })

  it("11.2 places a call where its arguments started, and keeps reasoning that has only metadata", () => {
    const sealed = { anthropic: { type: "redacted_thinking", data: "x" } }
    assert.deepStrictEqual(
      ModelResponse.collect([
        part("tool-params-start", { id: "c1", name: "search", providerExecuted: false }),
        part("tool-params-end", { id: "c1" }),
        part("reasoning-start", { id: "0", metadata: sealed }),
        part("reasoning-end", { id: "0" }),
        part("reasoning-start", { id: "1" }),
        part("reasoning-end", { id: "1" }),
        call,
        call
      ]),
      [call, part("reasoning", { text: "", metadata: sealed }), call]
    )
  })

  it("11.2 keeps text without an end, drops empty text, and drops arguments without a call", () => {
    assert.deepStrictEqual(
      ModelResponse.collect([
        part("text-start", { id: "a" }),
        part("text-end", { id: "a" }),
        part("text-delta", { id: "b", delta: "half" }),
        part("tool-params-start", { id: "c1", name: "search", providerExecuted: false }),
        part("tool-params-delta", { id: "c1", delta: '{"q"' })
      ]),
      [part("text", { text: "half" })]
    )
  })

  it("11.2 drops a text that has only metadata, and keeps the metadata of a text", () => {
    const metadata = { openai: { itemId: "m" } }
    assert.deepStrictEqual(
      ModelResponse.collect([
        part("text-start", { id: "a", metadata }),
        part("text-end", { id: "a" }),
        part("text-start", { id: "b", metadata }),
        part("text-delta", { id: "b", delta: "x", metadata: { other: { n: 1 } } }),
        part("text-end", { id: "b", metadata: { last: { n: 2 } } })
      ]),
      [part("text", { text: "x", metadata: { ...metadata, other: { n: 1 }, last: { n: 2 } } })]
    )
  })

  it("11.2 returns complete parts unchanged", () => {
    const parts = [part("text", { text: "a" }), call]
    assert.deepStrictEqual(ModelResponse.collect(parts), parts)
  })

  it("11.2 splits a reply into stream parts that merge into the same reply", () => {
    const parts: ReadonlyArray<Response.PartEncoded> = [
      { type: "reasoning", text: "hm" },
      { type: "text", text: "a", metadata: { openai: { refusal: true } } },
      { type: "tool-call", id: "c1", name: "search", params: { q: 1 } },
      { type: "source", sourceType: "url", id: "s", url: "https://e.com/a", title: "a" }
    ]
    const pieces = ModelResponse.toStream(parts, ({ params }) => JSON.stringify(params))
    assert.deepStrictEqual(
      pieces.map((piece) => ("delta" in piece ? piece.delta : piece.type)),
      [
        "reasoning-start",
        "hm",
        "reasoning-end",
        "text-start",
        "a",
        "text-end",
        "tool-params-start",
        '{"q":1}',
        "tool-params-end",
        "tool-call",
        "source"
      ]
    )
  })
})
