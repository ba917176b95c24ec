/**
 * Decides whether a tool writes, writes many things at once, or destroys something: by its declared access, otherwise by
 * its description, otherwise by the verb of its name.
 */
import { stemsOf } from "./EnglishWords.ts"
import * as StatedAccess from "./StatedAccess.ts"
import type { Subject } from "./Subject.ts"
import { accessOf, isComputing, isVerb } from "./Verbs.ts"
import { isDestroying, isWritingInNames } from "./WritingVerbs.ts"
import type { Access } from "effect-toolguard/internal/domain/tool/Access"

const set = (words: string): ReadonlySet<string> => new Set(words.split(" "))

const bulk = set("bulk batch mass")

/** Words after the verb of a tool that writes many things at once: `delete_all_rows`. */
const many = set("all many multiple")

/** True if a name contains a word such as `bulk` or `batch`. */
export const isBulk = (words: ReadonlyArray<string>): boolean => words.some((word) => bulk.has(word))

/** Returns the verb of a name after `bulk` or a similar word: `get` in `bulk_get_orders`. */
const actionOf = ({ firstWord, words }: Subject): string => {
  const next = words[words.indexOf(firstWord) + 1] ?? ""
  return bulk.has(firstWord) && isVerb(next) ? next : firstWord
}

/** True if all parameters are numbers: `add(a, b)` computes a sum. */
const takesOnlyNumbers = ({ fields }: Subject): boolean => {
  const parameters = fields.filter(({ level, role }) => level === 1 && role === "property")
  return (
    parameters.length > 0 &&
    parameters.every(({ shapes }) => shapes.every(({ type }) => type === "number" || type === "integer"))
  )
}

/**
 * Returns the access that a list declares, otherwise the access that the description states. A likely statement does not
 * count if the name says that the tool computes: `generate_report`, which creates a report.
 */
const declaredOrStated = (subject: Subject): Access | undefined => {
  const { access, description } = subject.tool
  if (access !== undefined) return access
  const stated = StatedAccess.of(description)
  if (stated === undefined || stated.isCertain) return stated?.access
  const action = actionOf(subject)
  if (isComputing(action) || takesOnlyNumbers(subject)) return undefined
  // `unprotect_document`, which removes the protection, destroys nothing
  return accessOf(action) === "write" ? "write" : stated.access
}

/** True if a tool writes. */
export const isWriting = (subject: Subject): boolean => {
  const access = declaredOrStated(subject)
  if (access !== undefined) return access !== "read"
  const action = actionOf(subject)
  if (action === "add" && takesOnlyNumbers(subject)) return false
  return subject.access === undefined ? stemsOf(action).some(isWritingInNames) : subject.access !== "read"
}

/** True if a tool writes many things at once: `bulk_import`, `update_users_batch`, `delete_all_rows`. */
export const isBulkWrite = (subject: Subject): boolean =>
  isWriting(subject) &&
  (isBulk(subject.words) ||
    (accessOf(actionOf(subject)) !== "read" && subject.words.slice(1).some((word) => many.has(word))))

/** True if a tool writes, and its access, its description or the verb of its name says that it destroys something. */
export const isDestructive = (subject: Subject): boolean =>
  isWriting(subject) &&
  (subject.access === "destructive" || declaredOrStated(subject) === "destructive" || isDestroying(actionOf(subject)))
