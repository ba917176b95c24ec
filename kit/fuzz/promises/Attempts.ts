/** How often the tool is run for a call: not without need, not again where that cannot help, and again where it can. */
import * as CallKey from "effect-toolguard/internal/domain/call/CallKey"
import { isRepeatable } from "effect-toolguard/internal/domain/tool/ToolDefinition"
import * as Sent from "#kit/fuzz/play/Sent"
import * as Ending from "#kit/fuzz/play/Ending"
import type { FuzzCase } from "#kit/fuzz/cases/FuzzCase"
import * as Meaning from "#kit/fuzz/cases/Meaning"
import type { Played, PlayedCall } from "#kit/fuzz/play/Played"
import type { Subject } from "#kit/fuzz/cases/Subject"
import type { Execution } from "#kit/fuzz/play/World"
import * as Duration from "effect/Duration"
import * as Exit from "effect/Exit"
import type { Promised } from "./Promised.ts"

/** The executions of a call; undefined where they cannot be told from those of others. */
export const executionsOf = (
  { calls, caller, together }: FuzzCase,
  { world }: Played,
  { from, id, to }: PlayedCall
): ReadonlyArray<Execution> | undefined => {
  if (together !== true) return world.executions.slice(from, to)
  const isApart = caller === undefined && calls.every((call) => call.id === undefined)
  return isApart ? world.executions.filter(({ callId }) => callId === id) : undefined
}

/** What the specification makes of each execution of a call, in its order. */
export const meanings = (subject: Subject, own: ReadonlyArray<Execution>): ReadonlyArray<Meaning.Meaning> => {
  const { attemptMillis, deadlineMillis } = subject.definition
  const deadlineAt = (own[0]?.startedAt ?? 0) + deadlineMillis
  return own.map((execution) => {
    const { answer, startedAt } = execution
    const limit = Math.min(attemptMillis, deadlineAt - startedAt)
    const isAtOnce = answer._tag === "Crash" && answer.crash === "throws"
    const after = answer._tag === "Silence" ? Infinity : isAtOnce ? 0 : (answer.after ?? 0)
    const made = { arguments: execution.arguments, at: startedAt + after }
    if (after > limit) return Meaning.late
    const meaning = answer._tag === "Handler" ? ofExit(subject, execution, made) : ofAnswer(subject, execution, made)
    return after < limit ? meaning : { ends: [...meaning.ends, "Transient"], evidence: "any" }
  })
}

/** Several promises ask for the same, and a large answer takes long to be read. */
const known = new WeakMap<Execution, Meaning.Meaning>()

const ofAnswer = (subject: Subject, execution: Execution, made: Meaning.Made): Meaning.Meaning => {
  const before = known.get(execution)
  if (before !== undefined) return before
  const meaning = Meaning.ofAnswer(subject, execution.answer, made)
  known.set(execution, meaning)
  return meaning
}

/** What the tool's own handler came to. */
const ofExit = (subject: Subject, { answer, exit }: Execution, made: Meaning.Made): Meaning.Meaning => {
  if (exit === undefined) return Meaning.late
  const anything = Meaning.ofAnswer(subject, answer, made)
  if (Exit.isFailure(exit)) return { ...anything, ends: anything.ends.filter((end) => end !== "Success") }
  return subject.textKind === "json" && subject.isResult(exit.value) && typeof exit.value !== "string"
    ? Meaning.ofValue(subject, exit.value, made)
    : anything
}

/** Whether an attempt may be made again after an execution of this meaning. */
const mayRepeat = (subject: Subject, { ends, evidence }: Meaning.Meaning): boolean =>
  ends.includes("Transient") &&
  (subject.isRead ||
    evidence !== "unknown" ||
    subject.definition.idempotency.upstreamHonoursKey ||
    subject.definition.reconcile !== undefined)

/** The tool is run again only where that is safe and can help. */
export const noneTooMany: Promised = (subject, fuzzCase, played) => {
  const { attempts } = subject.definition.retry
  for (const call of played.calls) {
    const own = executionsOf(fuzzCase, played, call) ?? []
    const most = isRepeatable(subject.definition) ? attempts : 1
    if (own.length > most) return `The call ${call.id} was run ${own.length} times; at most ${most} are allowed.`
    const wrong = meanings(subject, own).findIndex(
      (meaning, index) => index < own.length - 1 && !mayRepeat(subject, meaning)
    )
    if (wrong >= 0)
      return `The call ${call.id} was run again after answer ${wrong + 1}, where that cannot help or is not safe.`
  }
  return undefined
}

