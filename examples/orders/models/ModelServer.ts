/**
 * Serves a model over the chat completions API on this machine, so that it is called like any provider: over HTTP, with the
 * whole conversation in each request. `usage` counts the tokens (o200k) of the request's body and of the model's output.
 */
import { Effect, Layer } from "effect"
import type { LanguageModel } from "effect/ai"
import type { HttpClient } from "effect/http"
import * as OpenAiCompatible from "effect-toolguard/layers/OpenAiCompatible"
import { countTokens } from "gpt-tokenizer/encoding/o200k_base"
import { type CannotListen, json, listen, type Reply, type Request } from "../Listen.ts"
import { fieldsOf, type Message, objectIn } from "./Conversation.ts"
import type { Model, Output } from "./Models.ts"

const refuse = (status: number, message: string): Reply =>
  json(status, { error: { message, type: "invalid_request_error", param: null, code: null } })

/** Counts special tokens, such as `<|endoftext|>`, as plain text. */
const tokens = (text: string): number => countTokens(text, { disallowedSpecial: new Set() })

const completion = (name: string, serial: number, output: Output, body: string) => {
  const { call, text } = output
  const args = call === undefined ? undefined : JSON.stringify(call.arguments)
  const calls =
    call === undefined
      ? {}
      : {
          tool_calls: [{ id: `call_${serial}`, type: "function", function: { name: call.name, arguments: args } }]
        }
  const inputTokens = tokens(body)
  const outputTokens = tokens(`${text}${call?.name ?? ""}${args ?? ""}`)
  return {
    id: `chatcmpl-${serial}`,
    object: "chat.completion",
    created: 1_767_225_600,
    model: name,
    choices: [
      {
        index: 0,
        message: { role: "assistant", content: text, ...calls },
        finish_reason: call === undefined ? "stop" : "tool_calls"
      }
    ],
    usage: {
      prompt_tokens: inputTokens,
      completion_tokens: outputTokens,
      total_tokens: inputTokens + outputTokens
    }
  }
}

/** Starts a server for a model, and returns its address up to `/v1`. */
export const start = (name: string, model: Model) =>
  Effect.suspend(() => {
    let serial = 0
    return Effect.map(
      listen(({ body, method, url }: Request): Reply => {
        if (method !== "POST" || url.pathname !== "/v1/chat/completions") return refuse(404, `no ${url.pathname}`)
        const { messages } = fieldsOf(objectIn(body))
        if (!Array.isArray(messages)) return refuse(400, "messages are missing")
        serial += 1
        // the only client is OpenAiCompatible, which sends messages of this form
        return json(200, completion(name, serial, model(messages as ReadonlyArray<Message>), body))
      }),
      (address) => `${address}/v1`
    )
  })

/** Provides a model as a layer: starts a separate server, and calls it through the usual provider layer. */
export const layer = (
  name: string,
  model: Model
): Layer.Layer<LanguageModel.LanguageModel, CannotListen, HttpClient.HttpClient> =>
  Layer.unwrap(Effect.map(start(name, model), (baseUrl) => OpenAiCompatible.layer({ baseUrl, model: name })))
