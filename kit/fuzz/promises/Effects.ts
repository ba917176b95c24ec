/** A write is done at most once, under one key, not before a person has agreed; and what is told of it is true. */
import * as Ending from "#kit/fuzz/play/Ending"
import type { Played } from "#kit/fuzz/play/Played"
import type { Subject } from "#kit/fuzz/cases/Subject"
import type { Effected, Execution } from "#kit/fuzz/play/World"
import { executionsOf, meanings } from "./Attempts.ts"
import type { Promised } from "./Promised.ts"

const grouped = <A>(list: ReadonlyArray<A>, key: (item: A) => string): ReadonlyMap<string, ReadonlyArray<A>> =>
  Map.groupBy(list, key)

/** At most one effect: for each action of an idempotent write, for each call of any other. */
export const once: Promised = (subject, { caller, calls }, played) => {
  const { effects, executions } = played.world
  if (subject.definition.idempotency.mode === "none") {
    const ids = calls.flatMap(({ id }) => (id === undefined ? [] : [id]))
    const isApart = caller !== undefined || ids.length === 0
    const most = isApart
      ? Math.max(0, ...[...grouped(effects, ({ callId }) => callId).values()].map((of) => of.length))
      : 0
    if (most > 1) return `One call had ${most} effects.`
    return effects.length > calls.length ? `${calls.length} calls had ${effects.length} effects.` : undefined
  }
  if (executions.some(({ idempotencyKey }) => idempotencyKey === "")) return "The write was run without its key."
  for (const of of grouped(effects, ({ action }) => action).values()) {
    const allowed = keysOf(executions, of[0]?.action)
    if (of.length > allowed) return `One action had ${of.length} effects, under ${new Set(of.map(keyOf)).size} keys.`
  }
  return undefined
}

const keyOf = ({ idempotencyKey }: Effected): string => idempotencyKey

/** The keys of an action: those that a model gave, and one that the guard derives. */
const keysOf = (executions: ReadonlyArray<Execution>, action: string | undefined): number => {
  const keys = executions.filter((execution) => execution.action === action).map(({ idempotencyKey }) => idempotencyKey)
  const given = new Set(keys.filter((key) => !key.startsWith("idem_")))
  return given.size + (keys.some((key) => key.startsWith("idem_")) ? 1 : 0)
}

/** No other write stands in for one that was done. */
export const noSubstitute: Promised = (_, __, { alternatives, world }) => {
  const twice = alternatives.find(
    ({ callId, isRead }) => !isRead && world.effects.some((effect) => effect.callId === callId)
  )
  return twice === undefined ? undefined : `The write was done, and its alternative ${twice.tool} was made as well.`
}

/** A call that needs a person does nothing without one. */
export const agreed: Promised = ({ definition: { access, approval } }, { person }, { world }) => {
  const isAsked = approval === undefined ? access === "destructive" : approval === "confirm" || approval === "block"
  if (!isAsked || person === undefined || person === "approves" || world.executions.length === 0) return undefined
  return `The call was run, and the person who had to agree ${person === "denies" ? "said no" : "was not there"}.`
}

/** What is told of a write's effect is true, wherever its proof decides it. */
export const honest: Promised = (subject, fuzzCase, played) => {
  const isHidden = fuzzCase.caller === "program" && subject.definition.fallbacks.length > 0
  if (subject.isRead || isHidden) return undefined
  for (const call of played.calls) {
    const own = executionsOf(fuzzCase, played, call)
    const ending = Ending.of(call)
    if (own === undefined || own.length === 0 || ending === undefined || isOpen(subject, own)) continue
    const problem = lie(ending, played, own)
    if (problem !== undefined) return `The call ${call.id} ended with ${Ending.inWords(ending)}, and ${problem}`
  }
  return undefined
}

/** Answers of which the specification does not say what they prove. */
const isOpen = (subject: Subject, own: ReadonlyArray<Execution>): boolean =>
  meanings(subject, own).some(({ evidence }) => evidence === "any")

const lie = (ending: Ending.Ending, { world }: Played, own: ReadonlyArray<Execution>): string | undefined => {
  const actions = new Set(own.map(({ action }) => action))
  const isDone = world.effects.some(({ action }) => actions.has(action))
  if (ending._tag === "Success") return isDone || ending.usedFallback !== undefined ? undefined : "nothing was done."
  if (ending._tag === "Escaped" || ending.tried !== undefined || ending.usedFallback !== undefined) return undefined
  const { sideEffect } = ending.failure
  const isOwn = world.effects.some(({ execution }) => own.includes(world.executions[execution] as Execution))
  if (sideEffect === "none" && isOwn) return "it was done."
  return sideEffect === "committed" && !isDone ? "it was not done." : undefined
}
