/**
 * Translates the chunks of a streamed answer into response parts.
 *
 * - Calls are shown as they grow (`tool-params-*`) and come whole at the end, in the order in which they began.
 * - An answer is complete when the server said why it finished, or `[DONE]`. Where the stream ends before that, it was
 *   cut: the request fails, transiently, and no call of it is given out.
 * - Without a finish reason, calls count as complete only if all their arguments are.
 */
import type * as Response from "effect/ai/Response"
import * as Result from "effect/Result"
import * as Fields from "#domain/json/Fields"
import type { JsonObject } from "#domain/json/JsonObject"
import * as Failures from "#layers/internal/model/Failures"
import { done, type Translator, type TranslatorOptions } from "#layers/internal/model/Http"
import * as CallDeltas from "./CallDeltas.ts"

import { contentText, finish, finishReason, metadata, reasoningText } from "./Response.ts"

type Parts = ReadonlyArray<Response.StreamPartEncoded>

const parse = (data: string): unknown => {
  try {
    return JSON.parse(data)
  } catch {
    return undefined
  }
}

/** What a delta and a chunk count besides their text, so that many small and empty ones are bounded too. */
const partSize = 48
const chunkSize = 16

/** Makes a translator of one answer. */
export const make = ({ headers, maxSize, now, secret, seen, url }: TranslatorOptions): Translator => {
  const calls = CallDeltas.make(seen)
  let told: string | undefined
  let tokens: unknown
  let which: unknown
  let isDone = false
  let hasMetadata = false
  let hasChoice = false
  let block: { readonly kind: "text" | "reasoning"; readonly id: string } | undefined
  let blocks = 0
  let size = 0

  const endBlock = (): Parts => {
    if (block === undefined) return []
    const { id, kind } = block
    block = undefined
    return [{ type: `${kind}-end`, id }]
  }
  const extendBlock = (kind: "text" | "reasoning", delta: string, refusal = false): Parts => {
    if (delta === "") return []
    size += delta.length + partSize
    if (block?.kind === kind) return [{ type: `${kind}-delta`, id: block.id, delta }]
    const before = endBlock()
    block = { kind, id: `${kind}-${blocks++}` }
    const start = {
      type: `${kind}-start`,
      id: block.id,
      ...(refusal ? { metadata: { openai: { refusal } } } : {})
    } as const
    return [...before, start, { type: `${kind}-delta`, id: block.id, delta }]
  }

  const read = (chunk: JsonObject): Parts => {
    const all = Fields.list(chunk["choices"])
    which ??= all[0]?.["index"] ?? undefined
    // of several answers (`n`) the first is read, as in one that comes whole
    const choice = all.find(({ index }) => (index ?? which) === which) ?? {}
    hasChoice ||= choice["delta"] !== undefined
    const delta = Fields.of(choice["delta"])
    if (chunk["usage"] !== undefined && chunk["usage"] !== null) tokens = chunk["usage"]
    told = Fields.string(choice["finish_reason"]) || told
    const first = hasMetadata ? [] : [metadata(chunk)]
    hasMetadata = true
    const old = delta["function_call"]
    const pieces = [
      ...Fields.list(delta["tool_calls"]),
      ...(old === undefined || old === null ? [] : [{ index: 0, function: old }])
    ]
    return [
      ...first,
      ...extendBlock("reasoning", reasoningText(delta)),
      ...extendBlock("text", contentText(delta["content"])),
      ...extendBlock("text", Fields.string(delta["refusal"]), true),
      ...(pieces.length === 0 ? [] : [...endBlock(), ...calls.push(pieces)])
    ]
  }

  const reason = (): Response.FinishReason => {
    if (told !== undefined) return finishReason(told, calls.count() > 0)
    if (calls.count() === 0) return "stop"
    return calls.areComplete() ? "tool-calls" : "unknown"
  }

  return {
    push: (data) => {
      if (data.trim() === done) {
        isDone = true
        return Result.succeed([])
      }
      const chunk = parse(data)
      if (typeof chunk !== "object" || chunk === null) return Result.fail(Failures.broken("a chunk is not JSON"))
      if (Failures.isError(chunk))
        return Result.fail(Failures.refused({ provider: "openai", headers, body: chunk, now, secret }))
      const parts = read(Fields.of(chunk))
      size += chunkSize
      return size + calls.size() > maxSize
        ? Result.fail(Failures.invalid(`the answer exceeds ${maxSize} characters`))
        : Result.succeed(parts)
    },

    isOver: () => isDone,

    finish: (problem) => {
      if (told === undefined && !isDone) {
        return Result.fail(problem ?? Failures.cut("the stream ended before the answer was complete", url))
      }
      if (!hasChoice) return Result.fail(Failures.broken("the answer holds no choice"))
      return Result.succeed([...endBlock(), ...calls.finish(), finish(reason(), tokens)])
    }
  }
}
