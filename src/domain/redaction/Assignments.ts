/**
 * Finds values that are assigned to the name of a secret: `password=…`, `"api_key": "…"`, `Passwort: …`, and the same in
 * escaped texts, on the next line, and in a pair of fields.
 *
 * Each finder starts at a keyword and reads a bounded part of the text around it.
 */
import { type Value, valueAt } from "./AssignedValue.ts"
import { blockEnd, indentedWordsEnd } from "./ContinuedLines.ts"
import { isInHereDocument } from "./HereDocuments.ts"
import type { Finder, Span } from "./SecretFinder.ts"
import { fieldKind, isConfigured, isSecretField, isSecretLike, isSecretNumber } from "./SecretLike.ts"

const assignment =
  /(?:passw(?:or)?d|pwd|pass[_-]?phrase|passcode|secret|token|(?:api|access|private|account|auth|signing|encryption|master|subscription|functions?|shared|application|sas)[_-]?key|credentials?|_pass|_key|_sk)(?:[_-]?(?:access[_-]?)?(?:key|value|hash|b64|base64|secret))?\\{0,3}["'\]]{0,2}[ \t]{0,3}(=>|:=|={1,3}|:|＝|：|>|\|\||;s:\d{1,5}:)[ \t]{0,3}/iy

/** Words that, before a keyword such as `token`, name a cursor, a count or a CSRF token and not a secret. */
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

/** Words that occur in the names of secrets. */
const words: ReadonlyArray<string> = [
  "password",
  "passwd",
  "pwd",
  "passphrase",
  "pass_phrase",
  "pass-phrase",
  "passcode",
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
  "auth-key",
  "authkey",
  "signingkey",
  "signing_key",
  "signing-key",
  "encryptionkey",
  "encryption_key",
  "encryption-key",
  "masterkey",
  "master_key",
  "master-key",
  "subscription-key",
  "subscription_key",
  "function-key",
  "functions-key",
  "applicationkey",
  "application_key",
  "application-key",
  "sas-key",
  "sas_key",
  "credential",
  "_pass",
  "_key",
  "_sk"
]

/** Finds `password=…`, `"api_key": "…"`, `DB_PASS=…` and `PGPASSWORD: …`. */
const assigned: Finder = {
  keywords: words,
  find: (text, at, wordEnd, isWide) => {
    assignment.lastIndex = at
    const head = assignment.exec(text)
    if (head === null) return undefined
    const word = text.slice(at, wordEnd).toLowerCase()
    if (isContinuation.test(text.slice(Math.max(0, at - 13), at))) return undefined
    // `_key`, `_pass` and `_sk` count only in the names of environment variables, such as FOO_KEY.
    if (word.startsWith("_") && !isUpper.test(text.slice(at, wordEnd))) return undefined
    if (!isWide && (word === "token" || word === "secret") && isPart(text, at)) return undefined
    const valueStart = at + head[0].length
    const value = valueAt(text, valueStart)
    // after a full-width sign, a value in another script is a remark: "Token：見つかりません"
    if ((head[1] === "：" || head[1] === "＝") && !/[!-~]{4}/.test(value.text)) return undefined
    const isEquals = head[1]?.includes("=") === true
    const { after, isQuoted } = value
    if (isSecretLike(value.text, { word, isWide, isQuoted, isEquals, after })) return value
    if (isField(text, at, head[0], value) || isSetting(text, at, head[0], value)) return value
    return head[1] === ":" && value.text === "" ? onNextLine(text, valueStart, word, isWide) : undefined
  }
}

/** True for a secret field of JSON in a text, `"password": "…"` or `"password": 1234567`, by the rules for JSON. */
const isField = (text: string, at: number, head: string, { after, isQuoted, text: value }: Value): boolean => {
  if (!/["'][ \t]{0,3}:[ \t]{0,3}$/.test(head)) return false
  const name = /["']([\w.-]{0,60})$/.exec(text.slice(Math.max(0, at - 61), at))?.[1]
  if (name === undefined) return false
  const kind = fieldKind(name + (/^[\w.-]*/.exec(head)?.[0] ?? ""))
  if (kind !== "secret") return false
  if (isQuoted) return isSecretField(kind, value)
  return /^\d{3,30}$/.test(value) && /^[\s,}\]]?$/.test(after) && isSecretNumber(kind, Number(value))
}

/** Matches the name of a field: at the beginning of a line, and elsewhere. */
const settingName = {
  inLine: /(?:^|\n|\\n)[ \t]*(?:-[ \t]+)?(?:export[ \t]+)?([A-Za-z][\w.-]{0,60})$/,
  anywhere: /(?:^|\\n|[^\w.-])([A-Za-z][\w.-]{0,60})$/
}

/** True for a secret in a here-document: in a line that sets a field, such as `DB_PASSWORD=…`, or in quotes. */
const isSetting = (text: string, at: number, head: string, value: Value): boolean => {
  const before = text.slice(Math.max(0, at - 100), at) + (/^[\w.-]*/.exec(head)?.[0] ?? "")
  const name = (value.isQuoted ? settingName.anywhere : settingName.inLine).exec(before)?.[1]
  return name !== undefined && isConfigured(name, value) && isInHereDocument(text, at)
}

const nextLine =
  /([|>]\d?[+-]?\d?)?[ \t]{0,20}(?:\r?\n|\\r\\n|\\n)([ \t]{0,40})([^\s\\"'<>{}[\],]{4,4096})[ \t]{0,20}(?=\r?\n|\\r|\\n|["']|$)/y

/** Finds a secret that is the only text on the line after `password:`, with the lines that continue it. */
const onNextLine = (text: string, at: number, word: string, isWide: boolean): Span | undefined => {
  nextLine.lastIndex = at
  const match = nextLine.exec(text)
  const [, block, indent = "", found] = match ?? []
  if (match === null || found === undefined || /[:?]$|^[-#]/.test(found) || !/[\d\W]/.test(found)) return undefined
  const context = { word, isWide, isQuoted: false, isEquals: false, after: "" }
  if (!isSecretLike(found, context)) return undefined
  const start = match.index + match[0].indexOf(found, match[0].search(/[\n]|\\n/))
  const end = start + found.length
  if (indent === "") return { start, end }
  const read = block === undefined ? indentedWordsEnd : blockEnd
  return { start, end: read(text, end, indent.length) }
}

const escaped =
  /[\w-]{0,20}(?:%(?:25){0,2}22|&quot;|&#34;|&#x22;|&#39;|&apos;|\\{1,3}(?:u00|x)2[27])?(?:%20|\+|[ \t])?(?:%(?:25){0,2}3[ad]|&#61;|&#x3d;|\\{1,3}(?:u00|x)3[ad]|:|=)(?:%20|\+|[ \t])?(?:%(?:25){0,2}22|&quot;|&#34;|&#x22;|&#39;|&apos;|\\{1,3}(?:u00|x)2[27])?/iy
const escapedValue = /(?:[^\s"'<>&%,;\\]|%(?!(?:25)*(?:26|22|2c|7d|5d|3b|20|0a|0d))){3,200}/iy
const escapedRest = new RegExp(escapedValue.source.replace("{3,200}", "*"), "iy")

/** Finds `password%3D…` in an encoded URL, `&quot;password&quot;:&quot;…` in HTML and `password\u003d…` in a script. */
const escapedPair: Finder = {
  keywords: words.filter((word) => !word.startsWith("_")),
  find: (text, at, wordEnd, isWide) => {
    escaped.lastIndex = wordEnd
    const head = escaped.exec(text)
    if (head === null || !/[%&\\]/.test(head[0])) return undefined
    escapedValue.lastIndex = wordEnd + head[0].length
    const value = escapedValue.exec(text)?.[0]
    if (value === undefined) return undefined
    const word = text.slice(at, wordEnd).toLowerCase()
    if (isContinuation.test(text.slice(Math.max(0, at - 13), at))) return undefined
    const isSecret = isSecretLike(decoded(value), { word, isWide, isQuoted: true, isEquals: true, after: "" })
    if (!isSecret) return undefined
    const start = wordEnd + head[0].length
    escapedRest.lastIndex = start
    return { start, end: start + escapedRest.exec(text)![0].length }
  }
}

const decoded = (text: string): string => {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

const foreignAssignment =
  /(?:passwort|kennwort|mot de passe|motdepasse|contrase[nñ]a|senha|wachtwoord|hasło|heslo|lösenord|adgangskode|passord|salasana|parola|şifre|пароль|密码|密碼|パスワード|비밀번호|كلمة المرور|كلمة السر|पासवर्ड|mật khẩu|รหัสผ่าน|סיסמה)["']?[ \t]{0,3}[:=：＝][ \t]{0,3}/iy

/** Finds `Passwort: …`, `mot de passe : …` and `пароль: …`. */
const foreign: Finder = {
  keywords: [
    "passwort",
    "kennwort",
    "mot de passe",
    "motdepasse",
    "contraseña",
    "contrasena",
    "senha",
    "wachtwoord",
    "hasło",
    "heslo",
    "lösenord",
    "adgangskode",
    "passord",
    "salasana",
    "parola",
    "şifre",
    "пароль",
    "Пароль",
    "密码",
    "密碼",
    "パスワード",
    "비밀번호",
    "كلمة المرور",
    "كلمة السر",
    "पासवर्ड",
    "mật khẩu",
    "รหัสผ่าน",
    "סיסמה"
  ],
  find: (text, at, _wordEnd, isWide) => {
    foreignAssignment.lastIndex = at
    const head = foreignAssignment.exec(text)
    if (head === null) return undefined
    const value = valueAt(text, at + head[0].length)
    const { after, isQuoted } = value
    // A word after the name is a remark, such as "Passwort: ungültig".
    if (!/[\d!-/@^_~]/.test(value.text)) return undefined
    return isSecretLike(value.text, { word: "password", isWide, isQuoted, isEquals: false, after }) ? value : undefined
  }
}

/** The backslash at the end of a line, after which the command continues on the next line. */
const joint = String.raw`(?:[ \t]{0,9}(?:\\\r?\n|\\{3}(?:r\\)?n)[ \t]{0,40})?`
const flag = new RegExp(String.raw`--?[a-z-]{0,60}(?:password|passwd|token|secret|api-?key)[= ]${joint}["']?`, "iy")

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
    return value.isQuoted && /^\S{4,300}$/.test(value.text) && /[\d\W]/.test(value.text) ? value : undefined
  }
}

const valueHead = /value\\{0,3}["']?[ \t]{0,3}[:=][ \t]{0,3}/iy
const nameBefore =
  /\b(?:name|key)\\{0,3}["']?[ \t]{0,3}[:=][ \t]{0,3}\\{0,3}["']?([\w.-]{3,60})\\{0,3}["']?[\s,\\nr]{0,40}["']?$/i
const nameAfter =
  /^\\{0,3}["']?[\s,\\nr]{0,40}["']?(?:name|key)\\{0,3}["']?[ \t]{0,3}[:=][ \t]{0,3}\\{0,3}["']?([\w.-]{3,60})/i

/** Finds the value of `{"name":"DB_PASSWORD","value":"…"}`, in either order, and of the same pair in YAML. */
const sibling: Finder = {
  keywords: ['value"', "value\\", "value:", "value="],
  find: (text, at) => {
    valueHead.lastIndex = at
    const head = valueHead.exec(text)
    if (head === null) return undefined
    const value = valueAt(text, at + head[0].length)
    const name =
      nameBefore.exec(text.slice(Math.max(0, at - 140), at).replace(/\\+$/, ""))?.[1] ??
      nameAfter.exec(text.slice(value.end, value.end + 140))?.[1]
    if (name === undefined) return undefined
    const kind = fieldKind(name)
    return kind !== "none" && isSecretField(kind, value.text) ? value : undefined
  }
}

/** The finders of this file. */
export const assignments: ReadonlyArray<Finder> = [assigned, escapedPair, foreign, flagged, named, sibling]
