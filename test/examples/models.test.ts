/** Tests the three models of the example, whose replies depend only on the conversation. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { countTokens } from "gpt-tokenizer/encoding/o200k_base"
import type { Message } from "../../examples/orders/models/Conversation.ts"
import { models } from "../../examples/orders/models/Models.ts"
import * as ModelServer from "../../examples/orders/models/ModelServer.ts"

const first = { name: "search_orders", arguments: { customer_id: "C-9921" } }
const asked: Message = { role: "user", content: "Which orders of C-9921 have not arrived?" }

/** Returns a conversation in which each call was answered with a text. */
const after = (...answers: ReadonlyArray<string>): ReadonlyArray<Message> => [
  { role: "system", content: "Be brief." },
  asked,
  ...answers.flatMap((answer, index): ReadonlyArray<Message> => [
    {
      role: "assistant",
      content: null,
      tool_calls: [{ id: `c${index}`, function: { name: first.name, arguments: JSON.stringify(first.arguments) } }]
    },
    { role: "tool", tool_call_id: `c${index}`, content: answer }
  ])
]

const order = (id: string, status: string) => ({ id, status })

/** Answers without usable information. */
const useless = [
  "SyntaxError: Unterminated string in JSON at position 4096",
  `{"orders":[{"id":"O-1047","stat`,
  "Error: HTTP 500\n    at handler (/srv/app/tools.js:12:7)",
  `{"error":"Internal Server Error"}`,
  `{"error":{"message":"Something went wrong"}}`,
  "",
  "[1,2]"
]

const partial = JSON.stringify({
  status: "partial",
  data: { orders: [order("O-1047", "shipped")], has_more: true, next_cursor: "O-1047" },
  error: { message: "cut", hint: "Go on.", next_step: "continue", next: { customer_id: "C-9921", cursor: "O-1047" } }
})
const complete = JSON.stringify({
  status: "success",
  data: { orders: [order("O-1046", "delivered")], has_more: false }
})

describe("the models", () => {
  it("start with the call that the question names", () => {
    for (const model of Object.values(models)) {
      assert.deepStrictEqual(model([asked]).call, first)
      assert.deepStrictEqual(model([{ role: "user", content: "And O-1044?" }]).call, {
        name: "read_order",
        arguments: { order_id: "O-1044" }
      })
      assert.isUndefined(model([{ role: "user", content: "Hello" }]).call)
    }
  })

  it("deaf repeats the same call, regardless of the answer", () => {
    for (const answer of [...useless, partial, complete]) {
      assert.deepStrictEqual(models.deaf(after(answer, answer)).call, first)
    }
  })

  it("stubborn repeats the same call after a useless answer", () => {
    for (const answer of useless) assert.deepStrictEqual(models.stubborn(after(answer, answer)).call, first, answer)
  })

  it("obedient gives up after a useless answer", () => {
    for (const answer of useless) assert.isUndefined(models.obedient(after(answer)).call, answer)
  })

  it("stubborn and obedient continue with the suggested arguments, and answer from all results", () => {
    for (const model of [models.stubborn, models.obedient]) {
      assert.deepStrictEqual(model(after(partial)).call, {
        name: "search_orders",
        arguments: { customer_id: "C-9921", cursor: "O-1047" }
      })
      assert.deepStrictEqual(model(after(partial, complete)), {
        text: "All 2 orders were read; 1 has not arrived: O-1047 (shipped)."
      })
    }
  })

  it("stubborn and obedient can use unguarded data", () => {
    const page = JSON.stringify({ orders: [order("O-1047", "shipped")], has_more: true, next_cursor: "O-1047" })
    const last = JSON.stringify({ orders: [], has_more: false, next_cursor: null })
    for (const model of [models.stubborn, models.obedient]) {
      assert.deepStrictEqual(model(after(page)).call?.arguments, { customer_id: "C-9921", cursor: "O-1047" })
      assert.isUndefined(model(after(page, last)).call)
    }
  })

  it("stubborn and obedient stop when the envelope says so, and say why", () => {
    const denied = JSON.stringify({
      status: "error",
      error: { message: "A person denied this.", hint: "Ask the user.", next_step: "ask_user" }
    })
    for (const model of [models.stubborn, models.obedient]) {
      assert.deepStrictEqual(model(after(denied)), {
        text: "I could not finish this. A person denied this. Ask the user."
      })
    }
  })

  it("stubborn and obedient ask once for less after a preview", () => {
    const preview = JSON.stringify({ status: "success", preview: { bytes: 20_000, note: "Ask for less." } })
    const [system, question, calling, answer] = after(preview)
    assert.isDefined(calling)
    const again = {
      ...calling,
      tool_calls: [{ id: "c0", function: { name: first.name, arguments: `{"customer_id":"C-9921","limit":10}` } }]
    }
    const messages = [system, question, again, answer].filter((message) => message !== undefined)
    for (const model of [models.stubborn, models.obedient]) {
      const { call, text } = model(after(preview))
      assert.deepStrictEqual(call?.arguments, { customer_id: "C-9921", limit: 10 })
      assert.strictEqual(text, "That was too much at once.")
      assert.deepStrictEqual(model(messages), { text: "I could not finish this. Ask for less." })
    }
  })

  it("stubborn and obedient read an order before they refund its amount", () => {
    const refund: ReadonlyArray<Message> = [
      { role: "user", content: "Refund O-1043, it was damaged." },
      {
        role: "assistant",
        tool_calls: [{ id: "c0", function: { name: "read_order", arguments: `{"order_id":"O-1043"}` } }]
      },
      { role: "tool", tool_call_id: "c0", content: `{"status":"success","data":{"id":"O-1043","cents":11490}}` }
    ]
    for (const model of [models.stubborn, models.obedient]) {
      assert.strictEqual(model(refund.slice(0, 1)).call?.name, "read_order")
      assert.deepStrictEqual(model(refund).call, {
        name: "refund_order",
        arguments: { order_id: "O-1043", cents: 11_490, reason: "damaged" }
      })
    }
  })
})

