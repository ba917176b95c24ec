/**
 * Serves a model over the chat completions API on this machine, so that it is asked as any provider is: by HTTP, with the
 * whole conversation in each request. `usage` counts tokens (o200k) of the request's body and of what the model wrote.
 */
import { Effect, Layer } from "effect"
import type { LanguageModel } from "effect/ai"
import type { HttpClient } from "effect/http"
import * as OpenAiCompatible from "effect-toolguard/layers/OpenAiCompatible"
import { countTokens } from "gpt-tokenizer/encoding/o200k_base"
import { type Asked, type CannotListen, json, listen, type Reply } from "../Listen.ts"
import { fieldsOf, type Message, objectIn } from "./Conversation.ts"
import type { Model, Said } from "./Models.ts"

const refuse = (status: number, message: string): Reply =>
  json(status, { error: { message, type: "invalid_request_error", param: null, code: null } })

/** Counts the marks of a tokenizer, such as `<|endoftext|>`, as the text that they are. */
const tokens = (text: string): number => countTokens(text, { disallowedSpecial: new Set() })

const completion = (name: string, serial: number, said: Said, body: string) => {
  const called = said.call === undefined ? undefined : JSON.stringify(said.call.arguments)
  const calls =
    said.call === undefined
      ? {}
      : {
          tool_calls: [
            { id: `call_${serial}`, type: "function", function: { name: said.call.name, arguments: called } }
          ]
        }
  const input = tokens(body)
  const output = tokens(`${said.text}${said.call?.name ?? ""}${called ?? ""}`)
  return {
    id: `chatcmpl-${serial}`,
    object: "chat.completion",
    created: 1_767_225_600,
    model: name,
    choices: [
      {
        index: 0,
        message: { role: "assistant", content: said.text, ...calls },
        finish_reason: said.call === undefined ? "stop" : "tool_calls"
      }
    ],
    usage: { prompt_tokens: input, completion_tokens: output, total_tokens: input + output }
  }
}

/** Starts a server for a model. Gives its address up to `/v1`. */
export const start = (name: string, model: Model) =>
  Effect.suspend(() => {
    let serial = 0
    return Effect.map(
      listen(({ body, method, url }: Asked): Reply => {
        if (method !== "POST" || url.pathname !== "/v1/chat/completions") return refuse(404, `no ${url.pathname}`)
        const { messages } = fieldsOf(objectIn(body))
        if (!Array.isArray(messages)) return refuse(400, "messages are missing")
        serial += 1
        return json(200, completion(name, serial, model(messages as ReadonlyArray<Message>), body))
      }),
      (address) => `${address}/v1`
    )
  })

/** A model as a layer: a server of its own, and the same provider layer that speaks to any other. */
export const layer = (
  name: string,
  model: Model
): Layer.Layer<LanguageModel.LanguageModel, CannotListen, HttpClient.HttpClient> =>
  Layer.unwrap(Effect.map(start(name, model), (baseUrl) => OpenAiCompatible.layer({ baseUrl, model: name })))
