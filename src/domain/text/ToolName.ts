/**
 * Reads the words of a tool's name: the verbs, the states that they bring about, and the things that the tool reads.
 */
import { keepNames } from "./Memo.ts"

const longestTool = 128

/** Returns the words of a text. A compound such as `no-show` is one word, and not a negation. */
export const wordsOf = (text: string): ReadonlyArray<string> => text.toLowerCase().match(/\bno-[a-z]+|[a-z]+/g) ?? []

/** Returns the words of a tool's name: `lockAccount` and `lock_account` have two words. */
export const namesIn = keepNames((tool): ReadonlyArray<string> =>
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

/** True if a word has the form of a participle. */
export const isParticiple = (word: string): boolean => irregular.has(word) || /[a-z]{2}ed$/.test(word)

/** Returns the stem of a verb: `lock` of `locked` and `locks`, `deny` of `denied`, `cancel` of `cancelled`. */
export const stemOf = (word: string): string =>
  irregular.get(word) ??
  word
    .replace(/ie[ds]$/, "y")
    .replace(/(?:ed|ing|e|(?<!s)s)$/, "")
    .replace(/([bdglmnprt])\1$/, "$1")

/** Returns the stems of the words in a tool's name that may be verbs: the first word, and all that are not participles. */
export const verbsOf = keepNames((tool): ReadonlyArray<string> =>
  namesIn(tool)
    .filter((name, index) => index === 0 || !isParticiple(name))
    .map(stemOf)
)

/** Returns the stems of `verbsOf`, and of the verbs that bring about the same state. */
export const meantBy = keepNames((tool): ReadonlySet<string> => new Set(verbsOf(tool).flatMap(synonymsOf)))

/** True if a tool's name states that it deletes something. */
export const deletes = (tool: string): boolean => meantBy(tool).has("delet")

/** Verbs that give a thing the state that the name of the tool contains: `mark_invalid`, `set_failed`. */
const marking: ReadonlySet<string> = new Set(["mark", "set", "flag", "tag", "label", "mov", "transition"])

/** Returns the states that a tool gives to a thing: `invalid` for `mark_invalid`. */
export const statesOf = keepNames((tool): ReadonlySet<string> => {
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
