/**
 * Recognises sentences that say that the action of a tool was not done: `Nothing was changed`, `The order was not
 * cancelled because …` of `cancel_order`, `No refund was issued` of `refund_order`, `Payment failed` of `pay_invoice`.
 *
 * **Details**
 *
 * - The action is the verb in the tool's name, or the noun from it. Denials of other actions are circumstances: `The
 *   payment was not refunded` of `cancel_order`. The same applies to denials about what accompanies the action: `No
 *   reminder was sent` of `send_invoice`.
 * - Conditions, possibilities, repetitions and the words of other people deny nothing: `may fail if …`, `cannot be
 *   deleted again`, `the customer says …`.
 */
import { actionOf, isNameOf, type ToolAction, verbOfParticiple } from "#domain/text/ToolAction"
import { stemOf } from "#domain/text/ToolName"
import { clausesOf } from "#domain/answers/Denial"

const set = (words: string): ReadonlySet<string> => new Set(words.trim().split(/\s+/))

/**
 * Matches clauses about possibilities, conditions, questions and the past, and clauses in the words of other people.
 */
const hypothetical =
  /\b(?:may|might|would|should|if|unless|in case|whether|why|how|when|whenever|until|once|previous(?:ly)?|earlier|ask(?:s|ed)?|sa(?:y|ys|id)|claim(?:s|ed)?|wrote|reports? that|could (?!not\b|n[o'’]t\b))\b/iu

/** True if a clause is about a possibility, a condition or a question. */
export const isHypothetical = (clause: string): boolean => hypothetical.test(clause)

/** Matches words after which a denial concerns a later or another action. */
const repetition = /\b(?:again|later|after|afterwards|twice|else|once|from now)\b/iu

/** Verbs for the completion of any action. */
const completion = set(
  "complet process execut perform do don mak mad appl apply sav chang modify carry tak successful possibl accept issu commit updat"
)

/** The stems of things that accompany an action and are not its object. A message can be what any tool sends. */
const companions: ReadonlySet<string> = new Set(
  [
    ...set(`
      email mail notification reminder confirmation receipt copy sms webhook attachment alert log summary tracking notice event
      backup
    `)
  ].map(stemOf)
)

/** Words for what any action changes. */
const generic = set(`
  change action modification update edit operation request row record item entry data file it this that they nothing effect
  command task transaction submission
`)

const foreign =
  /\bnichts (?:wurde )?(?:geändert|gelöscht|gespeichert|gesendet|ausgeführt)|\bkeine änderung(?:en)?\b|\bno se (?:realizó|realizaron|hizo|hicieron|modificó|ha modificado|aplicó|aplicaron)\b|\bsin cambios\b|\baucune? (?:modification|changement|action)\b|\brien n['’]a été\b|\bnenhuma (?:alteração|mudança|ação)\b|\bnessuna (?:modifica|azione)\b|未(?:做|作|进行|執行|执行)?(?:任何)?(?:更改|修改|变更|改动|取消|删除|退款|发送|处理|生效)|没有(?:任何|进行|做)*(?:更改|修改|变更|改动)|変更(?:は|され)?(?:ありません|ませんでした|ていません)|변경되지|ничего не (?:изменено|сделано|удалено)/iu

const nothing =
  /\b(?:nothing|none)\b(?: (?:was|were|has|have|had|could|can|is|will|be|been|got|actually|ever)){0,4} (?:not )?([a-z]+)\b/iu
const without = /\b(?:had|has|took|with|without) (?:no |any )?effect\b|\bno[- ]op\b/iu
const noThing =
  /(?<![\d.,])\b(?:no|none of the|zero|0) ((?:[a-z-]+ ){1,3}?)(?:(?:was|were|has been|have been|had been|could be|is|are|got|will be) )?([a-z]+)\b/giu
const negated =
  /\b(?:was|were|is|are|am|has|have|had|could|can|did|does|do|will|got)(?: ?n[o'’]t|['’]t)\b|\b(?:is|was|were|are) unable\b|\bunable\b|\bfailed to\b|\bnever\b|(?<=^|[a-z] )not\b/iu
const failedNoun =
  /\b(failed|rejected|declined|denied|refused|unsuccessful|aborted|impossible|failure|blocked|skipped|ignored|cancell?ed|stopped|prevented|halted)\b/iu

const lowered = (text: string): ReadonlyArray<string> => text.toLowerCase().match(/[a-z]+/g) ?? []

/** True unless a subject names something that only accompanies the action. */
const isSubject = (words: ReadonlyArray<string>, action: ToolAction): boolean =>
  !words.some((word) => companions.has(stemOf(word)) && !action.names.has(stemOf(word)))

/** True if a thing is the object of the tool, or any change. */
const isObject = (words: ReadonlyArray<string>, action: ToolAction): boolean =>
  words.some(
    (word) => generic.has(stemOf(word)) || generic.has(word) || action.names.has(stemOf(word)) || isNameOf(action, word)
  )

const isOwnVerb = (word: string, { verbs }: ToolAction): boolean => verbs.has(verbOfParticiple(word) ?? stemOf(word))

const isCompletion = (word: string): boolean => completion.has(stemOf(word))

/**
 * True if a clause says that nothing was done, or that the tool's action was not done. If `isStrict`, a verb in the
 * active voice counts only with the object of the tool.
 */
const deniesIn = (clause: string, action: ToolAction, isStrict: boolean): boolean => {
  const all = nothing.exec(clause)
  const isSupposed = (at: number): boolean => isHypothetical(clause.slice(0, at))
  if (all !== null && isSupposed(all.index)) return false
  const verb = all?.[1]?.toLowerCase()
  if (verb !== undefined && (verb === "done" || verbOfParticiple(verb) !== undefined)) return true
  if (without.test(clause)) return true
  for (const found of clause.matchAll(noThing)) {
    const [, things = "", verb = ""] = found
    if (isSupposed(found.index)) continue
    const words = lowered(things)
    if (
      isSubject(words, action) &&
      isOwnVerb(verb.toLowerCase(), action) &&
      verbOfParticiple(verb.toLowerCase()) !== undefined
    )
      return true
    if (isObject(words, action) && isCompletion(verb.toLowerCase())) return true
  }
  return deniesVerb(clause, action, isStrict) || failsNoun(clause, action)
}

/** Matches participles about what was not asked for, and about what follows the action. */
const optional =
  /^(?:required|needed|requested|expected|included|recommended|limited|undone|reversed|reverted|revoked|restored|recovered|repeated|withdrawn|changed|modified|informed|notified)$/

/** The number of words after a negation that are searched for its verb. */
const reach = 5

/** Words that cannot begin the object of a verb. */
const noObject = /^(?:to|for|because|due|since|as|in|on|at|from|with|by|and|or|successfully)$/

/** True if the words after a verb in the active voice name the object of the tool, any change, or none. */
const isOnObject = (words: ReadonlyArray<string>, action: ToolAction): boolean => {
  const object = words.find((word) => !/^(?:the|an?|this|that|your|its|all|any)$/.test(word))
  return object === undefined || noObject.test(object) || action.objects.size === 0 || isObject([object], action)
}

const deniesVerb = (clause: string, action: ToolAction, isStrict: boolean): boolean => {
  const found = negated.exec(clause)
  if (found === null || isHypothetical(clause.slice(0, found.index))) return false
  const subject = lowered(clause.slice(0, found.index)).slice(-6)
  const after = lowered(clause.slice(found.index + found[0].length)).slice(0, reach)
  if (!isSubject(subject, action)) return false
  const at = after.findIndex((word) => isOwnVerb(word, action))
  if (at >= 0)
    return !isStrict || verbOfParticiple(after[at] ?? "") !== undefined || isOnObject(after.slice(at + 1), action)
  const participle = after.find((word) => verbOfParticiple(word) !== undefined)
  const isOfAction = subject.some((word) => isNameOf(action, word))
  if (isOfAction && participle !== undefined && !optional.test(participle)) return true
  return after.some(isCompletion) && (subject.length === 0 || isObject(subject, action))
}

const failsNoun = (clause: string, action: ToolAction): boolean => {
  const found = failedNoun.exec(clause)
  if (
    found === null ||
    isHypothetical(clause.slice(0, found.index)) ||
    /\bfailed to\b/iu.test(clause) ||
    isOwnVerb((found[1] ?? "").toLowerCase(), action)
  )
    return false
  const subject = lowered(clause.slice(0, found.index))
  return (
    subject.length <= 5 && subject.some((word) => isNameOf(action, word) || /^(?:action|operation|request)$/.test(word))
  )
}

/** Matches a clause about what can be done from now on, which an action that was done may restrict. */
const fromNowOn = /\b(?:can ?not|can['’]t|(?:is|are) not possible|impossible)\b/iu

/** The answer that contains a message. */
interface MessageContext {
  /**
   * True if the answer says elsewhere that the action was done, so that only a statement about the past contradicts
   * it.
   */
  readonly isDone: boolean
  /** True if the answer is an entity, which may contain the words of a person about anything. */
  readonly isEntity: boolean
}

/** True if a message says that the action of a tool was not done. */
export const deniesAction = (message: string, tool: string, { isDone, isEntity }: MessageContext): boolean => {
  const action = actionOf(tool)
  return (
    foreign.test(message.slice(0, maxLength)) ||
    clausesOf(message).some(
      (clause) => !repetition.test(clause) && !(isDone && fromNowOn.test(clause)) && deniesIn(clause, action, isEntity)
    )
  )
}

const maxLength = 2_000

/** The largest number of words before a colon that can say how the action ended. */
const maxWords = 6

/**
 * Returns a message that begins with the failure of the tool's action and then explains it: `Refund failed: card may be
 * expired`; `undefined` for any other message.
 */
export const failedHeadIn = (message: string, tool: string): string | undefined => {
  const line = message.trim()
  const at = line.search(/[:\uFF1A]\s/u)
  if (at === -1 || at > 60 || line.length > maxLength) return undefined
  const head = line.slice(0, at)
  const words = lowered(head)
  if (words.length > maxWords || isHypothetical(head)) return undefined
  const action = actionOf(tool)
  const isFailure =
    (/\b(?:failed|failure|unsuccessful|rejected|declined|denied|refused|aborted|impossible)$/iu.test(head.trim()) &&
      (failsNoun(head, action) || (words.length === 1 && !isOwnVerb(words[0] ?? "", action)))) ||
    (negated.test(head) && deniesIn(head, action, false))
  return isFailure ? line : undefined
}
