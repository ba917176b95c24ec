/** The rules of the classifier: a rule reads the evidence and returns a finding, or leaves the decision to the next rule. */
import { codes } from "#domain/failure/FailureCode"
import type { Evidence } from "./Evidence.ts"
import { firstOf, type Phrase } from "#domain/classification/phrases/Phrase"
import { resolve } from "./Reference.ts"
import type { Diagnosis } from "#domain/classification/codes/Diagnosis"

/** The row that a rule found: its name and its diagnosis. */
export interface Finding {
  readonly name: string
  readonly diagnosis: Diagnosis
}

/** A rule; `undefined` leaves the decision to the next one. */
export type Rule = (evidence: Evidence) => Finding | undefined

/** Strong rows decide at once; weak rows only after the phrases. */
export type Strength = "strong" | "weak"

/** Whether a diagnosis has this strength. */
export const isOf = (strength: Strength, diagnosis: Diagnosis): boolean =>
  (diagnosis.weak === true) === (strength === "weak")

/**
 * Creates a finding. Resolves a missing thing against the arguments; `isGeneric` marks a row that does not imply a named
 * thing (HTTP 404).
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

/** Whether phrases may make a 4xx response transient: a conflict (409), or a row of limits or gateways. */
const mayBeTransient = (status: number | undefined, name: string): boolean =>
  status === 409 || (status !== 422 && /^(?:limit|gateway):/.test(name))

/**
 * Creates a rule of phrases. With a 4xx response the side effect is `none`, whatever the phrase. Otherwise the side effect
 * of a transient phrase is `unknown`, unless the phrases are `structural`, which means the fixed text of one program.
 */
export const ofPhrases =
  (phrases: ReadonlyArray<Phrase>, strength: "any" | "strong" = "any", structural = false): Rule =>
  (evidence) => {
    const found = firstOf(phrases, evidence.words)
    if (found === undefined || (strength === "strong" && found.diagnosis.weak)) return undefined
    const { name, diagnosis } = found
    const [status] = evidence.statuses
    const transient = codes[diagnosis.code].tag === "Transient"
    if (isClientError(status)) {
      return transient && !mayBeTransient(status, name)
        ? undefined
        : finding(evidence, name, { ...diagnosis, sideEffect: "none" })
    }
    return finding(evidence, name, transient && !structural ? { ...diagnosis, sideEffect: "unknown" } : diagnosis)
  }
