/**
 * Reads the fields of objects that a program printed in its own notation, and of XML: `{ status: false, message: 'no such
 * key' }`, `{"code" => 404}`, `"errorCode": "LOCKED",…` without its end, `<Error><Code>NoSuchKey</Code></Error>`.
 */
import { plain } from "#domain/answers/Payload"
import type { Field } from "./StatedProblem.ts"

const maxFields = 40

/** A name and its value, or the opening of an object or a list. */
const pair =
  /(?:\\?["'])?([A-Za-z_@][\w. @-]{0,40}?)(?:\\?["'])?\s*(?::|=>|=)\s*(?:\\?"((?:[^"\\]|\\(?!").)*)|u?'((?:[^'\\]|\\.)*)'|(-?\d+(?:\.\d+)?|true|false|null|nil|none|undefined)(?![\w.])|([{[])|([A-Za-z_][\w ]{0,60}))/gi

/** Names of objects and elements that contain an error. */
const ofError = /error|exception|fault/

const number = /^-?\d{1,9}$/

const words: Readonly<Record<string, unknown>> = {
  true: true,
  false: false,
  null: null,
  nil: null,
  none: null,
  undefined: null
}

const valueOf = (text: string): unknown => {
  const word = text.toLowerCase()
  return Object.hasOwn(words, word) ? words[word] : Number(text)
}

/** The share of a text that its fields must cover, unless it begins like an object. */
const leastShare = 0.5

const opening = /^(?:=>|\d+:|\w{1,20} ?=|[\w ]{1,20}:)?\s*[{[]|^\\?"[\w ]{1,40}\\?"\s*(?::|=>)/

/** The beginning of a field with a text, and of an object or a list. */
const textField = /^\s*\w+:\s*['"]/
const bracket = /^\s*[{[]/

/** Returns the fields that a text prints, if it begins like an object or consists of fields; `undefined` otherwise. */
export const printedFieldsIn = (text: string): ReadonlyArray<Field> | undefined => {
  if (!opening.test(text) && !textField.test(text)) return undefined
  const fields: Array<Field> = []
  let covered = 0
  let isInError = false
  for (const [whole, name = "", double, single, literal, open, bare] of text.matchAll(pair)) {
    covered += whole.length
    const field = plain(name)
    if (open !== undefined) {
      isInError ||= ofError.test(field)
      continue
    }
    const value = double ?? single ?? (literal === undefined ? bare : valueOf(literal))
    fields.push({ name: field, value, isInError, isItem: false })
    if (fields.length > maxFields) return undefined
  }
  return fields.length > 0 && (covered >= leastShare * text.length || bracket.test(text)) ? fields : undefined
}

const element =
  /<(?:[\w-]{1,30}:)?([A-Za-z][\w.-]{0,40})((?:\s[^<>]{0,300})?)>(?:\s*<!\[CDATA\[([^]{0,600}?)\]\]>\s*<\/|([^<]{0,600})(<\/)?)/g

const root = /^\s*<(?:\?xml|[A-Za-z][\w:.-]*[\s>])/

/** Roots of documents whose elements are data. */
const documents = /<(?:rss|feed|svg|urlset|sitemapindex|article|book|html|!doctype html|body|testsuites?|project)\b/i

/** Returns the fields of a short XML answer; `undefined` for any other text. */
export const xmlFieldsIn = (text: string): ReadonlyArray<Field> | undefined => {
  if (!root.test(text) || documents.test(text.slice(0, 600))) return undefined
  const fields: Array<Field> = []
  let isInError = false
  for (const [, name = "", attributes = "", data, content, close] of text.matchAll(element)) {
    const field = plain(name)
    for (const [, attribute = "", value = ""] of attributes.matchAll(/\s(status|code|stat|state)="([^"]{1,40})"/gi)) {
      fields.push({ name: attribute.toLowerCase(), value, isInError: false, isItem: false })
    }
    const value = data ?? content ?? ""
    if (data !== undefined || close !== undefined) {
      const text = value.trim()
      fields.push({ name: field, value: number.test(text) ? Number(text) : text, isInError, isItem: false })
    } else if (!attributes.endsWith("/")) {
      isInError ||= ofError.test(field)
    }
    if (fields.length > maxFields) return undefined
  }
  return fields.length === 0 ? undefined : fields
}
