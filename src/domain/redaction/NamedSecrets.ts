/**
 * Finds secrets that are not specific to a vendor: assignments, headers, addresses with a password, private keys.
 *
 * Each finder starts at a keyword and reads a bounded part of the text after it.
 */
import type { Finder, Span } from "./SecretFinder.ts"
import { isSecretLike } from "./SecretLike.ts"

const longestValue = 300

interface Value extends Span {
  readonly text: string
  readonly after: string
  readonly isQuoted: boolean
}

const opening = /(\\{0,3}["'`])(?:["'](?=\w))?/y
const bare = new RegExp(String.raw`[^\s"'\x60,;&<>()[\]{}|\\]{0,${longestValue}}`, "y")

/** Returns the value that begins at `at`: a quoted string or a bare word. */
const valueAt = (text: string, at: number): Value => {
  opening.lastIndex = at
  const [before, quote] = opening.exec(text) ?? []
  if (before !== undefined && quote !== undefined) {
    const start = at + before.length
    const part = text.slice(start, start + longestValue)
    const end = part.indexOf(quote)
    const line = part.indexOf("\n")
    if (end >= 0 && (line < 0 || end < line)) {
      return { start, end: start + end, text: part.slice(0, end), after: "", isQuoted: true }
    }
  }
  const start = at + (before?.length ?? 0)
  bare.lastIndex = start
  const found = bare.exec(text)?.[0] ?? ""
  const after = text[start + found.length] ?? ""
  // A full stop ends the sentence and is not part of the value.
  const value = /[.:]$/.test(found) && /^\s?$/.test(after) ? found.slice(0, -1) : found
  return { start, end: start + value.length, text: value, after, isQuoted: false }
}

const assignment =
  /(?:passw(?:or)?d|pwd|passphrase|secret|token|(?:api|access|private|account|auth|signing|encryption)[_-]?key|credentials?|_pass|_key)(?:[_-]?(?:access[_-]?)?(?:key|value|hash|b64|base64))?\\{0,3}["'\]]{0,2}[ \t]{0,3}(=>|:=|={1,3}|:|>|\|\|)[ \t]{0,3}/iy

/** Words that, before `token`, name a cursor or a count and not a secret. */
const isContinuation =
  /(?:next|prev|previous|page|continuation|cursor|sync|resume|upload|csrf|xsrf|max|min|num|total)[_-]?$/i

/** Words that, joined to `token` or `secret`, still name a secret: `authtoken`. */
const joined =
  /(?:^|[^a-z])(?:access|api|app|auth|bearer|bot|client|id|jwt|master|oauth|refresh|session|shared|user|web)$/i

/** True if a keyword is only the end of another word, as in `tiktoken`. `accessToken` and `authtoken` are two words. */
const isPart = (text: string, at: number): boolean => {
  const before = text.slice(Math.max(0, at - 12), at)
  return /[a-z]$/.test(before) && /[a-z]/.test(text[at] ?? "") && !joined.test(before)
}

const isUpper = /^[A-Z0-9_]*$/

/** Finds `password=…`, `"api_key": "…"`, `DB_PASS=…` and `PGPASSWORD: …`. */
const assigned: Finder = {
  keywords: [
    "password",
    "passwd",
    "pwd",
    "passphrase",
    "secret",
    "token",
    "apikey",
    "api_key",
    "api-key",
    "accesskey",
    "access_key",
    "access-key",
    "privatekey",
    "private_key",
    "private-key",
    "accountkey",
    "account_key",
    "account-key",
    "auth_key",
    "authkey",
    "signingkey",
    "signing_key",
    "signing-key",
    "encryptionkey",
    "encryption_key",
    "encryption-key",
    "credential",
    "_pass",
    "_key"
  ],
  find: (text, at, wordEnd, isWide) => {
    assignment.lastIndex = at
    const head = assignment.exec(text)
    if (head === null) return undefined
    const word = text.slice(at, wordEnd).toLowerCase()
    if (isContinuation.test(text.slice(Math.max(0, at - 13), at))) return undefined
    // `_key` and `_pass` count only in the names of environment variables, such as FOO_KEY.
    if (word.startsWith("_") && !isUpper.test(text.slice(at, wordEnd))) return undefined
    if (!isWide && (word === "token" || word === "secret") && isPart(text, at)) return undefined
    const value = valueAt(text, at + head[0].length)
    const isEquals = head[1]?.includes("=") === true
    const { after, isQuoted } = value
    return isSecretLike(value.text, { word, isWide, isQuoted, isEquals, after }) ? value : undefined
  }
}

const flag = /--?[a-z-]{0,60}(?:password|passwd|token|secret|api-?key)[= ]["']?/iy

/** Finds `--password …` on a command line. */
const flagged: Finder = {
  keywords: ["--"],
  find: (text, at, _wordEnd, isWide) => {
    flag.lastIndex = at
    const head = flag.exec(text)
    if (head === null) return undefined
    const value = valueAt(text, at + head[0].length - (/["']$/.test(head[0]) ? 1 : 0))
    const { after, isQuoted } = value
    return isSecretLike(value.text, { word: "password", isWide, isQuoted, isEquals: isWide, after }) &&
      (isWide || /\d/.test(value.text))
      ? value
      : undefined
  }
}

const quoted = /(?:password|passphrase|secret|token|api key)[ \t]{1,2}(?:is |was |of )?(?=["'`])/iy

/** Finds `password "…"` in a sentence of a failure. */
const named: Finder = {
  keywords: ["password ", "passphrase ", "secret ", "token ", "api key "],
  find: (text, at, _wordEnd, isWide) => {
    quoted.lastIndex = at
    const head = isWide ? quoted.exec(text) : null
    if (head === null) return undefined
    const value = valueAt(text, at + head[0].length)
    return value.isQuoted && /^\S{4,64}$/.test(value.text) && /[\d\W]/.test(value.text) ? value : undefined
  }
}

const userInfo = /:\/\/([^\s/:@"'<>]{0,100})(?::([^\s/"'<>]{1,200}))?@(?=[\w[])/y

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
    if (/^(?:\*+|x{3,}|\[redacted\]?|<.*|\$.*|\{.*|%[^0-9a-f].*)$/i.test(password)) return undefined
    if (!isWide && /^(?:pass|password|passwd|pwd|secret|token)$/i.test(password)) return undefined
    return { start: start + user.length + 1, end: start + user.length + 1 + password.length }
  }
}

const scheme = /(?:bearer|basic)[ \t]{1,3}(?=[\w+/~.=-])/iy
const credentials = /^[\w+/~.=-]{8,}/

const bearerAt = (text: string, at: number, isWide: boolean): Span | undefined => {
  scheme.lastIndex = at
  const head = scheme.exec(text)
  if (head === null) return undefined
  const start = at + head[0].length
  const found = credentials.exec(text.slice(start, start + 4_096))?.[0].replace(/\.$/, "")
  if (found === undefined) return undefined
  const isSecret = /\d/.test(found) && /[A-Za-z]/.test(found) && found.length >= (isWide ? 8 : 16)
  return isSecret || /^[\w+/]{14,}={1,2}$/.test(found) ? { start, end: start + found.length } : undefined
}

/** Finds `Bearer …` and `Basic …`. */
const bearer: Finder = {
  keywords: ["bearer ", "basic "],
  find: (text, at, _wordEnd, isWide) => bearerAt(text, at, isWide)
}

const header = /(?:authorization|cookie|x-[a-z-]{0,20}(?:key|token))\\{0,3}["']?[ \t]{0,3}[:=][ \t]{0,3}\\{0,3}["']?/iy

/**
 * Finds `Authorization: …`, `Cookie: …` and `X-Api-Key: …`. In a failure the rest of the line is a secret; in a result,
 * only text that looks like a secret.
 */
const headers: Finder = {
  keywords: ["authorization", "cookie", "x-"],
  find: (text, at, _wordEnd, isWide) => {
    header.lastIndex = at
    const head = header.exec(text)
    if (head === null) return undefined
    const start = at + head[0].length
    const isOpen = /["']$/.test(head[0])
    const line = /^[^\r\n"'\\]*/.exec(text.slice(start, start + (isWide ? 4_096 : 400)))?.[0] ?? ""
    if (isWide) {
      const value = isOpen ? line : line.replace(/[,;)\]}].*$/, "").trimEnd()
      return value.length >= 6 &&
        (/\d/.test(value) || /[^A-Za-z]|[a-z][A-Z]|[A-Z]{2}[a-z]/.test(value.trim())) &&
        !/^[[<$*]/.test(value)
        ? { start, end: start + value.length }
        : undefined
    }
    const token = /[\w%+/.~-]{16,}/.exec(line)
    if (token === null || token.index > 200 || line[token.index + token[0].length] === "(") return undefined
    const value = { word: "token", isWide, isQuoted: false, isEquals: true, after: "" }
    return isSecretLike(token[0], value)
      ? { start: start + token.index, end: start + token.index + token[0].length }
      : undefined
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

const userOption = /(?:-u|--user)(?:=|[ \t]{0,5})["']?[^\s:"']{1,100}:/iy

/** Finds the credentials of `curl -u user:password`. */
const curlUser: Finder = {
  keywords: ["-u ", '-u"', "-u'", "--user"],
  find: (text, at) => {
    userOption.lastIndex = at
    const head = userOption.exec(text)
    if (head === null || !/\bcurl\b/.test(text.slice(Math.max(0, at - 1_000), at))) return undefined
    const value = valueAt(text, at + head[0].length)
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
  assigned,
  flagged,
  named,
  address,
  curlUser,
  mysqlPassword,
  kubernetes
]
