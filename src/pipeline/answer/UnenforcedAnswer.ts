/**
 * Passes on the answer of a tool that only advises, although an enforcing guard would refuse it [2.2].
 *
 * **Details**
 *
 * - A result that a check refuses is passed to every caller. Only a caller that accepts any shape gets an answer that
 *   violates `success`.
 * - Such a result is the answer as JSON: a parsed text, or the text itself if it is not JSON. Nothing is salvaged,
 *   dropped or decoded.
 * - A failure that is not about an answer remains: a timeout, an error, a broken connection, an HTTP status.
 * - A failure remains if the answer exceeds the limits of results. JSON with a field that would pollute prototypes
 *   passes as text.
 * - A failure of a write remains unless the write was certainly done. An answer that states a failure, or that is not
 *   the promised JSON, does not prove this [3.3].
 */
import * as JsonText from "#domain/json/JsonText"
import { type FailedOutcome, type Success, success } from "#domain/call/Outcome"
import * as Part from "#domain/parts/Part"
import * as Base64 from "effect/encoding/Base64"
import * as Result from "effect/Result"
import type { Answer } from "#pipeline/call/Answer"
import * as Call from "#pipeline/call/Call"
import type { CompiledTool } from "#pipeline/call/CompiledTool"
import * as SuccessOfAnswer from "./SuccessOfAnswer.ts"

/**
 * Returns the success that the caller gets instead of a failure, and records the failure; undefined if the failure
 * remains.
 */
export const of = (tool: CompiledTool, call: Call.Call, { failure }: FailedOutcome): Success | undefined => {
  const { answer, outcome, verdict } = call
  if (answer === undefined) return undefined
  if (verdict._tag !== "Ok" && outcome === undefined) {
    const isStated = verdict._tag === "Garbage" && verdict.statedFailure !== undefined
    if (isStated && tool.definition.access !== "read") return undefined
    Call.advise(call, "check", failure, verdict._tag === "Garbage" ? verdict.detail : "the result is incomplete")
    return SuccessOfAnswer.of(tool, call, answer)
  }
  const passed = rawOf(tool, call, answer, failure)
  if (passed === undefined) return undefined
  const isParsed = answer._tag === "Value" || call.result !== undefined
  Call.advise(call, isParsed ? "decodeResult" : "parseResult", failure)
  return passed
}

/** Returns the answer as the tool gave it; undefined if the caller or a limit does not allow it. */
const rawOf = (
  tool: CompiledTool,
  { acceptsAnyShape }: Call.Call,
  answer: Answer,
  { sideEffect }: FailedOutcome["failure"]
): Success | undefined => {
  if (!acceptsAnyShape || (tool.definition.access !== "read" && sideEffect !== "committed")) return undefined
  const given = answer._tag === "Stated" ? answer.answer : answer
  const value = valueOf(tool, given)
  if (Result.isFailure(value)) return undefined
  const bytes = "bytes" in given ? { bytes: given.bytes } : {}
  return { ...success(value.success, partsOf(given)), ...bytes, isRaw: true }
}

const unusable = Result.fail(undefined)

/** Returns the answer as JSON; a failure if it is not an answer or exceeds a limit. */
const valueOf = ({ definition, result }: CompiledTool, answer: Answer): Result.Result<unknown, undefined> => {
  switch (answer._tag) {
    case "Value":
      return copyOf(answer.value, definition.resultLimits)
    case "Text":
    case "Response": {
      const { cut, raw, text } = answer
      if (cut || (answer._tag === "Response" && (answer.status < 200 || answer.status > 299))) return unusable
      if (raw !== undefined) return Result.succeed(Base64.encode(raw))
      return result.text === "json" ? parsed(text, definition.resultLimits) : Result.succeed(text)
    }
    default:
      return unusable
  }
}

/** Returns a value as JSON: bytes as base64, and `undefined` as null. */
const copyOf = (value: unknown, limits: JsonText.Limits): Result.Result<unknown, undefined> => {
  if (value instanceof Uint8Array) return Result.succeed(Base64.encode(value))
  try {
    const json = JSON.stringify(value) as string | undefined
    return Result.mapError(JsonText.parse(json ?? "null", limits), () => undefined)
  } catch {
    return unusable
  }
}

/** Returns a text as JSON, or the text itself if it is not JSON. */
const parsed = (text: string, limits: JsonText.Limits): Result.Result<unknown, undefined> => {
  const json = JsonText.parse(text, limits)
  if (Result.isSuccess(json)) return Result.succeed(json.success)
  const { _tag } = json.failure
  return _tag === "Invalid" || _tag === "Truncated" ? Result.succeed(text) : unusable
}

/** Returns the parts that accompany an answer; undefined if it has no parts, or if they cannot be shown. */
const partsOf = (answer: Answer): ReadonlyArray<Part.PlainPart> | undefined => {
  const given = "parts" in answer ? answer.parts : undefined
  const parts = given === undefined ? undefined : Result.getOrUndefined(Part.plain(given))
  return parts === undefined || parts.length === 0 ? undefined : parts
}