/** What failed for good is not run again for the same call of the turn; what fails in passing not beyond its budget. */
export const remembered: Promised = (subject, fuzzCase, played) => {
  const { budget, poll } = subject.definition
  if (!subject.isRead || poll !== undefined || fuzzCase.together === true || fuzzCase.caller === "loop")
    return undefined
  const seen = new Map<string, Seen>()
  for (const call of played.calls) {
    const key = keyOf(subject, fuzzCase, call)
    const own = executionsOf(fuzzCase, played, call) ?? []
    const ending = Ending.of(call)
    if (key === undefined || ending === undefined || ending._tag === "Escaped" || isNamedOtherwise(fuzzCase, call))
      continue
    const before = seen.get(key)
    if (before?.isOver === true && own.length > 0) {
      return `The call ${call.id} was run, and the identical call before it had failed for good.`
    }
    const runs = isPassing(ending) ? (before?.runs ?? 0) + own.length : 0
    if (runs > budget) return `Identical calls were run ${runs} times without progress; the budget is ${budget}.`
    const successes = (before?.successes ?? 0) + (ending._tag === "Success" && own.length > 0 ? 1 : 0)
    if (successes > 2 && isAlways(fuzzCase)) {
      return `The identical call was run ${successes} times for the same result, and nobody had agreed to that.`
    }
    seen.set(key, { isOver: isOver(ending), runs, successes })
  }
  return undefined
}

/** What came of identical calls so far. */
interface Seen {
  readonly isOver: boolean
  /** Executions since the last answer. */
  readonly runs: number
  readonly successes: number
}

/** The tool always gives the same value, and no person lets a repeat go on. */
const isAlways = ({ answers, person }: FuzzCase): boolean =>
  (person === "absent" || person === "denies") && answers.length === 1 && answers[0]?._tag === "Value"

/** A tool that fails again and again is left alone. */
export const leftAlone: Promised = (subject, fuzzCase, played) => {
  const { circuit, reconcile } = subject.definition
  if (circuit === undefined || reconcile !== undefined || fuzzCase.together === true || fuzzCase.caller === "loop")
    return undefined
  let inRow = 0
  let lastAt = 0
  for (const call of played.calls) {
    const own = executionsOf(fuzzCase, played, call) ?? []
    for (const [index, { ends }] of meanings(subject, own).entries()) {
      const startedAt = own[index]?.startedAt ?? 0
      const isOpen = inRow >= circuit.failures && startedAt - lastAt < Duration.toMillis(circuit.openFor) - 1
      if (isOpen)
        return `The tool was run though it had failed ${inRow} times in a row; it is left alone after ${circuit.failures}.`
      const hasFailed = ends.every((end) => end === "Transient" || end === "Resource")
      inRow = hasFailed ? inRow + 1 : 0
      lastAt = Math.max(startedAt, own[index]?.endedAt ?? 0)
    }
  }
  return undefined
}

const isPassing = (ending: Ending.Ending): boolean =>
  ending._tag === "Failure" && (ending.failure._tag === "Transient" || ending.failure._tag === "Resource")

const forGood: ReadonlySet<string> = new Set(["ToolArgError", "SchemaMismatch", "SemanticGarbage", "Permanent"])

const isOver = (ending: Ending.Ending): boolean =>
  ending._tag === "Failure" && forGood.has(ending.failure._tag) && ending.failure.code !== "unauthorized"

const keyOf = (subject: Subject, fuzzCase: FuzzCase, { call }: PlayedCall): string | undefined => {
  const sent = Sent.read(subject, fuzzCase, call)
  return sent._tag === "Valid" ? CallKey.canonical(subject.contract.encode(sent.value)) : undefined
}

/** A valid call is run, and tried again as often as its tool says. */
export const noneTooFew: Promised = (subject, fuzzCase, played) => {
  const [first] = played.calls
  if (first === undefined || fuzzCase.caller === "loop" || fuzzCase.together === true) return undefined
  const ending = Ending.of(first)
  if (
    ending === undefined ||
    Sent.read(subject, fuzzCase, first.call)._tag !== "Valid" ||
    isNamedOtherwise(fuzzCase, first)
  ) {
    return undefined
  }
  const own = executionsOf(fuzzCase, played, first) ?? []
  if (own.length === 0) {
    const isRefused = ending._tag === "Failure" && ending.failure._tag === "HumanReview"
    return isRefused
      ? undefined
      : `The call ${first.id} is valid and was never run: it ended with ${Ending.inWords(ending)}.`
  }
  const last = meanings(subject, own).at(-1)
  const isTransient = last !== undefined && last.ends.every((end) => end === "Transient")
  return isTransient && mayRepeat(subject, last) && last.evidence !== "any" && hasTime(subject, own, first)
    ? `The call ${first.id} failed in passing and was not tried again: ${own.length} of ${subject.definition.retry.attempts} attempts.`
    : undefined
}

const isNamedOtherwise = ({ caller }: FuzzCase, { call }: PlayedCall): boolean =>
  caller === undefined && (call.name !== undefined || call.isCut === true)

/** Whether nothing stands against another attempt: neither time nor circuit nor a server that asks to wait. */
const hasTime = ({ definition }: Subject, own: ReadonlyArray<Execution>, { endedAt = 0 }: PlayedCall): boolean => {
  const { circuit, deadlineMillis, reconcile, retry } = definition
  if (reconcile !== undefined || !isRepeatable(definition) || own.length >= Math.min(retry.attempts, 5)) return false
  if (circuit !== undefined && own.length >= circuit.failures) return false
  if (own.some(({ answer }) => answer._tag === "Response" && answer.headers !== undefined)) return false
  const longestWait =
    retry.jitter === "decorrelated" ? retry.capMillis : Math.min(retry.capMillis, retry.baseMillis * 2 ** own.length)
  return endedAt - (own[0]?.startedAt ?? 0) + longestWait < deadlineMillis
}
