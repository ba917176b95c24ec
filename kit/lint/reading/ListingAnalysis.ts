/** Computes the facts that rules use, once for each tool of a list. */
import type { Access } from "effect-toolguard/internal/domain/tool/Access"
import { fieldsIn } from "./Field.ts"
import type { JsonPointer } from "effect-toolguard/internal/domain/json/JsonPointer"
import { isJsonObject } from "effect-toolguard/internal/domain/json/JsonObject"
import * as Chinese from "./Chinese.ts"
import type { ListedTool, Listing } from "./ListedTool.ts"
import type { AnalysedListing, Subject } from "./Subject.ts"
import { accessOf, isPlainVerb, isVerb } from "./Verbs.ts"
import { stemsOf, wordsIn, wordsOf } from "./EnglishWords.ts"

/** Counts the tokens of a text. */
export type Count = (text: string) => number

/** Analyses a list. `duplicates` are the repeated keys of its text. */
export const read = (listing: Listing, count: Count, duplicates: ReadonlyArray<JsonPointer> = []): AnalysedListing => {
  const names = listing.tools.map(({ name }) => wordsOf(name))
  const prefixes = sharedPrefixes(names)
  const subjects = listing.tools.map((tool, index): Subject => {
    const words = names[index]! // one entry per tool
    const isPrefixed = prefixes.has(words[0] ?? "") && isVerb(words[1] ?? "")
    const firstWord = (isPrefixed || isObjectAndVerb(words, tool) ? words[1] : words[0]) ?? ""
    const root = { schema: tool.parameters, pointer: tool.at.parameters }
    return {
      tool,
      words,
      firstWord,
      fields: isJsonObject(tool.parameters) ? fieldsIn(root) : [],
      results: isJsonObject(tool.result) ? fieldsIn({ schema: tool.result, pointer: tool.at.result }) : [],
      access: tool.access ?? inferred(firstWord, tool),
      tokens: count(JSON.stringify(tool.shown))
    }
  })
  return { subjects, unreadable: listing.unreadable, duplicates }
}

const sharedBy = 3

/** Returns first words that several names share and that are not verbs, such as `browser` in `browser_click`. */
const sharedPrefixes = (names: ReadonlyArray<ReadonlyArray<string>>): ReadonlySet<string> => {
  const counts = new Map<string, number>()
  for (const [first = "", second = ""] of names) {
    if (!isVerb(first) && isVerb(second)) counts.set(first, (counts.get(first) ?? 0) + 1)
  }
  return new Set([...counts].filter(([, count]) => count >= sharedBy).map(([word]) => word))
}

/**
 * Returns the access that both the name and the description suggest. Returns `undefined` if they disagree or suggest
 * none.
 */
const inferred = (firstWord: string, { description }: ListedTool): Access | undefined => {
  const named = isVerb(firstWord) ? accessOf(firstWord) : undefined
  const described = describedAccess(description)
  if (named === undefined || described === undefined) return undefined
  if (named === described) return named
  return named !== "read" && described !== "read" ? "write" : undefined
}

/** Returns the access that the first verb of a description suggests, in English or Chinese. */
const describedAccess = (description: string): Access | undefined =>
  Chinese.leadingAccess(description) ?? accessOf(leadingVerb(description) ?? "")

/**
 * True if a name is an object and a verb, and the description begins with a verb of the same access: `ticket_search`,
 * which searches tickets.
 */
const isObjectAndVerb = (words: ReadonlyArray<string>, { description }: ListedTool): boolean => {
  const [object = "", verb = ""] = words
  return words.length === 2 && !isVerb(object) && isPlainVerb(verb) && accessOf(verb) === describedAccess(description)
}

/** Returns the first verb that begins a sentence of a description. */
export const leadingVerb = (description: string): string | undefined =>
  description
    .slice(0, 2_000)
    .split(/[.!?:;\n"“”()]+/u)
    .map((sentence) => wordsIn(sentence)[0] ?? "")
    .find((word) => stemsOf(word).some(isVerb))
