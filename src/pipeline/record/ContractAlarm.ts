/**
 * Informs a person about tools whose answers often violate their schema [15.1]: an over-strict guard makes the model
 * distrust every tool.
 *
 * **Details**
 *
 * - `ContractWatch` decides about each tool. This module holds its states in memory for at most 1,000 tools, and
 *   forgets the least recently called tool first. Each process watches only its own calls, so each may inform once.
 * - At most 10 notices an hour reach a person. A finding past this limit is reported by a later call.
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

/** The reason of these notices. */
export const reason = "broken_contract"

const mostTools = 1_000
const mostNotices = 10
const hour = 3_600_000

/** Adds an ended call. Returns a notice to a person, if one is due. */
type Alarm = (call: Call.Call) => Effect.Effect<void> | undefined

/** Creates an alarm without calls. */
export const make: Effect.Effect<Alarm, never, Escalation | Redactor> = Effect.gen(function* () {
  const escalation = yield* Escalation
  const redactor = yield* Redactor
  const tools = new Map<string, ContractWatch.ContractWatch>()
  let notices: ReadonlyArray<number> = []

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
      guidance: Incident.doubted(line !== undefined, isAdvised),
      arguments: undefined,
      binding: JSON.stringify([reason, call.tool.scope, identity]),
      turn: call.turn,
      traceId: call.traceId,
      ...SafeEscalation.namesOf(call)
    })
    return Effect.andThen(Effect.logWarning(sentence, finding.reason), informed)
  }

  return (call) => {
    const { scope } = call.tool
    const faults = faultsOf(call)
    if (faults === undefined) return undefined
    const before = tools.get(scope) ?? ContractWatch.empty
    const watch = ContractWatch.step(before, faults, () => answerOf(call, faults))
    // the most recently called tool is last
    tools.delete(scope)
    tools.set(scope, watch)
    if (tools.size > mostTools) for (const oldest of tools.keys()) if (tools.delete(oldest)) break
    if (faults.length === 0) return undefined
    const now = Call.now(call)
    notices = notices.filter((at) => at > now - hour)
    const { encoded } = call.tool.result
    const finding = notices.length < mostNotices ? ContractWatch.newFinding(watch, redactor.text, encoded) : undefined
    if (finding === undefined) return undefined
    notices = [...notices, now]
    tools.set(scope, ContractWatch.reported(watch, finding))
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
