/**
 * Reads the clauses of a message: finds the words of all vocabularies, and collects the roles of each clause.
 *
 * **Details**
 *
 * - Of overlapping terms the longest counts. A word inside another word is not matched.
 * - A clause ends at a full stop, semicolon, exclamation mark, question mark or line break, but not at a full stop
 *   inside an identifier.
 * - A word that reports a fault only if negated (`found`, `connect`) gets its role from a negation before it or from a
 *   word for failure on either side, at most `reach` characters away.
 */
import { hasAny, type Negated, negated, type Role, type Roles, rolesOf, union, type Vocabulary } from "./Role.ts"
import { vocabularies } from "./Vocabularies.ts"

/** The greatest distance between a negation and the word that it negates, in characters. */
const reach = 32
/** The greatest distance between a negation and a word that it cancels (`do not try again`), in characters. */
const reachOfCancellation = 12
/** The same for exhaustion, which often follows another failure: `cannot fork: out of memory`. */
const reachOfDenial = 6

interface Term {
  /** The roles of the term. */
  readonly roles: Roles
  /** The roles that the term has if it is negated. */
  readonly negated: Roles
  /** True if the term matches words that begin with it. */
  readonly isStem: boolean
  readonly text: string
}

const none = rolesOf([])
const negation = rolesOf(["negation"])
const failed = rolesOf(["failed"])
const exhausted = rolesOf(["exhausted"])
const unavailable = rolesOf(["unavailable"])
const temporary = rolesOf(["temporary"])

const isSpaceless = (term: string): boolean => /[\u3040-\u30FF\u3400-\u9FFF\uAC00-\uD7AF]/.test(term)

const compile = (): ReadonlyMap<string, Term> => {
  const terms = new Map<string, Term>()
  for (const vocabulary of vocabularies) {
    for (const [name, list] of Object.entries(vocabulary) as ReadonlyArray<[keyof Vocabulary, string]>) {
      for (const term of list.split(",").map((one) => one.trim().replaceAll(/\s+/g, " "))) {
        const text = term.replace(/\*$/, "")
        if (text === "") continue
        const roles = Object.hasOwn(negated, name) ? none : rolesOf([name as Role])
        const reversed = Object.hasOwn(negated, name) ? rolesOf([negated[name as Negated]]) : none
        const known = terms.get(text)
        terms.set(text, {
          roles: union(known?.roles ?? none, roles),
          negated: union(known?.negated ?? none, reversed),
          isStem: known?.isStem === true || term !== text || isSpaceless(text),
          text
        })
      }
    }
  }
  return terms
}

/** The length of the keys of the index of terms. Shorter terms are their own keys. */
const keyLength = 3

/** The terms by their first characters, the longest first. */
type Lexicon = ReadonlyMap<string, ReadonlyArray<Term>>

let lexicon: Lexicon | undefined

const lexiconOf = (): Lexicon => {
  const byKey = new Map<string, Array<Term>>()
  for (const term of compile().values()) {
    const key = isSpaceless(term.text.slice(0, 1)) ? term.text.slice(0, 1) : term.text.slice(0, keyLength)
    byKey.set(key, [...(byKey.get(key) ?? []), term])
  }
  for (const terms of byKey.values()) terms.sort((one, other) => other.text.length - one.text.length)
  return byKey
}

const isLetter = /[\p{L}\p{N}]/u

const isLetterAt = (text: string, at: number): boolean => {
  const unit = text.charCodeAt(at)
  if (unit < 128) return (unit >= 97 && unit <= 122) || (unit >= 48 && unit <= 57) || unit === 95
  return isLetter.test(text[at] ?? " ")
}

interface Token {
  readonly at: number
  readonly end: number
  readonly term: Term
}

const duration = /\d[\d.,]{0,20}\s?(?:ms|msec|milliseconds?|s|secs?|seconds?|min|minutes?)(?![\p{L}\p{N}_])/uy

const durationTerm: Term = { roles: rolesOf(["duration"]), negated: none, isStem: false, text: "" }

