/**
 * Informs a person about tools whose answers often violate their schema [15.1], because a guard that is too strict makes
 * the model distrust every tool.
 *
 * **Details**
 *
 * - `ContractWatch` decides about each tool, and `TenantWatches` holds its states in memory, separately for each
 *   tenant. Each process watches only its own calls, so each may inform once.
 * - A finding past the limit of notices is reported by a later call.
 */
import * as Incident from "#domain/approval/Incident"
import * as ContractWatch from "#domain/faults/ContractWatch"
import * as Fault from "#domain/faults/Fault"
import { Escalation } from "#services/Escalation"
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
type Alarm = (call: Call.Call) => Effect.Effect<void> | undefined

/** Creates an alarm without calls. */
export const make: Effect.Effect<Alarm, never, Escalation | Redactor> = Effect.gen(function* () {
  const escalation = yield* Escalation
  const redactor = yield* Redactor
  const watches = new TenantWatches()

  const inform = (call: Call.Call, finding: ContractWatch.Finding): Effect.Effect<void> => {
    const { definition } = call.tool
    const { broken, calls, identity, line } = finding
    const sentence = Incident.brokenContract(definition.id, finding)
    Metrics.of(call.tool).doubted(call.context)
    const event = { _tag: "ContractBroken", tool: definition.name, calls, broken } as const
    if (Crash.askPolicy(call, "escalate", policyOf(call, EscalationPolicy), event).level === "auto") return Effect.void
    Call.decide(call, "escalate", "inform", sentence)
    const isAdvised = call.trace.notEnforced.length > 0 || call.trace.unguarded?.outcome._tag === "Success"
    const informed = SafeEscalation.inform(escalation, {
      level: "inform",
      reason,
      tool: definition.id,
      sentence,
      guidance: Incident.overStrict(line !== undefined, isAdvised),
      arguments: undefined,
      binding: JSON.stringify([reason, call.tool.scope, identity]),
      turn: call.turn,
      traceId: call.traceId,
      ...SafeEscalation.namesOf(call)
    })
    return Effect.andThen(Effect.logWarning(sentence, finding.reason), informed)
  }

  return (call) => {
    const faults = faultsOf(call)
    if (faults === undefined) return undefined
    const { result, scope } = call.tool
    const tenant = call.turn?.tenant ?? "default"
    const watch = ContractWatch.step(watches.get(tenant, scope), faults, () => answerOf(call, faults))
    watches.set(tenant, scope, watch)
    const now = Call.now(call)
    if (faults.length === 0 || !watches.mayInform(tenant, now)) return undefined
    const finding = ContractWatch.newFinding(watch, redactor.text, result.schema)
    if (finding === undefined) return undefined
    watches.set(tenant, scope, ContractWatch.reported(watch, finding))
    watches.informed(tenant, now)
    return inform(call, finding)
  }
})

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
