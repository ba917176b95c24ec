/** Lists the verbs that say that a tool writes, in names and in descriptions. */

const set = (words: string): ReadonlySet<string> => new Set(words.trim().split(/\s+/u))

const destroying = set("delete remove drop purge truncate destroy wipe erase nuke")

/** Verbs in names that mean a write, whatever follows them, even if the description does not say so. */
const inNames = set(`
  create update delete bulk batch set add insert remove modify edit patch put replace upsert write send submit publish
  cancel drop purge truncate destroy wipe erase import rename move assign`)

/** Verbs that, in a description, can only mean a change of something that exists. */
const changing = set("delete modify overwrite mutate erase purge wipe truncate destroy alter")

/** Verbs that, at the start of a description, mean an action that others notice. */
const acting = set(`
  refund pay book reserve send submit publish cancel deploy upload approve reject invite grant revoke transfer register
  unregister schedule archive unarchive charge terminate`)

/** Verbs that, at the start of a description, mean a change, and with some names a computation: `Adds two numbers`. */
const describing = set(`
  create update add insert remove edit patch put replace upsert drop import rename move assign save enable disable close
  reopen set post store append restart change`)

/** True if a verb means that its object is destroyed. */
export const isDestroying = (verb: string): boolean => destroying.has(verb)

/** True if a verb in a name says that the tool writes. */
export const isWritingInNames = (verb: string): boolean => inNames.has(verb)

/** True if a verb in a description can only mean a change. */
export const isChanging = (verb: string): boolean => changing.has(verb)

/** True if a verb at the start of a description can only mean a change. */
export const isActing = (verb: string): boolean => changing.has(verb) || acting.has(verb)

/** True if a verb at the start of a description means a change for most tools. */
export const isWritingInDescriptions = (verb: string): boolean => isActing(verb) || describing.has(verb)
