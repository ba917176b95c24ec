/** Works out, once for each tool of a list, what the rules ask of it. */
import type { Access } from "effect-toolguard/internal/domain/tool/Access"
import { fieldsIn } from "./Field.ts"
import type { JsonPointer } from "effect-toolguard/internal/domain/json/JsonPointer"
import { isJsonObject } from "effect-toolguard/internal/domain/json/JsonObject"
import type { ListedTool, Listing } from "./ListedTool.ts"
import type { ReadListing, Subject } from "./Subject.ts"
import { accessOf, isVerb } from "./Verbs.ts"
import { stemsOf, wordsIn, wordsOf } from "./Words.ts"

/** Counts the tokens of a text. */
export type Count = (text: string) => number

/** Reads a list. `duplicates` are the names that stand twice in one object of its text. */
export const read = (listing: Listing, count: Count, duplicates: ReadonlyArray<JsonPointer> = []): ReadListing => {
  const names = listing.tools.map(({ name }) => wordsOf(name))
  const prefixes = sharedPrefixes(names)
  const subjects = listing.tools.map((tool, index): Subject => {
    const words = names[index]!
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

/** First words that are no verbs and begin several names, as `browser` in `browser_click`. */
const sharedPrefixes = (names: ReadonlyArray<ReadonlyArray<string>>): ReadonlySet<string> => {
  const counts = new Map<string, number>()
  for (const [first = "", second = ""] of names) {
    if (!isVerb(first) && isVerb(second)) counts.set(first, (counts.get(first) ?? 0) + 1)
  }
  return new Set([...counts].filter(([, count]) => count >= sharedBy).map(([word]) => word))
}

/** What name and description say alike; undefined where they do not, or one says nothing. */
const inferred = (firstWord: string, { description }: ListedTool): Access | undefined => {
  const named = isVerb(firstWord) ? accessOf(firstWord) : undefined
  const said = leadingVerb(description)
  if (named === undefined || said === undefined) return undefined
  const told = accessOf(said)
  if (named === told) return named
  return named !== "read" && told !== undefined && told !== "read" ? "write" : undefined
}

/** The verb that a description begins with: the first of its sentences that begins with one. */
export const leadingVerb = (description: string): string | undefined =>
  description
    .slice(0, 2_000)
    .split(/[.!?:;\n"“”()]+/u)
    .map((sentence) => wordsIn(sentence)[0] ?? "")
    .find((word) => stemsOf(word).some(isVerb))
