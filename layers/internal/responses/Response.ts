/**
 * Reads a complete answer of OpenAI's Responses API as response parts.
 *
 * - Reasoning keeps its item with the encrypted content; texts and calls keep the ids of their items, so that all of them
 *   can be sent back unchanged (`Transcript.toResponses`). Items of other types, such as the work of tools that the
 *   provider ran, are kept whole in a reasoning part without text.
 * - A refusal is text, marked in its metadata. Empty and repeated call ids are replaced [9.1].
 * - An answer that was cut by `max_output_tokens` ends with `length`, one that was filtered with `content-filter`.
 */
import type * as AiError from "effect/ai/AiError"
import type * as Response from "effect/ai/Response"
import * as Result from "effect/Result"
import * as Fields from "#domain/json/Fields"
import type { JsonObject } from "#domain/json/JsonObject"
import * as ResponsesOutput from "#domain/transcript/ResponsesOutput"
import * as Transcript from "#domain/transcript/Transcript"
import * as AnswerMetadata from "#layers/internal/model/AnswerMetadata"
import * as Failures from "#layers/internal/model/Failures"
import * as FinishReason from "#layers/internal/model/FinishReason"

/** The reasons of an incomplete answer, and the statuses of other answers. */
const finishReasons: ReadonlyMap<string, Response.FinishReason> = new Map([
  ["completed", "stop"],
  ["max_output_tokens", "length"],
  ["max_messages", "length"],
  ["content_filter", "content-filter"]
])

/** Reads token counts. Tokens read from the provider's cache, or written to it, count as input. */
const usageOf = (counts: unknown): Response.FinishPartEncoded["usage"] => {
  const fields = Fields.of(counts)
  const total = Fields.count(fields["input_tokens"])
  const details = Fields.of(fields["input_tokens_details"])
  const cacheRead = Fields.count(details["cached_tokens"])
  const output = Fields.count(fields["output_tokens"])
  const reasoning = Fields.count(Fields.of(fields["output_tokens_details"])["reasoning_tokens"])
  return AnswerMetadata.usageOf({
    input: total,
    cacheRead,
    cacheWrite: Fields.count(details["cache_write_tokens"]),
    output,
    reasoning
  })
}

/** Creates the part with the id, the model and the time of the answer. */
export const metadata = (response: JsonObject): Response.ResponseMetadataPartEncoded =>
  AnswerMetadata.of(response["id"], response["model"], response["created_at"])

/** Creates the last part of an answer. */
export const finish = (response: JsonObject, calls: FinishReason.Calls): Response.FinishPartEncoded => {
  const { incomplete_details: details, status, usage } = response
  const reason = status === "incomplete" ? Fields.string(Fields.of(details)["reason"]) || "incomplete" : "completed"
  return { type: "finish", reason: FinishReason.of(finishReasons, reason, calls), usage: usageOf(usage) }
}

/** The statuses of an answer that is over. Some servers send no status. */
const ended: ReadonlySet<unknown> = new Set(["completed", "incomplete", undefined, null])

/** Returns the error of a response that failed, in the shape that `Failures` reads. */
export const errorIn = (body: unknown): unknown => {
  const fields = Fields.of(body)
  if (fields["type"] === "error") return body
  const response = fields["type"] === "response.failed" ? Fields.of(fields["response"]) : fields
  if (response["status"] !== "failed" && fields["type"] !== "response.failed") return Failures.errorIn(body)
  return { error: response["error"] ?? { code: "server_error", message: "the response failed" } }
}

/** Returns the parts of a parsed answer. `takenIds` are the call ids of the conversation. */
export const readWhole = (
  body: unknown,
  takenIds: ReadonlySet<string>
): Result.Result<Array<Response.PartEncoded>, AiError.AiErrorReason> => {
  const response = Fields.of(body)
  if (!Array.isArray(response["output"])) return Result.fail(Failures.invalid("the answer is not a response"))
  if (!ended.has(response["status"])) {
    return Result.fail(Failures.invalid(`the response is not complete: its status is ${String(response["status"])}`))
  }
  const read = Fields.list(response["output"]).flatMap(ResponsesOutput.parts)
  const { parts } = Transcript.freshIds(read, takenIds)
  const calls = parts.some(({ type }) => type === "tool-call") ? "complete" : "none"
  return Result.succeed([metadata(response), ...parts, finish(response, calls)])
}
