/** Guesses the access of a tool whose log does not state it. */
import type { Access } from "effect-toolguard/internal/domain/tool/Access"

/** Matches the names of tools that read, compute or reply, and change nothing. */
const reads =
  /^(?:get|list|search|find|read|fetch|check|show|view|describe|count|look_?up|query|retrieve|can|is|has|calculate|think|finish|respond|final_answer)(?=[_\-A-Z]|$)/

/** Matches names that join two verbs, such as `get_or_create_cart`. */
const joined = /(?:[_-](?:or|and|then)[_-])|[a-z](?:Or|And|Then)[A-Z]/

const setOf = (words: string): ReadonlySet<string | undefined> => new Set(words.split(" "))

/** Verbs that have an effect at each repeat, even if the answers are equal: controls of pages and games. */
const steps = setOf("scroll press click tap swipe drag toggle jump roll flip undo redo wait sleep")

/** Further verbs with an effect at each repeat, which are also nouns of what is read: `content_type`, `api_key`. */
const ambiguousSteps = setOf("type key move step turn go walk play draw deal")

/** Nouns of what is controlled. After such a noun, each of these verbs has an effect at each repeat. */
const controls = setOf(
  "browser mouse keyboard cursor touch screen computer desktop device mobile android ios ui gui playwright puppeteer selenium game dice coin chess"
)

/** Matches the names of servers and namespaces before the name of a tool: `mcp__playwright__`, `functions.`. */
const prefixes = /^.*(?:__|[./:])/s

const lowered = (name: string): string => `${name.slice(0, 1).toLowerCase()}${name.slice(1)}`

/** Returns `read` if the name starts with a verb that only reads, otherwise `write`. */
export const accessOf = (name: string): Access => (reads.test(lowered(name)) && !joined.test(name) ? "read" : "write")

/**
 * True if the name has a verb whose repeats have an effect each time: at its start, after a noun that is controlled
 * (`browser_press_key`), or at its end (`dice_roll`) unless the name is that of a read.
 */
export const isStep = (name: string): boolean => {
  const own = name.replace(prefixes, "")
  const words = own
    .replaceAll(/(?<=[a-z\d])(?=[A-Z])|-/g, "_")
    .toLowerCase()
    .split("_")
  const [first, second] = words
  if (steps.has(first) || ambiguousSteps.has(first)) return true
  if (controls.has(first) && (steps.has(second) || ambiguousSteps.has(second))) return true
  return steps.has(words.at(-1)) && accessOf(own) === "write"
}
