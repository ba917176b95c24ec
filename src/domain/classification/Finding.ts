/**
 * The rules of the classifier: a rule reads the evidence and returns a finding, or leaves the decision to the next
 * rule.
 */
import { codes } from "#domain/failure/FailureCode"
import type { Evidence } from "./Evidence.ts"
import { limitStem } from "#domain/classification/phrases/Limit"
import { firstOf, type Phrase } from "#domain/classification/phrases/Phrase"
import { resolve } from "./Reference.ts"
import { read, type Reading } from "#domain/classification/grammar/Sentence"
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
 * model's mistake.
 */
export const finding = (evidence: Evidence, name: string, diagnosis: Diagnosis | undefined): Finding | undefined =>
  diagnosis === undefined ? undefined : { name, diagnosis: resolve(diagnosis, evidence) }

const isClientError = (status: number | undefined): boolean =>
  status !== undefined && status >= 400 && status < 500 && status !== 408

/**
 * True if a phrase can make a 4xx response transient: always for a 409 (conflict), never for a 422, and otherwise for
 * the rows of limits and gateways. Sentences about a limit are read before, with any status (`limitsOfGrammar`).
 */
const mayBeTransient = (status: number | undefined, name: string): boolean =>
  status === 409 || (status !== 422 && /^(?:limit|gateway):/.test(name))

/**
 * True if a 4xx response can mean what its words say. The upstream of such a response complains about the request: what
 * is no valid JSON is the request and not a result.
 */
const fitsClientError = (status: number | undefined, found: Reading): boolean =>
  isTransient(found) ? mayBeTransient(status, found.name) : codes[found.diagnosis.code].tag !== "SchemaMismatch"

/** Rules whose sentences report no fault that a repetition does not mend. */
const vague = /^argument:expectation$|^limit:/

const isTransient = ({ diagnosis }: Reading): boolean => codes[diagnosis.code].tag === "Transient"

/** Rules of transient failures that come with any other words: limits, and messages of known programs. */
const certain = /^(?:limit|gateway):|^sql:lock$|^kafka:metadata$|^kube:transient$/

/** True if a rule reports no fault of its own: what is exceeded in a message about a time limit is the time. */
const isVague = ({ name }: Reading, found: Reading): boolean =>
  vague.test(name) || (name === "argument:exceeded" && found.diagnosis.code === "timeout")

/**
 * Returns the reading that a repeated write may not ignore: a sentence of the message that reports a lasting fault, if
 * words alone found the failure of a write to be transient.
 */
export const lastingOf = ({ access, words }: Evidence, found: Reading): Reading | undefined =>
  access === "read" || !isTransient(found) || certain.test(found.name)
    ? undefined
    : read(words, (reading) => !isTransient(reading) && !isVague(reading, found))

/**
 * Creates a rule from phrases. With a 4xx response a phrase makes an error transient only if `mayBeTransient` allows
 * it, and for a write only if no sentence reports a lasting fault.
 */
export const ofPhrases =
  (phrases: ReadonlyArray<Phrase>, strength: "any" | "strong" = "any"): Rule =>
  (evidence) => {
    const found = firstOf(phrases, evidence.words)
    if (found === undefined || (strength === "strong" && found.diagnosis.weak)) return undefined
    const [status] = evidence.statuses
    if (isClientError(status) && !fitsClientError(status, found)) return undefined
    const { diagnosis, name } = lastingOf(evidence, found) ?? found
    return finding(evidence, name, diagnosis)
  }

/** Names in CamelCase, which programs print as codes: `BucketNameTooLong`. */
const names = /\b[A-Z]?[a-z]+(?:[A-Z][a-z]+)+\b/g

/** Returns the names in CamelCase in a text as words, one per line. */
const namesIn = (text: string): string =>
  [...text.matchAll(names)]
    .slice(0, 8)
    .map(([name]) => name.replace(/(?:Error|Exception|Fault)$/, "").replaceAll(/(?<=[a-z])(?=[A-Z])/g, " "))
    .join("\n")
    .toLowerCase()

const limits: ReadonlySet<string> = new Set(["rate_limited", "quota_exceeded"])

/**
 * Reads the sentences of a message that state a limit, because limits come with any status. With a 429, a sentence about
 * too many things that are open at the same time counts too, and is not a limit of the rate.
 */
export const limitsOfGrammar: Rule = ({ statuses, words }) =>
  limitStem.test(words) || statuses[0] === 429
    ? read(
        words,
        ({ diagnosis, name }) => limits.has(diagnosis.code) || (statuses[0] === 429 && name === "resource:slots")
      )
    : undefined

/** Rules about the environment of the tool. */
const environment = /^refusal:(?:software|configuration|environment)$/

/**
 * Reads the sentences of the message, or else its names in CamelCase. A 4xx response limits what they can make
 * transient, as for `ofPhrases`. The failure of a write is transient only if no sentence of the message reports a
 * lasting fault, because a repeated write may do harm.
 */
export const ofGrammar: Rule = (evidence) => {
  const [status] = evidence.statuses
  const accepts = (reading: Reading): boolean => !isClientError(status) || fitsClientError(status, reading)
  const found = read(evidence.words, accepts) ?? read(namesIn(evidence.text), accepts)
  if (found === undefined) return undefined
  const { diagnosis, name } = lastingOf(evidence, found) ?? found
  if (evidence.arguments !== undefined && environment.test(name)) {
    // a missing package or setting that the arguments name is a missing thing like any other
    const missing = read(evidence.words, (reading) => reading.diagnosis.code === "unknown_reference")
    const named = finding(evidence, missing?.name ?? "", missing?.diagnosis)
    if (named?.diagnosis.code === "unknown_reference") return named
  }
  return finding(evidence, name, diagnosis)
}
