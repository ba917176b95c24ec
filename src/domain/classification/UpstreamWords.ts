/**
 * Quotes the error of an upstream in its own words, on one line: the texts of a JSON body with the fields that they
 * concern, the visible text of a page, and the lines of any other text without its stack.
 *
 * **Gotchas**
 *
 * Quotes are longer than the text that a model reads, so that a secret at the end of that text is not cut before it is
 * redacted.
 */
import { isJsonObject, type JsonObject } from "#domain/json/JsonObject"
import { cut } from "#domain/text/Cut"
import { isFrame } from "./StackFrame.ts"

/** The longest quote, in characters. A model reads at most 600 [5.5]. */
const longestQuote = 1_000
/** The maximum number of characters of a text that are read. */
const longestRead = 16_384
/** The longest word that is left out of a quote rather than cut, in characters. */
const longestWord = 400
/** The maximum number of characters of one text in a JSON body that are read. */
const longestPart = 1_400
/** The longest name or path of a field in a quote, in characters. */
const longestPlace = 120
const maxParts = 12
const maxItems = 5
const maxDepth = 6
/** The maximum number of lines of a text that are read. */
const maxLines = 200

const words = (names: string): ReadonlySet<string> => new Set(names.trim().split(/\s+/))

/** Fields whose values are words of an error, in lower case and without separators. */
const wordFields = words(
  `
    title message messages msg detail details error errors errormessage errormsg errmsg errordescription errordetail
    description reason fault faultstring exception hint suggestion violations invalidparams issues cause text content
    note warning
  `
)

/** Fields whose values map the names of fields to messages. */
const fieldErrors = words("errors fielderrors validationerrors violations modelstate invalidparams")

/** Fields that name the subject of a message. */
const placeFields = words("field fieldname path pointer param parameter property attribute target loc name source key")

const plain = (name: string): string => name.toLowerCase().replaceAll(/[\s_-]/g, "")

/** Returns the words of a text, or of those fields of an object that contain words. Empty if there are none. */
export const ofValue = (value: unknown): string =>
  typeof value === "string" ? ofText(value) : quote(joined(distinct(partsOf(value, 0))))

/**
 * Returns the words of a text, or the text itself if it is JSON without words. Empty if the text has no visible
 * characters.
 */
