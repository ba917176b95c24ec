/**
 * Reads the name of a tool: its verb, the participles that report that the tool did its work, and the things that it
 * names.
 */
import { keepLast } from "./Memo.ts"

const longestTool = 128

/** Returns the words of a text. A compound such as `no-show` is one word, and not a negation. */
export const wordsOf = (text: string): ReadonlyArray<string> => text.toLowerCase().match(/\bno-[a-z]+|[a-z]+/g) ?? []

/** Returns the words of a tool's name: `lockAccount` and `lock_account` have two. */
export const namesIn = keepLast((tool): ReadonlyArray<string> =>
  wordsOf(tool.slice(0, longestTool).replaceAll(/([a-z0-9])([A-Z])/g, "$1_$2"))
)

/** Verbs that bring about the same state, by their stems. */
const synonyms: ReadonlyArray<ReadonlyArray<string>> = [
  ["lock", "freez", "block", "ban", "suspend", "disabl", "deactivat", "restrict", "hold", "quarantin", "clos", "stop"],
  ["deny", "reject", "declin", "refus", "disapprov", "veto"],
  ["cancel", "abort", "terminat", "stop", "void", "kil", "end", "clos"],
  ["expir", "revok", "invalidat", "terminat"],
  ["delet", "remov", "purg", "drop", "trash", "destroy", "eras"],
  ["duplicat", "clon", "copy"]
]

const synonymsOf = (stem: string): ReadonlyArray<string> => [
  stem,
  ...synonyms.filter((stems) => stems.includes(stem)).flat()
]

const irregular: ReadonlyMap<string, string> = new Map(
  Object.entries({
    frozen: "freez",
    sent: "send",
    paid: "pay",
    held: "hold",
    withdrawn: "withdraw",
    written: "writ",
    made: "mak",
    built: "build",
    taken: "tak",
    given: "giv",
    sold: "sel",
    bought: "buy",
    set: "set",
    put: "put"
  })
)

/** True if a word is the participle of a verb. */
export const isParticiple = (word: string): boolean => irregular.has(word) || /[a-z]{2}ed$/.test(word)

/** Returns the stem of a verb: `lock` of `locked` and `locks`, `deny` of `denied`, `cancel` of `cancelled`. */
export const stemOf = (word: string): string =>
  irregular.get(word) ??
  word
    .replace(/ie[ds]$/, "y")
    .replace(/(?:ed|ing|e|(?<!s)s)$/, "")
    .replace(/([bdglmnprt])\1$/, "$1")

/** Returns the stems of the verbs in a tool's name. The first word is always a verb. */
export const verbsOf = keepLast((tool): ReadonlyArray<string> =>
  namesIn(tool)
    .filter((name, index) => index === 0 || !isParticiple(name))
    .map(stemOf)
)

/** Returns the stems of the verbs in a tool's name, and of the verbs that bring about the same state. */
export const meantBy = keepLast((tool): ReadonlySet<string> => new Set(verbsOf(tool).flatMap(synonymsOf)))

/** True if a tool deletes something. */
export const deletes = (tool: string): boolean => meantBy(tool).has("delet")

/** Verbs that give a thing the state that the name of the tool contains: `mark_invalid`, `set_failed`. */
const marking: ReadonlySet<string> = new Set(["mark", "set", "flag", "tag", "label", "mov", "transition"])

/** Returns the states that a tool gives to a thing: `invalid` for `mark_invalid`. */
export const statesOf = keepLast((tool): ReadonlySet<string> => {
  const [verb, ...others] = namesIn(tool)
  return new Set(verb !== undefined && marking.has(stemOf(verb)) ? others : [])
})

/** Verbs of tools that read. */
const reading: ReadonlySet<string> = new Set(
  "get read fetch list show find search lookup look explain describ view query retriev load check inspect count tail translat decod pars"
    .split(" ")
    .map(stemOf)
)

/** Returns the stems of the things that a tool reads: `error` for `get_last_error`. Empty if the tool does not read. */
export const thingsReadBy = (tool: string): ReadonlySet<string> => {
  const [verb, ...others] = namesIn(tool)
  return new Set(verb !== undefined && reading.has(stemOf(verb)) ? others.map(stemOf) : [])
}
