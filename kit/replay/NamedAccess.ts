/** Guesses the access of a tool whose log does not state it. */
import type { Access } from "effect-toolguard/internal/domain/tool/Access"

/** Matches the names of tools that read, compute or reply, and change nothing. */
const reads =
  /^(?:get|list|search|find|read|fetch|check|show|view|describe|count|look_?up|query|retrieve|can|is|has|calculate|think|finish|respond|final_answer)(?=[_\-A-Z]|$)/

/** Matches names that join two verbs, such as `get_or_create_cart`. */
const joined = /(?:[_-](?:or|and|then)[_-])|[a-z](?:Or|And|Then)[A-Z]/

/** Matches the names of tools that act anew each time, even if their answers are equal: controls of pages and games. */
const steps =
  /^(?:scroll|press|click|tap|swipe|type|key|move|step|turn|go|walk|jump|play|draw|roll|flip|deal|undo|redo|wait|sleep)(?=[_\-A-Z]|$)/

const lowered = (name: string): string => `${name.slice(0, 1).toLowerCase()}${name.slice(1)}`

/** Returns `read` if the name starts with a verb that only reads, otherwise `write`. */
export const accessOf = (name: string): Access => (reads.test(lowered(name)) && !joined.test(name) ? "read" : "write")

/** True if the name starts with a verb whose repeats have an effect each time. */
export const isStep = (name: string): boolean => steps.test(lowered(name))