export const ofText = (text: string): string => {
  const read = text.slice(0, longestRead)
  const body = /^\s*[{[]/.test(read) ? parsed(text) : undefined
  if (body === undefined) return quote(isPage.test(read) ? visibleText(read) : linesOf(read))
  const words = ofValue(body)
  return words === "" && Object.keys(body).length > 0 ? quote(text) : words
}

/** Matches the beginning of a page. */
const isPage = /^(?:\uFEFF|\s|<!--[^]{0,500}?-->|<\?xml[^>]{0,200}\?>)*<(?:!doctype\s+html|html)\b/i

const visibleText = (page: string): string =>
  page
    .replaceAll(/<(script|style|head|svg|noscript)\b[^]*?(?:<\/\1\s*>|$)/gi, (part) => titleIn(part))
    .replaceAll(/<!--[^]*?(?:-->|$)/g, " ")
    .replaceAll(/<[^<>]{0,2000}>/g, " ")

const titleIn = (head: string): string => ` ${/<title\b[^>]*>([^<]{0,300})/i.exec(head)?.[1] ?? ""} `

const parsed = (text: string): object | undefined => {
  if (text.length > longestRead) return undefined
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === "object" && value !== null ? value : undefined
  } catch {
    return undefined
  }
}

const traceback = /^traceback \(most recent call last\)/im
const exception = /^[\w.]*(?:Error|Exception|Exit|Interrupt|Warning)(?:: ?\S|$)/

/** Returns the lines of a text without stack frames, and without the lines of a Python traceback before its exception. */
const linesOf = (text: string): string => {
  const lines = text
    .split(/[\r\n\u2028\u2029]+/u, maxLines)
    .map((line) => line.trim())
    .filter((line) => line !== "" && !isFrame(line))
  const last = traceback.test(text) ? lines.findLastIndex((line) => exception.test(line)) : -1
  return lines.slice(Math.max(0, last)).join(" ")
}

/**
 * Terminal colours, and characters that are invisible or change the direction of a text. Joiners are kept, because
 * words need them.
 */
const hidden = /\u001B\[[\d;]{0,20}[A-Za-z]|[\u200B\u200E\u200F\u202A-\u202E\u2060-\u2069\uFEFF\u{E0000}-\u{E007F}]/gu

const quote = (text: string): string => {
  const line = text
    .replaceAll(hidden, "")
    .replaceAll(/[\s\p{Cc}]+/gu, " ")
    .trim()
    .toWellFormed()
  if (line.length <= longestQuote) return line
  // no word is cut, because redaction would not recognise half of a secret
  const end = line.lastIndexOf(" ", longestQuote - 1)
  return end > longestQuote - longestWord ? `${line.slice(0, end)}…` : cut(line, longestQuote)
}

/** Returns the texts of a value, in their order, each with the field that it concerns. */
const partsOf = (value: unknown, depth: number): ReadonlyArray<string> => {
  if (typeof value === "string") {
    const text = value.slice(0, longestPart).trim()
    return text === "" ? [] : [text]
  }
  if (depth > maxDepth) return []
  if (Array.isArray(value)) return value.slice(0, maxItems).flatMap((item) => partsOf(item, depth + 1))
  if (!isJsonObject(value)) return []
  const entries = Object.entries(value)
  const parts: Array<string> = []
  for (const [name, inner] of entries) {
    if (parts.length >= maxParts) break
    const field = plain(name)
    const names = isJsonObject(inner) && (fieldErrors.has(field) || messages.has(field)) ? inner : undefined
    if (names !== undefined && (isByField(names) || (fieldErrors.has(field) && !hasWords(names))))
      parts.push(...byField(names, depth + 1))
    else if (wordFields.has(field)) parts.push(...partsOf(inner, depth + 1))
  }
  const place = depth === 0 ? undefined : placeIn(entries)
  return place === undefined || parts.length === 0 ? parts : [`${place}: ${parts.join(" ")}`]
}

const hasWords = (value: JsonObject): boolean => Object.keys(value).some((name) => wordFields.has(plain(name)))

/** Fields with a message, which may be an object of messages by field: GitLab's `{ "message": { "name": ["is taken"] } }`. */
const messages = words("message messages msg detail details")

const notFields = words("message messages msg detail details error errors errormessage errormessages")

/** True if all values of an object are lists of messages, so its names are fields: `{ "title": ["is taken"] }`. */
const isByField = (value: JsonObject): boolean => {
  const entries = Object.entries(value)
  return (
    entries.length > 0 &&
    entries.every(
      ([name, list]) =>
        !notFields.has(plain(name)) &&
        Array.isArray(list) &&
        list.length > 0 &&
        list.every((one) => typeof one === "string")
    )
  )
}

/** Matches a message that consists of a word for success. Details alongside it are data. */
const affirming = /^\s*(?:ok(?:ay)?|success(?:ful(?:ly)?)?|succeeded|done|completed|(?:操作|请求)?成功)?\s*[.!]?\s*$/iu

/**
 * True if an error consists of messages on fields: GitLab's `{ "message": { "name": […] } }`, or the details of LINE,
 * each with a message and a property. Only the sender of the fields can correct them.
 */
export const concernsFields = (error: JsonObject): boolean => {
  const named = Object.entries(error)
  if (
    named.some(
      ([name, value]) => messages.has(plain(name)) && isJsonObject(value) && isByField(value) && isFault(value)
    )
  )
    return true
  const isMessage = ([name, value]: readonly [string, unknown]): boolean =>
    messages.has(plain(name)) && typeof value === "string" && !affirming.test(value)
  if (!named.some(isMessage)) return false
  return named.some(
    ([name, value]) =>
      (fieldErrors.has(plain(name)) || plain(name) === "details") &&
      Array.isArray(value) &&
      value.length > 0 &&
      value.every((item) => isJsonObject(item) && hasWords(item) && placeIn(Object.entries(item)) !== undefined)
  )
}

/** Matches the predicate of a field: `has already been taken`, `must be unique`. */
const predicate =
  /^(?:is|are|has|have|must|can|can['’]t|cannot|should|does|doesn['’]t|do|was|were|needs?|only|already|too|not|no|invalid|required|may|exceeds?|contains?|expected|this|please)\b/i

/** Matches words of faults in Chinese and Japanese. */
const foreignFault = /[不已未]|必须|必須|无效|無效|ません|ください/u

/** True if one of the messages says what is wrong with its field. The recipients of a mail do not. */
const isFault = (value: JsonObject): boolean =>
  Object.values(value).some(
    (list) =>
      Array.isArray(list) &&
      list.some((one) => typeof one === "string" && (predicate.test(one.trim()) || foreignFault.test(one)))
  )

/** Returns the messages of an object whose names are fields: `{ "email": ["is invalid"] }`. */
const byField = (value: JsonObject, depth: number): ReadonlyArray<string> =>
  Object.entries(value)
    .slice(0, maxItems)
    .flatMap(([name, inner]) => {
      const parts = partsOf(inner, depth + 1)
      return parts.length === 0 ? [] : [`${cut(name, longestPlace)}: ${parts.join(" ")}`]
    })

/** Returns the subject of a message: a name, a path, or the pointer of a source. */
const placeIn = (entries: ReadonlyArray<readonly [string, unknown]>): string | undefined => {
  for (const [name, value] of entries) {
    if (!placeFields.has(plain(name))) continue
    const place: unknown = isJsonObject(value) ? (value["pointer"] ?? value["parameter"]) : value
    const text = Array.isArray(place) ? place.filter((part) => typeof part !== "object").join(".") : place
    if (typeof text === "string" && text.trim() !== "" && text.length <= longestPlace) return text.trim()
  }
  return undefined
}

/** Drops texts that another text contains. */
const distinct = (parts: ReadonlyArray<string>): ReadonlyArray<string> =>
  [...new Set(parts)].filter((part, index, all) => !all.some((other, at) => at !== index && other.includes(part)))

/** Joins texts with a semicolon, or with a space after the end of a sentence. */
const joined = (parts: ReadonlyArray<string>): string =>
  parts.reduce(
    (text, part) => (text === "" ? part : /[.!?:;]$/.test(text) ? `${text} ${part}` : `${text}; ${part}`),
    ""
  )
