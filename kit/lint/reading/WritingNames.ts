/** Judges by a tool's name and access whether the tool writes, writes many things at once, or destroys something. */
import { stemsOf } from "./EnglishWords.ts"
import type { Subject } from "./Subject.ts"
import { accessOf, isVerb } from "./Verbs.ts"

const set = (words: string): ReadonlySet<string> => new Set(words.split(" "))

const destroying = set("delete remove drop purge truncate destroy wipe erase nuke")

const bulk = set("bulk batch mass")

/** Words that make a write of several things one of many: `delete_all_rows`. */
const many = set("all many multiple")

/** Verbs that write whatever follows them, even if the description does not say so. */
const writing = set(
  "create update delete bulk batch set add insert remove modify edit patch put replace upsert write send submit publish cancel drop purge truncate destroy wipe erase import rename move assign"
)

/** True if a verb destroys what it is applied to. */
export const isDestroying = (verb: string): boolean => destroying.has(verb)

/** True if a name contains a word such as `bulk` or `batch`. */
export const isBulk = (words: ReadonlyArray<string>): boolean => words.some((word) => bulk.has(word))

/** Returns the verb of a name after `bulk` or its like: `get` in `bulk_get_orders`. */
const actionOf = ({ firstWord, words }: Subject): string => {
  const next = words[words.indexOf(firstWord) + 1] ?? ""
  return bulk.has(firstWord) && isVerb(next) ? next : firstWord
}

/**
 * True if a tool writes. Without a known access, the verb of its name decides; `add(a, b)`, which takes only numbers,
 * computes a sum.
 */
export const isWriting = (subject: Subject): boolean => {
  const { access, fields } = subject
  if (access !== undefined) return access !== "read"
  const action = actionOf(subject)
  if (!stemsOf(action).some((stem) => writing.has(stem))) return false
  const parameters = fields.filter(({ level, role }) => level === 1 && role === "property")
  return !(
    action === "add" &&
    parameters.length > 0 &&
    parameters.every(({ shapes }) => shapes.every(({ type }) => type === "number" || type === "integer"))
  )
}

/** True if a tool writes many things at once: `bulk_import`, `update_users_batch`, `delete_all_rows`. */
export const isBulkWrite = (subject: Subject): boolean =>
  isWriting(subject) &&
  (isBulk(subject.words) ||
    (accessOf(actionOf(subject)) !== "read" && subject.words.slice(1).some((word) => many.has(word))))

/** True if a tool is destructive by its access, or by the verb of its name. */
export const isDestructive = (subject: Subject): boolean =>
  subject.access === "destructive" || (isWriting(subject) && isDestroying(actionOf(subject)))
