/** Checks that the tool runs as often as its policy requires, and not more often than its policy permits. */
import * as CallKey from "effect-toolguard/internal/domain/call/CallKey"
import { isRepeatable } from "effect-toolguard/internal/domain/tool/ToolDefinition"
import * as ArgumentValidity from "#kit/fuzz/simulation/ArgumentValidity"
import * as RefusedCall from "#kit/fuzz/simulation/RefusedCall"
import * as CallOutcome from "#kit/fuzz/simulation/CallOutcome"
import type { FuzzCase } from "#kit/fuzz/cases/FuzzCase"
import * as Expectation from "#kit/fuzz/cases/Expectation"
import type { Observation, ObservedCall } from "#kit/fuzz/simulation/Observation"
import type { Subject } from "#kit/fuzz/cases/Subject"
import type { Execution } from "#kit/fuzz/simulation/World"
import * as Exit from "effect/Exit"
import type { PromiseCheck } from "./PromiseCheck.ts"

/**
 * Returns the executions of a call, or `undefined` if they cannot be distinguished from the executions of concurrent
 * calls.
 */
export const executionsOf = (
  { calls, caller, together }: FuzzCase,
  { world }: Observation,
  { from, id, to }: ObservedCall
): ReadonlyArray<Execution> | undefined => {
  if (together !== true) return world.executions.slice(from, to)
  const hasUniqueIds = caller === undefined && calls.every((call) => call.id === undefined)
  return hasUniqueIds ? world.executions.filter(({ callId }) => callId === id) : undefined
}

/** Returns the expectation after each execution of a call, in order. */
export const expectationsOf = (
  subject: Subject,
  executions: ReadonlyArray<Execution>
): ReadonlyArray<Expectation.Expectation> => {
  const { attemptMillis, deadlineMillis } = subject.definition
  const deadlineAt = (executions[0]?.startedAt ?? 0) + deadlineMillis
  return executions.map((execution) => {
    const { answer, startedAt } = execution
    const limit = Math.min(attemptMillis, deadlineAt - startedAt)
    const isImmediate = answer._tag === "Crash" && answer.crash === "throws"
    const after = answer._tag === "Silence" ? Infinity : isImmediate ? 0 : (answer.after ?? 0)
    const context = { arguments: execution.arguments, at: startedAt + after }
    if (after > limit) return Expectation.late
    const expectation =
      answer._tag === "Handler" ? ofExit(subject, execution, context) : ofAnswer(subject, execution, context)
    return after < limit ? expectation : { ends: [...expectation.ends, "Transient"], evidence: "any" }
  })
}

/** Caches expectations, because several promises use the same expectation, and parsing a large answer is slow. */
const cache = new WeakMap<Execution, Expectation.Expectation>()

const ofAnswer = (
  subject: Subject,
  execution: Execution,
  context: Expectation.ResultContext
): Expectation.Expectation => {
  const cached = cache.get(execution)
  if (cached !== undefined) return cached
  const expectation = Expectation.ofAnswer(subject, execution.answer, context)
  cache.set(execution, expectation)
  return expectation
}

/** Returns the expectation after an exit of the tool's own handler. */
const ofExit = (
  subject: Subject,
  { answer, exit }: Execution,
  context: Expectation.ResultContext
): Expectation.Expectation => {
  if (exit === undefined) return Expectation.late
  const anything = Expectation.ofAnswer(subject, answer, context)
  const refusal = RefusedCall.declaredIn(subject.definition.refusals, exit)
  if (refusal !== undefined) return { ends: [refusal.failureClass], evidence: "none" }
  if (Exit.isFailure(exit)) return { ...anything, ends: anything.ends.filter((end) => end !== "Success") }
  return subject.textKind === "json" && subject.isResult(exit.value) && typeof exit.value !== "string"
    ? Expectation.ofValue(subject, exit.value, context)
    : anything
}

/** True if the guard may retry after an execution with this expectation. */
const mayRetry = (subject: Subject, { ends, evidence }: Expectation.Expectation): boolean =>
  ends.includes("Transient") &&
  (subject.isRead ||
    (evidence !== "unknown" && evidence !== "answered") ||
    subject.definition.idempotency.upstreamHonoursKey ||
    subject.definition.reconcile !== undefined)

