/** Checks that each call returns exactly one result, in order, in one format, and within its deadline. */
import * as Utf8 from "effect-toolguard/internal/domain/text/Utf8"
import * as Transcript from "effect-toolguard/internal/domain/transcript/Transcript"
import * as CallOutcome from "#kit/fuzz/simulation/CallOutcome"
import type { Observation, ObservedCall } from "#kit/fuzz/simulation/Observation"
import type { PromiseCheck } from "./PromiseCheck.ts"

/** Checks that n calls return n results. */
export const oneResult: PromiseCheck = (_, { caller, calls }, observation) => {
  const open = observation.calls.find(({ endedAt }) => endedAt === undefined)
  if (open !== undefined) return `The call ${open.id} was never answered.`
  if (caller !== "loop") {
    return observation.calls.length === calls.length
      ? undefined
      : `${observation.calls.length} of ${calls.length} calls were answered.`
  }
  const { transcript } = observation
  if (transcript === undefined) return "The agent loop did not end."
  const [violation] = Transcript.validate(transcript)
  return violation === undefined
    ? undefined
    : `The conversation violates ${violation.rule} at message ${violation.message}.`
}

/** The maximum length of an error in characters, without `next` and `approval_url`. */
const maxErrorLength = 600

/** The maximum size of an envelope in bytes: 10,240 for a result, and 1,000 for an error. `next` is not counted. */
const maxEnvelopeBytes = 10_240 + 1_000

/** Checks that a model reads one JSON envelope of limited size for each call. */
export const oneEnvelope: PromiseCheck = (_, __, { calls }) => {
  for (const call of calls) {
    const problem = call.answer === undefined ? undefined : envelopeProblem(call, call.answer.text)
    if (problem !== undefined) return `The envelope of ${call.id} ${problem}`
  }
  return undefined
}

/** A parsed envelope whose fields have not been checked. */
interface Envelope {
  readonly status?: unknown
  readonly error?: { readonly [field: string]: unknown }
}

/** Parses an envelope; returns `undefined` if the text is not a JSON object. */
export const envelopeOf = (text: string): Envelope | undefined => {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === "object" && value !== null ? value : undefined
  } catch {
    return undefined
  }
}

const envelopeProblem = (call: ObservedCall, text: string): string | undefined => {
  const envelope = envelopeOf(text)
  if (envelope === undefined) return "is not a JSON object."
  const { error, status } = envelope
  const hasResult = "data" in envelope || "preview" in envelope
  const outcome = CallOutcome.of(call)
  const bytes = Utf8.length(text) - Utf8.length(JSON.stringify(error?.["next"] ?? null))
  if (bytes > maxEnvelopeBytes) return `has ${bytes} bytes; the maximum is ${maxEnvelopeBytes}.`
  if (status === "success") {
    if (!hasResult || error !== undefined) return "is a success without a result or with an error."
    return outcome?._tag === "Success" ? undefined : "is a success, but the call failed."
  }
  if (status !== "error" && status !== "partial") return `has the status ${JSON.stringify(status)}.`
  if (typeof error !== "object" || typeof error["code"] !== "string" || typeof error["message"] !== "string") {
    return "is a failure without a code or a message."
  }
  if (error["message"] === "" || error["hint"] === "") return "has an empty message or hint."
  const { approval_url: _url, next: _next, ...limited } = error
  const length = JSON.stringify(limited).length
  if (length > maxErrorLength) return `has an error of ${length} characters; the maximum is ${maxErrorLength}.`
  return (status === "partial") === hasResult
    ? undefined
    : "has a result with the status error, or no result with the status partial."
}

/** The tolerance in milliseconds, because the sum of fractional waits is rounded. */
const roundingMillis = 1

/** Checks that a call ends within its deadline plus the time for the calls that the guard makes for it. */
export const withinDeadline: PromiseCheck = ({ definition, relatedMillis }, __, { calls }) => {
  // identical polls run one after the other, each after an interval
  const waits = (definition.poll?.intervalMillis ?? 0) * calls.length
  const limit = definition.deadlineMillis + relatedMillis + waits + roundingMillis
  const late = calls.find(({ endedAt, startedAt }) => endedAt !== undefined && endedAt - startedAt > limit)
  if (late === undefined) return undefined
  return `The call ${late.id} was answered after ${elapsed(late)} ms; its deadline is ${definition.deadlineMillis} ms.`
}

const elapsed = ({ endedAt = 0, startedAt }: Observation["calls"][number]): number => Math.round(endedAt - startedAt)
