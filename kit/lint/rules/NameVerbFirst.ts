/** Reports a name that does not begin with a verb. */
import { cut } from "effect-toolguard/internal/domain/text/Cut"
import { shown } from "effect-toolguard/internal/domain/text/VisibleText"
import { leadingVerb } from "#kit/lint/reading/ListingAnalysis"
import { overTool } from "./Rule.ts"
import { isPlainVerb, isVerb, leadingPlainVerb } from "#kit/lint/reading/Verbs"
import { stemsOf } from "#kit/lint/reading/EnglishWords"

export const nameVerbFirst = overTool(
  {
    id: "name-verb-first",
    category: "naming",
    step: 1,
    severity: "warning",
    title: "The name begins with a verb.",
    why: "A tool is an action. `search_orders` says what a call does; `orders` may search, list, create or count. A prefix that several tools of the list share (`browser_click`) is a namespace, and the verb follows the prefix. In a name of two words, the verb may also come last if the first verb that begins a sentence of the description has the same access, as for a `ticket_search` that searches tickets.",
    example: {
      bad: `{ "name": "order_status", "description": "Gets the status of an order.", "parameters": { "type": "object" } }`,
      good: `{ "name": "get_order_status", "description": "Gets the status of an order.", "parameters": { "type": "object" } }`
    }
  },
  ({ firstWord, tool: { at, description, name }, words }) => {
    const [first = ""] = words
    // a word in another alphabet may be a verb of another language
    if (!/^[a-z0-9]*$/u.test(first) || leadingPlainVerb(first) !== undefined) return []
    if (isVerb(firstWord) && !isNoun(firstWord, description)) return []
    const end = words.findIndex((word) => after.has(word))
    const later = words.slice(0, end < 0 ? words.length : end).find((word) => isPlainVerb(word))
    const advice = later === undefined ? "begin with the action" : `begin with "${later}"`
    return [{ at: at.name, message: `The name ${cut(shown(name), 80)} does not begin with a verb; ${advice}.` }]
  }
)

/** The words after which a name no longer describes the action. */
const after = new Set(["for", "of", "by", "in", "from", "to", "with", "on"])

/** Verbs that are more often nouns. */
const nouns = new Set(
  "bid book claim comment file group host issue message note offer order place post profile program project purchase record report stage store trade tweet type".split(
    " "
  )
)

const reading = new Set(["get", "list", "retrieve", "return", "fetch", "search", "find", "show", "give", "provide"])

/** True if the word names the thing that the tool reads, according to the description: `order_status` gets a status. */
const isNoun = (word: string, description: string): boolean =>
  nouns.has(word) && stemsOf(leadingVerb(description) ?? "").some((stem) => reading.has(stem))
