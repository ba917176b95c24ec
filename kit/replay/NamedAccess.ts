/** Guesses the access of a tool whose log does not state it. */
import type { Access } from "effect-toolguard/internal/domain/tool/Access"

/** Matches the names of tools that read, compute or reply, and change nothing. */
const reads =
  /^(?:get|list|search|find|read|fetch|check|show|view|describe|count|look_?up|query|retrieve|can|is|has|calculate|think|finish|respond|final_answer)(?=[_\-A-Z]|$)/

/** Returns `read` if the name starts with a verb that only reads, otherwise `write`. */
export const accessOf = (name: string): Access =>
  reads.test(`${name.slice(0, 1).toLowerCase()}${name.slice(1)}`) ? "read" : "write"
