/**
 * The rules of the classifier: a rule reads the evidence and returns a finding, or leaves the decision to the next
 * rule.
 */
import { codes } from "#domain/failure/FailureCode"
import type { Evidence } from "./Evidence.ts"
import { firstOf, type Phrase } from "#domain/classification/phrases/Phrase"
import { resolve } from "./Reference.ts"
import type { Diagnosis } from "#domain/classification/codes/Diagnosis"

/** The row of the table that a rule found: its name and its diagnosis. */
export interface Finding {
  readonly name: string
  readonly diagnosis: Diagnosis
}

/** A rule. It returns `undefined` to leave the decision to the next rule. */
export type Rule = (evidence: Evidence) => Finding | undefined

/** A strong row decides immediately; a weak row decides only if no phrase matches. */
export type Strength = "strong" | "weak"

/** True if a diagnosis has the given strength. */
export const isOf = (strength: Strength, diagnosis: Diagnosis): boolean =>
  (diagnosis.weak === true) === (strength === "weak")

/**
 * Creates a finding; `undefined` without a diagnosis. The arguments of the call decide whether a missing thing is the
 * model's mistake. `isGeneric` marks a row that does not imply a named thing (HTTP 404).
 */
export const finding = (
  evidence: Evidence,
  name: string,
  diagnosis: Diagnosis | undefined,
  isGeneric = false
): Finding | undefined =>
  diagnosis === undefined ? undefined : { name, diagnosis: resolve(diagnosis, evidence, isGeneric) }

const isClientError = (status: number | undefined): boolean =>
  status !== undefined && status >= 400 && status < 500 && status !== 408

/**
 * True if a phrase can make a 4xx response transient: always for a 409 (conflict), never for a 422, and otherwise for
 * the rows of limits and gateways.
 */
const mayBeTransient = (status: number | undefined, name: string): boolean =>
  status === 409 || (status !== 422 && /^(?:limit|gateway):/.test(name))

/**
 * Creates a rule from phrases. With a 4xx response a phrase makes an error transient only if `mayBeTransient` allows
 * it.
 */
export const ofPhrases =
  (phrases: ReadonlyArray<Phrase>, strength: "any" | "strong" = "any"): Rule =>
  (evidence) => {
    const found = firstOf(phrases, evidence.words)
    if (found === undefined || (strength === "strong" && found.diagnosis.weak)) return undefined
    const { name, diagnosis } = found
    const [status] = evidence.statuses
    const transient = codes[diagnosis.code].tag === "Transient"
    return isClientError(status) && transient && !mayBeTransient(status, name)
      ? undefined
      : finding(evidence, name, diagnosis)
  }
