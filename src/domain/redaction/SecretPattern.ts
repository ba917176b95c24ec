/**
 * A pattern of a secret, and the shapes that most patterns have.
 *
 * A pattern is looked for only where one of its keywords stands, so that a text is read once, whatever their number.
 */

/** How one kind of secret looks. */
export interface SecretPattern {
  readonly id: string
  /** Lower-case ASCII; one of them stands in every match, in any case. */
  readonly keywords: ReadonlyArray<string>
  /** Source of a JavaScript regular expression. Its first group is the secret; without a group, the whole match is. */
  readonly pattern: string
  /** Where a match begins: at the keyword, behind it, or at most `before` characters before it. */
  readonly begins: "at" | "behind" | "before"
  readonly before: number
  /** Least Shannon entropy of the secret, in bits a character; 0 asks for none. */
  readonly entropy: number
  /** True for a pattern that would find too much in results: it looks at failures alone. */
  readonly onlyFailures?: boolean | undefined
}

const list = (keywords: string): ReadonlyArray<string> => keywords.split(" | ")

const assignment = String.raw`[ \t\w.-]{0,20}[\s'"\\]{0,4}(?:=>?|>|:{1,3}=|\|\||:|\?=|,)[\s'"${"`"}=\\]{0,6}`
/** What follows a token must not belong to it, to a name or to a path. */
const end = String.raw`(?![\w/-]|\.\w)`

/** A value behind the name of a vendor: `asana_secret = "…"`. */
export const assigned = (id: string, keywords: string, entropy: number, value: string): SecretPattern => ({
  id,
  keywords: list(keywords),
  pattern: `${assignment}(${value})${end}`,
  begins: "behind",
  before: 0,
  entropy
})

/** A token that begins with a keyword, ends with itself, and stands alone. */
export const token = (id: string, keywords: string, entropy: number, body: string): SecretPattern => ({
  id,
  keywords: list(keywords),
  pattern: `\\b${body}${end}`,
  begins: "at",
  before: 0,
  entropy
})

/** A secret that begins with a keyword, whatever follows it. No letter or digit stands before it. */
export const begins = (id: string, keywords: string, entropy: number, body: string): SecretPattern =>
  within(id, keywords, entropy, `(?<![A-Za-z0-9])${body}`)

/** A secret that begins with a keyword, whatever stands around it. */
export const within = (id: string, keywords: string, entropy: number, pattern: string): SecretPattern => ({
  id,
  keywords: list(keywords),
  pattern,
  begins: "at",
  before: 0,
  entropy
})

/** A secret with a keyword within it, beginning at most `before` characters before that. */
export const around = (
  id: string,
  keywords: string,
  entropy: number,
  before: number,
  pattern: string
): SecretPattern => ({ id, keywords: list(keywords), pattern, begins: "before", before, entropy })
