/**
 * Decides whether a group of equal faults is a reason to relax the schema, and how to relax it. If the values are
 * wrong, the schema is kept.
 *
 * **Details**
 *
 * - Rejected arguments are evidence against their schema if the tool accepted at least half of those that it received.
 *   If it received none, because the guard refused them all, the schema may be wrong.
 * - Rejected results are evidence against their schema, unless more than half of the calls returned a conforming result
 *   when the model repeated them. The first results were then faults of the tool.
 * - A faulty upstream may violate a correct schema with a few answers: at most the share `tolerated`, which `infer`
 *   also accepts. A schema of results is relaxed only if the number of different answers with the fault would otherwise
 *   be improbable (less than `significance`). So one answer in ten suffices, and one in a hundred does not.
 * - An unreadable answer, a refused key, an object with none of the declared fields, a whole result of another type and
 *   an unknown variant of a union never relax a schema, because no change of a single place would accept them.
 */
import type { Fault } from "./Fault.ts"

/** How to relax a schema so that the rejected values pass. */
export type Suggestion =
  | { readonly _tag: "keep" }
  | { readonly _tag: "nullable" }
  | { readonly _tag: "optional" }
  | { readonly _tag: "wider enum"; readonly values: ReadonlyArray<string | number | boolean> }
  | { readonly _tag: "wider bound"; readonly expected: string }
  | { readonly _tag: "wider type"; readonly type: string }
  | { readonly _tag: "open object" }
  /** The schema should be relaxed, but no change of a single place would accept these values and no others. */
  | { readonly _tag: "by hand" }

/** The evidence from the calls of a group. */
interface Evidence {
  /** The number of calls with the fault. */
  readonly count: number
  /**
   * The number of these calls that worked: the tool accepted the arguments, or the identical call did not return a
   * better result later.
   */
  readonly worked: number
  /** The number of these calls for which it is unknown whether they worked. */
  readonly unknown: number
  /** For results: the numbers of different answers of the tool, and of those among them that have the fault. */
  readonly answers?: { readonly different: number; readonly faulty: number } | undefined
}

/** The largest share of answers that may violate a correct schema. */
export const tolerated = 0.005

/** The probability below which the number of faulty answers is evidence against the schema. */
const significance = 0.05

const maxAnswers = 100_000

/** Returns the probability of at least `faulty` faulty answers among `answers`, if the schema is correct. */
export const chance = (faulty: number, answers: number): number => {
  if (answers > maxAnswers) return chance(Math.floor((faulty * maxAnswers) / answers), maxAnswers)
  let term = (1 - tolerated) ** answers
  let below = 0
  for (let k = 0; k < faulty; k++) {
    below += term
    term *= ((answers - k) / (k + 1)) * (tolerated / (1 - tolerated))
  }
  return Math.max(0, 1 - below)
}

/** A suggestion with its reason in one sentence. */
export interface ReasonedSuggestion {
  readonly suggestion: Suggestion
  readonly reason: string
}

/** True if a suggestion is a change that the proposals contain. */
export const isWritten = ({ _tag }: Suggestion): boolean => _tag !== "keep" && _tag !== "by hand"

/** Replaces a suggestion that cannot be written as a change of the schema. */
export const byHand = ({ reason, suggestion }: ReasonedSuggestion): ReasonedSuggestion =>
  suggestion._tag === "keep"
    ? { suggestion, reason }
    : { suggestion: { _tag: "by hand" }, reason: `${reason} No change of one place would accept only these values.` }

const keep = (reason: string): ReasonedSuggestion => ({ suggestion: { _tag: "keep" }, reason })

const never: Partial<Record<Fault["kind"], string>> = {
  unreadable: "The answer is not the JSON that the schema describes.",
  "refused key": "No schema allows this key, because it can change the prototype of an object that copies it.",
  shape: "The value is not the kind of object that the schema describes.",
  recorded: "The record does not contain the value; replay a log of the tool's answers.",
  variant: "The union has no member with this tag; add one if the tool has a new kind of object."
}

/** Suggests how to relax the schema for a group, or to keep it. `widening` is the change that would relax it. */
export const of = (kind: Fault["kind"], widening: Suggestion, evidence: Evidence): ReasonedSuggestion => {
  const { answers, count, unknown, worked } = evidence
  const reason = never[kind]
  if (reason !== undefined) return keep(reason)
  if (widening._tag === "keep") return keep("The schema has no single place to relax.")
  if (answers === undefined) {
    const known = count - unknown
    if (known === 0 && unknown > 0) {
      return { suggestion: widening, reason: `All ${count} calls with it were refused, so the tool may accept it.` }
    }
    const accepted = `The tool accepted ${worked} of ${known} calls with it.`
    return worked > 0 && worked * 2 >= known ? { suggestion: widening, reason: accepted } : keep(accepted)
  }
  const known = count - unknown
  const seen = `${answers.faulty} of ${answers.different} different answers ${answers.faulty === 1 ? "has" : "have"} it`
  if (worked * 2 < known) {
    return keep(`${seen}, and ${known - worked} of ${known} such calls had a correct result when they were repeated.`)
  }
  if (chance(answers.faulty, answers.different) >= significance) {
    return keep(`${seen}: too few to blame the schema.`)
  }
  return { suggestion: widening, reason: `${seen}.` }
}
