/**
 * Finds secrets in the formats of files, headers and statements: .netrc, Docker, npm, password files, PuTTY, Digest, Azure
 * keys, users in SQL.
 */
import { valueAt } from "./AssignedValue.ts"
import { isPlaceholder } from "./Placeholders.ts"
import type { Finder } from "./SecretFinder.ts"
import { entropy, isSecretLike } from "./SecretLike.ts"
import { begins, type SecretPattern, within } from "./SecretPattern.ts"

const login =
  /(?:\b|\\n)(?:machine\s{1,20}\S{1,100}|default)\s{1,20}(?:(?:login|account|user)\s{1,20}\S{1,100}\s{1,20}){0,2}$/

/** Finds `machine … login … password …` of .netrc. */
const netrc: Finder = {
  keywords: ["password ", "password\t"],
  find: (text, at, wordEnd, isWide) => {
    if (!login.test(text.slice(Math.max(0, at - 400), at))) return undefined
    const start = wordEnd + /^[ \t]*/.exec(text.slice(wordEnd, wordEnd + 40))![0].length
    const value = valueAt(text, start)
    const isWord = /^[a-z]+$/.test(value.text)
    return value.text.length < 3 || (isWord && !isWide) || isPlaceholder(value.text) ? undefined : value
  }
}

