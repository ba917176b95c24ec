/**
 * What a client gets as the result of `tools/call`.
 *
 * - A success is the server's own result, without secrets. What the guard has to say of it stands behind its content.
 * - A failure is our envelope as the first text, with `isError`. What the server gave beside its text is kept.
 * - Of a result that is too large the client gets a preview in our envelope, and a link to the whole. Structured content that an
 *   output schema promises is for programs, and is kept whole. What else stands beside a text is kept as long as it is small.
 */
import { isJsonObject, type JsonObject } from "effect-toolguard/internal/domain/json/JsonObject"
import type { ModelAnswer } from "effect-toolguard/internal/guard/Guard"
import type { Redactor } from "effect-toolguard/services/Redactor"
import type { ClientCall } from "./ClientCall.ts"

export interface ShownOptions {
  readonly redactor: Redactor["Service"]
  /** The client knows links to resources. */
  readonly hasLinks: boolean
  /** The tool has an output schema: its clients want structured content with each success, whole. */
  readonly isStructured: boolean
  /** Results say that they are whole (2026-07-28). */
  readonly isStateless: boolean
}

const text = (value: string) => ({ type: "text", text: value })

/** The result of a server's tool. */
export const ofTool = (answer: ModelAnswer, call: ClientCall, options: ShownOptions): JsonObject => {
  const envelope = JSON.parse(answer.text) as JsonObject
  if (answer.isFailure) return failed(answer, call.last, options)
  const { data, ...said } = envelope
  if (isJsonObject(data)) {
    if (Object.keys(said).length === 1) return data
    const content = Array.isArray(data["content"]) ? (data["content"] as ReadonlyArray<unknown>) : []
    return { ...data, content: [...content, text(JSON.stringify(said))] }
  }
  return preview(answer, envelope, options)
}

/** The result of a tool of ours: the envelope alone. */
export const ofOurs = (answer: ModelAnswer, options: ShownOptions): JsonObject => ({
  content: [text(answer.text)],
  isError: answer.isFailure,
  ...complete(options)
})

const complete = ({ isStateless }: ShownOptions): JsonObject => (isStateless ? { resultType: "complete" } : {})

const failed = (answer: ModelAnswer, last: JsonObject | undefined, options: ShownOptions): JsonObject => {
  const { failure } = answer.outcome as Extract<ModelAnswer["outcome"], { _tag: "Failure" }>
  const isReported = last?.["isError"] === true
  const isDoubted = failure?._tag === "SemanticGarbage"
  const beside = last === undefined || !(isReported || isDoubted) ? {} : besideText(last, options, isDoubted)
  const { content = [], ...rest } = beside
  return {
    ...rest,
    ...complete(options),
    content: [text(answer.text), ...content],
    isError: true
  }
}

interface Beside {
  readonly content?: ReadonlyArray<unknown>
  readonly structuredContent?: unknown
}

/** Most characters of a text that is shown though it is taken for a failure: it may be none. */
const longestDoubted = 10_000

/** Most characters of all that is kept beside a text; bytes of pictures do not count. */
const mostBeside = 10_000

/** What a result holds beside its text. `isDoubted`: with its text, for the reader to judge. */
const besideText = (result: JsonObject, { redactor }: ShownOptions, isDoubted: boolean, isPromised = false): Beside => {
  const { content, structuredContent } = redactor.data(result) as JsonObject
  const blocks = Array.isArray(content) ? (content as ReadonlyArray<unknown>) : []
  let left = mostBeside
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

const preview = (answer: ModelAnswer, envelope: JsonObject, options: ShownOptions): JsonObject => {
  const whole = answer.outcome._tag === "Success" ? answer.outcome.value : undefined
  const { content = [], ...rest } = isJsonObject(whole) ? besideText(whole, options, false, options.isStructured) : {}
  const bytes = isJsonObject(envelope["preview"]) ? envelope["preview"]["bytes"] : undefined
  const uri = envelope["resource_url"]
  const link =
    options.hasLinks && typeof uri === "string"
      ? [
          {
            type: "resource_link",
            uri,
            name: "result",
            description: "The whole result, as JSON.",
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
