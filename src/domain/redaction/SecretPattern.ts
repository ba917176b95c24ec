/**
 * Defines patterns of secrets, and constructors for their common forms.
 *
 * A pattern is tried only at its keywords, so that a text is read once, regardless of the number of patterns.
 */

/** The pattern of one kind of secret. */
export interface SecretPattern {
  readonly id: string
  /** The keywords, in lower-case ASCII. Every match contains or follows a keyword, in upper or lower case. */
  readonly keywords: ReadonlyArray<string>
  /**
   * The source of a JavaScript regular expression. Its first group is the secret, or, without groups, the whole match.
   */
  readonly pattern: string
  /** Where a match begins: at the keyword, directly after it (`behind`), or at most `before` characters before it. */
  readonly begins: "at" | "behind" | "before"
  readonly before: number
  /** The minimum Shannon entropy of the secret, in bits per character; 0 for no limit. */
  readonly entropy: number
  /** True if the pattern ignores the case of letters. The default is false. */
  readonly ignoresCase?: boolean | undefined
  /** True if the pattern applies only to failures, because it would find too much in results. */
  readonly onlyFailures?: boolean | undefined
}

const list = (keywords: string): ReadonlyArray<string> => keywords.split(" | ")

const assignment = String.raw`[ \t\w.-]{0,20}[\s'"\\]{0,4}(?:=>?|>|:{1,3}=|\|\||:|\?=|,)[\s'"${"`"}=\\]{0,6}`
/** Ends a token: no character of a token, name or path may follow. */
const end = String.raw`(?![\w/-]|\.\w)`

/** Creates a pattern for a value that follows the name of a vendor: `asana_secret = "…"`. */
export const assigned = (id: string, keywords: string, entropy: number, value: string): SecretPattern => ({
  id,
  keywords: list(keywords),
  pattern: `${assignment}(${value})${end}`,
  begins: "behind",
  before: 0,
  entropy
})

/** Creates a pattern for a token that begins with a keyword and is a whole word. */
export const token = (id: string, keywords: string, entropy: number, body: string): SecretPattern => ({
  id,
  keywords: list(keywords),
  pattern: `\\b${body}${end}`,
  begins: "at",
  before: 0,
  entropy
})

/**
 * Creates a pattern for a secret that begins with a keyword and has no letter or digit before it. Anything may follow.
 */
export const begins = (id: string, keywords: string, entropy: number, body: string): SecretPattern =>
  within(id, keywords, entropy, `(?<![A-Za-z0-9])${body}`)

/** Creates a pattern for a match that begins with a keyword. Anything may precede or follow the match. */
export const within = (id: string, keywords: string, entropy: number, pattern: string): SecretPattern => ({
  id,
  keywords: list(keywords),
  pattern,
  begins: "at",
  before: 0,
  entropy
})

/** Creates a pattern for a secret that begins at most `before` characters before its keyword. */
export const around = (
  id: string,
  keywords: string,
  entropy: number,
  before: number,
  pattern: string
): SecretPattern => ({ id, keywords: list(keywords), pattern, begins: "before", before, entropy })
