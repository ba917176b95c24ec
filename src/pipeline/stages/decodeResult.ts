/**
 * [4.9] Decodes the answer with the tool's `success` schema. Violations become a SchemaMismatch with their paths.
 *
 * **Details**
 *
 * - If an answer breaks the schema and states a failure, the stated failure is passed on.
 * - An answer in the shape of an envelope is unwrapped, or is a stated failure of a read too, unless the contract declares
 *   `status`.
 * - The envelope of an incomplete result becomes PartialData for a model. A program's type may not have this failure, so
 *   a program gets the answer unchanged, as does a tool that only advises.
 * - If the answer of a write states a failure, even beside data, the write is never reported as done [3.3]. The stated
 *   failure is passed on, and its side effect is unknown.
 * - A text that is only the notice of an outage, such as the page of a gateway, is a failure of a read.
 * - The exception is a field that the contract names (`success` declares `ok`), the state of an entity, and the text of a
 *   tool whose result is text: there the answer is a result, whose side effect is unknown. A response or a text that
 *   contains only the failure is no exception.
 */
import { replacedDataIn, statedFailureIn } from "#domain/answers/HiddenFailure"
import * as AnsweredEnvelope from "#domain/answers/AnsweredEnvelope"
import * as Outage from "#domain/answers/Outage"
import * as FailureFlag from "#domain/answers/FailureFlag"
import * as DeclaredError from "#domain/classification/DeclaredError"
import * as Fault from "#domain/faults/Fault"
import { isJsonObject, type JsonObject } from "#domain/json/JsonObject"
import * as ArgumentIssues from "#domain/schema/ArgumentIssues"
import * as Part from "#domain/parts/Part"
import * as Verdict from "#domain/tool/Verdict"
import * as Effect from "effect/Effect"
import { ofAnswer } from "#pipeline/answer/SideEffectOfAnswer"
import * as Answer from "#pipeline/call/Answer"
import * as Call from "#pipeline/call/Call"
import type { CompiledTool } from "#pipeline/call/CompiledTool"
import { refuse } from "#pipeline/call/Refusal"
import type { Stage } from "#pipeline/call/Stage"

export const decodeResult: Stage = {
  name: "decodeResult",
  question: "does the answer match the tool's contract",
  make: Effect.succeed((tool) => (next) => {
    const { definition, result } = tool
    return (call) => {
      const { answer } = call
      if (answer === undefined || call.outcome !== undefined) return next(call)
      const isValue = answer._tag === "Value"
      if (!isValue && call.result === undefined) return next(call)
      const given = isValue ? answer.value : call.result
      const partial = partialEnvelope(tool, call, given)
      const check = isValue || result.text !== "json" ? result.checkValue : result.decode
      const { decoded, received } = decodedBy(check, tool, partial === undefined ? given : partial.data)
      const broken = (text: string, fields?: ReadonlyArray<string>) => {
        const sideEffect = ofAnswer(definition.access, answer)
        return next({
          ...call,
          outcome: {
            ...refuse(call, sideEffect === "committed" ? "done_unreadable" : "invalid_result", {
              detail: `The answer of ${definition.name} breaks its contract: ${text}`,
              fields,
              sideEffect
            }),
            isAnswered: true
          }
        })
      }
      const stated =
        declaredIn(errorEnvelope(tool, received)) ?? statementIn(tool, received, isValue, decoded._tag === "Success")
      if (stated?._tag === "Failure") {
        Call.decide(call, "decodeResult", "stated failure", stated.error.message)
        return next({ ...call, answer: Answer.stated(stated.error, answer) })
      }
      if (decoded._tag === "Failure") {
        call.trace.faults = Fault.ofResult(decoded.failure, received, result.encoded)
        const { fields, text } = ArgumentIssues.mismatch(ArgumentIssues.fromIssue(decoded.failure))
        return broken(text, fields)
      }
      call.trace.decoded = decoded.success
      if (stated !== undefined) Call.decide(call, "decodeResult", "unproven", stated.sentence)
      const verdict = partial === undefined ? call.verdict : verdictOf(call, partial)
      const shown = stated === undefined ? { ...call, verdict } : { ...call, verdict, statedFailure: stated.sentence }
      const returned = "parts" in answer ? answer.parts : undefined
      if (returned === undefined) return next({ ...shown, result: decoded.success })
      const parts = Part.plain(returned)
      if (parts._tag === "Failure") return broken(parts.failure)
      return next({
        ...shown,
        result: decoded.success,
        ...(parts.success.length === 0 ? {} : { parts: parts.success })
      })
    }
  })
}

/**
 * Decodes an answer. If it has the shape of an envelope, its data is decoded; the data beside other fields of the exchange
 * only if the contract refuses the whole.
 */
