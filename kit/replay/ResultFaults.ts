/**
 * Finds the places where a logged answer violates the tool's contract of results.
 *
 * **Details**
 *
 * - The answers of all calls are checked, even of calls that the guard would not have made.
 * - An answer that states a failure is not a result, so it is not checked. Neither is an answer of a tool whose
 *   contract is unknown.
 * - The guard's own records contain the results that it passed on, even if a result violates a contract that was not
 *   enforced. Such results are checked against the current contract. Rejected answers are not in the records; their
 *   faults have the recorded paths, without the kind.
 */
import { errorInsteadOfJson } from "effect-toolguard/internal/domain/answers/ErrorText"
import { statedFailureIn } from "effect-toolguard/internal/domain/answers/HiddenFailure"
import * as Fault from "effect-toolguard/internal/domain/faults/Fault"
import * as JsonText from "effect-toolguard/internal/domain/json/JsonText"
import type { CompiledTool } from "effect-toolguard/internal/pipeline/call/CompiledTool"
import type { FailureCode } from "effect-toolguard/internal/domain/failure/FailureCode"
import * as Result from "effect/Result"
import type * as SchemaAST from "effect/SchemaAST"
import type { CallRecord } from "effect-toolguard/internal/domain/call/CallRecord"
import * as CallTally from "effect-toolguard/internal/domain/call/CallTally"
import type { GuardedEnd } from "#kit/traffic/Conversation"
import * as Content from "#kit/traffic/Content"
import type { TimelineCall } from "#kit/traffic/Timeline"
import type { LoggedEnd } from "./RecordedOutcome.ts"

/** True if the contract of a tool's results does not accept every text. */
const hasContract = ({ result: { encoded, text } }: CompiledTool): boolean =>
  text === "json" || (text === "string" && (encoded._tag !== "String" || encoded.checks !== undefined))

/**
 * Returns the distinct faults of a logged answer; none if it conforms. Returns `undefined` if the answer was not checked.
 */
const of = (
  tool: CompiledTool | undefined,
  { answer, call }: Pick<TimelineCall, "answer" | "call">,
  loggedEnd: LoggedEnd | undefined
): ReadonlyArray<Fault.Fault> | undefined => {
  if (call.end !== undefined) return ofRecord(call.end, tool, answer?.text)
  if (tool === undefined || answer === undefined || loggedEnd === undefined || !hasContract(tool)) return undefined
  return isResult(loggedEnd) ? ofText(tool, answer.text) : undefined
}

/** True if the guard decodes an answer: it states no failure, or only its content is implausible. */
const isResult = (loggedEnd: LoggedEnd | undefined): boolean =>
  isAnswered(loggedEnd) || (loggedEnd?._tag === "Failure" && loggedEnd.class === "SemanticGarbage")

/** The classification of a logged answer by its content and by the tool's contract. */
export interface CheckedAnswer {
  readonly loggedEnd: LoggedEnd | undefined
  readonly isAnswered: boolean
  readonly resultFaults: ReadonlyArray<Fault.Fault> | undefined
  /** The schema that the answer was checked against. It is `undefined` if the answer was not checked. */
  readonly resultSchema: SchemaAST.AST | undefined
}

/** True if a call in the log ended without a failure. */
export const isAnswered = (loggedEnd: LoggedEnd | undefined): boolean =>
  loggedEnd?._tag === "Success" || loggedEnd?._tag === "Partial"

/** Classifies a logged answer by the tool's contract too. `record` is the record of the replayed call. */
export const check = (
  tool: CompiledTool | undefined,
  call: Pick<TimelineCall, "answer" | "call">,
  loggedEnd: LoggedEnd | undefined,
  record: CallRecord
): CheckedAnswer => {
  const found = of(tool, call, loggedEnd)
  const isKnown = found !== undefined && call.call.end?.outcome._tag !== "Failure"
  const schema = isKnown ? tool?.result.schema : undefined
  const known = { loggedEnd, isAnswered: isAnswered(loggedEnd), resultFaults: found, resultSchema: schema }
  if (call.call.end !== undefined || tool === undefined || !isResult(loggedEnd)) return known
  const { refusal, saving } = CallTally.of(record)
  const failure = record.outcome._tag === "Failure" ? record.outcome.failure : undefined
  const isMade = saving === undefined && refusal === undefined
  if (isMade && failure?._tag === "SchemaMismatch") {
    const { _tag, code, detail } = failure
    const resultFaults =
      (found ?? []).length > 0 ? found : [Fault.unreadable("a different value", call.answer?.text ?? "")]
    return { ...known, loggedEnd: { _tag: "Failure", class: _tag, code, detail }, resultFaults }
  }
  const [first] = found ?? []
  if (isMade || first === undefined || tool.definition.enforce !== "enforce") return known
  const detail = `${first.path === "" ? "result" : first.path}: ${first.problem}`
  return { ...known, loggedEnd: { _tag: "Failure", class: "SchemaMismatch", code: codeOf(first), detail } }
}

/** Returns the code with which the guard refuses an answer with this fault. */
const codeOf = ({ kind, problem }: Fault.Fault): FailureCode => {
  if (kind !== "unreadable") return "invalid_result"
  return problem === "truncated JSON"
    ? "truncated_response"
    : problem === "an HTML or XML page"
      ? "unexpected_content"
      : "invalid_result_json"
}

const ofText = ({ definition, result }: CompiledTool, text: string): ReadonlyArray<Fault.Fault> | undefined => {
  if (result.text !== "json") {
    const checked = result.checkValue(text)
    return Result.isFailure(checked) ? Fault.ofResult(checked.failure, text, result.schema) : []
  }
  if (text === "" && Result.isSuccess(result.decode(null))) return []
  const parsed = JsonText.parse(text, definition.resultLimits)
  if (Result.isFailure(parsed)) {
    const fault = Fault.ofParseError(parsed.failure, text)
    return fault.problem === "an HTML or XML page" || errorInsteadOfJson(text) === undefined ? [fault] : undefined
  }
  const decoded = result.decode(parsed.success)
  if (Result.isSuccess(decoded)) return []
  return statedFailureIn(parsed.success, definition.name) === undefined
    ? Fault.ofResult(decoded.failure, parsed.success, result.schema)
    : undefined
}

const ofRecord = (
  { notEnforced = [], outcome }: GuardedEnd,
  tool: CompiledTool | undefined,
  text: string | undefined
): ReadonlyArray<Fault.Fault> | undefined => {
  if (outcome._tag === "Failure") {
    const { _tag, fields = [] } = outcome.failure
    return _tag === "SchemaMismatch" ? Fault.ofFields(fields) : undefined
  }
  if (outcome.executed === false) return undefined
  const known = tool !== undefined && text !== undefined && hasContract(tool) ? { tool, text } : undefined
  const unenforced = notEnforced.find((failure) => failure.class === "SchemaMismatch")
  if (unenforced === undefined) return known === undefined ? [] : ofValue(known.tool, Content.parsed(known.text))
  const faults = known === undefined ? undefined : ofText(known.tool, known.text)
  // the contract may have been relaxed since, so that the recorded answer conforms
  return faults ?? Fault.ofFields(unenforced.path === undefined ? [] : [unenforced.path])
}

/** Returns the faults of a result that conformed to the contract when it was recorded. */
const ofValue = ({ result }: CompiledTool, value: unknown): ReadonlyArray<Fault.Fault> => {
  const decoded = result.decode(value)
  return Result.isSuccess(decoded) ? [] : Fault.ofResult(decoded.failure, value, result.schema)
}
