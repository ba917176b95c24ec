/**
 * Describes where a value violates its schema: as an instruction to the model that sent arguments, or as a line about a
 * tool whose result violates its contract.
 *
 * - Missing fields come first, and excess fields last. All other issues have the order of the schema.
 * - No value is shown, except a value of at most 40 characters that was sent for an enum.
 * - For a union, the issues of the member with the fewest issues are reported. An unknown tag is reported at the tag.
 *
 * **Gotchas**
 *
 * Decode with `argumentOptions` or `resultOptions`. Without `reportInput` an issue does not contain the value that was
 * sent.
 */
import { cut } from "#domain/text/Cut"
import * as FieldPath from "#domain/text/FieldPath"
import type { ArgumentIssue } from "./IssueWalk.ts"
import * as JsonLength from "#domain/json/JsonLength"
import { nearest } from "#domain/text/NearestName"

export { argumentOptions, type ArgumentIssue, fromIssue, resultOptions } from "./IssueWalk.ts"

const maxAllowed = 10

const quoted = (value: string): string => (/^[\p{L}\p{N}_.:/@+-]+$/u.test(value) ? value : JSON.stringify(value))

/**
 * Lists as many leading names as fit, and then `ending`, which is not shortened because it contains the nearest name.
 */
const list = (before: string, names: ReadonlyArray<string>, ending: string, maxLength: number): string => {
  const shown = names.slice(0, maxAllowed).map((name) => quoted(cut(name, 40)))
  for (let amount = shown.length; amount > 0; amount--) {
    const more = names.length > amount ? ` (+${names.length - amount} more)` : ""
    const text = `${before}${shown.slice(0, amount).join(", ")}${more}${ending}`
    if (text.length <= maxLength || amount === 1) return text
  }
  return `${before}nothing${ending}`
}

/** Describes the issue of one field, without its path. */
const problem = (issue: ArgumentIssue, maxLength: number, showValue: (value: string) => boolean): string => {
  const { allowed = [], code, expected, got, message, sent } = issue
  if (message !== undefined) return message
  const isShown = sent !== undefined && showValue(String(sent))
  const shown = isShown ? `, got ${JSON.stringify(sent)}` : got === undefined ? "" : `, got ${got}`
  switch (code) {
    case "missing":
      return allowed.length === 0 ? "Required" : list("Required, one of ", allowed, "", maxLength)
    case "unexpected": {
      const [near] = nearest(String(issue.path.at(-1) ?? ""), allowed)
      if (near !== undefined) return `unknown field; nearest: ${quoted(cut(near, 40))}`
      return allowed.length === 0 ? "unknown field" : list("unknown field; allowed: ", allowed, "", maxLength)
    }
    case "enum": {
      const near = isShown ? nearest(String(sent), allowed)[0] : undefined
      const before = allowed.length > 1 ? "expected one of " : "expected "
      const ending = shown + (near === undefined ? "" : `; nearest: ${quoted(cut(near, 40))}`)
      const text = list(before, allowed, ending, maxLength)
      if (near === undefined || text.length <= maxLength) return text
      // the nearest value takes the place of the others
      return list(before, [near, ...allowed.filter((name) => name !== near)], shown, maxLength)
    }
    case "ambiguous":
      return "fits more than one of the allowed forms"
    case "forbidden":
      return "not allowed"
    default:
      return `expected ${expected ?? "a valid value"}${shown}`
  }
}

/** The limits on the text that describes issues. */
export interface TextOptions {
  /** The maximum number of issues that are described; the others are counted. Default 5. */
  readonly maxIssues?: number
  /** The maximum length of the text of one issue, in UTF-16 units, without its path. Default 100. */
  readonly maxLength?: number
  /** The maximum length of text and fields as JSON, so that the error has at most 600 characters [5.5]. Default 370. */
  readonly budget?: number
  /** True if a value that was sent for an enum may be shown, as redaction decides. Default: true for all values. */
  readonly showValue?: (value: string) => boolean
}

/** A text for the model, and the paths of the fields that it names. */
interface IssueText {
  readonly text: string
  readonly fields: ReadonlyArray<string>
}

/** A text of a form. `isWhole` is true if no list of allowed values is cut. */
interface WrittenText extends IssueText {
  readonly isWhole: boolean
}

/**
 * The maximum lengths of a path and of the text after it, from the longest form to the shortest. Paths are shortened
 * first.
 */
const forms = [
  { path: 120, text: 100 },
  { path: 48, text: 100 },
  { path: 24, text: 100 },
  { path: 24, text: 70 },
  { path: 24, text: 50 }
] as const

/** Returns the length as JSON of the text and of each field with its quotes and a comma. */
const sizeOf = ({ fields, text }: IssueText): number =>
  fields.reduce((size, field) => size + JsonLength.of(field) + 3, JsonLength.of(text))

const render = (
  prefix: string,
  root: string,
  issues: ReadonlyArray<ArgumentIssue>,
  options: TextOptions
): IssueText => {
  const { budget = 370, maxIssues = 5, maxLength = 100, showValue = () => true } = options
  const write = (amount: number, form: (typeof forms)[number]): WrittenText => {
    const named = issues.slice(0, amount)
    const length = Math.min(form.text, maxLength)
    let isWhole = true
    const lines = named.map((issue) => {
      const path = FieldPath.ending(issue.path, form.path) || root
      const text = problem(issue, length, showValue)
      if (text.length > length && (issue.allowed ?? []).length > 0) isWhole = false
      return `${path}: ${cut(text, length)}`
    })
    const more = issues.length > amount ? ` (+${issues.length - amount} more)` : ""
    const fields = [...new Set(named.map(({ path }) => FieldPath.format(path)))].filter((field) => field !== "")
    return { text: prefix + lines.join("; ") + more, fields, isWhole }
  }
  for (let amount = Math.min(maxIssues, issues.length); amount > 0; amount--) {
    for (const form of forms) {
      const { isWhole, ...written } = write(amount, form)
      if (sizeOf(written) <= budget && (isWhole || amount === 1)) return written
    }
  }
  return { text: JsonLength.cut(write(1, forms[4]).text, budget), fields: [] }
}

/**
 * Returns an instruction to rewrite the arguments: `Please rewrite the input with valid arguments. Errors: file_path:
 * Required; limit: expected number, got string (+7 more)`.
 *
 * The text and the full path of each field that it names must fit the budget. Paths are shortened to their ends first,
 * then the texts, and then issues are dropped and counted. Lists of allowed values are cut last.
 */
export const instruction = (issues: ReadonlyArray<ArgumentIssue>, options: TextOptions = {}): IssueText =>
  render("Please rewrite the input with valid arguments. Errors: ", "arguments", issues, options)

/**
 * Describes where a result violates its schema: `orders[2].cents: expected integer, got string`. The limits are the
 * same as for `instruction`.
 */
export const mismatch = (issues: ReadonlyArray<ArgumentIssue>, options: TextOptions = {}): IssueText =>
  render("", "result", issues, options)
