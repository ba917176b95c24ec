/**
 * [4.9] Decodes the answer with the tool's `success` schema. Violations become a SchemaMismatch with their paths.
 *
 * **Details**
 *
 * - If the answer states a failure (`Statement`), the stated failure is passed on.
 * - An answer in the shape of an envelope is unwrapped. The envelope of an error is a stated failure, for reads too.
 *   Neither applies if the contract declares `status`.
 * - The envelope of an incomplete result becomes PartialData for a model. The error type of a program has this failure
 *   if the tool has the check `statedPartial`; otherwise a program gets the answer unchanged. A model gets the answer
 *   unchanged if the tool only advises.
 * - If the answer of a write does not settle whether the write was done, it is a result whose side effect is unknown.
 */
import * as AnsweredEnvelope from "#domain/answers/AnsweredEnvelope"
import * as Fault from "#domain/faults/Fault"
import { isJsonObject, type JsonObject } from "#domain/json/JsonObject"
import * as ArgumentIssues from "#domain/schema/ArgumentIssues"
import * as Part from "#domain/parts/Part"
import { hasPartial } from "#domain/answers/StatedVerdict"
import * as Enforcement from "#domain/turn/Enforcement"
import * as Verdict from "#domain/tool/Verdict"
import * as Effect from "effect/Effect"
import { ofAnswer } from "#pipeline/answer/SideEffectOfAnswer"
import { decodedBy, statedIn } from "#pipeline/answer/StatedAnswer"
import * as Answer from "#pipeline/call/Answer"
import * as Call from "#pipeline/call/Call"
import type { CompiledTool } from "#pipeline/call/CompiledTool"
import { between } from "#pipeline/call/LargeData"
import { refuse } from "#pipeline/call/Refusal"
import type { Stage } from "#pipeline/call/Stage"

export const decodeResult: Stage = {
  name: "decodeResult",
  question: "does the answer match the tool's contract",
  make: Effect.succeed((tool) => (next) => {
    const { definition, result } = tool
    const isTypedPartial = hasPartial(definition.checks)
    return (call) => {
      const { answer } = call
      if (answer === undefined || call.outcome !== undefined) return next(call)
      const isValue = answer._tag === "Value"
      if (!isValue && call.result === undefined) return next(call)
      const given = isValue ? answer.value : call.result
      const partial = partialEnvelope(tool, call, given, isTypedPartial)
      const check = isValue || result.text !== "json" ? result.checkValue : result.decode
      const { decoded, received } = decodedBy(check, tool, partial === undefined ? given : partial.data)
      const broken = (text: string, fields?: ReadonlyArray<string>) => {
        const sideEffect = ofAnswer(definition.access, answer)
        return next({
          ...call,
          outcome: {
            ...refuse(call, sideEffect === "committed" ? "done_unreadable" : "invalid_result", {
              detail: `The answer of ${definition.name} violates its contract: ${text}`,
              fields,
              sideEffect
            }),
            isAnswered: true
          }
        })
      }
      const judge = () => {
        const stated = statedIn(tool, received, {
          arguments: call.arguments,
          isValue,
          conforms: decoded._tag === "Success"
        })
        if (stated?._tag === "Failure") {
          Call.decide(call, "decodeResult", "stated failure", stated.error.message)
          return next({ ...call, answer: Answer.stated(stated.error, answer) })
        }
        if (decoded._tag === "Failure") {
          call.trace.faults = Fault.ofResult(decoded.failure, received, result.schema)
          const { fields, text } = ArgumentIssues.mismatch(ArgumentIssues.fromIssue(decoded.failure))
          return broken(isUntypedPartial(tool, call, received) ? `${text}. ${remedy}` : text, fields)
        }
        call.trace.decoded = decoded.success
        if (stated !== undefined) Call.decide(call, "decodeResult", "unproven", stated.sentence)
        const verdict = partial === undefined ? call.verdict : verdictOf(call, partial)
        const shown: Call.Call =
          stated === undefined
            ? { ...call, verdict, result: decoded.success }
            : { ...call, verdict, result: decoded.success, statedFailure: stated.sentence }
        const returned = "parts" in answer ? answer.parts : undefined
        if (returned === undefined) return next(shown)
        const parts = Part.plain(returned)
        if (parts._tag === "Failure") return broken(parts.failure)
        return next(parts.success.length === 0 ? shown : { ...shown, parts: parts.success })
      }
      return between("text" in answer ? answer.text.length : 0, judge)
    }
  })
}

/**
 * Returns the envelope of an incomplete result, unless the contract declares `status`. A program gets it only if the
 * type of the tool has this failure, and a model only if the tool enforces its contract.
 */
const partialEnvelope = (
  { definition, result }: CompiledTool,
  { acceptsAnyShape, turn }: Call.Call,
  received: unknown,
  isTyped: boolean
): AnsweredEnvelope.PartialEnvelope | undefined => {
  if (acceptsAnyShape ? Enforcement.modeOf(definition.enforce, turn) === "advise" : !isTyped) return undefined
  try {
    const partial = AnsweredEnvelope.partialOf(received)
    return partial === undefined || result.declares(["status"]) ? undefined : partial
  } catch {
    return undefined // a value with a getter that throws
  }
}

/** The remedy for a program whose tool answered with the envelope of an incomplete result. */
const remedy = "It is the envelope of an incomplete result: the check `statedPartial` passes it on as PartialData."

const isUntypedPartial = ({ result }: CompiledTool, { acceptsAnyShape }: Call.Call, received: unknown): boolean => {
  try {
    return !acceptsAnyShape && AnsweredEnvelope.partialOf(received) !== undefined && !result.declares(["status"])
  } catch {
    return false // a value with a getter that throws
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

/**
 * Applies the changes that an upstream names to the arguments, and decodes them; undefined if the parameters refuse
 * them.
 */
const decodedNext = ({ arguments: sent, tool }: Call.Call, next: JsonObject): object | undefined => {
  const encoded = tool.contract.encode(sent)
  if (!isJsonObject(encoded)) return undefined
  const decoded = tool.contract.decode({ ...encoded, ...next })
  return decoded._tag === "Success" && isJsonObject(decoded.success) ? decoded.success : undefined
}
