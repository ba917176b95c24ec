/**
 * Rules for what an upstream or a process reports: HTTP statuses, reason phrases, sentences of `strerror`, exit codes.
 */
import { ofErrno } from "#domain/classification/codes/Errno"
import { finding, isOf, lastingOf, type Rule, type Strength } from "./Finding.ts"
import { ofStatus, reasonPhrases } from "#domain/classification/codes/HttpStatus"
import { firstOf } from "#domain/classification/phrases/Phrase"
import { refusals } from "#domain/classification/phrases/Refusal"
import { exitCodes } from "#domain/classification/phrases/Shell"
import { sentences } from "#domain/classification/phrases/Strerror"
import { diagnose, noAccess } from "#domain/classification/codes/Diagnosis"

const endpoint = refusals.filter(({ name }) => name === "refusal:endpoint")

/** Classifies the first HTTP status. A 404 can mean a missing endpoint. */
export const statuses =
  (strength: Strength): Rule =>
  (evidence) => {
    const [status] = evidence.statuses
    const diagnosis = status === undefined ? undefined : ofStatus(status)
    if (diagnosis === undefined || !isOf(strength, diagnosis)) return undefined
    const missingEndpoint = status === 404 && firstOf(endpoint, evidence.words) !== undefined
    return missingEndpoint
      ? { name: "http:404", diagnosis: diagnose("unsupported") }
      : finding(evidence, `http:${status}`, diagnosis)
  }

/** Classifies a message that consists of a standard reason phrase: `Bad Gateway`. */
export const reasonPhrase: Rule = (evidence) => {
  const message = evidence.lower.replace(/^error: /, "").replace(/[.!]\s*$/, "")
  const status = reasonPhrases.get(message.trim())
  const diagnosis = status === undefined ? undefined : ofStatus(status)
  return diagnosis === undefined ? undefined : finding(evidence, `reason:${status}`, diagnosis)
}

const sentence = new RegExp(`\\b(?:${sentences.map(([text]) => text.replaceAll("/", "\\/")).join("|")})\\b`)
const names: ReadonlyMap<string, string> = new Map(sentences)

/** Classifies a sentence of `strerror`. */
export const strerror: Rule = (evidence) => {
  const name = names.get(sentence.exec(evidence.words)?.[0] ?? "")
  const row = name === undefined ? undefined : ofErrno(name)
  if (row === undefined) return undefined
  // Upstreams also print `permission denied`, about their own resources and not about the tool's host.
  const found = { name: `strerror:${name}`, diagnosis: row === noAccess ? diagnose(row.code) : row }
  const decided = lastingOf(evidence, found) ?? found
  return finding(evidence, decided.name, decided.diagnosis)
}

/** Classifies the exit code of a process. */
export const exits =
  (strength: Strength): Rule =>
  (evidence) => {
    const diagnosis = evidence.exitCode === undefined ? undefined : exitCodes[evidence.exitCode]
    return diagnosis === undefined || !isOf(strength, diagnosis)
      ? undefined
      : finding(evidence, `exit:${evidence.exitCode}`, diagnosis)
  }
