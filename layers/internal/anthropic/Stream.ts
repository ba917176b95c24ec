/**
 * Translates the events of a streamed answer into response parts.
 *
 * - Calls are shown as they grow (`tool-params-*`) and come whole at the end, in the order in which they began.
 * - An answer is complete with `message_stop`, or where the server said why it stopped and left no block open. A stream
 *   that ends before that was cut: the request fails, transiently, and no call of it is given out.
 * - Events and deltas of kinds unknown here are passed over, as the API asks. An event that breaks the protocol fails the
 *   request with its number and its type.
 */
import type * as AiError from "effect/ai/AiError"
import type * as Response from "effect/ai/Response"
import * as Result from "effect/Result"
import * as Fields from "#domain/json/Fields"
import type { JsonObject } from "#domain/json/JsonObject"
import * as Failures from "#layers/internal/model/Failures"
import type { Translator, TranslatorOptions } from "#layers/internal/model/Http"
import * as Blocks from "./Blocks.ts"
import * as Answer from "./Response.ts"

type Reason = AiError.AiErrorReason
type Parts = ReadonlyArray<Response.StreamPartEncoded>

const parse = (data: string): unknown => {
  try {
    return JSON.parse(data)
  } catch {
    return undefined
  }
}

/** What an event counts besides its text, so that many small and empty ones are bounded too. */
const eventSize = 32

/** Fields that a later event tells anew go over those of an earlier one. */
const merged = (before: JsonObject, told: unknown): JsonObject => ({
  ...before,
  ...Object.fromEntries(Object.entries(Fields.of(told)).filter(([, value]) => value !== null && value !== undefined))
})

/** Makes a translator of one answer. */
export const make = ({ headers, maxSize, now, secret, seen, url }: TranslatorOptions): Translator => {
  const blocks = Blocks.make(seen)
  let usage: JsonObject = {}
  let stopReason: string | undefined
  let stopSequence = ""
  let hasBegun = false
  let isStopped = false
  let count = 0

  /** The parts of an event, or what is wrong with it. */
  const read = (event: JsonObject): Parts | string => {
    const type = Fields.string(event["type"])
    const isOfMessage = type.startsWith("content_block_") || type === "message_delta" || type === "message_stop"
    if (isOfMessage && !hasBegun) return "no message has begun"
    if (isOfMessage && isStopped) return "the message has ended"
    switch (type) {
      case "message_start": {
        if (hasBegun) return "the message has begun before"
        hasBegun = true
        const message = Fields.of(event["message"])
        usage = merged(usage, message["usage"])
        return [Answer.metadata(message)]
      }
      case "content_block_start":
        return blocks.start(Fields.count(event["index"]), Fields.of(event["content_block"]))
      case "content_block_delta":
        return blocks.extend(Fields.count(event["index"]), Fields.of(event["delta"]))
      case "content_block_stop":
        return blocks.stop(Fields.count(event["index"]))
      case "message_delta": {
        const delta = Fields.of(event["delta"])
        stopReason = Fields.string(delta["stop_reason"]) || stopReason
        stopSequence = Fields.string(delta["stop_sequence"]) || stopSequence
        usage = merged(usage, event["usage"])
        return []
      }
      case "message_stop": {
        const open = blocks.open()
        if (open !== undefined) return `block ${open} has not ended`
        isStopped = true
        return []
      }
      default:
        return []
    }
  }

  const reason = (): Response.FinishReason => {
    if (stopReason !== undefined) return Answer.finishReason(stopReason, blocks.calls() > 0)
    if (blocks.calls() === 0) return "stop"
    return blocks.areComplete() ? "tool-calls" : "unknown"
  }

  return {
    push: (data): Result.Result<Parts, Reason> => {
      count += 1
      const event = parse(data)
      if (typeof event !== "object" || event === null) return Result.fail(Failures.broken(`event ${count} is not JSON`))
      const fields = Fields.of(event)
      if (fields["type"] === "error" || Failures.isError(event)) {
        return Result.fail(Failures.refused({ provider: "anthropic", headers, body: event, now, secret }))
      }
      const parts = read(fields)
      if (typeof parts === "string") {
        const place = `event ${count} (${Fields.string(fields["type"])})`
        return Result.fail(Failures.invalid(Failures.withoutSecret(`${place}: ${parts}`, secret)))
      }
      return blocks.size() + count * eventSize > maxSize
        ? Result.fail(Failures.invalid(`the answer exceeds ${maxSize} characters`))
        : Result.succeed(parts)
    },

    isOver: () => isStopped,

    finish: (problem) => {
      const isComplete = isStopped || (stopReason !== undefined && blocks.open() === undefined)
      if (!isComplete) {
        return Result.fail(problem ?? Failures.cut("the stream ended before the answer was complete", url))
      }
      const told = { usage, stopReason: stopReason ?? "", stopSequence }
      return Result.succeed([...blocks.finish(), Answer.finish(reason(), told)])
    }
  }
}
