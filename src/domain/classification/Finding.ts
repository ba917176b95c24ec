/** A rule of the classifier: looks at the evidence and answers with a row, or passes. */
import { codes } from "#domain/failure/FailureCode"
import type { Evidence } from "./Evidence.ts"
import { firstOf, type Phrase } from "#domain/classification/phrases/Phrase"
import { resolve } from "./Reference.ts"
import type { Diagnosis } from "#domain/classification/codes/Diagnosis"

/** What a rule found, and the name of the row. */
export interface Finding {
  readonly name: string
  readonly diagnosis: Diagnosis
}

/** One step of the table. */
export type Rule = (evidence: Evidence) => Finding | undefined

/** Strong rows decide; weak ones wait until the words were asked. */
export type Strength = "strong" | "weak"

/** Whether a row is of this strength. */
export const isOf = (strength: Strength, diagnosis: Diagnosis): boolean =>
  (diagnosis.weak === true) === (strength === "weak")

/**
 * A row with its diagnosis; a missing thing is resolved against the arguments. `bare`: the row itself does not say that
 * anything was named (HTTP 404).
 */
export const finding = (
  evidence: Evidence,
  name: string,
  diagnosis: Diagnosis | undefined,
  bare = false
): Finding | undefined =>
  diagnosis === undefined ? undefined : { name, diagnosis: resolve(diagnosis, evidence, bare) }

const isClientError = (status: number | undefined): boolean =>
  status !== undefined && status >= 400 && status < 500 && status !== 408

/** Whether words may call an answer of 4xx passing: where it is a conflict, or where they name a limit or a gateway. */
const mayPass = (status: number | undefined, name: string): boolean =>
  status === 409 || (status !== 422 && /^(?:limit|gateway):/.test(name))

/**
 * Rows of words. An answer of 4xx says that nothing was done, whatever the words add; without one, words that call a
 * fault passing do not promise that nothing was done, unless they are `structural`: a fixed text of one program.
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
      return transient && !mayPass(status, name)
        ? undefined
        : finding(evidence, name, { ...diagnosis, sideEffect: "none" })
    }
    return finding(evidence, name, transient && !structural ? { ...diagnosis, sideEffect: "unknown" } : diagnosis)
  }
