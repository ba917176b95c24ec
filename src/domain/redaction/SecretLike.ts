/**
 * Decides whether a value after a word such as `password`, `token` or `key` is a secret or an ordinary word.
 *
 * The rules for failures are wide, because hiding an ordinary word is better than showing a password. The rules for
 * results are narrow, because source code, forms and documentation contain many texts such as `password: string` and
 * `token = read()`, which a model must see.
 */

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

const words =
  "null|nil|none|undefined|true|false|yes|no|string|str|text|number|int|integer|bool|boolean|object|array|any|unknown|" +
  "required|optional|missing|invalid|incorrect|expired|wrong|empty|default|must|should|cannot|expected|got|is|not|" +
  "passwords?|passwd|pwd|passphrase|pass|secrets?|tokens?|keys?|credentials?|auth|bearer|basic|value|redacted|hidden|" +
  "masked|omitted|removed|example|sample|dummy|test|testing|change_?me|n/a|function|const|let|var|new|await|return"
const placeholder = new RegExp(
  `^(?:${words}|your[-_].*|my[-_].*|[x*.•_-]{3,}|\\[.*|<.*|\\$.*|%.*%?|\\{.*|#.*|@.*)$`,
  "i"
)

/**
 * True if a value consists of words, as in `RedactedUint8Array`: 3.5 letters or more on average, at most four digits.
 */
const isWords = (value: string): boolean => {
  const parts = value.match(/[A-Z]?[a-z]+|[A-Z]+|\d+/g) ?? []
  const letters = parts.filter((part) => /[A-Za-z]/.test(part))
  return parts.join("") === value && digits(value) <= 4 && letters.join("").length >= letters.length * 3.5
}

const isPlainWord = (value: string): boolean => /^[A-Za-z][a-z]*$/.test(value) || /^[A-Z]+$/.test(value)
/** True for a name: `process.env.TOKEN`, `this.token2`, `DB_PASSWORD`, `access_token_v2`, `getToken2()`. */
const isName = (value: string, after: string): boolean =>
  after === "(" ||
  /^[A-Za-z_$][\w$]*(?:\??\.[A-Za-z_$][\w$]*)+$/.test(value) ||
  /^[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+$/.test(value) ||
  /^[a-z]{1,10}\d{0,4}[a-z]{0,6}(?:[_-][a-z]{0,10}\d{0,4}[a-z]{0,6}){1,6}$/.test(value) ||
  (/[A-Z]/.test(value) && isWords(value))
/** True for the address of a secret, which is not a secret: an ARN, a path, a URL without a user. */
const isAddress = (value: string): boolean =>
  /^(?:arn:|urn:|[a-z][a-z0-9+.-]*:\/\/|\.{0,2}\/|~\/|[A-Za-z]:\\)/.test(value)

const digits = (value: string): number => value.replace(/\D+/g, "").length

const hasMixture = (value: string): boolean =>
  (digits(value) >= 2 && /[A-Za-z]/.test(value)) ||
  (/\d/.test(value) && /[a-z]/.test(value) && /[A-Z]/.test(value)) ||
  (/.[!@#$%^*+=?]/.test(value) &&
    /[A-Za-z]/.test(value) &&
    (/\d/.test(value) || (/[a-z]/.test(value) && /[A-Z]/.test(value))))

/** True if a plain number after this keyword is a count or an index, and not a secret. */
const isCounted = (word: string): boolean => !/^(?:passw|passwd|pwd|passphrase|_pass)/.test(word)

/** True if a value is a secret in its context. */
export const isSecretLike = (value: string, context: Context): boolean => {
  const { after, isEquals, isQuoted, isWide, word } = context
  if (value.length < 3 || placeholder.test(value) || isAddress(value)) return false
  if (/^\d+$/.test(value) && isCounted(word) && value.length < 16) return false
  if (isWide) {
    if (after === "(") return false
    return isEquals || isQuoted || (!isPlainWord(value) && value.length > 3)
  }
  if (/\s/.test(value)) return false
  if (isName(value, after)) return false
  if (isQuoted && !isCounted(word)) return value.length >= 4 && !isPlainWord(value)
  return value.length >= 8 && hasMixture(value) && entropy(value) >= 2.5
}

/** What the name of a field implies: its text is a secret, is a secret if it looks like one (`perhaps`), or neither. */
export type FieldKind = "secret" | "perhaps" | "none"

const always =
  /^(?:.*(?:password|passwd|passphrase)|pwd|.*clientsecret|.*secretkey|.*secretaccesskey|.*privatekey|.*apikey|.*accesstoken|.*refreshtoken|.*authtoken|.*bearertoken|.*sessiontoken|authorization)$/
const perhaps =
  /^(?:.*secret|.*token|.*credentials?|(?:set)?cookie|.*accesskey|.*signingkey|.*encryptionkey|.*accountkey)$/
const continues = /^(?:next|prev|previous)?(?:page|sync|resume|upload|continuation|cursor|next|csrf|xsrf)?token$/

/** Judges the name of a field, ignoring case, `_` and `-`. The names of page tokens imply nothing. */
export const fieldKind = (name: string): FieldKind => {
  const plain = name.slice(-60).toLowerCase().replace(/[_-]/g, "")
  if (plain !== "token" && continues.test(plain)) return "none"
  return always.test(plain) ? "secret" : perhaps.test(plain) ? "perhaps" : "none"
}

/** The minimum length of a secret in a field. */
export const shortestField = 3

/** True if the text of a field of this kind is a secret. */
export const isSecretField = (kind: FieldKind, text: string): boolean => {
  if (kind === "none" || text.length < shortestField || placeholder.test(text) || isAddress(text)) return false
  if (kind === "perhaps") {
    const parts = text.slice(0, 2_000).split(/[\s;,=]+/)
    const least = parts.length > 1 ? 16 : 8
    return parts.some((part) => part.length >= least && hasMixture(part) && !isName(part, ""))
  }
  // A label of a form, such as "Passwort", is one capitalised word.
  return !/\s/.test(text.slice(0, 300)) && (/^[a-z]{6,}$/.test(text) || !/^[A-ZÀ-Þ]?[a-zß-ÿ]+$/.test(text))
}