const sqlplus = /(?:^|[\s"':])[\w$#]{1,60}\/([^\s/"'@]{3,100})@$/

/** Finds the password of Oracle's `user/password@host:1521` in failures. */
const oracle: Finder = {
  keywords: [":1521", "@//"],
  find: (text, at, _wordEnd, isWide) => {
    if (!isWide) return undefined
    const from = Math.max(0, at - 300)
    const before = text.slice(from, at).replace(/@[\w.-]{1,100}$/, "@") + (text[at] === "@" ? "@" : "")
    const password = sqlplus.exec(before)?.[1]
    if (password === undefined) return undefined
    const start = from + before.length - 1 - password.length
    return { start, end: start + password.length }
  }
}

const keyUnit = /^[A-Za-z0-9+/_-]$/

/** Finds keys of Azure, which contain a mark of their service near the end. */
const azureKey: Finder = {
  keywords: [
    "+ast",
    "acdb",
    "+asb",
    "+aeh",
    "aiot",
    "+arm",
    "+acr",
    "azfu",
    "azse",
    "azca",
    "+aba",
    "aapim",
    "jqqj9",
    "azdo"
  ],
  find: (text, at, wordEnd) => {
    let start = at
    while (start > 0 && at - start < 100 && keyUnit.test(text[start - 1] ?? "")) start -= 1
    let end = wordEnd
    while (end - wordEnd < 40 && keyUnit.test(text[end] ?? "")) end += 1
    if (at - start < 33 || at - start > 90 || end - wordEnd < 4 || keyUnit.test(text[end] ?? "")) return undefined
    const mark = text.slice(at, wordEnd)
    const isMark = /^(?:\+ASt|ACDb|\+ASb|\+AEh|AIoT|\+ARm|\+ACR|AzFu|AzSe|AzCa|\+ABa|AAPIM|JQQJ9|AZDO)$/.test(mark)
    return isMark && entropy(text.slice(start, at)) >= 3.5 ? { start, end } : undefined
  }
}

const digestPart = /response\\{0,3}["']?[ \t]{0,3}=[ \t]{0,3}\\{0,3}["']?/iy

/** Finds the `response` of HTTP Digest authentication. */
const digest: Finder = {
  keywords: ["response=", "response ="],
  find: (text, at) => {
    digestPart.lastIndex = at
    const head = digestPart.exec(text)
    if (head === null) return undefined
    const value = valueAt(text, at + head[0].length)
    return /^(?:[0-9a-f]{32}|[0-9a-f]{64})$/i.test(value.text) ? value : undefined
  }
}

const npmAuth = /_auth["']?[ \t]{0,3}[=:][ \t]{0,3}/iy

/** Finds `_auth=…` of npm. */
const npm: Finder = {
  keywords: ["_auth"],
  find: (text, at, _wordEnd, isWide) => {
    if (/\w/.test(text[at - 1] ?? "")) return undefined
    npmAuth.lastIndex = at
    const head = npmAuth.exec(text)
    if (head === null) return undefined
    const value = valueAt(text, at + head[0].length)
    const context = { word: "password", isWide, isQuoted: value.isQuoted, isEquals: true, after: value.after }
    return isSecretLike(value.text, context) ? value : undefined
  }
}

const ofUser = /(?:\b|\\n)(?:CREATE|ALTER)\s+(?:USER|ROLE|LOGIN)\b(?:[^;.]|\.(?!\s)){0,200}$/i
const granting = /(?:\b|\\n)(?:(?:CREATE|ALTER)\s+(?:USER|ROLE|LOGIN)|GRANT)\b(?:[^;.]|\.(?!\s)){0,200}$/i
const password =
  /(?:IDENTIFIED[ \t]{1,9}(?:BY|WITH[ \t]{1,9}\S{1,40}[ \t]{1,9}(?:BY|AS))[ \t]{1,9}(?:PASSWORD[ \t]{1,9})?|(SET[ \t]{1,9})?PASSWORD[ \t]{0,3}(?:FOR[ \t]{1,9}\S{1,100}[ \t]{0,9})?(?:=|TO(?=[ \t]))?[ \t]{0,3}(?:(?:OLD_)?PASSWORD[ \t]{0,3}\([ \t]{0,3})?)(?=\\{0,3}["'])/iy

/** True if the words before a quoted text make it a password: they are the words of a statement about a user. */
const isOfUser = (text: string, at: number, head: string, isSet: boolean): boolean => {
  // upper-case words are words of SQL
  if (isSet || head.startsWith("IDENTIFIED")) return true
  const before = text.slice(Math.max(0, at - 240), at)
  return /^i/i.test(head) ? granting.test(before) : ofUser.test(before)
}

/**
 * Finds the password of `CREATE USER … IDENTIFIED BY '…'`, `ALTER ROLE … PASSWORD '…'` and `SET PASSWORD FOR … = '…'`
 * in SQL.
 */
const statement: Finder = {
  keywords: [
    "identified",
    "password '",
    'password "',
    "password \\",
    "password='",
    "password ='",
    "password = '",
    "set password"
  ],
  find: (text, at) => {
    password.lastIndex = at
    const head = password.exec(text)
    if (head === null || !isOfUser(text, at, head[0], head[1] !== undefined)) return undefined
    const value = valueAt(text, at + head[0].length)
    const { isQuoted, text: found } = value
    return !isQuoted || found.length < 4 || isPlaceholder(found) || /^[$<{*]/.test(found) || entropy(found) < 2
      ? undefined
      : value
  }
}

/** The finders of this file. */
export const storedCredentials: ReadonlyArray<Finder> = [netrc, oracle, azureKey, digest, npm, statement]

const hashes =
  "$1$ | $5$ | $6$ | $7$ | $y$ | $gy$ | $apr1$ | $2a$ | $2b$ | $2x$ | $2y$ | $argon2 | $scrypt$ | $pbkdf2 | pbkdf2_sha | " +
  "{ssha | {sha} | {pbkdf2"

/** The patterns of this file. */
export const storedPatterns: ReadonlyArray<SecretPattern> = [
  within(
    "password-hash",
    hashes,
    3,
    String.raw`(?:\$(?:1|5|6|7|y|gy|apr1)\$|\$2[abxy]\$\d\d\$|\$(?:argon2(?:id|i|d)|scrypt|pbkdf2(?:-\w{1,10})?)\$|pbkdf2_sha\d{1,3}\$|\{(?:SSHA|SSHA256|SSHA512|SHA|PBKDF2[\w-]{0,10})\})([\w./+=$,-]{20,300})`
  ),
  within(
    "docker-auth",
    '"auth" | "auth\\ | "identitytoken" | "identitytoken\\',
    3,
    String.raw`"(?:auth|identitytoken)\\{0,3}"[ \t]{0,3}:[ \t]{0,3}\\{0,3}"((?=[\w+/=]{0,100}[a-z])(?=[\w+/=]{0,100}[A-Z\d])[\w+/]{12,4000}={0,2})`
  ),
  within(
    "putty-private-key",
    "private-lines:",
    3,
    String.raw`[pP]rivate-[lL]ines:[ \t]{0,3}\d{1,4}(?:\s|\\[rn])+((?:[\w+/=]{1,100}(?:\\[rn]|[\r\n]))*[\w+/=]{8,100})`
  ),
  within("putty-private-mac", "private-mac:", 2, String.raw`[pP]rivate-(?:MAC|mac):[ \t]{0,3}([0-9a-f]{32,128})`),
  within(
    "pgpass",
    ":5432: | :3306: | :5433: | :*:",
    2,
    String.raw`:(?:5432|5433|3306|\*):[\w*-]{1,60}:[\w*.-]{1,60}:([^\s:"'<>]{3,100})(?=\s|$)`
  ),
  begins("age-post-quantum", "age-secret-key-pq-1", 3, "AGE-SECRET-KEY-PQ-1[0-9A-Z]{50,500}")
]