/** Checks that the tool runs again only if a retry is safe and can help. */
export const allowedRetries: PromiseCheck = (subject, fuzzCase, observation) => {
  const { attempts } = subject.definition.retry
  for (const call of observation.calls) {
    const executions = executionsOf(fuzzCase, observation, call) ?? []
    if (executions.length > attempts)
      return `The call ${call.id} ran ${executions.length} times; the maximum is ${attempts}.`
    const wrong = expectationsOf(subject, executions).findIndex(
      (expectation, index) => index < executions.length - 1 && !mayRetry(subject, expectation)
    )
    if (wrong >= 0)
      return `The call ${call.id} ran again after answer ${wrong + 1}, although a retry is unsafe or cannot help.`
  }
  return undefined
}

/**
 * Checks that identical calls of a model stop running after a final failure, after a constant result, or when the budget
 * is spent. A program's calls always run.
 */
export const repeatsLimited: PromiseCheck = (subject, fuzzCase, observation) => {
  const { budget, poll } = subject.definition
  if (!subject.isRead || poll !== undefined || fuzzCase.together === true || fuzzCase.caller !== undefined)
    return undefined
  const histories = new Map<string, CallHistory>()
  for (const call of observation.calls) {
    const key = keyOf(subject, fuzzCase, call)
    const executions = executionsOf(fuzzCase, observation, call) ?? []
    const outcome = CallOutcome.of(call)
    if (key === undefined || outcome === undefined || outcome._tag === "Untyped" || isMisnamedOrCut(fuzzCase, call))
      continue
    const history = histories.get(key)
    if (history?.hasFinalFailure === true && executions.length > 0) {
      return `The call ${call.id} ran, although an earlier identical call had a final failure.`
    }
    // the budget of attempts is restored when the reported wait is over
    const startedAt = executions[0]?.startedAt
    const isLater = startedAt !== undefined && startedAt > (history?.endedAt ?? startedAt)
    const runs = isTemporary(outcome) ? (isLater ? 0 : (history?.runs ?? 0)) + executions.length : 0
    if (runs > budget) return `Identical calls ran ${runs} times without progress; the budget is ${budget}.`
    const successes = (history?.successes ?? 0) + (outcome._tag === "Success" && executions.length > 0 ? 1 : 0)
    if (successes > 2 && hasConstantResult(fuzzCase)) {
      return `An identical call ran ${successes} times with the same result and without approval.`
    }
    const endedAt = executions.length === 0 ? (history?.endedAt ?? 0) : (call.endedAt ?? 0)
    histories.set(key, { hasFinalFailure: isFinalFailure(outcome), runs, successes, endedAt })
  }
  return undefined
}

/** Checks that a model does not repeat a successful write with the same arguments if the tool forbids that. */
export const writesNotRepeated: PromiseCheck = (subject, fuzzCase, observation) => {
  const { idempotency, poll, repeats } = subject.definition
  const isChecked = !subject.isRead && repeats === "once" && idempotency.mode !== "key" && poll === undefined
  if (!isChecked || fuzzCase.caller !== undefined) return undefined
  const done = new Set<string>()
  for (const call of observation.calls) {
    const key = keyOf(subject, fuzzCase, call)
    const executions = executionsOf(fuzzCase, observation, call) ?? []
    if (key === undefined || executions.length === 0 || isMisnamedOrCut(fuzzCase, call)) continue
    if (done.has(key)) return `The call ${call.id} ran, although an earlier identical write had succeeded.`
    if (CallOutcome.of(call)?._tag === "Success") done.add(key)
  }
  return undefined
}

interface CallHistory {
  readonly hasFinalFailure: boolean
  /** Executions since the last outcome that was not a temporary failure. */
  readonly runs: number
  readonly successes: number
  /** The end of the last call whose tool ran. */
  readonly endedAt: number
}

/** True if the tool always returns the same value, and no person approves a repetition. */
const hasConstantResult = ({ answers, person }: FuzzCase): boolean =>
  (person === "absent" || person === "denies") && answers.length === 1 && answers[0]?._tag === "Value"

