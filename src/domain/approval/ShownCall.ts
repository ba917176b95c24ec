/**
 * Shows a call to an approver, in every channel: inbox, terminal, elicitation and webhook [10.6].
 *
 * **Details**
 *
 * - All arguments are shown. A call with more than 64 KB of arguments is refused, and no person is asked about it.
 * - Arguments are written as JSON. Invisible characters are escapes, such as `\u202e`, and a text contains no line
 *   break, so that no text can imitate the lines around it. Top-level fields of at most 200 characters come first.
 * - `[hidden, 34 characters]` replaces text that the redactor removes. In arguments, this mask is outside the quotes,
 *   where no text can imitate it. Each character is shown or counted in a mask.
 * - A sentence is one line of at most 200 characters. Its redacted parts are counted in masks too.
 */
import { isJsonObject, type JsonObject } from "#domain/json/JsonObject"
import { fits } from "#domain/text/Utf8"
import type { Turn } from "#domain/turn/Turn"
import * as Guidance from "./Guidance.ts"
import { shownOnOneLine, visibleJson } from "#domain/text/VisibleText"

/** The largest arguments that a person is asked about, as JSON in UTF-8 bytes. */
const longestArguments = 65_536

/** The maximum length of a sentence, in characters. */
const longestSentence = 200

/** The arguments of a call as a person reads them. */
interface ShownArguments {
  readonly text: string
  /** The number of masked parts. The call contains these parts as the model wrote them. */
  readonly hidden: number
  /** The complete arguments, without masks; absent if nothing is masked. */
  readonly revealed?: string
}

/** The text that a redactor writes in place of a secret. */
const redactedMark = "[redacted]"

/** Matches a mask that was cut with its sentence: its number may be wrong. */
const cutMask = /\[hidden, [^\]]*$/u

/**
 * Returns a sentence on one line, cut at 200 characters, with invisible characters as code points. Each part that is
 * missing from `redacted` is replaced by a mask with its length, as in arguments.
 */
export const sentenceOf = (original: string, redacted = original): string => {
  const text = original === redacted ? original : counted(original, redacted)
  const line = shownOnOneLine(text.slice(0, 10 * longestSentence))
  const characters = [...line]
  if (characters.length <= longestSentence) return line
  return `${characters
    .slice(0, longestSentence - 1)
    .join("")
    .replace(cutMask, "")}…`
}

/**
 * Replaces the marks of a redacted text with masks. If the original does not contain the kept pieces in their order,
 * for example because a stack trace was removed, the marks stay, and one mask before them counts all masked characters.
 */
const counted = (original: string, redacted: string): string => {
  const pieces = redacted.split(redactedMark)
  const hidden = hiddenOf(original, pieces)
  const masks = { count: 0 }
  if (hidden !== undefined) {
    return pieces.map((piece, index) => (index === 0 ? "" : maskOf(hidden[index - 1] ?? 0, masks)) + piece).join("")
  }
  const kept = pieces.reduce((sum, { length }) => sum + length, 0)
  return `${maskOf(Math.max(0, original.length - kept), masks)} ${redacted}`
}

/** Returns the arguments as a person reads them; undefined if they are too large to be shown. */
export const make = (original: unknown, redacted: unknown): ShownArguments | undefined => {
  const json = JSON.stringify(original) ?? "null"
  if (!fits(json, longestArguments)) return undefined
  const masks = { count: 0 }
  const text = written(original, redacted, masks, "")
  const shown = { text, hidden: masks.count }
  return masks.count === 0 ? shown : { ...shown, revealed: textOf(original) }
}

/** Returns complete arguments, with nothing masked, as a person reads them. */
export const textOf = (value: unknown): string => written(value, value, { count: 0 }, "")

/** The number of masks in a text, counted while the text is written. */
interface Masks {
  count: number
}

const maskOf = (characters: number, masks: Masks): string => {
  masks.count += 1
  return `[hidden, ${characters} ${characters === 1 ? "character" : "characters"}]`
}

const quoted = (text: string): string => visibleJson(JSON.stringify(text))

const written = (original: unknown, redacted: unknown, masks: Masks, indent: string): string => {
  if (typeof original === "string") {
    if (original === redacted) return quoted(original)
    return typeof redacted === "string" ? masked(original, redacted, masks) : maskOf(original.length, masks)
  }
  if (Array.isArray(original) && Array.isArray(redacted) && original.length === redacted.length) {
    const items = original.map((item, index) => written(item, redacted[index], masks, `${indent}  `))
    return block("[", items, "]", indent)
  }
  if (isJsonObject(original) && isJsonObject(redacted)) {
    const fields = Object.entries(original).filter(([, value]) => value !== undefined)
    const lines = fields.map(
      ([name, value]) => `${quoted(name)}: ${written(value, own(redacted, name), masks, `${indent}  `)}`
    )
    return block("{", indent === "" ? smallFirst(lines) : lines, "}", indent)
  }
  const json = JSON.stringify(original) ?? "null"
  return json === JSON.stringify(redacted) ? visibleJson(json) : maskOf(json.length, masks)
}