describe("the models' server", () => {
  const post = (url: string, body: string) =>
    Effect.promise(async () => {
      const response = await fetch(url, { method: "POST", body })
      return { status: response.status, body: (await response.json()) as Record<string, unknown> }
    })

  it.live("answers like the chat completions API and counts the tokens of the body", () =>
    Effect.gen(function* () {
      const url = yield* ModelServer.start("deaf", models.deaf)
      const body = JSON.stringify({ model: "deaf", messages: [asked] })
      const answered = yield* post(`${url}/chat/completions`, body)
      const text = "Let me look that up."
      const args = `{"customer_id":"C-9921"}`
      const input = countTokens(body)
      const output = countTokens(`${text}search_orders${args}`)
      assert.deepStrictEqual(answered, {
        status: 200,
        body: {
          id: "chatcmpl-1",
          object: "chat.completion",
          created: 1_767_225_600,
          model: "deaf",
          choices: [
            {
              index: 0,
              message: {
                role: "assistant",
                content: text,
                tool_calls: [{ id: "call_1", type: "function", function: { name: "search_orders", arguments: args } }]
              },
              finish_reason: "tool_calls"
            }
          ],
          usage: { prompt_tokens: input, completion_tokens: output, total_tokens: input + output }
        }
      })
    })
  )

  it.live("counts special tokens as text", () =>
    Effect.gen(function* () {
      const url = yield* ModelServer.start("deaf", models.deaf)
      const body = JSON.stringify({ messages: [{ role: "user", content: "<|endoftext|>" }] })
      const answered = yield* post(`${url}/chat/completions`, body)
      assert.strictEqual(answered.status, 200)
      const tokens = countTokens(body, { disallowedSpecial: new Set() })
      assert.deepInclude(answered.body["usage"], { prompt_tokens: tokens })
    })
  )

  it.live("refuses invalid requests", () =>
    Effect.gen(function* () {
      const url = yield* ModelServer.start("deaf", models.deaf)
      assert.strictEqual((yield* post(`${url}/chat/completions`, "{}")).status, 400)
      assert.strictEqual((yield* post(`${url}/chat/completions`, "junk")).status, 400)
      assert.strictEqual((yield* post(`${url}/embeddings`, "{}")).status, 404)
    })
  )
})