const decodedBy = (check: CompiledTool["result"]["decode"], tool: CompiledTool, given: unknown) => {
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

/** Returns the envelope of an incomplete result, for a model, unless the contract declares `status`. */
const partialEnvelope = (
  { definition, result }: CompiledTool,
  { acceptsAnyShape }: Call.Call,
  received: unknown
): AnsweredEnvelope.PartialEnvelope | undefined => {
  if (!acceptsAnyShape || definition.enforce === "advise") return undefined
  try {
    const partial = AnsweredEnvelope.partialOf(received)
    return partial === undefined || result.declares(["status"]) ? undefined : partial
  } catch {
    return undefined // a value with a getter that throws
  }
}

/**
 * Returns the verdict of an incomplete result. A `next` that the parameters refuse is dropped, and the model reads that
 * it does not fit the parameters.
 */
const verdictOf = (call: Call.Call, { detail, hint, next }: AnsweredEnvelope.PartialEnvelope): Verdict.Verdict => {
  const shared = detail === undefined ? {} : { detail }
  const continued = next === undefined ? undefined : decodedNext(call, next)
  if (continued !== undefined) return Verdict.partial({ ...shared, next: continued })
  const dropped = next === undefined ? "" : " The `next` of the tool does not fit its parameters."
  return Verdict.partial({ ...shared, narrow: `${hint ?? "Keep this part, or narrow the request."}${dropped}` })
}

/** Returns the arguments sent with the changes of an upstream, decoded; undefined if the parameters refuse them. */
const decodedNext = ({ arguments: sent, tool }: Call.Call, next: JsonObject): object | undefined => {
  const encoded = tool.contract.encode(sent)
  if (!isJsonObject(encoded)) return undefined
  const decoded = tool.contract.decode({ ...encoded, ...next })
  return decoded._tag === "Success" && isJsonObject(decoded.success) ? decoded.success : undefined
}

/**
 * Returns the answer if it is the envelope of an error, or an error in one of the flat formats, and the contract does not
 * declare the field that says so.
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

/** What an answer states about its own failure. */
type Statement =
  | { readonly _tag: "Failure"; readonly error: Error }
  /** The answer is a result, which does not prove that the write was done. */
  | { readonly _tag: "Result"; readonly sentence: string }

/** Returns the failure of the envelope of an error. */
const declaredIn = (envelope: JsonObject | undefined): Statement | undefined => {
  try {
    const error = DeclaredError.errorOf(envelope)
    return error === undefined ? undefined : { _tag: "Failure", error }
  } catch {
    return undefined // a value with a getter that throws
  }
}

/** Finds the failure that an answer states. */
const statementIn = (
  tool: CompiledTool,
  received: unknown,
  isValue: boolean,
  conforms: boolean
): Statement | undefined => {
  try {
    return statementOf(tool, received, isValue, conforms)
  } catch {
    return undefined // a value with a getter that throws
  }
}

const statementOf = (
  { definition, result }: CompiledTool,
  received: unknown,
  isValue: boolean,
  conforms: boolean
): Statement | undefined => {
  if (conforms && definition.access === "read") return replacedIn(result, received)
  const isText = typeof received === "string"
  const flag = FailureFlag.flagIn(isText && conforms ? parsed(received) : received, !conforms)
  // the error of an incomplete result says what is missing, and not that the action failed
  if (isPartial(result, received)) return undefined
  if (conforms && (isText || (isValue && flag !== undefined && result.declares(flag.path)))) return ofResult(flag)
  if (conforms && flag === undefined && isDeclared(result, received)) return undefined
  const stated = conforms && flag === undefined ? replacedDataIn(received) : statedFailureIn(received)
  if (stated !== undefined) return { _tag: "Failure", error: stated.error }
  if (flag === undefined || definition.access === "read") return undefined
  return conforms && (flag.isState || result.declares(flag.path))
    ? ofResult(flag)
    : { _tag: "Failure", error: FailureFlag.errorOf(flag) }
}

/** The most fields of an answer that may be a failure in place of data. */
const mostFields = 16

/** Returns the failure that the answer of a read states in place of the data that its contract declares. */
const replacedIn = (result: CompiledTool["result"], received: unknown): Statement | undefined => {
  if (typeof received === "string") {
    const notice = Outage.outageIn(received)
    return notice === undefined ? undefined : { _tag: "Failure", error: Outage.errorOf(notice) }
  }
  if (typeof received !== "object" || received === null || Object.keys(received).length > mostFields) return undefined
  if (isPartial(result, received) || hasDeclaredData(result, received)) return undefined
  const flag = FailureFlag.flagIn(received)
  if (flag !== undefined && (flag.isState || result.declares(flag.path))) return undefined
  const replaced = replacedDataIn(received)
  return replaced === undefined ? undefined : { _tag: "Failure", error: replaced.error }
}

const isPartial = (result: CompiledTool["result"], received: unknown): boolean =>
  AnsweredEnvelope.partialOf(received) !== undefined && !result.declares(["status"])

/** True if an answer, or an item of it, has a value for a field that the contract declares. */
const hasDeclaredData = (result: CompiledTool["result"], received: unknown): boolean =>
  Array.isArray(received)
    ? received.some((item) => isJsonObject(item) && hasDeclaredData(result, item))
    : isJsonObject(received) &&
      Object.entries(received).some(([name, value]) => (value ?? undefined) !== undefined && result.declares([name]))

/** True if the contract declares every field of an answer, or of its items. */
const isDeclared = (result: CompiledTool["result"], received: unknown): boolean =>
  Array.isArray(received)
    ? received.length > 0 && received.every((item) => isJsonObject(item) && isDeclared(result, item))
    : isJsonObject(received) && Object.keys(received).every((name) => result.declares([name]))

const ofResult = (flag: FailureFlag.FailureFlag | undefined): Statement | undefined =>
  flag === undefined ? undefined : { _tag: "Result", sentence: FailureFlag.sentenceOf(flag) }

/** The longest text that is parsed, in characters. */
const longestText = 65_536

/** Returns the object that a text contains as JSON; `undefined` for any other text. */
const parsed = (text: string): unknown => {
  if (text.length > longestText || !/^\s*\{/.test(text)) return undefined
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
