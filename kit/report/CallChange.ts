/**
 * Compares one call of a log under two versions of the tools, and finds the cause of a different outcome.
 *
 * **Details**
 *
 * - Two outcomes are the same if the guard decides the same and the call ends with the same class and code. Texts are
 *   not compared.
 * - A call has one cause: what ends it under the second version, or, if it succeeds now, what ended it under the first.
 * - A call can change because an earlier call of its conversation did: an identical call after a newly refused one is
 *   answered from memory. Such a change has the cause `repeat`.
 */
import type { ReplayedCall } from "#kit/replay/ReplayedCall"

/** Why the second version ends a call differently. */
type Cause =
  /** The arguments violate the schema. */
  | "arguments"
  /** The result violates the schema. */
  | "result"
  /** The guard answers from memory or stops a loop, or the budget is spent. */
  | "repeat"
  /** A person is asked, or no longer asked, or the call is blocked. */
  | "approval"
  /** Another policy refuses the call, such as a limit. */
  | "policy"
  /** The tool is gone. */
  | "tool"
  /** The call ends with another class or code. */
  | "class"
  /** The call is made and succeeds; the first version refused, stopped or failed it, or answered it from memory. */
  | "repaired"

/** How the outcome of a call differs. */
export interface CallChange {
  readonly cause: Cause
  /** The field of the arguments or the result; empty for other causes. */
  readonly path: string
  /** The violated rule, the code or the classes, in a few words. */
  readonly rule: string
  /** True if the call succeeds under the first version, and is refused, stopped or fails under the second. */
  readonly isBroken: boolean
}

/** Returns the difference of a call's outcomes under two versions; `undefined` if the outcomes are the same. */
export const of = (before: ReplayedCall, after: ReplayedCall): CallChange | undefined => {
  if (endOf(before) === endOf(after) && before.isAsked === after.isAsked) return undefined
  return { ...causeOf(before, after), isBroken: !isBad(before) && isBad(after) }
}

type Ended = Pick<CallChange, "cause" | "path" | "rule">

/** Returns the text that is equal for equal outcomes. */
const endOf = (call: ReplayedCall): string => {
  const { refusal, saving } = call.tally
  if (saving !== undefined) return `saved ${saving}`
  return refusal === undefined ? classOf(call) : `refused ${codeOf(call)}`
}

const codeOf = ({ record: { outcome } }: ReplayedCall): string =>
  outcome._tag === "Failure" ? outcome.failure.code : ""

const classOf = ({ record: { outcome } }: ReplayedCall): string =>
  outcome._tag === "Failure" ? `${outcome.failure._tag} ${outcome.failure.code}` : "Success"

const isMade = ({ tally: { refusal, saving } }: ReplayedCall): boolean => refusal === undefined && saving === undefined

/** True if the model gets no result. A page and a declared refusal are results. */
const isBad = ({ tally: { failure, refusal, saving } }: ReplayedCall): boolean =>
  failure !== undefined || refusal !== undefined || saving === "loop" || saving === "budget"

const isMismatch = ({ record: { outcome } }: ReplayedCall): boolean =>
  outcome._tag === "Failure" && outcome.failure._tag === "SchemaMismatch"

const causeOf = (before: ReplayedCall, after: ReplayedCall): Ended => {
  const [one, other] = [endOf(before), endOf(after)]
  if (one === other) {
    return { cause: "approval", path: "", rule: after.isAsked ? "a person is asked" : "no person is asked any more" }
  }
  if (!isMade(after)) return stopOf(after, before)
  if (isMismatch(after) && !isMismatch(before)) return resultOf(after, before)
  const isRepaired = !isBad(after) && (isBad(before) || !isMade(before))
  return isRepaired ? repairOf(before, after) : { cause: "class", path: "", rule: `${one} becomes ${other}` }
}

/** Returns what stops a call that is not made. `other` is the call under the other version. */
const stopOf = (call: ReplayedCall, other: ReplayedCall): Ended => {
  const { refusal, saving } = call.tally
  const code = codeOf(call)
  if (saving !== undefined) return { cause: "repeat", path: "", rule: repeats[saving] }
  if (refusal === "unknown_tool") return { cause: "tool", path: "", rule: "is gone" }
  if (refusal === "invalid_arguments")
    return { cause: "arguments", ...firstNew(call.argumentFaults, other.argumentFaults, code) }
  return { cause: "policy", path: "", rule: code }
}

const repeats = {
  recall: "answered from memory",
  replay: "answered by an identical call",
  unchanged: "answered from memory, as the result does not change",
  loop: "stopped as a loop",
  budget: "its budget is spent"
} as const

const resultOf = (call: ReplayedCall, other: ReplayedCall): Ended => ({
  cause: "result",
  ...firstNew(call.resultFaults ?? [], other.resultFaults ?? [], codeOf(call))
})

/** Returns what stopped or failed the call under the first version. */
const repairOf = (before: ReplayedCall, after: ReplayedCall): Ended => {
  const { path, rule } = isMade(before)
    ? isMismatch(before)
      ? resultOf(before, after)
      : { path: "", rule: classOf(before) }
    : stopOf(before, after)
  return { cause: "repaired", path, rule }
}

type Faults = ReplayedCall["argumentFaults"]

/** Returns the path and the rule of the first fault that the other version does not find, otherwise the code. */
const firstNew = (faults: Faults, others: Faults, code: string): Pick<Ended, "path" | "rule"> => {
  const isNew = ({ path, problem }: Faults[number]) =>
    others.every((other) => other.path !== path || other.problem !== problem)
  const first = faults.find(isNew) ?? faults[0]
  if (first === undefined) return { path: "", rule: code }
  return { path: first.path === "" ? "(whole)" : first.path, rule: first.problem }
}

/** The names of the causes in reports. */
export const names: Readonly<Record<Cause, string>> = {
  arguments: "arguments refused",
  result: "result refused",
  repeat: "repeat",
  approval: "approval",
  policy: "refused by policy",
  tool: "tool gone",
  class: "other outcome",
  repaired: "succeeds now"
}