/** Checks that the tool does not run while its circuit must be open. */
export const circuitRespected: PromiseCheck = (subject, fuzzCase, observation) => {
  const { circuit, reconcile } = subject.definition
  if (circuit === undefined || reconcile !== undefined || fuzzCase.together === true || fuzzCase.caller === "loop")
    return undefined
  let failures = 0
  let lastAt = 0
  // after a success, the circuit is certain to open only after a whole window of failures
  let needed = circuit.minimum
  for (const call of observation.calls) {
    const executions = executionsOf(fuzzCase, observation, call) ?? []
    for (const [index, { ends }] of expectationsOf(subject, executions).entries()) {
      const startedAt = executions[index]?.startedAt ?? 0
      // jitter shortens an open time by at most half
      const isOpen = failures >= needed && startedAt - lastAt < circuit.openMillis / 2 - 1
      if (isOpen) return `The tool ran after ${failures} consecutive failures; its circuit opens after ${needed}.`
      const hasFailed = ends.every((end) => end === "Transient" || end === "Resource")
      failures = hasFailed ? failures + 1 : 0
      if (!hasFailed) needed = circuit.window
      lastAt = Math.max(startedAt, executions[index]?.endedAt ?? 0)
    }
  }
  return undefined
}

/** True if an outcome is a failure that may be temporary: `Transient` or `Resource`. */
const isTemporary = (outcome: CallOutcome.CallOutcome): boolean =>
  outcome._tag === "Failure" && (outcome.failure._tag === "Transient" || outcome.failure._tag === "Resource")

const finalTags: ReadonlySet<string> = new Set(["ToolArgError", "SchemaMismatch", "SemanticGarbage", "Permanent"])

const isFinalFailure = (outcome: CallOutcome.CallOutcome): boolean =>
  outcome._tag === "Failure" && finalTags.has(outcome.failure._tag) && outcome.failure.code !== "unauthorized"

const keyOf = (subject: Subject, fuzzCase: FuzzCase, { call }: ObservedCall): string | undefined => {
  const validity = ArgumentValidity.of(subject, fuzzCase, call)
  return validity._tag === "Valid" ? CallKey.canonical(subject.contract.encode(validity.value)) : undefined
}

/**
 * Checks that the first call runs if it is valid, and that it is retried after a transient failure if its policy
 * allows retries.
 */
export const expectedRetries: PromiseCheck = (subject, fuzzCase, observation) => {
  const [first] = observation.calls
  if (first === undefined || fuzzCase.caller === "loop" || fuzzCase.together === true) return undefined
  const outcome = CallOutcome.of(first)
  if (
    outcome === undefined ||
    ArgumentValidity.of(subject, fuzzCase, first.call)._tag !== "Valid" ||
    isMisnamedOrCut(fuzzCase, first)
  ) {
    return undefined
  }
  const executions = executionsOf(fuzzCase, observation, first) ?? []
  if (executions.length === 0) {
    const needsReview = outcome._tag === "Failure" && outcome.failure._tag === "HumanReview"
    return needsReview
      ? undefined
      : `The call ${first.id} is valid but never ran; it ended with ${CallOutcome.describe(outcome)}.`
  }
  const last = expectationsOf(subject, executions).at(-1)
  const isTransient = last !== undefined && last.ends.every((end) => end === "Transient")
  return isTransient && mayRetry(subject, last) && last.evidence !== "any" && mustRetry(subject, executions, first)
    ? `The call ${first.id} had a transient failure and was not retried: ${executions.length} of ${subject.definition.retry.attempts} attempts.`
    : undefined
}

const isMisnamedOrCut = ({ caller }: FuzzCase, { call }: ObservedCall): boolean =>
  caller === undefined && (call.name !== undefined || call.isCut === true)

/** True if another attempt must follow, because the policy, the deadline, the circuit and the upstream permit it. */
const mustRetry = (
  { definition }: Subject,
  executions: ReadonlyArray<Execution>,
  { endedAt = 0 }: ObservedCall
): boolean => {
  const { circuit, deadlineMillis, reconcile, retry } = definition
  if (reconcile !== undefined || !isRepeatable(definition) || executions.length >= Math.min(retry.attempts, 5))
    return false
  if (circuit !== undefined && executions.length >= circuit.minimum) return false
  if (executions.some(({ answer }) => answer._tag === "Response" && answer.headers !== undefined)) return false
  const maxWait =
    retry.jitter === "decorrelated"
      ? retry.capMillis
      : Math.min(retry.capMillis, retry.baseMillis * 2 ** executions.length)
  return endedAt - (executions[0]?.startedAt ?? 0) + maxWait < deadlineMillis
}
