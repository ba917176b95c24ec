/**
 * Derives a tool's action from its name: `github_close_issue` closes, `order.refund` refunds, and `issue_refund` refunds
 * too.
 *
 * **Details**
 *
 * - The verb is the first word that is a verb. In a name without one of the verbs below, each word may be the verb.
 * - After a verb that says only that something is done (`issue`, `process`), the last word names the action.
 */
import { keepNames } from "./Memo.ts"
import { namesIn, stemOf } from "./ToolName.ts"

const stems = (words: string): ReadonlySet<string> => new Set(words.trim().split(/\s+/).map(stemOf))

/** Verbs that are rarely the name of a thing. */
const verbs = stems(`
  accept acknowledge activate add adjust allocate allow append apply approve archive assign attach authorize authorise ban block
  bulk buy cancel capture change checkout clear clone close collect commit complete compute configure confirm connect convert
  copy create credit deactivate debit decline delete deliver deny deploy deposit detach disable disconnect dismiss dispatch
  download edit enable end enqueue enroll erase escalate execute expire export extend fill finalize finish fix flag forward
  freeze fulfill generate give grant hide hold import increase initiate insert install invite issue join kick kill leave
  load lock make mark merge migrate modify move mute notify open overwrite patch pause pay perform persist pin place
  process promote provision publish purchase purge push put quarantine queue reactivate rebuild reboot recharge redeem
  refund register reject release relocate remove rename renew reopen repair replace reply reschedule reserve reset resize
  resolve restart restore resume retry return revert revoke rotate run save scale schedule sell send set settle share ship
  sign start stop store submit subscribe suspend swap switch sync terminate transfer trigger unarchive unassign unban unblock
  uninstall unlink unlock unpublish unsubscribe update upgrade upload upsert void withdraw write
`)

/** Verbs that say only that the action in the rest of the name is done. */
const light = stems("execute issue make perform process")

/** Verbs like these, but only if the last word is itself a verb: `create_refund` refunds, `create_payment` does not pay. */
const lightBeforeVerbs = stems("create submit")

/** Verbs whose participle states what the tool found, and not whether it did its work. */
const examining = stems(
  "verify validate check test inspect evaluate assess authenticate compare match lint scan audit run"
)

/** Verbs that change existing things. The answers of such tools also show states that the tool did not change. */
const changing = stems(`
  add annotate append archive assign attach change comment delete detach edit flag follow label link log mark modify move note
  patch reassign remove rename set subscribe tag track unassign unlink untag update upload
`)

/** Verbs of tools whose answer shows the new thing. */
const creating = stems("create add insert register open save log report generate write append record")

/** Verbs that act on everything that matches, which may be nothing. */
const selecting = stems("delete remove purge erase clear clean prune archive expire update modify")

/** Verbs with the same meaning in answers. */
const same: ReadonlyArray<ReadonlySet<string>> = [
  stems("delete remove erase"),
  stems("update modify change edit patch"),
  stems("save store persist"),
  stems("reject deny decline refuse")
]

/** Things with a title or a text, which may be about a failure. */
const titled = stems(`
  alert announcement bug card case comment draft event incident issue message note notification post problem question reminder
  reply report story subtask task ticket todo
`)

/** Words after which the name says where something is done: `add_note_to_order`. */
const prepositions = /^(?:to|for|of|in|on|from|with|by|at|into|as)$/

/** The action that a tool performs. */
export interface ToolAction {
  /** The stems of its verb and of verbs with the same meaning. */
  readonly verbs: ReadonlySet<string>
  /** The stems of the words in the name. */
  readonly names: ReadonlySet<string>
  /** The stems of the words that name its object, without the place. */
  readonly objects: ReadonlySet<string>
  readonly examines: boolean
  readonly changes: boolean
  readonly creates: boolean
  readonly selects: boolean
  /** True if the object of the tool has a title or a text, which may be about a failure. */
  readonly isOfText: boolean
}

/** Returns the action that a tool's name states. */
export const actionOf = keepNames((tool): ToolAction => {
  const words = namesIn(tool).map(stemOf)
  const at = words.findIndex((word) => verbs.has(word) || (examining.has(word) && word !== "match"))
  const own = at === -1 ? words : [words[at] ?? ""]
  const last = words.at(-1) ?? ""
  const [first = ""] = own
  if (own.length === 1 && (light.has(first) || lightBeforeVerbs.has(first))) own.push(last)
  if (own.length > 1 && light.has(first)) own.push(...verbsOfNoun(last))
  const place = words.findIndex((word, index) => index > at && prepositions.test(word))
  const meant = own.flatMap((verb) => [verb, ...same.filter((group) => group.has(verb)).flatMap((group) => [...group])])
  const has = (group: ReadonlySet<string>): boolean => group.has(first)
  return {
    verbs: new Set(meant),
    names: new Set(words),
    objects: new Set(words.slice(at + 1, place === -1 ? undefined : place)),
    examines: at !== -1 && has(examining),
    changes: has(changing),
    creates: has(creating),
    selects: has(selecting),
    isOfText: words.some((word, index) => index > at && titled.has(word))
  }
})

/** Returns the stems of the verbs from which a noun may be derived: `pay` for `payment`. */
const verbsOfNoun = (noun: string): ReadonlyArray<string> => {
  const verb = stemOf(noun.replace(/(?:ment|ation|ion|al|ing)$/, ""))
  return noun !== verb && verbs.has(verb) ? [verb] : []
}

const irregular: ReadonlyMap<string, string> = new Map(
  Object.entries({
    begun: "begin",
    bound: "bind",
    chosen: "choos",
    hidden: "hid",
    kept: "keep",
    left: "leav",
    lent: "lend",
    overwritten: "overwrit",
    rebuilt: "rebuild",
    repaid: "repay",
    resent: "resend",
    rerun: "rerun",
    reset: "reset",
    run: "run",
    shut: "shut",
    split: "split",
    spent: "spend",
    thrown: "throw",
    undone: "undo",
    unfrozen: "unfreez",
    won: "win"
  })
)

const others = /^(?:frozen|sent|paid|held|withdrawn|written|made|built|taken|given|sold|bought|set|put)$/

/** Returns the stem of the verb of a participle; `undefined` for other words. */
export const verbOfParticiple = (word: string): string | undefined =>
  irregular.get(word) ?? (others.test(word) || /[a-z]{2}ed$/.test(word) ? stemOf(word) : undefined)

/** True if a noun, or a verb's form, names the action: `cancellation`, `cancelling` and `cancel` of `cancel_order`. */
export const isNameOf = ({ verbs: own }: ToolAction, word: string): boolean =>
  [...own].some((verb) => {
    if (verb.length < 3) return false
    if (stemOf(word) === verb) return true
    const root = verb.slice(0, Math.max(3, Math.min(verb.length, 5)))
    return word.startsWith(root) && /(?:ment|tion|sion|al|ing|ance|ence|age|ery|y|ure)$/.test(word)
  })
