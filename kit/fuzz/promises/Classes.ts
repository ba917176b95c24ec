/** Each fault is told as the class that the specification demands for it, with what it did to the world. */
import * as Sent from "#kit/fuzz/play/Sent"
import * as Ending from "#kit/fuzz/play/Ending"
import type { FuzzCase } from "#kit/fuzz/cases/FuzzCase"
import type * as Meaning from "#kit/fuzz/cases/Meaning"
import type { Played, PlayedCall } from "#kit/fuzz/play/Played"
import type { Subject } from "#kit/fuzz/cases/Subject"
import { actionOf } from "#kit/fuzz/play/World"
import { executionsOf, meanings } from "./Attempts.ts"
import type { Promised } from "./Promised.ts"

/** Arguments that the contract refuses never reach the tool, and are the model's mistake; so is a name that no tool has. */
export const refusals: Promised = (subject, fuzzCase, played) => {
  for (const call of played.calls) {
    const isOther = fuzzCase.caller === undefined && call.call.name !== undefined && call.call.name !== subject.name
    const isCut = fuzzCase.caller === undefined && call.call.isCut === true
    const isInvalid =
      subject.definition.enforce === "enforce" && Sent.read(subject, fuzzCase, call.call)._tag === "Invalid"
    const own = executionsOf(fuzzCase, played, call)
    if (!(isOther || isCut || isInvalid) || own === undefined || fuzzCase.caller === "loop") continue
    const what = isOther
      ? "names a tool that does not exist"
      : isCut
        ? "was cut off"
        : "has arguments that its contract refuses"
    if (own.length > 0) return `The call ${call.id} ${what}, and the tool was run.`
    const ending = Ending.of(call)
    const expected = isOther ? "ToolArgError unknown_tool" : isCut ? "ToolArgError truncated_arguments" : "ToolArgError"
    if (ending !== undefined && !Ending.inWords(ending).startsWith(expected)) {
      return `The call ${call.id} ${what}, and ended with ${Ending.inWords(ending)}; it must be ${expected}.`
    }
  }
  return undefined
}

/** What each answer must come to. */
export const classes: Promised = (subject, fuzzCase, played) => {
  const isHidden = fuzzCase.caller === "program" && subject.definition.fallbacks.length > 0
  if (fuzzCase.caller === "loop" || isHidden) return undefined
  for (const [index, call] of played.calls.entries()) {
    const own = isFresh(subject, fuzzCase, played, index) ? executionsOf(fuzzCase, played, call) : undefined
    const ending = Ending.of(call)
    if (own === undefined || own.length === 0 || ending === undefined || isReplaced(ending)) continue
    const expected = expectedOf(subject, meanings(subject, own))
    const problem = problemOf(ending, expected)
    if (problem !== undefined) return `The call ${call.id} ended with ${Ending.inWords(ending)}; it must be ${problem}.`
  }
  return undefined
}

/** What a call may end with. `sideEffect`: absent where more than one is right. */
interface Expected {
  readonly ends: ReadonlyArray<Meaning.End>
  readonly sideEffect?: "none" | "committed" | "unknown"
}

const expectedOf = (subject: Subject, all: ReadonlyArray<Meaning.Meaning>): Expected => {
  const last = all.at(-1)
  if (last === undefined) return { ends: [] }
  if (subject.isRead) return { ends: last.ends, sideEffect: "none" }
  const isLookedUp = subject.definition.reconcile !== undefined
  const wasUnknown = all.some(({ evidence }) => evidence === "unknown")
  if (last.evidence === "committed") return { ends: last.ends, sideEffect: "committed" }
  if (all.some(({ evidence }) => evidence === "any")) return { ends: [...last.ends, "HumanReview", "Success"] }
  if (!wasUnknown) return { ends: last.ends, sideEffect: "none" }
  return isLookedUp
    ? { ends: [...last.ends, "HumanReview", "Success"] }
    : { ends: ["HumanReview"], sideEffect: "unknown" }
}

const problemOf = (ending: Ending.Ending, { ends, sideEffect }: Expected): string | undefined => {
  const end = ending._tag === "Failure" ? ending.failure._tag : ending._tag
  if (!ends.some((expected) => expected === end)) return listed(ends)
  const isWrong = ending._tag === "Failure" && sideEffect !== undefined && ending.failure.sideEffect !== sideEffect
  return isWrong ? `with side effect: ${sideEffect}` : undefined
}

const listed = (ends: ReadonlyArray<string>): string => [...new Set(ends)].join(" or ")

/** An alternative was tried: its end is its own. */
const isReplaced = (ending: Ending.Ending): boolean =>
  ending._tag !== "Escaped" &&
  (ending.usedFallback !== undefined || (ending._tag === "Failure" && ending.tried !== undefined))

/** Whether nothing that came before decides how this call ends: no equal call, no circuit that has opened. */
const isFresh = (subject: Subject, fuzzCase: FuzzCase, { calls, world }: Played, index: number): boolean => {
  if (index === 0 && fuzzCase.together !== true) return true
  const { checks, circuit } = subject.definition
  if (world.executions.length >= Math.min(circuit?.failures ?? 5, 5) || checks.length > 0) return false
  const keys = calls.map((call) => keyOf(subject, fuzzCase, call))
  return keys.every((key, other) => key !== undefined && (other === index || key !== keys[index]))
}

const keyOf = (subject: Subject, fuzzCase: FuzzCase, { call }: PlayedCall): string | undefined => {
  const sent = Sent.read(subject, fuzzCase, call)
  return sent._tag === "Valid" ? actionOf(subject, sent.value) : sent._tag
}
