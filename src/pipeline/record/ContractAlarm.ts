/**
 * Informs a person about tools whose schemas seem too strict [15.1], because a guard that is too strict makes the model
 * distrust every tool: tools whose answers often violate their schema, and tools whose arguments are often refused.
 *
 * **Details**
 *
 * - `ContractWatch` and `RefusalWatch` decide about each tool, and `TenantWatches` holds their states in memory,
 *   separately for each tenant. Each process watches only its own calls, so each may inform once.
 * - A finding past the limit of notices is reported by a later call.
 */
import * as Incident from "#domain/approval/Incident"
import { isProven, type Outcome } from "#domain/call/Outcome"
import type { FailureTag } from "#domain/failure/Failure"
import * as ContractWatch from "#domain/faults/ContractWatch"
import * as Fault from "#domain/faults/Fault"
import * as RefusalWatch from "#domain/faults/RefusalWatch"
import { hash } from "#domain/text/Hash"
import { key as turnKey } from "#domain/turn/Turn"
import { Escalation, type EscalationRequest } from "#services/Escalation"
import { EscalationPolicy } from "#services/Policies"
import { Redactor } from "#services/Redactor"
import * as Effect from "effect/Effect"
import * as Call from "#pipeline/call/Call"
import * as Crash from "#pipeline/call/Crash"
import { policyOf } from "#pipeline/call/GuardPolicies"
import * as SafeEscalation from "#pipeline/call/SafeEscalation"
import * as Metrics from "./Metrics.ts"
import { TenantWatches } from "./TenantWatches.ts"

/** The reason of these notices. */
export const reason = "broken_contract"

/** Adds an ended call. Returns a notice to a person, if one is due. */
type Alarm = (call: Call.Call, outcome: Outcome) => Effect.Effect<void> | undefined

/** A finding about a tool, as a person reads it. */
interface Notice extends Required<Pick<EscalationRequest, "guidance" | "sentence">> {
  readonly part: "arguments" | "results"
  /** The number of watched calls or answers, and how many of them violated the schema. */
  readonly calls: number
  readonly broken: number
  readonly reason: string
  /** Equal for findings about the same fault. */
  readonly identity: string
}

const empty = { answers: ContractWatch.empty, refusals: RefusalWatch.empty }

/** Creates an alarm without calls. */
export const make: Effect.Effect<Alarm, never, Escalation | Redactor> = Effect.gen(function* () {
  const escalation = yield* Escalation
  const redactor = yield* Redactor
  const watches = new TenantWatches(empty)

  const inform = (
    call: Call.Call,
    { broken, calls, guidance, identity, part, reason: why, sentence }: Notice
  ): Effect.Effect<void> => {
    const { definition } = call.tool
    Metrics.of(call.tool).doubted(call.context)
    const event = { _tag: "ContractBroken", tool: definition.name, part, calls, broken } as const
    if (Crash.askPolicy(call, "escalate", policyOf(call, EscalationPolicy), event).level === "auto") return Effect.void
    Call.decide(call, "escalate", "inform", sentence)
    const informed = SafeEscalation.inform(escalation, {
      level: "inform",
      reason,
      tool: definition.id,
      sentence,
      guidance,
      arguments: undefined,
      binding: JSON.stringify([reason, call.tool.scope, identity]),
      turn: call.turn,
      traceId: call.traceId,
      ...SafeEscalation.namesOf(call)
    })
    return Effect.andThen(Effect.logWarning(sentence, why), informed)
  }

  return (call, outcome) => {
    const { definition, exists, result, scope } = call.tool
    if (!exists) return undefined
    const tenant = call.turn?.tenant ?? "default"
    const before = watches.get(tenant, scope)
    const faults = faultsOf(call)
    const invalid = invalidOf(call, outcome)
    const answers =
      faults === undefined ? before.answers : ContractWatch.step(before.answers, faults, () => answerOf(call, faults))
    const refusals = RefusalWatch.step(before.refusals, invalid)
    watches.set(tenant, scope, { answers, refusals })
    if (invalid === undefined && (faults ?? none).length === 0) return undefined
    const now = Call.now(call)
    if (!watches.mayInform(tenant, now)) return undefined
    const broken =
      faults === undefined || faults.length === 0
        ? undefined
        : ContractWatch.newFinding(answers, redactor.text, result.schema)
    if (broken !== undefined) {
      watches.set(tenant, scope, { answers: ContractWatch.reported(answers, broken), refusals })
      watches.informed(tenant, now)
      return inform(call, aboutAnswers(call, broken))
    }
    const strict =
      invalid === undefined ? undefined : RefusalWatch.newFinding(refusals, redactor.text, definition.parameters.ast)
    if (strict === undefined) return undefined
    watches.set(tenant, scope, { answers, refusals: RefusalWatch.reported(refusals, strict) })
    watches.informed(tenant, now)
    return inform(call, aboutArguments(call, strict))
  }
})

