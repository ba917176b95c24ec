/**
 * Builds the result of `tools/call` for a client.
 *
 * - A success is the server's own result, with secrets redacted. Notes of the guard follow as the last content.
 * - A failure is the guard's envelope as the first text, with `isError`. If the server reported the failure, or the
 *   guard inferred the failure from the server's answer, other small parts of the answer are kept. Nothing is kept of
 *   an answer in which the guard found a violation of its schema.
 * - For a result that is too large, the client reads a preview in the guard's envelope, with a link to the complete
 *   result. Structured content that an output schema promises is for programs, and is kept complete. Other parts are
 *   kept if they are small.
 */
import { isJsonObject, type JsonObject } from "effect-toolguard/internal/domain/json/JsonObject"
import type { ModelAnswer } from "effect-toolguard/internal/guard/Guard"
import type { Redactor } from "effect-toolguard/services/Redactor"
import type { ClientCall } from "./ClientCall.ts"

/** The capabilities of the client, and the promises of the called tool. */
export interface ClientResultOptions {
  readonly redactor: Redactor["Service"]
  /** True if the client supports links to resources. */
  readonly hasLinks: boolean
  /** True if the tool has an output schema. Each success must then have its complete structured content. */
  readonly isStructured: boolean
  /** True if results need the field `resultType: "complete"` (protocol 2026-07-28). */
  readonly isStateless: boolean
}

const text = (value: string) => ({ type: "text", text: value })

/** Builds the result of a tool of the server. */
export const ofServerTool = (answer: ModelAnswer, call: ClientCall, options: ClientResultOptions): JsonObject => {
  // an envelope is a JSON object
  const envelope = JSON.parse(answer.text) as JsonObject
  if (answer.isFailure) return failed(answer, call.last, options)
  const { data, ...notes } = envelope
  if (isJsonObject(data)) {
    if (Object.keys(notes).length === 1) return data
    const content: ReadonlyArray<unknown> = Array.isArray(data["content"]) ? data["content"] : []
    return { ...data, content: [...content, text(JSON.stringify(notes))] }
  }
  return preview(answer, envelope, options)
}

/** Builds the result of a tool of the proxy, which contains only the envelope. */
export const ofOwnTool = (answer: ModelAnswer, options: ClientResultOptions): JsonObject => ({
  content: [text(answer.text)],
  isError: answer.isFailure,
  ...complete(options)
})

const complete = ({ isStateless }: ClientResultOptions): JsonObject => (isStateless ? { resultType: "complete" } : {})

const failed = (answer: ModelAnswer, last: JsonObject | undefined, options: ClientResultOptions): JsonObject => {
  // the caller has checked that the answer is a failure
  const { failure } = answer.outcome as Extract<ModelAnswer["outcome"], { _tag: "Failure" }>
  // true if the guard found the failure in an answer that the server did not report as an error
  const isInferred = last?.["isError"] !== true
  const isBroken = failure?._tag === "SchemaMismatch"
  const others = last === undefined || (isInferred && isBroken) ? {} : otherParts(last, options, isInferred)
  const { content = [], ...rest } = others
  return {
    ...rest,
    ...complete(options),
    content: [text(answer.text), ...content],
    isError: true
  }
}

interface OtherParts {
  readonly content?: ReadonlyArray<unknown>
  readonly structuredContent?: unknown
}

/**
 * The maximum length of a text that is kept although it was recognised as a failure, because the recognition may be
 * wrong.
 */
const longestDoubted = 10_000

/** The maximum total length of the other parts that are kept, in characters. Bytes of images do not count. */
const maxOthers = 10_000

/**
 * Returns the small parts of a result other than its texts. If `isDoubted`, texts are kept too, because the failure was
 * inferred from the texts. If `isPromised`, structured content is kept at any size.
 */
const otherParts = (
  result: JsonObject,
  { redactor }: ClientResultOptions,
  isDoubted: boolean,
  isPromised = false
): OtherParts => {
  // redaction keeps the structure of an object
  const { content, structuredContent } = redactor.data(result) as JsonObject
  const blocks: ReadonlyArray<unknown> = Array.isArray(content) ? content : []
  let left = maxOthers
  const isSmall = (value: unknown): boolean => {
    const { length } = JSON.stringify(value) ?? ""
    if (length > left) return false
    left -= length
    return true
  }
  const isKept = structuredContent !== undefined && (isPromised || isSmall(structuredContent))
  return {
    content: blocks.filter((block) =>
      isJsonObject(block) && block["type"] === "text"
        ? isDoubted && typeof block["text"] === "string" && block["text"].length <= longestDoubted
        : isSmall(block)
    ),
    ...(isKept ? { structuredContent } : {})
  }
}

const preview = (answer: ModelAnswer, envelope: JsonObject, options: ClientResultOptions): JsonObject => {
  const whole = answer.outcome._tag === "Success" ? answer.outcome.value : undefined
  const { content = [], ...rest } = isJsonObject(whole) ? otherParts(whole, options, false, options.isStructured) : {}
  const bytes = isJsonObject(envelope["preview"]) ? envelope["preview"]["bytes"] : undefined
  const uri = envelope["resource_url"]
  const link =
    options.hasLinks && typeof uri === "string"
      ? [
          {
            type: "resource_link",
            uri,
            name: "result",
            description: "The complete result, as JSON.",
            mimeType: "application/json",
            ...(typeof bytes === "number" ? { size: bytes } : {})
          }
        ]
      : []
  return {
    ...rest,
    ...complete(options),
    content: [text(answer.text), ...link, ...content],
    isError: false
  }
}
