/** Checks that a write happens at most once and only with approval, and that its side effect is reported correctly. */
import * as CallOutcome from "#kit/fuzz/simulation/CallOutcome"
import type { Observation } from "#kit/fuzz/simulation/Observation"
import type { Subject } from "#kit/fuzz/cases/Subject"
import type { Execution, WriteEffect } from "#kit/fuzz/simulation/World"
import { executionsOf, expectationsOf } from "./Attempts.ts"
import type { PromiseCheck } from "./PromiseCheck.ts"

const grouped = <A>(list: ReadonlyArray<A>, key: (item: A) => string): ReadonlyMap<string, ReadonlyArray<A>> =>
  Map.groupBy(list, key)

/** Checks that each action of an idempotent write, or each call of any other write, has at most one effect per key. */
export const oneEffect: PromiseCheck = (subject, { caller, calls }, observation) => {
  const { effects, executions } = observation.world
  if (subject.definition.idempotency.mode === "none") {
    const ids = calls.flatMap(({ id }) => (id === undefined ? [] : [id]))
    const hasUniqueIds = caller !== undefined || ids.length === 0
    const max = hasUniqueIds
      ? Math.max(0, ...[...grouped(effects, ({ callId }) => callId).values()].map((group) => group.length))
      : 0
    if (max > 1) return `One call had ${max} effects.`
    return effects.length > calls.length ? `${calls.length} calls had ${effects.length} effects.` : undefined
  }
  if (executions.some(({ idempotencyKey }) => idempotencyKey === ""))
    return "The write ran without its idempotency key."
  for (const group of grouped(effects, ({ action }) => action).values()) {
    const allowed = allowedKeys(executions, group[0]?.action)
    if (group.length > allowed)
      return `One action had ${group.length} effects, under ${new Set(group.map(keyOf)).size} keys.`
  }
  return undefined
}

const keyOf = ({ idempotencyKey }: WriteEffect): string => idempotencyKey

/** Counts the keys that an action may have: every key that a model sent, and one key that the guard derived. */
const allowedKeys = (executions: ReadonlyArray<Execution>, action: string | undefined): number => {
  const keys = executions.filter((execution) => execution.action === action).map(({ idempotencyKey }) => idempotencyKey)
  const keysOfModel = new Set(keys.filter((key) => !key.startsWith("idem_")))
  return keysOfModel.size + (keys.some((key) => key.startsWith("idem_")) ? 1 : 0)
}

/** Checks that no fallback repeats a write that has happened. */
export const noSecondWrite: PromiseCheck = (_, __, { fallbacks, world }) => {
  const second = fallbacks.find(
    ({ callId, isRead }) => !isRead && world.effects.some((effect) => effect.callId === callId)
  )
  return second === undefined ? undefined : `The write happened, and its fallback ${second.tool} ran as well.`
}

/** Checks that a call that needs approval does not run without approval. */
export const approved: PromiseCheck = ({ definition: { access, approval } }, { person }, { world }) => {
  const needsApproval =
    approval === undefined ? access === "destructive" : approval === "confirm" || approval === "block"
  if (!needsApproval || person === undefined || person === "approves" || world.executions.length === 0) return undefined
  return `The call ran, but the required approver ${person === "denies" ? "denied it" : "was absent"}.`
}

/** Checks that the reported side effect of a write is correct, if the evidence determines it. */
export const correctSideEffect: PromiseCheck = (subject, fuzzCase, observation) => {
  const hidesFallbacks = fuzzCase.caller === "program" && subject.definition.fallbacks.length > 0
  if (subject.isRead || hidesFallbacks) return undefined
  for (const call of observation.calls) {
    const executions = executionsOf(fuzzCase, observation, call)
    const outcome = CallOutcome.of(call)
    if (executions === undefined || executions.length === 0) continue
    if (outcome === undefined || isUndetermined(subject, executions)) continue
    const problem = contradiction(outcome, observation, executions)
    if (problem !== undefined) return `The call ${call.id} ended with ${CallOutcome.describe(outcome)}, but ${problem}`
  }
  return undefined
}

/** True if the specification permits any evidence for one of the answers. */
const isUndetermined = (subject: Subject, executions: ReadonlyArray<Execution>): boolean =>
  expectationsOf(subject, executions).some(({ evidence }) => evidence === "any")

/** Describes how the effects in the world contradict the outcome of a call. Returns `undefined` if they agree. */
const contradiction = (
  outcome: CallOutcome.CallOutcome,
  { world }: Observation,
  executions: ReadonlyArray<Execution>
): string | undefined => {
  const actions = new Set(executions.map(({ action }) => action))
  const hasHappened = world.effects.some(({ action }) => actions.has(action))
  if (outcome._tag === "Success")
    return hasHappened || outcome.usedFallback !== undefined ? undefined : "the write did not happen."
  if (outcome._tag === "Untyped" || outcome.tried !== undefined || outcome.usedFallback !== undefined) return undefined
  const { sideEffect } = outcome.failure
  const own = new Set<Execution | undefined>(executions)
  const isByThisCall = world.effects.some(({ execution }) => own.has(world.executions[execution]))
  if (sideEffect === "none" && isByThisCall) return "the write happened."
  return sideEffect === "committed" && !hasHappened ? "the write did not happen." : undefined
}
