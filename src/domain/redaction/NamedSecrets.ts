/**
 * Finds secrets by the notation around them: headers, addresses with a password, private keys, Kubernetes secrets and
 * command lines.
 *
 * Each finder starts at a keyword and reads a bounded part of the text around it.
 */
import { valueAt } from "./AssignedValue.ts"
import { foldedEnd } from "./ContinuedLines.ts"
import { isPlaceholder } from "./Placeholders.ts"
import { closingQuote } from "./QuotedText.ts"
import type { Finder, Span } from "./SecretFinder.ts"
import { entropy, isSecretLike } from "./SecretLike.ts"

/** The number of characters that are read of a header or a token. */
const maxLength = 4_096

/** A password of up to 200 characters can contain `/`, but a number before the `/` is a port. */
const userInfo = /:\/\/([^\s/:@"'<>[]{0,4096})(?::([^\s/"'<>]{1,4096}|(?!\d{1,5}\/)[^\s"'<>]{1,200}?))?@(?=[\w[])/y

/** Finds the password of `postgres://user:password@host`, and the token of `https://token@host`. */
const address: Finder = {
  keywords: ["://"],
  find: (text, at, _wordEnd, isWide) => {
    userInfo.lastIndex = at
    const match = userInfo.exec(text)
    if (match === null) return undefined
    const [, user = "", password] = match
    const start = at + "://".length
    if (password === undefined) {
      return user.length >= 16 && /\d/.test(user) ? { start, end: start + user.length } : undefined
    }
    if (isPlaceholder(password) && !(isWide && /^[a-z]+$/i.test(password))) return undefined
    return { start: start + user.length + 1, end: start + user.length + 1 + password.length }
  }
}

const scheme = /(?:bearer|basic)[ \t]{1,3}(?=[\w+/~.=-])/iy
const credentials = /^[\w+/~.=-]{8,}/
/** Matches the text before the scheme in a header. */
const inHeader = /authorization\\{0,3}["']?[ \t]{0,3}[:=][ \t]{0,3}\\{0,3}["']?$/i

/** True for letters that do not form words: upper and lower case alternate more often than in a name. */
const isRandomCase = (text: string): boolean =>
  (text.match(/[A-Z]?[a-z]+|[A-Z]+/g) ?? []).length * 4 >= text.length && /[A-Z]/.test(text) && entropy(text) >= 3.5

const bearerAt = (text: string, at: number, isWide: boolean): Span | undefined => {
  scheme.lastIndex = at
  const head = scheme.exec(text)
  if (head === null) return undefined
  const start = at + head[0].length
  const found = credentials.exec(text.slice(start, start + maxLength))?.[0].replace(/\.$/, "")
  if (found === undefined || isPlaceholder(found)) return undefined
  const isSecret =
    (/\d/.test(found) && /[A-Za-z]/.test(found) && found.length >= (isWide ? 8 : 16)) ||
    (found.length >= 20 && isRandomCase(found)) ||
    (found.length >= 16 && /^[A-Za-z]+$/.test(found) && inHeader.test(text.slice(Math.max(0, at - 40), at)))
  if (!isSecret && !/^[\w+/]{14,}={1,2}$/.test(found)) return undefined
  const end = start + found.length
  return found.length === maxLength ? { start, end, isCut: true } : { start, end: foldedEnd(text, at, end) }
}

/** Finds `Bearer …` and `Basic …`. */
const bearer: Finder = {
  keywords: ["bearer ", "basic "],
  find: (text, at, _wordEnd, isWide) => bearerAt(text, at, isWide)
}

const header =
  /(?:authorization|cookie|(?:x-|ocp-)[a-z-]{0,30}(?:key|token))\\{0,3}["']?[ \t]{0,3}[:=][ \t]{0,3}(?:\[\s{0,20})?(\\{0,3}["']?)/iy

/** The number of characters that are read of a header in a result. */
const maxNarrow = 400
const headerToken = /[\w%+/.~-]{16,}/g
/** The text between two tokens of a cookie: the end of one pair, pairs without a token, and the next name. */
const betweenPairs = /^=*(?:[;,&]\s{0,2}[\w.$-]{1,80}(?:=[^;,&\s]{0,200})?)*[;,&]\s{0,2}[\w.$-]{1,80}=$/

/** Returns the place of the tokens in a header: of the first one, and of those that follow in the same list of pairs. */
const tokensOf = (line: string): { readonly first: number; readonly end: number } | undefined => {
  let found: { readonly first: number; readonly end: number } | undefined
  for (const { 0: token, index } of line.matchAll(headerToken)) {
    const end = index + token.length
    if (found === undefined && (index > 200 || line[end] === "(")) return undefined
    if (found !== undefined && !betweenPairs.test(line.slice(found.end, index))) return found
    const context = { word: "token", isWide: false, isQuoted: false, isEquals: true, after: "" }
    if (isSecretLike(token, context)) found = { first: found?.first ?? index, end }
  }
  return found
}

/** Returns the length of a header's value in a failure: up to a separator, but with all tokens that follow. */
const wideLength = (line: string): number => {
  const value = line.replace(/[,;)\]}].*$/s, "").trimEnd()
  const rest = /[;,]/.test(line[value.length] ?? "") ? tokensOf(line) : undefined
  return Math.max(value.length, rest?.end ?? 0)
}