const own = (fields: JsonObject, name: string): unknown => (Object.hasOwn(fields, name) ? fields[name] : undefined)

const block = (open: string, lines: ReadonlyArray<string>, close: string, indent: string): string =>
  lines.length === 0
    ? `${open}${close}`
    : `${open}\n${lines.map((line) => `${indent}  ${line}`).join(",\n")}\n${indent}${close}`

/** Puts long fields after short fields, so that a long field cannot push a short field out of sight. */
const smallFirst = (lines: ReadonlyArray<string>): ReadonlyArray<string> => [
  ...lines.filter(({ length }) => length <= 200),
  ...lines.filter(({ length }) => length > 200).sort((one, other) => one.length - other.length)
]

/**
 * Writes a text whose secrets a redactor has replaced. The pieces that the redactor kept are shown, and the text
 * between them is masked. If the original does not contain the pieces in their order, the whole text is masked.
 */
const masked = (original: string, redacted: string, masks: Masks): string => {
  const pieces = redacted.split(redactedMark)
  const hidden = hiddenOf(original, pieces)
  if (hidden === undefined) return maskOf(original.length, masks)
  return pieces
    .flatMap((piece, index) => [
      ...(index === 0 ? [] : [maskOf(hidden[index - 1] ?? 0, masks)]),
      ...(piece === "" ? [] : [quoted(piece)])
    ])
    .join(" ")
}

/**
 * Returns the numbers of masked characters between the pieces that a redactor kept. Returns undefined if the redacted
 * text contains no mark, or if the original does not contain the pieces in their order.
 */
const hiddenOf = (original: string, pieces: ReadonlyArray<string>): ReadonlyArray<number> | undefined => {
  const [first = ""] = pieces
  const last = pieces.at(-1) ?? ""
  const end = original.length - last.length
  if (pieces.length < 2 || !original.startsWith(first) || !original.endsWith(last)) return undefined
  let at = first.length
  const hidden: Array<number> = []
  for (const [index, piece] of pieces.entries()) {
    if (index === 0) continue
    const found = index === pieces.length - 1 ? end : original.indexOf(piece, at)
    if (found < at) return undefined
    hidden.push(found - at)
    at = found + piece.length
  }
  return hidden
}

/** The subject of a question: the fields of a request that a person reads. */
interface Subject {
  readonly tool: string
  readonly sentence: string
  readonly arguments: unknown
  readonly shown?: string | undefined
  readonly hidden?: number | undefined
  /** Default `approval`. */
  readonly reason?: string | undefined
  readonly guidance?: Guidance.Guidance | undefined
  readonly turn?: Turn | undefined
  readonly run?: string | undefined
}

/** Returns the question about a request, on one line. */
export const questionOf = ({ reason = "approval" }: Pick<Subject, "reason">): string =>
  reason === "approval" ? "Approve this call?" : "The work has stopped. Let it continue?"

/** Returns the lines that say who made a call: the conversation, the run and the principal, if they are known. */
export const originOf = ({ run, turn }: Pick<Subject, "run" | "turn">): ReadonlyArray<string> => [
  ...(turn === undefined ? [] : [`Conversation: ${sentenceOf(turn.conversation)}`]),
  ...(run === undefined ? [] : [`Run: ${sentenceOf(run)}`]),
  ...(turn?.principal === undefined ? [] : [`On behalf of: ${sentenceOf(turn.principal)}`])
]

/** Returns a heading that states whether the arguments are complete. */
export const completeness = (hidden = 0): string =>
  hidden === 0
    ? "Arguments, complete"
    : `Arguments, except ${hidden} hidden ${hidden === 1 ? "part, which is" : "parts, which are"} sent too`

/**
 * Returns the lines that show a call. Texts of tools and models contain no line breaks, so that they cannot imitate
 * another line. `revealed` is the text of the complete arguments, if a person has asked to see the masked parts.
 */
export const linesOf = (
  { arguments: args, guidance, hidden, reason = "approval", run, sentence, shown, tool, turn }: Subject,
  revealed?: string
): ReadonlyArray<string> => {
  const text = revealed ?? shown ?? (args === undefined ? undefined : textOf(args))
  return [
    `Tool: ${sentenceOf(tool)}`,
    ...originOf({ run, turn }),
    `${reason === "approval" ? "Description" : "What happened"}: ${sentenceOf(sentence)}`,
    ...(guidance === undefined ? [] : Guidance.linesOf(guidance)),
    ...(text === undefined ? [] : [`${completeness(revealed === undefined ? hidden : 0)}:`, ...text.split("\n")])
  ]
}
