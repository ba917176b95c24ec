/**
 * Reads the responses of a guarded server: envelopes, and problems with the original failure.
 *
 * **Gotchas**
 *
 * Applies only to operations that the document marks with `x-toolguard`. The class and side effect of a failure are
 * trusted. SemanticGarbage becomes a SchemaMismatch, because a handler does not return verdicts.
 */
import * as Failure from "#domain/failure/Failure"
import * as JsonText from "#domain/json/JsonText"
import type { Part } from "#domain/parts/Part"
import { text } from "#src/openapi/document/Document"
import { field, isJsonObject, type JsonObject } from "#domain/json/JsonObject"
import * as Duration from "effect/Duration"
import * as Result from "effect/Result"

/** The content of a response. */
type Content =
  | {
      readonly _tag: "Data"
      readonly data: unknown
      readonly parts: ReadonlyArray<Part>
      readonly more: JsonObject | undefined
    }
  | { readonly _tag: "Failed"; readonly failure: Failure.CallFailure }
  /** The response is not from a guarded server. */
  | { readonly _tag: "Foreign" }

/** Reads a response. */
export const read = (status: number, body: string): Content => {
  const parsed = JsonText.parse(body, JsonText.resultLimits)
  if (Result.isFailure(parsed) || !isJsonObject(parsed.success)) return { _tag: "Foreign" }
  const value = parsed.success
  if (status === 200) {
    const isEnvelope = (value["status"] === "success" || value["status"] === "partial") && Object.hasOwn(value, "data")
    if (!isEnvelope) return { _tag: "Foreign" }
    const beside = value["beside"]
    return {
      _tag: "Data",
      data: value["data"],
      parts: Array.isArray(beside) ? beside : [],
      more: value["status"] === "partial" && isJsonObject(value["error"]) ? value["error"] : undefined
    }
  }
  const failure = failureOf(value)
  return failure === undefined ? { _tag: "Foreign" } : { _tag: "Failed", failure }
}

const sideEffectOf = (value: unknown): Failure.SideEffect =>
  value === "committed" || value === "unknown" ? value : "none"

/** The failure class of each error class. Partial data is not a failure, and SemanticGarbage violates the contract. */
const tagOf: { readonly [errorClass: string]: Failure.CallFailure["_tag"] } = {
  tool_arg_error: "ToolArgError",
  schema_mismatch: "SchemaMismatch",
  semantic_garbage: "SchemaMismatch",
  transient: "Transient",
  resource: "Resource",
  permanent: "Permanent",
  human_review: "HumanReview"
}

/** True for the classes of declared refusals. */
const isRefusable = (tag: Failure.CallFailure["_tag"]): boolean => tag === "Permanent" || tag === "ToolArgError"

const failureOf = (problem: JsonObject): Failure.CallFailure | undefined => {
  const errorClass = text(problem, "error_class")
  const code = text(problem, "code")
  if (errorClass === undefined || code === undefined) return undefined
  const fields = field(problem, "fields")
  const details = field(problem, "details")
  const wait = field(problem, "retry_after_ms")
  const tag = tagOf[errorClass]
  if (tag === undefined) return undefined
  return Failure.make(tag, code.slice(0, 64), {
    tool: "",
    detail: (text(problem, "detail") ?? "").slice(0, 2_000),
    hint: (text(problem, "hint") ?? "").slice(0, 2_000),
    sideEffect: sideEffectOf(field(problem, "side_effect")),
    fields: Array.isArray(fields) ? fields.filter((each) => typeof each === "string").slice(0, 20) : undefined,
    retryAfter: typeof wait === "number" && wait >= 0 ? Duration.millis(wait) : undefined,
    approvalUrl: text(problem, "approval_url"),
    refusal: isRefusable(tag) && isJsonObject(details) ? { ...details, _tag: code.slice(0, 64) } : undefined
  })
}
