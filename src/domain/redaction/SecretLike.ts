/**
 * Decides whether a value after a word such as `password`, `token` or `key` is a secret or an ordinary word.
 *
 * The rules for failures are wide, because hiding an ordinary word is better than showing a password. The rules for
 * results are narrow, because source code, forms and documentation contain many texts such as `password: string` and
 * `token = read()`, which a model must see.
 */

import { isAboutField, isPlaceholder } from "./Placeholders.ts"

/** The context of a value. */
interface Context {
  /** The keyword that the value is assigned to, in lower case. */
  readonly word: string
  /** True if the text belongs to a failure, and false if it belongs to a result. */
  readonly isWide: boolean
  readonly isQuoted: boolean
  /** True if the assignment is `=` or similar, and false if it is `:` or similar. */
  readonly isEquals: boolean
  /** The character after the value. */
  readonly after: string
}

/** Returns the Shannon entropy of a text, in bits per character. */
export const entropy = (text: string): number => {
  const counts = new Map<number, number>()
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i)
    counts.set(unit, (counts.get(unit) ?? 0) + 1)
  }
  let bits = 0
  for (const count of counts.values()) bits -= (count / text.length) * Math.log2(count / text.length)
  return bits
}

/** Texts that begin like code, a template or a documented value. Results keep them. */
const codeLike = /^(?:your[-_].*|my[-_][a-z_-]*|\[.*|<.*|\$[\w{(]*|%.*%?|\{.*|#.*|@.*)$/i

/**
 * True if a value consists of words, as in `RedactedUint8Array`: 3.5 letters or more on average, at most four digits. If
 * it has two or more numbers, no word is shorter than three letters.
 */
const isWords = (value: string): boolean => {
  const parts = value.match(/[A-Z]?[a-z]+|[A-Z]+|\d+/g) ?? []
  const letters = parts.filter((part) => /[A-Za-z]/.test(part))
  return (
    parts.join("") === value &&
    /[a-z]/.test(value) &&
    digits(value) <= 4 &&
    (parts.length - letters.length < 2 || letters.every((part) => part.length >= 3)) &&
    letters.join("").length >= letters.length * 3.5
  )
}

const isPlainWord = (value: string): boolean => /^[A-Za-z][a-z]*$/.test(value) || /^[A-Z]+$/.test(value)
/** True for a name: `process.env.TOKEN`, `this.token2`, `DB_PASSWORD`, `access_token_v2`, `getToken2()`. */
const isName = (value: string, after: string): boolean =>
  after === "(" ||
  /^[A-Za-z_$][\w$]*(?:\??\.[A-Za-z_$][\w$]*)+$/.test(value) ||
  /^[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+$/.test(value) ||
  /^[a-z]{1,10}\d{0,4}[a-z]{0,6}(?:[_-][a-z]{0,10}\d{0,4}[a-z]{0,6}){1,6}$/.test(value) ||
  (/[A-Z]/.test(value) && isWords(value))
/** Matches a key in Base64 that may begin with `/`: 40 characters, as in keys of AWS, or with padding. */
const base64Key = /^(?:[A-Za-z0-9+/]{40}|[A-Za-z0-9+/]{27,100}={1,2})$/
/** True for the address of a secret, which is not a secret: an ARN, a path or a URL. */
const isAddress = (value: string): boolean =>
  /^(?:arn:|urn:|[a-z][a-z0-9+.-]*:\/\/|\.{0,2}\/|~\/|[A-Za-z]:\\)/.test(value) &&
  !(base64Key.test(value) && entropy(value) >= 4)

const digits = (value: string): number => value.replace(/\D+/g, "").length

const hasMixture = (value: string): boolean =>
  (digits(value) >= 2 && /[A-Za-z]/.test(value)) ||
  (/\d/.test(value) && /[a-z]/.test(value) && /[A-Z]/.test(value)) ||
  (/.[!@#$%^*+=?]/.test(value) &&
    /[A-Za-z]/.test(value) &&
    (/\d/.test(value) || (/[a-z]/.test(value) && /[A-Z]/.test(value))))

/** True if a plain number after this keyword is a count or an index, and not a secret. */
const isCounted = (word: string): boolean =>
  !/^(?:passw|passwd|pwd|passphrase|pass[_-]phrase|passcode|_pass)/.test(word)

/** True if a value is a secret in its context. */
export const isSecretLike = (value: string, context: Context): boolean => {
  const { after, isEquals, isQuoted, isWide, word } = context
  if (value.length < 3 || isPlaceholder(value) || isAddress(value)) return false
  if (/^\d+$/.test(value) && isCounted(word) && value.length < 16) return false
  if (isWide) {
    if (after === "(" || /^[[<{]/.test(value)) return false
    return isEquals || isQuoted || (!isPlainWord(value) && value.length > 3)
  }
  const isPassword = !isCounted(word)
  if (codeLike.test(value) && !(isPassword && isQuoted)) return false
  if (/\s/.test(value)) return isQuoted && ((isPassword && isPassphrase(value)) || isOfTokens(value))
  if (isName(value, after) && !(isPassword && /\d/.test(value) && /^[A-Z]?[a-z]+\d+[A-Z]/.test(value))) return false
  if (isQuoted && isPassword) return value.length >= 4 && !isPlainWord(value)
  return value.length >= 8 && hasMixture(value) && entropy(value) >= 2.5
}

/** True if most of the words are tokens: a key that is wrapped or that contains separators. */
const isOfTokens = (value: string): boolean => {
  const words = value.split(/[\s,;]+/).filter((word) => word !== "")
  const tokens = words.filter((word) => word.length >= 8 && hasMixture(word) && !isName(word, ""))
  return tokens.length >= 2 && tokens.length * 2 >= words.length
}

/** True for words with a digit or a symbol, of at most 80 characters, that are not a sentence about a field. */
const isPassphrase = (value: string): boolean =>
  value.length <= 80 && hasMixture(value) && !isAboutField(value) && !/[.!?:]$|[(){}<>=]/.test(value)

/**
 * The implication of a field's name for its content.
 *
 * - `secret`: a password or a key. A text is a secret, but placeholders and sentences about the field are not. Numbers
 *   of three digits or more are secrets too. The kind also applies to nested fields.
 * - `header`: the field of a header. A text is a secret, but sentences and labels are not.
 * - `perhaps`: a text is a secret if it looks like one.
 */
export type FieldKind = "secret" | "header" | "perhaps" | "none"

const always =
  /^(?:.*(?:password|passwd|passphrase|passcode|passwort|kennwort|contraseña|contrasena|motdepasse|wachtwoord)|senha|пароль|密码|密碼|パスワード|비밀번호|.*pwd|.*(?:client|api|app|consumer|shared|signing|webhook|jwt|totp|application)secret|.*secretkey|.*(?:secretaccesskey|accesskeysecret)|.*sharedaccesskey|.*privatekey|.*(?:api|subscription|storage|application|sas)key|.*(?:access|refresh|auth|bearer|session|identity|security)token)$/
const header = /^(?:(?:proxy)?authorization|.*(?:passwords|passphrases|apikeys|accesstokens|privatekeys))$/
const perhaps =
  /^(?:.*secrets?|.*token|.*credentials?|(?:set)?cookie|.*accesskey|.*signingkey|.*encryptionkey|.*masterkey|.*accountkey)$/
const continues = /^(?:next|prev|previous)?(?:page|sync|resume|upload|continuation|cursor|next|csrf|xsrf)?token$/

/** Returns the kind that a field's name implies, ignoring case, `_`, `-`, `.` and spaces; `none` for page tokens. */
export const fieldKind = (name: string): FieldKind => {
  const plain = name
    .slice(-60)
    .toLowerCase()
    .replace(/[_\-. ]/g, "")
  if (plain !== "token" && continues.test(plain)) return "none"
  if (always.test(plain)) return "secret"
  return header.test(plain) ? "header" : perhaps.test(plain) ? "perhaps" : "none"
}

/**
 * True if the value of a line of a configuration file is a secret, by the rules for fields: `DB_PASSWORD=…`,
 * `password: …`.
 *
 * **Details**
 *
 * - A quoted value after another name than that of a variable of the environment is one word, and not a label of a form.
 * - A bare value ends its line. Code can have lines of the same form, such as `password = user_input`, so a bare value
 *   after such a name must not look like a name or a word.
 */
export const isConfigured = (
  name: string,
  { after, isQuoted, text }: { readonly after: string; readonly isQuoted: boolean; readonly text: string }
): boolean => {
  const isVariable = /^[A-Z][A-Z0-9_]*$/.test(name)
  const kind: FieldKind = isVariable && /(?:^|_)PASS$/.test(name) ? "secret" : fieldKind(name)
  if (kind !== "secret" || isAddress(text) || !isSecretField(kind, text)) return false
  if (isQuoted) return isVariable || !/\s|^[A-ZÀ-Þ][a-zß-ÿ]+$/.test(text)
  if (!/^[\s\\]?$/.test(after) || codeLike.test(text)) return false
  return isVariable || (/[\d\W]/.test(text) && (!isName(text, after) || /^[A-Z]?[a-z]+\d{4,}$/.test(text)))
}

/** The minimum length of a secret in a field. */
export const shortestField = 3

/** True if a part of a text looks like a token. */
const hasToken = (text: string, least: number): boolean =>
  text
    .slice(0, 2_000)
    .split(/[\s;,=]+/)
    .some((part) => part.length >= least && hasMixture(part) && !isName(part, ""))

/** True if the text of a field of this kind is a secret. */
export const isSecretField = (kind: FieldKind, text: string): boolean => {
  if (kind === "none" || text.length < shortestField || isPlaceholder(text)) return false
  if (kind === "secret") return !isAboutField(text) || hasToken(text, 8)
  if (isAddress(text)) return false
  if (kind === "perhaps") return hasToken(text, /[\s;,=]/.test(text.slice(0, 2_000)) ? 16 : 8)
  // A label of a form, such as "Passwort", is one capitalised word.
  return !/\s/.test(text.slice(0, 300)) && (/^[a-z]{6,}$/.test(text) || !/^[A-ZÀ-Þ]?[a-zß-ÿ]+$/.test(text))
}

/** True if a number in a field of this kind is a secret: it has three digits or more, such as `20481633` in `password`. */
export const isSecretNumber = (kind: FieldKind, value: number): boolean => kind === "secret" && Math.abs(value) >= 100
