/**
 * Finds secrets by the notation around them: headers, addresses with a password, private keys, Kubernetes secrets and
 * command lines.
 *
 * Each finder starts at a keyword and reads a bounded part of the text around it.
 */
import { valueAt } from "./AssignedValue.ts"
import { isPlaceholder } from "./Placeholders.ts"
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
  return { start, end: start + found.length, isCut: found.length === maxLength }
}

/** Finds `Bearer …` and `Basic …`. */
const bearer: Finder = {
  keywords: ["bearer ", "basic "],
  find: (text, at, _wordEnd, isWide) => bearerAt(text, at, isWide)
}

const header =
  /(?:authorization|cookie|(?:x-|ocp-)[a-z-]{0,30}(?:key|token))\\{0,3}["']?[ \t]{0,3}[:=][ \t]{0,3}(?:\[\s{0,20})?\\{0,3}["']?/iy

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
    const isOpen = /["']$/.test(head[0])
    const read = isWide ? maxLength : 400
    const line = /^[^\r\n"'\\]*/.exec(text.slice(start, start + read))?.[0] ?? ""
    if (isWide) {
      const value = isOpen ? line : line.replace(/[,;)\]}].*$/, "").trimEnd()
      return value.length >= 6 &&
        (/\d/.test(value) || /[^A-Za-z]|[a-z][A-Z]|[A-Z]{2}[a-z]/.test(value.trim())) &&
        !/^[[<$*]/.test(value)
        ? { start, end: start + value.length, isCut: value.length === read }
        : undefined
    }
    const token = /[\w%+/.~-]{16,}/.exec(line)
    if (token === null || token.index > 200 || line[token.index + token[0].length] === "(") return undefined
    const value = { word: "token", isWide, isQuoted: false, isEquals: true, after: "" }
    if (!isSecretLike(token[0], value)) return undefined
    const end = token.index + token[0].length
    return { start: start + token.index, end: start + end, isCut: end === read }
  }
}

const block = /-----BEGIN[ \w-]{0,100}PRIVATE KEY(?: BLOCK)?-----/iy

/** Finds the body of a private key, up to its end mark or the end of the text. */
const privateKey: Finder = {
  keywords: ["-----begin"],
  find: (text, at) => {
    block.lastIndex = at
    const head = block.exec(text)
    if (head === null) return undefined
    const start = at + head[0].length
    const body = /^(?:[\w+/=\s:,.-]|\\[nr])*?(?=-----END|[\w ]{0,40}KEY(?: BLOCK)?-----|$)/i.exec(
      text.slice(start, start + 20_000)
    )
    const length =
      body === null ? (/^[\w+/=\s\\-]*/.exec(text.slice(start, start + 20_000))?.[0].length ?? 0) : body[0].length
    return length < 16 ? undefined : { start, end: start + length }
  }
}

const manifest = /\bkind:[ \t]*["']?secret\b/i
/** The values under `data:`: lines that are indented further, or the rest of the line. */
const values =
  /^data:[ \t]*(?:\r?\n((?:[ \t]+[^\r\n]*(?:\r?\n|$))+)|([\w.-]+:[ \t]*(?:[|>][+-]?)?[ \t]*[\w+/]{10,}={0,3}))/i

/** Finds the data of a Kubernetes secret in YAML. The kind can come before or after the data. */
const kubernetes: Finder = {
  keywords: ["data:"],
  find: (text, at) => {
    const around = text.slice(Math.max(0, at - 2_048), at + 2_048)
    if (!around.includes("ind:") || !manifest.test(around)) return undefined
    const match = values.exec(text.slice(at, at + 20_000))
    if (match === null) return undefined
    const found = match[1] ?? match[2] ?? ""
    const start = at + match[0].length - found.length
    return { start: start + /^[ \t]*/.exec(found)![0].length, end: start + found.trimEnd().length }
  }
}

const userOption = /(?:-u|--user)(?:=|[ \t]{0,5})(?:(["'])(?=[^"']{1,300}\1))?["']?[^\s:"']{1,100}:/iy

/** Returns the text before the next quote, which exists. */
const upTo = (text: string, start: number, quote: string): Span & { readonly text: string } => {
  const end = text.indexOf(quote, start)
  return { start, end, text: text.slice(start, end) }
}

/** Finds the credentials of `curl -u user:password`. */
const curlUser: Finder = {
  keywords: ["-u ", '-u"', "-u'", "--user"],
  find: (text, at) => {
    userOption.lastIndex = at
    const head = userOption.exec(text)
    if (head === null || !/\bcurl\b/.test(text.slice(Math.max(0, at - 1_000), at))) return undefined
    const start = at + head[0].length
    const value = head[1] === undefined ? valueAt(text, start) : upTo(text, start, head[1])
    return value.text.length < 3 || /^[$<{*]/.test(value.text) ? undefined : value
  }
}

/** Finds the password of `mysql -ppassword`. */
const mysqlPassword: Finder = {
  keywords: [" -p"],
  find: (text, at, wordEnd) => {
    if (!/\b(?:mysql\w*|mariadb\w*)\b[^\n|;]*$/.test(text.slice(Math.max(0, at - 300), at))) return undefined
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
