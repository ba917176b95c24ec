/**
 * [4.9] Parses the text of an answer within limits. Salvages a truncated answer if the tool declares how.
 *
 * A text that is only an error, such as `Error: 503 Service Unavailable` or the page of a gateway, is a stated failure.
 * The classifier decides its class by its status and words. The effect of a write is then unknown [3.3].
 */
import * as ErrorText from "#domain/answers/ErrorText"
import * as Outage from "#domain/answers/Outage"
import { outageTitleIn } from "#domain/answers/WebPage"
import { QuotedError } from "#domain/classification/QuotedError"
import * as UpstreamWords from "#domain/classification/UpstreamWords"
import * as JsonText from "#domain/json/JsonText"
import * as Steps from "#domain/json/Steps"
import * as Fault from "#domain/faults/Fault"
import { type FailedOutcome, failed, type Outcome } from "#domain/call/Outcome"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { ofAnswer } from "#pipeline/answer/SideEffectOfAnswer"
import { type Answer, stated } from "#pipeline/call/Answer"
import * as Call from "#pipeline/call/Call"
import type { CompiledTool } from "#pipeline/call/CompiledTool"
import { refuse } from "#pipeline/call/Refusal"
import { inSteps, isLarge } from "#pipeline/call/LargeData"
import { salvage } from "#pipeline/answer/Salvage"
import type { Stage } from "#pipeline/call/Stage"

type TextAnswer = Extract<Answer, { readonly text: string }>

export const parseResult: Stage = {
  name: "parseResult",
  question: "is the answer JSON",
  make: Effect.succeed((tool) => (next) => (call) => {
    const { answer } = call
    if (answer === undefined || (answer._tag !== "Text" && answer._tag !== "Response")) return next(call)
    if (answer._tag === "Response" && (answer.status < 200 || answer.status > 299)) return next(call)
    if (answer.cut) return next({ ...call, outcome: cutShort(call, tool, answer) })
    if (tool.result.text !== "json") return next({ ...call, result: answer.raw ?? answer.text })
    if (answer.text === "" && acceptsNothing(tool)) return next({ ...call, result: null })
    const read = (parsed: Result.Result<unknown, JsonText.ParseError>): Effect.Effect<Outcome> => {
      if (parsed._tag === "Success") return next({ ...call, result: parsed.success })
      const error = errorOf(answer.text, parsed.failure)
      if (error !== undefined) {
        Call.decide(call, "parseResult", "stated failure", error.message)
        return next({ ...call, answer: stated(error, answer) })
      }
      const outcome = broken(call, tool, answer, parsed.failure)
      return isLarge(answer.text.length)
        ? Effect.flatMap(inSteps(outcome), (outcome) => next({ ...call, outcome }))
        : next({ ...call, outcome: Steps.whole(outcome) })
    }
    return isLarge(answer.text.length)
      ? Effect.flatMap(inSteps(JsonText.parseInSteps(answer.text, tool.definition.resultLimits)), read)
      : read(parseText(tool, answer.text))
  })
}

/** Returns the error of a text that is only an error; `undefined` for any other text that is not JSON. */
const errorOf = (text: string, failure: JsonText.ParseError): QuotedError | undefined => {
  if (isPage(failure)) {
    const title = outageTitleIn(text)
    return title === undefined ? undefined : Outage.errorOf(title)
  }
  const message = ErrorText.errorInsteadOfJson(text)
  return message === undefined ? undefined : new QuotedError(UpstreamWords.ofText(text), message)
}

/** The longest text that is parsed without a scan if the schema is closed, in characters. */
const longestUnscanned = 65_536

/** Parses a text. A closed schema drops everything that it does not name, so depth and forbidden keys need no scan. */
const parseText = (tool: CompiledTool, text: string): Result.Result<unknown, JsonText.ParseError> => {
  if (tool.result.isClosed && text.length <= longestUnscanned) {
    try {
      return Result.succeed(JSON.parse(text))
    } catch {
      // the parser below reports the error
    }
  }
  return JsonText.parse(text, tool.definition.resultLimits)
}

const acceptsNothing = (tool: CompiledTool): boolean => tool.result.decode(null)._tag === "Success"

/** Returns the side effect of a call whose answer proves nothing: a text that was cut off, a page, plain text. */
const unproven = (tool: CompiledTool) => (tool.definition.access === "read" ? ("none" as const) : ("unknown" as const))

/** Returns the failure for a complete answer without a body: the write was done, but returned no result. */
const withoutResult = (call: Call.Call, { name }: CompiledTool["definition"]): FailedOutcome =>
  refuse(call, "done_without_result", { detail: `${name} was done; it sent no result.`, sideEffect: "committed" })

const cutShort = (call: Call.Call, tool: CompiledTool, answer: TextAnswer): FailedOutcome => {
  if (answer._tag === "Response" && answer.damage !== undefined) return damaged(call, tool, answer.damage)
  return refuse(call, "body_cut", {
    detail: `The connection broke after ${answer.bytes} bytes of the answer.`,
    sideEffect: unproven(tool)
  })
}

/** Returns the failure for a body that cannot be decompressed. A retry would probably get the same encoding. */
const damaged = (call: Call.Call, tool: CompiledTool, code: string): FailedOutcome => ({
  ...refuse(call, "unexpected_content", {
    detail: `The answer of ${tool.definition.name} cannot be decompressed as its content-encoding says (${code}).`,
    sideEffect: unproven(tool)
  }),
  isAnswered: true
})

const isPage = (error: JsonText.ParseError): boolean =>
  error._tag !== "TooLarge" && (error.looksLike === "html" || error.looksLike === "xml")

function* broken(
  call: Call.Call,
  tool: CompiledTool,
  answer: TextAnswer,
  error: JsonText.ParseError
): Steps.Steps<FailedOutcome> {
  const { definition } = tool
  const sideEffect = ofAnswer(definition.access, answer)
  if (answer.text.trim() === "" && sideEffect === "committed") return withoutResult(call, definition)
  call.trace.faults = [Fault.ofParseError(error, answer.text)]
  if (error._tag === "TooLarge") {
    return {
      ...refuse(call, "response_too_large", { detail: error.message, sideEffect: unproven(tool) }),
      isAnswered: true
    }
  }
  if (error.refused !== undefined) {
    // the text is JSON, so its code is that of a value that violates the contract
    return {
      ...refuse(call, "invalid_result", {
        detail: `The answer of ${definition.name} violates its contract: ${error.message}`,
        sideEffect: unproven(tool)
      }),
      isAnswered: true
    }
  }
  if (error._tag !== "Truncated") {
    return {
      ...refuse(call, isPage(error) ? "unexpected_content" : "invalid_result_json", {
        detail: `The answer of ${definition.name} is not the JSON that it promises: ${error.message}`,
        sideEffect: unproven(tool)
      }),
      isAnswered: true
    }
  }
  const where = error.lastField === undefined ? "" : `; last complete field: ${error.lastField}`
  const detail = `The answer of ${definition.name} ends in the middle of its JSON, after ${answer.bytes} bytes${where}.`
  const saved = yield* salvage(call, tool, answer.text, detail)
  if (saved !== undefined) {
    Call.decide(call, "parseResult", "salvaged", `${error.lastField ?? "nothing"} was the last complete field`)
    return { ...failed(saved), bytes: answer.bytes, isAnswered: true }
  }
  return {
    ...refuse(call, "truncated_response", {
      detail,
      fields: error.lastField === undefined ? undefined : [error.lastField],
      sideEffect
    }),
    isAnswered: true
  }
}