/** Returns the longest term that begins at `at`. */
const termAt = (text: string, at: number, terms: Lexicon): Term | undefined => {
  const unit = text.charCodeAt(at)
  const isOf = (term: Term): boolean =>
    text.startsWith(term.text, at) && (term.isStem || !isLetterAt(text, at + term.text.length))
  if (unit >= 0x3040) return terms.get(text[at] ?? "")?.find(isOf)
  return (
    terms.get(text.slice(at, at + keyLength))?.find(isOf) ?? terms.get(text.slice(at, at + keyLength - 1))?.find(isOf)
  )
}

const tokensOf = (text: string): ReadonlyArray<Token> => {
  const terms = (lexicon ??= lexiconOf())
  const found: Array<Token> = []
  let isInWord = false
  for (let at = 0; at < text.length; at++) {
    const isSpacelessHere = text.charCodeAt(at) >= 0x3040
    const isLetterHere = isSpacelessHere || isLetterAt(text, at)
    const unit = text.charCodeAt(at)
    if (!isInWord && unit >= 48 && unit <= 57) {
      duration.lastIndex = at
      const length = duration.exec(text)?.[0].length
      if (length !== undefined) {
        found.push({ at, end: at + length, term: durationTerm })
        at += length - 1
        isInWord = true
        continue
      }
    }
    if (isLetterHere && (!isInWord || isSpacelessHere)) {
      const term = termAt(text, at, terms)
      if (term !== undefined) {
        found.push({ at, end: at + term.text.length, term })
        at += term.text.length - 1
        // the rest of a word that begins with a stem is part of the term
        isInWord = true
        continue
      }
    }
    isInWord = isLetterHere && !isSpacelessHere
  }
  return found
}

/** The end of a sentence. */
const sentenceEnd = /[.;!?](?:\s|$)|[\n\u3002\uFF1B\uFF01\uFF1F]/
/** The end of a part of a sentence. */
const partEnd = /[,:](?:\s|$)|\s[-\u2013\u2014|]\s|[\uFF0C\uFF1A\u3001]/

/** Roles that a negation immediately before them cancels, with the negation: `no outage`, `do not try again`. */
const cancelled = rolesOf(["again", "throttled", "down", "timeout", "exceeded", "denied", "state"])

/** Returns the roles of a clause. Reads its words forward for negations, and backward for words for failure. */
const rolesIn = (tokens: ReadonlyArray<Token>): Roles => {
  let roles = none
  let lastNegation = -Infinity
  // `not available` uses the negation up: `not available in your region`
  let openNegation = -Infinity
  let lastFailure = -Infinity
  let negations = 0
  const reversed = tokens.map(({ at, end, term }) => {
    const isNegated = at - lastNegation <= reach
    const distance = at - openNegation
    const isCancelled =
      // what is denied beside `temporarily` is the availability: `n'est temporairement pas disponible`
      (hasAny(term.roles, cancelled) && !hasAny(term.roles, temporary) && distance <= reachOfCancellation) ||
      (hasAny(term.roles, exhausted) && distance <= reachOfDenial)
    if (isCancelled) negations -= 1
    else roles = union(roles, hasAny(term.roles, negation) ? none : term.roles)
    const isReversed = isNegated || at - lastFailure <= reach
    if (hasAny(term.roles, negation)) {
      lastNegation = end
      openNegation = end
      negations += 1
    } else if (isNegated && hasAny(term.negated, unavailable)) openNegation = -Infinity
    if (hasAny(term.roles, failed)) lastFailure = end
    return isReversed
  })
  if (negations > 0) roles = union(roles, negation)
  let nextFailure = Infinity
  for (let index = tokens.length - 1; index >= 0; index--) {
    const { at, end, term } = tokens[index]!
    if (term.negated !== none && (reversed[index] === true || nextFailure - end <= reach))
      roles = union(roles, term.negated)
    if (hasAny(term.roles, failed)) nextFailure = at
  }
  return roles
}