const aboutAnswers = (call: Call.Call, finding: ContractWatch.Finding): Notice => {
  const { broken, calls, identity, line, reason } = finding
  const isAdvised = call.trace.notEnforced.length > 0 || call.trace.unguarded?.outcome._tag === "Success"
  return {
    part: "results",
    sentence: Incident.brokenContract(call.tool.definition.id, finding),
    guidance: Incident.overStrict(line !== undefined, isAdvised),
    calls,
    broken,
    reason,
    identity
  }
}

const aboutArguments = ({ tool }: Call.Call, finding: RefusalWatch.Finding): Notice => {
  const { calls, key, line, reason, refused, worked } = finding
  return {
    part: "arguments",
    sentence: Incident.strictArguments(tool.definition.id, finding),
    guidance: Incident.strictSchema(line !== undefined, finding),
    calls,
    broken: refused + worked,
    reason,
    // the fault may contain values of the model
    identity: `arguments ${hash(key)}`
  }
}

const mismatch = "SchemaMismatch"

/** The ends of attempts whose handler answered with a result. Wrong arguments say nothing about the result. */
const answered: ReadonlySet<string> = new Set(["Success", "ToolArgError", "PartialData", "SemanticGarbage", mismatch])

/** Returns where the answer of a call violates `success`; undefined if the handler did not answer with a result. */
const faultsOf = ({ trace }: Call.Call): ReadonlyArray<Fault.Fault> | undefined => {
  const last = trace.attempts.at(-1)?.outcome
  if (last === undefined || last === "ToolArgError") return undefined
  const ended = last === "Success" ? (trace.notEnforced.at(-1)?.class ?? last) : last
  if (!answered.has(ended)) return undefined
  if (ended !== mismatch) return none
  return trace.faults.length > 0 ? trace.faults : Fault.ofFields([])
}

const none: ReadonlyArray<Fault.Fault> = []

/** Returns a text that is equal for equal faults of calls with equal arguments. */
const answerOf = (call: Call.Call, faults: ReadonlyArray<Fault.Fault>): string =>
  JSON.stringify([call.trace.key?.().slice(0, 1_000), faults.map(Fault.keyOf)]).slice(0, 2_000)

/** Returns a call whose arguments violate `parameters`; undefined if they conform, or if its end proves nothing. */
const invalidOf = (call: Call.Call, outcome: Outcome): RefusalWatch.InvalidCall | undefined => {
  const { argumentFaults: faults } = call.trace
  if (faults.length === 0) return undefined
  const end = endOf(call, outcome)
  return end === undefined ? undefined : { faults, end, source: sourceOf(call) }
}

/** Returns how a call with invalid arguments ended; undefined if that says nothing about the schema. */
const endOf = ({ trace }: Call.Call, outcome: Outcome): RefusalWatch.CallEnd | undefined => {
  const ended = trace.unguarded ?? { outcome, attempts: trace.attempts }
  if (ended.attempts.length === 0) {
    return outcome._tag === "Failure" && outcome.failure.code === "invalid_arguments" ? "refused" : undefined
  }
  if (ended.outcome._tag === "Failure") return ends[ended.outcome.failure._tag]
  // an answer that violates `success` may be an error in words
  if (ended.outcome.isRaw === true) return undefined
  return isProven(ended.outcome) ? "worked" : "failed"
}

/** What the failure of a call that ran says about its arguments. */
const ends: Partial<Record<FailureTag, RefusalWatch.CallEnd>> = {
  ToolArgError: "failed",
  Permanent: "failed",
  SemanticGarbage: "failed",
  PartialData: "worked"
}

/** Returns a text that is equal for equal arguments of one turn. */
const sourceOf = ({ input, traceId, turn }: Call.Call): string => {
  try {
    const args = typeof input === "string" ? input : JSON.stringify(input)
    return `${hash(`${turn === undefined ? traceId : turnKey(turn)} ${args}`)} ${args.length}`
  } catch {
    // a program may pass values that are not JSON
    return traceId
  }
}
