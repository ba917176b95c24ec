/** Finds declared refusals [3.5] in the error of a handler, before the error is classified. */
import { mayBeSecret } from "#domain/redaction/FieldNames"
import * as StatedEffect from "#domain/failure/StatedEffect"
import { cut } from "#domain/text/Cut"
import { shownOnOneLine } from "#domain/text/VisibleText"
import type { DeclaredRefusal } from "#domain/tool/DeclaredRefusal"
import { isJsonObject, type JsonObject } from "#domain/json/JsonObject"
import * as Cause from "effect/Cause"
import * as Result from "effect/Result"

/** A declared refusal in the cause of a handler. */
export interface RecognisedRefusal {
  readonly declared: DeclaredRefusal
  /** The error with which the handler failed. */
  readonly error: unknown
  /** The error as JSON, with its tag. */
  readonly json: JsonObject
  /** The message of the error, or a sentence derived from its tag and fields. */
  readonly sentence: string
}

/**
 * Returns the declared refusal with which a handler failed; undefined for any other error.
 *
 * **Details**
 *
 * - A refusal is an instance of its class, or a value that has the tag and decodes with the schema.
 * - A thrown instance counts too: as a defect, or in the `UnknownError` of a rejected promise.
 * - If the cause contains anything else, such as the crash or the interruption of another fiber, the handler may have
 *   done something, and the error is not a refusal. The same applies to a refusal in `done` or `unknown`.
 */
export const read = (
  declared: ReadonlyArray<DeclaredRefusal>,
  cause: Cause.Cause<unknown>
): RecognisedRefusal | undefined => {
  if (declared.length === 0) return undefined
  let first: RecognisedRefusal | undefined
  for (const reason of cause.reasons) {
    if (Cause.isInterruptReason(reason)) return undefined
    const recognised = Cause.isFailReason(reason)
      ? recognise(declared, unwrapped(reason.error), true)
      : recognise(declared, reason.defect, false)
    if (recognised === undefined) return undefined
    first ??= recognised
  }
  return first
}

/** The maximum number of errors that are searched for a refusal, along their causes. */
const maxCauses = 12

/**
 * Returns true if a declared refusal caused the error of a handler: the handler then did nothing [3.3]. Returns false
 * if the handler failed for several reasons, with a defect, or by an interruption.
 */
export const isEnclosed = (declared: ReadonlyArray<DeclaredRefusal>, { reasons }: Cause.Cause<unknown>): boolean => {
  const [reason] = reasons
  if (declared.length === 0 || reasons.length !== 1 || reason === undefined || !Cause.isFailReason(reason)) return false
  let link = reason.error
  for (let depth = 0; depth < maxCauses; depth++) {
    if (typeof link !== "object" || link === null) return false
    if (recognise(declared, link, false) !== undefined) return true
    try {
      link = (link as { readonly cause?: unknown }).cause
    } catch {
      return false // a getter that throws
    }
  }
  return false
}

/** Returns the error in a rejected promise or in `nothingDone`; undefined for an error that states an effect. */
const unwrapped = (error: unknown): unknown => {
  const inside: unknown = Cause.isUnknownError(error) ? error.cause : error
  const stated = typeof inside === "object" && inside !== null ? StatedEffect.sideEffectOf(inside) : undefined
  if (stated === undefined) return inside
  return stated === "none" ? StatedEffect.inner(inside) : undefined
}

/** Compares one error with the declared refusals. With `isDecoded`, values that are not instances count too. */
const recognise = (
  declared: ReadonlyArray<DeclaredRefusal>,
  error: unknown,
  isDecoded: boolean
): RecognisedRefusal | undefined => {
  try {
    if (typeof error !== "object" || error === null || !("_tag" in error)) return undefined
    const own = declared.find(({ tag }) => tag === error._tag)
    if (own === undefined) return undefined
    const isOwn = own.is(error)
    if (!isOwn && !isDecoded) return undefined
    const value: unknown = isOwn ? error : Result.getOrUndefined(own.decode(error))
    if (value === undefined) return undefined
    const json = encoded(own, value)
    return { declared: own, error: value, json, sentence: sentenceOf(own, value, json) }
  } catch {
    return undefined // a getter or a codec of the user that throws
  }
}

/** Returns the refusal as JSON, with only its tag if a field cannot be encoded. */
const encoded = ({ encode, tag }: DeclaredRefusal, value: unknown): JsonObject => {
  try {
    const json = Result.getOrUndefined(encode(value))
    if (isJsonObject(json)) return json
  } catch {
    // a getter of the error has thrown
  }
  return { _tag: tag }
}

/** Returns the message of a refusal, with hidden characters as their code points; empty if it has none. */
const messageOf = (error: unknown, json: JsonObject): string => {
  try {
    const message = error instanceof Error ? error.message : json["message"]
    return typeof message === "string" ? shownOnOneLine(message) : ""
  } catch {
    return "" // the getter of the message has thrown
  }
}

const longestSentence = 400

const sentenceOf = ({ code }: DeclaredRefusal, error: unknown, json: JsonObject): string => {
  const message = messageOf(error, json)
  if (message !== "") return cut(message, longestSentence)
  const words = code.replaceAll("_", " ")
  const fields = Object.entries(json).flatMap(([name, value]) => {
    if (name === "_tag" || mayBeSecret(name)) return []
    const text = scalarOf(value)
    return text === undefined ? [] : [`${name} ${text}`]
  })
  const sentence = words.charAt(0).toUpperCase() + words.slice(1)
  const whole = fields.length === 0 ? sentence : `${sentence}: ${fields.slice(0, maxFields).join(", ")}`
  return cut(shownOnOneLine(whole), 200) + "."
}

const maxFields = 4

/** Returns a short scalar as text; undefined for any other value, which the model reads only among the fields. */
const scalarOf = (value: unknown): string | undefined =>
  typeof value === "string"
    ? value.length <= 60
      ? value
      : undefined
    : typeof value === "number" || typeof value === "boolean"
      ? String(value)
      : undefined
