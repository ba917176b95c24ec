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
import * as Failure from "./Failure.ts"
import { namedSecrets } from "./redaction/NamedSecrets.ts"
import { gitleaks } from "./redaction/GitleaksPatterns.ts"
import { hidePaths, mark } from "./redaction/HostPaths.ts"
import * as Keywords from "./redaction/Keywords.ts"
import * as SecretFinder from "./redaction/SecretFinder.ts"
import { fieldKind, type FieldKind, isSecretField } from "./redaction/SecretLike.ts"
import type { SecretPattern } from "./redaction/SecretPattern.ts"
import { dropStacks } from "./redaction/StackTraces.ts"
import { tokens } from "./redaction/TokenPatterns.ts"

export type { SecretPattern } from "./redaction/SecretPattern.ts"

/** What is looked for. */
export type Finders = SecretFinder.Finders

/** Makes finders of the built-in patterns and of more; takes some milliseconds. Throws a SyntaxError for a broken one. */
export const makeFinders = (patterns: ReadonlyArray<SecretPattern> = []): Finders =>
  SecretFinder.combine([...namedSecrets, ...[...patterns, ...gitleaks, ...tokens].map(SecretFinder.ofPattern)])

/** No secret is shorter, with the word that gives it away. */
const shortest = 8

const replaceSpans = (text: string, spans: ReadonlyArray<SecretFinder.Span>): string => {
  let result = ""
  let from = 0
  for (const { end, start } of spans) {
    result += text.slice(from, start) + mark
    from = end
  }
  return result + text.slice(from)
}

/** Takes secrets out of a text. `isWide`: judged as a failure's text is. */
export const redactSecrets = (finders: Finders, text: string, isWide: boolean): string => {
  if (text.length < shortest || !Keywords.mentions(finders.keywords, text)) return text
  const spans = SecretFinder.findAll(finders, text, isWide)
  return spans.length === 0 ? text : replaceSpans(text, spans)
}

/** Takes secrets, stack traces and the host's paths out of a text of a failure. `known`: texts that the model wrote. */
export const redactText = (finders: Finders, text: string, known: ReadonlyArray<string> = []): string =>
  hidePaths(redactSecrets(finders, dropStacks(text), true), known)

const kinds = new Map<string, FieldKind>()
const mostKinds = 4_096

/** Field names repeat: what one says is judged once. */
const kindOf = (name: string): FieldKind => {
  const known = kinds.get(name)
  if (known !== undefined) return known
  const kind = fieldKind(name)
  if (name.length <= 64 && kinds.size < mostKinds) kinds.set(name, kind)
  return kind
}

const isPlainObject = (value: object): value is Readonly<Record<string, unknown>> => {
  const prototype: unknown = Object.getPrototypeOf(value)
  return prototype === Object.prototype || prototype === null
}

/** Whether all texts of a field are secret: the data of a Kubernetes secret, the value beside the name of a secret. */
const isHolder = (record: Readonly<Record<string, unknown>>, key: string): FieldKind => {
  if (key.length !== 5 && key.length !== 4 && key.length !== 10) return "none"
  if (key === "value" || key === "Value") {
    const name = record["name"] ?? record["key"] ?? record["Name"] ?? record["Key"]
    return typeof name === "string" ? kindOf(name) : "none"
  }
  return (key === "data" || key === "stringData") && record["kind"] === "Secret" ? "secret" : "none"
}

interface Walk {
  readonly finders: Finders
  readonly above: Array<object>
}

const redactValue = (walk: Walk, value: unknown, kind: FieldKind, holds: boolean): unknown => {
  if (typeof value === "string") {
    return kind !== "none" && isSecretField(kind, value) ? mark : redactSecrets(walk.finders, value, false)
  }
  if (typeof value !== "object" || value === null || walk.above.includes(value)) return value
  if (Array.isArray(value)) return redactArray(walk, value, kind, holds)
  return isPlainObject(value) ? redactRecord(walk, value, holds ? kind : "none") : value
}

const redactArray = (walk: Walk, values: ReadonlyArray<unknown>, kind: FieldKind, holds: boolean): unknown => {
  let copy: Array<unknown> | undefined
  walk.above.push(values)
  for (let i = 0; i < values.length; i++) {
    const item = values[i]
    if (typeof item !== "string" && typeof item !== "object") continue
    const redacted = redactValue(walk, item, kind, holds)
    if (redacted === item) continue
    copy ??= values.slice()
    copy[i] = redacted
  }
  walk.above.pop()
  return copy ?? values
}

const redactRecord = (walk: Walk, record: Readonly<Record<string, unknown>>, inherited: FieldKind): unknown => {
  let changes: Map<string, readonly [key: string, value: unknown]> | undefined
  walk.above.push(record)
  for (const key in record) {
    const value = record[key]
    const name = key.length < 16 ? key : redactSecrets(walk.finders, key, false)
    let redacted = value
    if (typeof value === "string" || (typeof value === "object" && value !== null)) {
      const holder = isHolder(record, key)
      const kind = inherited !== "none" ? inherited : holder !== "none" ? holder : kindOf(key)
      redacted = redactValue(walk, value, kind, inherited !== "none" || holder !== "none")
    }
    if (redacted === value && name === key) continue
    changes ??= new Map()
    changes.set(key, [name, redacted])
  }
  walk.above.pop()
  if (changes === undefined) return record
  const found = changes
  return Object.fromEntries(Object.entries(record).map((entry) => found.get(entry[0]) ?? entry))
}

/**
 * Takes secrets out of an encoded result. Keeps its structure; what holds none is the same object as before.
 *
 * **Details**
 *
 * A field's name counts for the texts in it and in a list in it. Values of classes, and cycles, are left as they are.
 */
export const redactJson = (finders: Finders, value: unknown): unknown =>
  redactValue({ finders, above: [] }, value, "none", false)

/**
 * Whether the JSON text of a result certainly holds no secret, so that it can be shown as it is. False means that
 * `redactJson` has to look.
 */
export const isCleanJson = (finders: Finders, json: string): boolean => SecretFinder.isCertainlyClean(finders, json)

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
  return isSame ? failure : withTexts(failure, { detail, hint, ...(fields === undefined ? {} : { fields }) })
}

interface Texts {
  readonly detail: string
  readonly hint: string
  readonly fields?: ReadonlyArray<string>
}

const withTexts = (failure: Failure.Failure, texts: Texts): Failure.Failure => {
  switch (failure._tag) {
    case "ToolArgError":
      return new Failure.ToolArgError({ ...failure, ...texts })
    case "SchemaMismatch":
      return new Failure.SchemaMismatch({ ...failure, ...texts })
    case "PartialData":
      return new Failure.PartialData({ ...failure, ...texts })
    case "SemanticGarbage":
      return new Failure.SemanticGarbage({ ...failure, ...texts })
    case "Transient":
      return new Failure.Transient({ ...failure, ...texts })
    case "Resource":
      return new Failure.Resource({ ...failure, ...texts })
    case "Permanent":
      return new Failure.Permanent({ ...failure, ...texts })
    case "HumanReview":
      return new Failure.HumanReview({ ...failure, ...texts })
  }
}