/**
 * Finds `Authorization: …`, `Cookie: …` and `X-Api-Key: …`. In a failure the rest of the line is a secret; in a result,
 * only text that looks like a secret.
 */
const headers: Finder = {
  keywords: ["authorization", "cookie", "x-", "ocp-"],
  find: (text, at, _wordEnd, isWide) => {
    header.lastIndex = at
    const head = header.exec(text)
    if (head === null) return undefined
    const start = at + head[0].length
    const quote = head[1]!
    const read = isWide ? maxLength : maxNarrow
    const isOpen = /["']$/.test(quote)
    const close = isOpen ? closingQuote(text, start, quote) : -1
    const line =
      close >= 0
        ? text.slice(start, Math.min(close, start + read))
        : /^[^\r\n"'\\]*/.exec(text.slice(start, start + read))![0]
    if (isWide) {
      const length = isOpen ? line.length : wideLength(line)
      const value = line.slice(0, length)
      if (value.length < 6 || /^[[<$*]/.test(value)) return undefined
      if (!/\d/.test(value) && !/[^A-Za-z]|[a-z][A-Z]|[A-Z]{2}[a-z]/.test(value.trim())) return undefined
      if (close >= 0) return { start, end: close }
      const end = start + length
      return length === read ? { start, end, isCut: true } : { start, end: foldedEnd(text, at, end) }
    }
    const found = tokensOf(line)
    if (found === undefined) return undefined
    const end = start + found.end
    // the rest of a long value in quotes is not read
    if (close > end && found.end > read - 40) return { start: start + found.first, end: close }
    const span = { start: start + found.first, end }
    return found.end === read ? { ...span, isCut: true } : { ...span, end: foldedEnd(text, at, end) }
  }
}

/** A space in a text, and in a text that is encoded for a URL. */
const blank = "(?:[ +]|%20)"
const block = new RegExp(`-----BEGIN(?:[\\w-]|${blank}){0,100}PRIVATE${blank}KEY(?:${blank}BLOCK)?-----`, "iy")
const longestKey = 20_000
const keyBody = /^(?:[\w+/=\s:,.%-]|\\{1,3}[nr])*?(?=-----END|[\w ]{0,40}KEY(?: BLOCK)?-----|$)/i
const keyStart = /^(?:[\w+/=\s%-]|\\{1,3}[nr])*/
const keyEnd = /-----END[ +%\w-]{0,100}?PRIVATE/i
const keyRun = /[\w+/=]{16,}/g

/** Returns the length of a key whose lines have something before or after them, such as `> ` or `" +`, up to its end mark. */
const decoratedLength = (text: string): number => {
  const next = text.indexOf("-----BEGIN")
  const length = (next < 0 ? text : text.slice(0, next)).search(keyEnd)
  if (length < 0) return 0
  const runs = text.slice(0, length).match(keyRun) ?? []
  return runs.join("").length * 2 >= length ? length : 0
}

/** Finds the body of a private key, up to its end mark or the end of the text. */
const privateKey: Finder = {
  keywords: ["-----begin"],
  find: (text, at) => {
    block.lastIndex = at
    const head = block.exec(text)
    if (head === null) return undefined
    const start = at + head[0].length
    const part = text.slice(start, start + longestKey)
    const length = keyBody.exec(part)?.[0].length ?? Math.max(decoratedLength(part), keyStart.exec(part)![0].length)
    return length < 16 ? undefined : { start, end: start + length }
  }
}

const manifest = /(?:\b|\\n)kind:[ \t]*["']?secret\b/i
/**
 * The values under `data:`: lines that are indented further, in a text and in a text that is itself a string, or the rest
 * of the line.
 */
const values =
  /^data:[ \t]*(?:\r?\n((?:[ \t]+[^\r\n]*(?:\r?\n|$))+)|(?:\\r)?\\n((?:[ \t](?:(?!\\r?\\?n)[^\r\n"'])*(?:(?:\\r)?\\n|(?=["'])|$))+)|([\w.-]+:[ \t]*(?:[|>][+-]?)?[ \t]*[\w+/]{10,}={0,3}))/i
/** Returns the length of values without the white space and the escaped line breaks at their end. */
const lengthOf = (values: string, isEscaped: boolean): number => {
  let text = values.trimEnd()
  while (isEscaped && (text.endsWith("\\n") || text.endsWith("\\r"))) text = text.slice(0, -2).trimEnd()
  return text.length
}

/** Finds the data of a Kubernetes secret in YAML. The kind can come before or after the data. */
const kubernetes: Finder = {
  keywords: ["data:"],
  find: (text, at) => {
    const around = text.slice(Math.max(0, at - 2_048), at + 2_048)
    if (!around.includes("ind:") || !manifest.test(around)) return undefined
    const match = values.exec(text.slice(at, at + 20_000))
    if (match === null) return undefined
    const found = match[1] ?? match[2] ?? match[3] ?? ""
    const start = at + match[0].length - found.length
    return {
      start: start + /^[ \t]*/.exec(found)![0].length,
      end: start + lengthOf(found, match[2] !== undefined)
    }
  }
}

const userOption = /(?:-u|--user)(?:=|[ \t]{0,5})(\\{0,3}["'])?[^\s:"']{1,100}:/iy

/** Finds the credentials of `curl -u user:password`. */
const curlUser: Finder = {
  keywords: ["-u ", '-u"', "-u'", "--user"],
  find: (text, at) => {
    userOption.lastIndex = at
    const head = userOption.exec(text)
    if (head === null || !/\bcurl\b/.test(text.slice(Math.max(0, at - 1_000), at))) return undefined
    const start = at + head[0].length
    const end = head[1] === undefined ? -1 : closingQuote(text, start, head[1])
    const value = end < 0 ? valueAt(text, start) : { start, end, text: text.slice(start, Math.min(end, start + 300)) }
    return value.text.length < 3 || /^[$<{*]/.test(value.text) ? undefined : value
  }
}

/** Finds the password of `mysql -ppassword`. */
const mysqlPassword: Finder = {
  keywords: [" -p"],
  find: (text, at, wordEnd) => {
    if (!/(?:\b|\\n)(?:mysql\w*|mariadb\w*)\b[^\n|;]*$/.test(text.slice(Math.max(0, at - 300), at))) return undefined
    const value = valueAt(text, wordEnd)
    return value.text.length < 3 || /^[$<{*a-z-]+$/.test(value.text) ? undefined : value
  }
}

/** All finders of this file. */
export const namedSecrets: ReadonlyArray<Finder> = [
  privateKey,
  headers,
  bearer,
  address,
  curlUser,
  mysqlPassword,
  kubernetes
]
