/**
 * Removes from failures and results what a model must not read [4.15].
 *
 * - A failure loses secrets, stack traces and absolute paths of the host. Paths that the model sent are kept.
 * - A result loses only secrets and keeps its structure. A result without secrets is returned unchanged.
 * - A secret is replaced by `[redacted]` and keeps its label: `password=[redacted]`.
 *
 * **Details**
 *
 * The rules for results are narrower than those for failures, because tools return source code and documentation that
 * mention passwords. The name of a field also counts: everything in `password`, `client_secret` or `access_token` is a
 * secret, unless it is a placeholder or a sentence about the field.
 *
 * Characters that a reader does not see are ignored: a token that they split is found.
 *
 * **Gotchas**
 *
 * A secret that looks like ordinary text is not found. `next`, the arguments of the follow-up call, is not redacted,
 * because a changed cursor would not work.
 */
import * as Failure from "#domain/failure/Failure"
import { isJsonObject } from "#domain/json/JsonObject"
import { assignments } from "./Assignments.ts"
import { inputs } from "./HereDocuments.ts"
import { clouds } from "./CloudPatterns.ts"
import { namedSecrets } from "./NamedSecrets.ts"
import { gitleaks } from "./GitleaksPatterns.ts"
import { hidePaths } from "./HostPaths.ts"
import { enclosed, platforms } from "./PlatformPatterns.ts"
import { redactSecrets } from "./RedactedText.ts"
import { redactInSteps, redactJson } from "./RedactedJson.ts"
import * as SecretFinder from "./SecretFinder.ts"
import type { SecretPattern } from "./SecretPattern.ts"
import { storedCredentials, storedPatterns } from "./StoredCredentials.ts"
import { dropStacks } from "./StackTraces.ts"
import { tokens } from "./TokenPatterns.ts"

export { redactInSteps, redactJson }
export { makeRedactor } from "./SchemaSearch.ts"
export { redactSecrets } from "./RedactedText.ts"
export type { SecretPattern } from "./SecretPattern.ts"

/** The built-in patterns. */
export const builtInPatterns: ReadonlyArray<SecretPattern> = [
  ...gitleaks,
  ...clouds,
  ...platforms,
  ...enclosed,
  ...storedPatterns,
  ...tokens
]

/** The built-in finders that are not patterns. */
export const builtInFinders: ReadonlyArray<SecretFinder.Finder> = [
  ...storedCredentials,
  ...namedSecrets,
  ...inputs,
  ...assignments
]

/** The compiled patterns to search for. */
export type Finders = SecretFinder.Finders

/**
 * Compiles the built-in and the additional patterns. Takes some milliseconds. Throws a SyntaxError for an invalid
 * pattern.
 */
export const makeFinders = (patterns: ReadonlyArray<SecretPattern> = []): Finders =>
  SecretFinder.combine([...builtInFinders, ...[...patterns, ...builtInPatterns].map(SecretFinder.ofPattern)])

/**
 * Removes secrets, stack traces and absolute host paths from a text of a failure. Paths in `known`, the texts that the
 * model sent, are kept.
 */
export const redactText = (finders: Finders, text: string, known: ReadonlyArray<string> = []): string =>
  hidePaths(redactSecrets(finders, dropStacks(text), true), known)

const maxKnown = 200
const longestKnown = 100_000
/** The maximum length of a text that is searched, which is much longer than any failure text that a model reads. */
const longestText = 8_192

/** Returns the strings in the arguments of a call. */
const textsOf = (input: unknown): ReadonlyArray<string> => {
  const texts: Array<string> = []
  const collect = (value: unknown, depth: number): void => {
    if (texts.length >= maxKnown || depth > 20) return
    if (typeof value === "string") texts.push(value.slice(0, longestKnown))
    else if (typeof value === "object" && value !== null)
      for (const item of Object.values(value)) collect(item, depth + 1)
  }
  collect(input, 0)
  return texts
}

/**
 * Removes secrets, stack traces and absolute host paths from a failure's detail, hint and fields, and from the error of
 * a declared refusal.
 *
 * **Details**
 *
 * `input` contains the arguments as the model sent them. Paths in the arguments are kept. Texts are cut to 8,192
 * characters, except `fields`. A failure that needs no change is returned as it is. This function does not redact
 * `cause`, `data` or `next`: `cause` is never shown, and `redactJson` redacts `data`.
 */
export const redactFailure = (finders: Finders, failure: Failure.Failure, input?: unknown): Failure.Failure => {
  const known = textsOf(input)
  const detail = redactText(finders, failure.detail.slice(0, longestText), known)
  const hint = redactText(finders, failure.hint.slice(0, longestText), known)
  const fields = failure.fields?.map((field) => redactText(finders, field, known))
  const before = Failure.refusalOf(failure)
  const refusal =
    before === undefined ? before : withTexts(redactJson(finders, before), (text) => redactText(finders, text, known))
  const isSame =
    refusal === before &&
    detail === failure.detail &&
    hint === failure.hint &&
    fields?.every((field, i) => field === failure.fields?.[i]) !== false
  if (isSame) return failure
  return Failure.changed(failure, {
    detail,
    hint,
    ...(fields === undefined ? {} : { fields }),
    ...(refusal === undefined ? {} : { refusal })
  })
}

/** Returns a JSON value with each text replaced, or the value itself if no text changes. */
const withTexts = (value: unknown, replace: (text: string) => string): unknown => {
  if (typeof value === "string") return replace(value.slice(0, longestText))
  if (Array.isArray(value)) {
    const items = value.map((item) => withTexts(item, replace))
    return items.some((item, i) => item !== value[i]) ? items : value
  }
  if (!isJsonObject(value)) return value
  const entries = Object.entries(value).map(([name, item]) => [name, withTexts(item, replace)] as const)
  return entries.some(([name, item]) => item !== value[name]) ? Object.fromEntries(entries) : value
}
