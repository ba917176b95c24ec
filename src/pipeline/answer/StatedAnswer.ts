/**
 * Decodes the parsed answer of a tool, and reads what it states about itself, as the contract of the tool allows. The
 * stage `decodeResult` and the replay of a log share these functions, so that they find the same failures.
 */
import * as AnsweredEnvelope from "#domain/answers/AnsweredEnvelope"
import { type Statement, statementOf } from "#domain/answers/statements/Statement"
import * as DeclaredError from "#domain/classification/DeclaredError"
import type { JsonObject } from "#domain/json/JsonObject"
import type { CompiledTool } from "#pipeline/call/CompiledTool"

/**
 * Decodes an answer. If it has the shape of an envelope, its data is decoded. If the envelope has further fields, its
 * data is decoded only if the whole does not match the contract.
 */
export const decodedBy = (check: CompiledTool["result"]["decode"], tool: CompiledTool, given: unknown) => {
  const received = unwrapped(tool, given, false)
  const decoded = check(received)
  if (decoded._tag === "Success") return { decoded, received }
  const data = unwrapped(tool, received, true)
  const inner = data === received ? decoded : check(data)
  return inner._tag === "Success" ? { decoded: inner, received: data } : { decoded, received }
}

/** Returns the data of an answer in the shape of an envelope, unless the contract declares `status`. */
const unwrapped = ({ result }: CompiledTool, received: unknown, isLossy: boolean): unknown => {
  try {
    const data = AnsweredEnvelope.dataOf(received, isLossy)
    return data === received || result.declares(["status"]) ? received : data
  } catch {
    return received // a value with a getter that throws
  }
}

/** How an answer was decoded, and the arguments of its call. */
interface DecodedAnswer {
  readonly arguments: unknown
  /** True if the handler returned a value, and neither a text nor a response. */
  readonly isValue: boolean
  /** True if the answer matches the contract. */
  readonly conforms: boolean
}

/**
 * Returns what an answer states about itself: the envelope of an error, a failure, or a doubt about a write. Returns
 * `undefined` if it states nothing.
 */
export const statedIn = (tool: CompiledTool, received: unknown, answered: DecodedAnswer): Statement | undefined =>
  declaredIn(errorEnvelope(tool, received)) ?? statementIn(tool, received, answered)

/**
 * Returns the answer if it is the envelope of an error, or an error in one of the flat formats, and the contract does
 * not declare the field that marks it.
 */
const errorEnvelope = ({ result }: CompiledTool, received: unknown): JsonObject | undefined => {
  try {
    const envelope = AnsweredEnvelope.errorOf(received)
    if (envelope !== undefined) return result.declares(["status"]) ? undefined : envelope
    const mark = DeclaredError.markOf(received)
    return mark === undefined || result.declares([mark]) ? undefined : (received as JsonObject) // `markOf` has checked it
  } catch {
    return undefined
  }
}

/** Returns the failure of the envelope of an error. */
const declaredIn = (envelope: JsonObject | undefined): Statement | undefined => {
  try {
    const error = DeclaredError.errorOf(envelope)
    return error === undefined ? undefined : { _tag: "Failure", error }
  } catch {
    return undefined // a value with a getter that throws
  }
}

const statementIn = (
  { definition, result }: CompiledTool,
  received: unknown,
  answered: DecodedAnswer
): Statement | undefined => {
  try {
    const { access, name } = definition
    const { declares } = result
    return statementOf(received, { tool: name, access, declares, ...answered })
  } catch {
    return undefined // a value with a getter that throws
  }
}