/** Addresses and paths, whose words do not describe the failure. */
const paths = /[a-z][a-z+.-]{1,12}:\/\/[^\s"'<>]+|(?<![\w/])(?:[a-z]:)?[\\/](?:[\w.@~-]+[\\/])+[\w.@~-]*/g

/** Names of files. */
const files =
  /(?<![\w-])[\w-]{1,60}\.(?:js|ts|py|rb|go|rs|java|c|h|cpp|conf|cfg|json|ya?ml|toml|txt|log|xml|html?|php|pdf|csv|sh|lock|sql|md|ini|env|exe|so|dll|jar|zip)\b/g

/** An exception in Chinese: `除超时错误以外`, everything but a timeout. */
const excepted = /[\u3400-\u9FFF]{1,20}(?:\u4EE5|\u4E4B)\u5916/g

/** Options of commands: `--no-update`. */
const options = /(?<![\w-])--[a-z][\w-]{0,40}/g

/** A quoted word, which names a thing or a value: `that "closed" is false`. Words that are codes are read. */
const quotedWord = /(?<=\s)(["'`])[\p{L}\p{N}.-]{1,40}\1(?=\s|[.,;:)]|$)/gu

/** A code in snake_case at a place where programs print codes: alone, in brackets or quotes, around a colon or dash. */
const code = /(?<=^|[([{"'`=,:/]\s?|\n)[a-z0-9]+(?:_[a-z0-9]+)+(?=$|[)\]}"'`,:;./]|\n| - )/g

/** The name of a secret, which is read wherever it occurs: `missing SERPER_API_KEY`. */
const secret = /(?<![a-z0-9_])[a-z0-9]+(?:_[a-z0-9]+)*_(?:key|token|secret|password|credentials?)(?![a-z0-9_])/g

const hyphen = /(?<=\p{L})-(?=\p{L})/gu

/** A full stop inside an identifier, which ends no clause: `order.denied`. */
const innerStop = /(?<=[a-z0-9_])\.(?=[a-z])/g

/** An identifier in brackets, which names a command or a rule, and is read by itself: `(gcloud.config.set) has no property`. */
const bracketed = /\(([a-z0-9_]{1,40}(?:\.[a-z0-9_]{1,40}){1,8})\)/g

const parted = (name: string): string => name.replaceAll("_", " ")

const blank = (text: string): string => "~".repeat(text.length)

/** Replaces what is not a word of the message, and separates the words of codes. Keeps the length of the text. */
const spaced = (text: string): string => {
  let read = text
  if (read.includes("/") || read.includes("\\")) read = read.replaceAll(paths, blank)
  if (/\.[a-z]/.test(read)) read = read.replaceAll(files, blank)
  if (read.includes("\u5916")) read = read.replaceAll(excepted, blank)
  if (read.includes("--")) read = read.replaceAll(options, blank)
  if (/["'`]/.test(read)) read = read.replaceAll(quotedWord, blank)
  if (read.includes("_")) read = read.replaceAll(code, parted).replaceAll(secret, parted)
  if (/[a-z0-9_]\.[a-z]/.test(read)) read = read.replaceAll(bracketed, "\u3002$1\u3002").replaceAll(innerStop, " ")
  return read.includes("-") ? read.replaceAll(hyphen, " ") : read
}

/** The roles of the parts of a message, and of its whole sentences. */
interface Clauses {
  readonly parts: ReadonlyArray<Roles>
  readonly sentences: ReadonlyArray<Roles>
}

let last: { readonly text: string; readonly clauses: Clauses } | undefined

/** Reads the clauses of a text in lower case. Keeps those of the last text, because several rules read it in turn. */
export const clausesOf = (text: string): Clauses => {
  if (last?.text !== text) last = { text, clauses: clausesIn(spaced(text)) }
  return last.clauses
}

const clausesIn = (read: string): Clauses => {
  const parts: Array<Array<Token>> = [[]]
  const sentences: Array<Array<Token>> = [[]]
  let end = 0
  for (const token of tokensOf(read)) {
    const gap = read.slice(end, token.at)
    const isNew = sentenceEnd.test(gap)
    if (isNew) sentences.push([])
    if (isNew || partEnd.test(gap)) parts.push([])
    sentences.at(-1)?.push(token)
    parts.at(-1)?.push(token)
    end = token.end
  }
  const isFilled = (clause: ReadonlyArray<Token>): boolean => clause.length > 0
  return { parts: parts.filter(isFilled).map(rolesIn), sentences: sentences.filter(isFilled).map(rolesIn) }
}
