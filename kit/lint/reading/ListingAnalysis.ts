/** Computes the facts that rules use, once for each tool of a list. */
import type { Access } from "effect-toolguard/internal/domain/tool/Access"
import { fieldsIn } from "./Field.ts"
import type { JsonPointer } from "effect-toolguard/internal/domain/json/JsonPointer"
import { isJsonObject } from "effect-toolguard/internal/domain/json/JsonObject"
import type { ListedTool, Listing } from "./ListedTool.ts"
import type { AnalysedListing, Subject } from "./Subject.ts"
import { accessOf, isVerb } from "./Verbs.ts"
import { stemsOf, wordsIn, wordsOf } from "./EnglishWords.ts"

/** Counts the tokens of a text. */
export type Count = (text: string) => number

/** Analyses a list. `duplicates` are the repeated keys of its text. */
export const read = (listing: Listing, count: Count, duplicates: ReadonlyArray<JsonPointer> = []): AnalysedListing => {
  const names = listing.tools.map(({ name }) => wordsOf(name))
  const prefixes = sharedPrefixes(names)
  const subjects = listing.tools.map((tool, index): Subject => {
    const words = names[index]! // one entry per tool
    const firstWord = (prefixes.has(words[0] ?? "") && isVerb(words[1] ?? "") ? words[1] : words[0]) ?? ""
    const root = { schema: tool.parameters, pointer: tool.at.parameters }
    return {
      tool,
      words,
      firstWord,
      fields: isJsonObject(tool.parameters) ? fieldsIn(root) : [],
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
  const verb = leadingVerb(description)
  if (named === undefined || verb === undefined) return undefined
  const described = accessOf(verb)
  if (named === described) return named
  return named !== "read" && described !== undefined && described !== "read" ? "write" : undefined
}

/** Returns the first verb that begins a sentence of a description. */
export const leadingVerb = (description: string): string | undefined =>
  description
    .slice(0, 2_000)
    .split(/[.!?:;\n"“”()]+/u)
    .map((sentence) => wordsIn(sentence)[0] ?? "")
    .find((word) => stemsOf(word).some(isVerb))
