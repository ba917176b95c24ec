/**
 * An outcome as text, for stores that outlive the process: idempotency keys, budgets, checkpoints.
 *
 * The text contains the encoded result and no cause. A store does not know the tool, so an outcome that it reads is
 * marked `isEncoded`, and the pipeline decodes it with the tool's schema before it is used.
 */
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { changed, Failure } from "#domain/failure/Failure"
import type { Outcome } from "./Outcome.ts"
import { PlainPart } from "#domain/parts/Part"

const KeptFields = {
  bytes: Schema.optionalKey(Schema.Int),
  digest: Schema.optionalKey(Schema.String),
  usedFallback: Schema.optionalKey(Schema.String),
  parts: Schema.optionalKey(Schema.Array(PlainPart))
}

const AnyFailure = Schema.toCodecJson(Failure)

const Stored = Schema.fromJsonString(
  Schema.Union([
    Schema.Struct({
      _tag: Schema.Literal("Success"),
      result: Schema.Json,
      isAccepted: Schema.optionalKey(Schema.Literal(true)),
      isRaw: Schema.optionalKey(Schema.Literal(true)),
      statedFailure: Schema.optionalKey(Schema.String),
      ...KeptFields
    }),
    Schema.Struct({
      _tag: Schema.Literal("Failure"),
      failure: AnyFailure,
      tried: Schema.optionalKey(Schema.Array(Schema.String)),
      // absent in texts of earlier versions
      isAnswered: Schema.optionalKey(Schema.Literal(true)),
      isAbsent: Schema.optionalKey(Schema.Literal(true)),
      isOpen: Schema.optionalKey(Schema.Literal(true)),
      ...KeptFields
    })
  ])
)

const decode = Schema.decodeUnknownResult(Stored)
const encodeFailure = Schema.encodeSync(AnyFailure)

/**
 * Writes an outcome. `encode` encodes a result by its tool's schema. It is not called if the outcome already has its
 * JSON text.
 *
 * Throws if a result cannot be written as JSON.
 */
export const write = (outcome: Outcome, encode: (value: unknown) => unknown): string => {
  const { bytes, digest, isEncoded, parts, usedFallback } = outcome
  const kept = { bytes, digest, usedFallback, parts }
  const isJson = isEncoded === true || (outcome._tag === "Success" && outcome.isRaw === true)
  const encoder = isJson ? (value: unknown) => value : encode
  if (outcome._tag === "Failure") {
    return JSON.stringify({
      _tag: "Failure",
      failure: storable(outcome.failure, encoder),
      tried: outcome.tried,
      isAnswered: outcome.isAnswered,
      isAbsent: outcome.isAbsent,
      isOpen: outcome.isOpen,
      ...kept
    })
  }
  const { isAccepted, isRaw, statedFailure } = outcome
  const rest = JSON.stringify({ _tag: "Success", isAccepted, isRaw, statedFailure, ...kept })
  return `{"result":${outcome.json ?? JSON.stringify(encoder(outcome.value)) ?? "null"},${rest.slice(1)}`
}

/** Returns the failure with its data encoded, and without its cause, which belongs in the logs. */
const storable = (failure: Failure, encode: (value: unknown) => unknown): object => {
  const data = failure._tag === "PartialData" ? { data: encode(failure.data) } : {}
  const { cause: _, ...fields } = encodeFailure(changed(failure, { cause: undefined, ...data })) as { cause: unknown }
  return fields
}

/** Reads a text that `write` wrote. Returns `undefined` for any other text. */
export const read = (text: string): Outcome | undefined => {
  const stored = decode(text)
  if (Result.isFailure(stored)) return undefined
  const { success } = stored
  if (success._tag === "Failure") return { ...success, isEncoded: true }
  const { result, ...rest } = success
  return { ...rest, value: result, json: JSON.stringify(result), isEncoded: true }
}
