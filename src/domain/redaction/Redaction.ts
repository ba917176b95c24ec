/**
 * Takes out of failures and results what a model must not read (SPEC 4.15).
 *
 * - A failure loses secrets, stack traces and absolute paths of the host; paths that the model sent itself stay.
 * - A result loses secrets alone, and keeps its structure. Where nothing is found it comes back as it is, the same object.
 * - What is taken out is replaced by `[redacted]`; its label stays: `password=[redacted]`.
 *
 * **Details**
 *
 * Results are judged more narrowly than failures: a tool may well return source code or documentation that speaks of
 * passwords. A field is judged by its name, too: the text of `password`, `client_secret` or `access_token` is a secret.
 *
 * **Gotchas**
 *
 * A secret that looks like ordinary text cannot be found. `next`, the arguments of a continuing call, are left alone: a
 * changed cursor would not continue.
 */
import * as Failure from "#domain/failure/Failure"
import { namedSecrets } from "./NamedSecrets.ts"
import { gitleaks } from "./GitleaksPatterns.ts"
import { hidePaths } from "./HostPaths.ts"
import { redactSecrets } from "./RedactedText.ts"
import * as SecretFinder from "./SecretFinder.ts"
import type { SecretPattern } from "./SecretPattern.ts"
import { dropStacks } from "./StackTraces.ts"
import { tokens } from "./TokenPatterns.ts"

export { redactJson } from "./RedactedJson.ts"
export { makeRedactor } from "./SchemaSearch.ts"
export { redactSecrets } from "./RedactedText.ts"
export type { SecretPattern } from "./SecretPattern.ts"

/** What is looked for. */
export type Finders = SecretFinder.Finders

/** Makes finders of the built-in patterns and of more; takes some milliseconds. Throws a SyntaxError for a broken one. */
export const makeFinders = (patterns: ReadonlyArray<SecretPattern> = []): Finders =>
  SecretFinder.combine([...namedSecrets, ...[...patterns, ...gitleaks, ...tokens].map(SecretFinder.ofPattern)])

/** Takes secrets, stack traces and the host's paths out of a text of a failure. `known`: texts that the model wrote. */
export const redactText = (finders: Finders, text: string, known: ReadonlyArray<string> = []): string =>
  hidePaths(redactSecrets(finders, dropStacks(text), true), known)

const mostKnown = 200
const longestKnown = 100_000
/** Far more than a model reads of a failure. */
const longestText = 8_192

/** The texts in the arguments that a model sent. */
const textsOf = (input: unknown): ReadonlyArray<string> => {
  const texts: Array<string> = []
  const collect = (value: unknown, depth: number): void => {
    if (texts.length >= mostKnown || depth > 20) return
    if (typeof value === "string") texts.push(value.slice(0, longestKnown))
    else if (typeof value === "object" && value !== null)
      for (const item of Object.values(value)) collect(item, depth + 1)
  }
  collect(input, 0)
  return texts
}

/**
 * Takes secrets, stack traces and absolute paths of the host out of a failure's detail, hint and fields.
 *
 * **Details**
 *
 * `input` are the arguments as the model sent them: paths in it stay. Where nothing is found the failure is the same
 * object. `cause`, `data` and `next` are left alone: the first is never rendered, the second passes `redactJson`.
 */
export const redactFailure = (finders: Finders, failure: Failure.Failure, input?: unknown): Failure.Failure => {
  const known = textsOf(input)
  const detail = redactText(finders, failure.detail.slice(0, longestText), known)
  const hint = redactText(finders, failure.hint.slice(0, longestText), known)
  const fields = failure.fields?.map((field) => redactText(finders, field, known))
  const isSame =
    detail === failure.detail &&
    hint === failure.hint &&
    fields?.every((field, i) => field === failure.fields?.[i]) !== false
  return isSame ? failure : Failure.changed(failure, { detail, hint, ...(fields === undefined ? {} : { fields }) })
}
