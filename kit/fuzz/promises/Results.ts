/** Each call gets exactly one result, in the order of the calls, in one shape that a failure cannot be mistaken in. */
import * as Utf8 from "effect-toolguard/internal/domain/text/Utf8"
import * as Transcript from "effect-toolguard/internal/domain/transcript/Transcript"
import * as Ending from "#kit/fuzz/play/Ending"
import type { Played, PlayedCall } from "#kit/fuzz/play/Played"
import type { Promised } from "./Promised.ts"

/** n calls give n results. */
export const oneResult: Promised = (_, { caller, calls }, played) => {
  const open = played.calls.find(({ endedAt }) => endedAt === undefined)
  if (open !== undefined) return `The call ${open.id} was never answered.`
  if (caller !== "loop") {
    return played.calls.length === calls.length
      ? undefined
      : `Of ${calls.length} calls ${played.calls.length} were answered.`
  }
  const { transcript } = played
  if (transcript === undefined) return "The agent loop did not end."
  const [violation] = Transcript.validate(transcript)
  return violation === undefined
    ? undefined
    : `The conversation is broken: ${violation.rule}, message ${violation.message}.`
}

/** Most characters of an error, `next` and `approval_url` left out. */
const longestError = 600

/** Most bytes of an envelope: those of a result, and an error with arguments to go on with beside it. */
const longestEnvelope = 10_240 + 1_000

/** What a model reads: one JSON text of the known shape, its error no longer than it may be. */
export const oneShape: Promised = (_, __, { calls }) => {
  for (const call of calls) {
    const problem = call.answer === undefined ? undefined : shapeProblem(call, call.answer.text)
    if (problem !== undefined) return `What a model reads of ${call.id} ${problem}`
  }
  return undefined
}

/** An envelope as it was parsed. */
interface Envelope {
  readonly status?: unknown
  readonly error?: { readonly [field: string]: unknown }
}

/** The text as an envelope; undefined where it is no JSON object. */
export const envelopeOf = (text: string): Envelope | undefined => {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === "object" && value !== null ? value : undefined
  } catch {
    return undefined
  }
}

const shapeProblem = (call: PlayedCall, text: string): string | undefined => {
  const envelope = envelopeOf(text)
  if (envelope === undefined) return "is no JSON object."
  const { error, status } = envelope
  const hasResult = "data" in envelope || "preview" in envelope
  const ending = Ending.of(call)
  const bytes = Utf8.length(text) - Utf8.length(JSON.stringify(error?.["next"] ?? null))
  if (bytes > longestEnvelope) return `has ${bytes} bytes; a model gets at most ${longestEnvelope}.`
  if (status === "success") {
    if (!hasResult || error !== undefined) return "is a success without a result, or with an error."
    return ending?._tag === "Success" ? undefined : "is a success, and the call failed."
  }
  if (status !== "error" && status !== "partial") return `has the status ${JSON.stringify(status)}.`
  if (typeof error !== "object" || typeof error["code"] !== "string" || typeof error["message"] !== "string") {
    return "is a failure without code and message."
  }
  if (error["message"] === "" || error["hint"] === "") return "says nothing of its failure, or of what to do."
  const { approval_url: _url, next: _next, ...told } = error
  const length = JSON.stringify(told).length
  if (length > longestError) return `has an error of ${length} characters; at most ${longestError} are allowed.`
  return (status === "partial") === hasResult ? undefined : "has a result beside an error, or a part without one."
}

/** Milliseconds: waits are fractions, and their sum is rounded. */
const rounding = 1

/** How much later than its deadline a call may end: the time of the calls that the guard makes for it. */
export const inTime: Promised = ({ definition, otherMillis }, __, { calls }) => {
  // equal polls wait for each other, an interval each
  const waits = (definition.poll?.intervalMillis ?? 0) * calls.length
  const limit = definition.deadlineMillis + otherMillis + waits + rounding
  const late = calls.find(({ endedAt, startedAt }) => endedAt !== undefined && endedAt - startedAt > limit)
  if (late === undefined) return undefined
  return `The call ${late.id} was answered after ${elapsed(late)} ms; its deadline is ${definition.deadlineMillis} ms.`
}

const elapsed = ({ endedAt = 0, startedAt }: Played["calls"][number]): number => Math.round(endedAt - startedAt)
