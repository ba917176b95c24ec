/**
 * Recognises statements of a description in English or Chinese about the access of its tool: `Read-only`, `Deletes …`,
 * `This tool modifies …`, `只读`, `会修改…`.
 *
 * **Details**
 *
 * - A statement with a condition (`Read-only unless apply is set`) or about a part (`Does not modify the original file`)
 *   does not say that the tool only reads.
 * - A contrast outweighs the statement before it: `Nothing is deleted, but the record is moved` says that the tool writes.
 * - A certain statement has only one meaning. A description that begins with `Creates` or `Adds` is a likely statement,
 *   because with some names the verb means a computation.
 */
import type { Access } from "effect-toolguard/internal/domain/tool/Access"
import * as Chinese from "./Chinese.ts"
import { stemsOf } from "./EnglishWords.ts"
import { isActing, isChanging, isDestroying, isWritingInDescriptions } from "./WritingVerbs.ts"

/** The access that a description states. */
interface StatedAccess {
  readonly access: Access
  /** False if the words may also mean a computation. */
  readonly isCertain: boolean
}

const sentenceEnd = /[!?;:\n"“”()]+|\.(?=\s|$)|\s[-–—]+\s/u

const subject = String.raw`(?:(?:this|the) (?:tool|function|endpoint|call|operation|action|command|method|api|request)|it|this)`

const readOnly = new RegExp(
  String.raw`^(?:${subject} (?:is |does |performs )?)?(?:a |an )?(?:strictly |purely |completely |entirely )?(?:read[- ]?only|readonly)(?: (?:tool|function|endpoint|operation|access|call|method|query|action|request)s?(?: (?:that|which|to|for) .*)?)?$`,
  "iu"
)

/**
 * Everything that a tool could change, at the end of a clause. A part of it, such as `the original file`, does not
 * match.
 */
const everything = String.raw`(?:anything|any (?:data|state|records?|files?|resources?|settings?|content|information|rows?|thing)|(?:the )?(?:data|state|system|database|environment|world))(?=\s*(?:$|,|\band\b|\bor\b|\bin the (?:database|account|system|store|repository)\b))`
const end = String.raw`(?=\s*(?:$|,|\band\b|\bor\b))`
const nothing = String.raw`(?:nothing|no (?:data|state|records?|files?|rows?))(?=\s*(?:$|,|\band\b))`
const change = String.raw`(?:chang|modif|alter|writ|mutat|delet|updat|creat|affect)\w*`

const changesNothing = new RegExp(
  [
    String.raw`\b(?:does not|doesn['’]t|do not|never|will not|won['’]t|cannot|can['’]t|without(?: ever)?) (?:${change}(?:,? (?:or|and|nor) |, ))*${change} ${everything}`,
    String.raw`\b${change} ${nothing}`,
    String.raw`\b(?:no|without(?: any)?) side[- ]effects?\b`,
    String.raw`\b(?:nothing|no (?:data|state|records?|files?|rows?)) (?:is|are|will be|gets?) (?:ever )?(?:changed|modified|written|altered|deleted|removed|updated)${end}`,
    String.raw`\b(?:(?:makes|making|performs|makes absolutely) no|does not make any|without making any|never makes any) (?:changes|modifications|writes)${end}`
  ].join("|"),
  "iu"
)

const condition =
  /\b(?:if|when|whenever|unless|except|until|after|before|by default|dry[-_ ]?run|depending|otherwise|with)\b/iu

/** True if a sentence states, without a condition, that the tool changes nothing. */
const statesReading = (sentence: string): boolean =>
  (changesNothing.test(sentence) || sentence.split(/,|\band\b/u).some((part) => readOnly.test(part.trim()))) &&
  !condition.test(sentence.replace(changesNothing, ""))

const isLasting =
  /\b(?:irreversibl[ey]|cannot be (?:undone|reversed)|can['’]t be undone)\b|(?<!\bnon[- ]?)(?<!\b(?:not|never) )\bdestructive\b/iu

const writes = new RegExp(
  [
    String.raw`^(?:${subject} )?(?:(?:also|then) )?writes?(?:$| (?:to|into|data|the (?:file|data|results?))\b)`,
    String.raw`^(?:${subject} is |is )?(?:a )?(?:write|mutating) (?:operation|action|call|tool|access)$`,
    String.raw`\bnot read[- ]?only\b`,
    String.raw`\b(?:has|with|causes) side[- ]effects?\b`
  ].join("|"),
  "iu"
)

const adverb = String.raw`(?:(?:will|can|may|also|then|permanently|irreversibly|irrevocably|immediately|directly) )*`
const ofSubject = new RegExp(String.raw`^${subject} ${adverb}(\p{L}+)(?: ([\p{L}'-]+))?(?: ([\p{L}'-]+))?`, "iu")
const leading = new RegExp(String.raw`^${adverb}(\p{L}+)(?: ([\p{L}'-]+))?(?: ([\p{L}'-]+))?`, "iu")

/** Matches nouns: `changes in an order`, `updates to the plan`. */
const nouns = /^(?:\w+ly )?(?:changes|updates) (?:in|to|since|from)\b/iu

/** Matches words after a verb's form that make it a noun, as in `updates on …`, or that deny a change. */
const noChange = /^(?:of|on|by|since|about|between|is|are|was|and|or|nothing|no|requests?|queries|query)$/iu

const article = /^(?:a|an|the|one)$/iu

/** Matches things that are created as an answer, and not kept: `Creates a bar chart from the values`. */
const answer =
  /^.{0,40}?\bcreates? (?:(?:an?|the|one) )?(?:[\p{L}\d-]+ ){0,3}(?:charts?|graphs?|plots?|diagrams?|summar(?:y|ies)|previews?|estimates?|forecasts?|comparisons?|hash(?:es)?|checksums?)\b/iu

/** Returns the access that the verb of a sentence states. The first sentence may be an imperative: `Delete a row`. */
const ofVerb = (sentence: string, isFirst: boolean): StatedAccess | undefined => {
  const own = ofSubject.exec(sentence)
  const [, verb = "", second = "", third = ""] = own ?? leading.exec(sentence) ?? []
  const object = article.test(second) ? third : second
  const isForm = own !== null || isFirst || /s$/iu.test(verb)
  const stem = isForm ? stemsOf(verb.toLowerCase()).find(isWritingInDescriptions) : undefined
  if (
    stem === undefined ||
    noChange.test(object) ||
    nouns.test(sentence) ||
    (stem === "create" && answer.test(sentence))
  )
    return undefined
  // in later sentences, a verb without a subject states the access only if it can mean nothing else
  if (own === null && !isFirst && !isChanging(stem)) return undefined
  return { access: isDestroying(stem) ? "destructive" : "write", isCertain: isActing(stem) }
}

/**
 * Matches one or two verbs in the passive voice: `the record is moved`. A negated or possible change does not match.
 */
const passive =
  /^(?!.*\b(?:no|none|nothing|never|not|would|could|should|must|what|whether)\b).*?\b(?:is|are|be|been|being|gets?)(?: (?:\w+ly|then|also|just|only|first|still))* (\p{L}+)(?:.*?\band (\p{L}+))?/iu

const irregular: Readonly<Record<string, string>> = {
  sent: "send",
  written: "write",
  overwritten: "overwrite",
  paid: "pay"
}

/** Returns the access that the passive voice of a clause states. */
const ofPassive = (clause: string): StatedAccess | undefined =>
  mostSevere(
    (passive.exec(clause) ?? []).slice(1).flatMap((participle: string | undefined) => {
      const word = participle?.toLowerCase() ?? ""
      const stem = stemsOf(irregular[word] ?? word).find(
        (each) =>
          (each !== word && (isWritingInDescriptions(each) || each === "write")) || each === "set" || each === "put"
      )
      return stem === undefined
        ? []
        : [{ access: isDestroying(stem) ? "destructive" : "write", isCertain: isActing(stem) }]
    })
  )

/** Words at the start of a clause that restricts the previous clause, or follows it in time. */
const contrast =
  /[,\s]*\b(?:but|however|instead(?! of)|though|although|whereas|while|yet|rather|nevertheless|only then|then)\b[,\s]*/iu

/**
 * Matches a sentence that restricts the previous sentence: `However, the record is moved`, `The record is moved,
 * however`.
 */
const contrasting =
  /^(?:but|yet|then|only then|rather|instead|however|nevertheless)\b|\b(?:however|instead|nevertheless|though)$/iu

/** Words of clauses that restrict a statement of reading and state no change: `but it may be slow`. */
const harmless =
  /\b(?:no|not|never|nothing|only|slow|stale|costly|expensive|cached|may|can|might|could|must|should|requires?|needs?|takes|returns?|shows?|lists?|reads?|reports?|gives?|prints?|use|call|see)\b/iu

/** Returns the access that a clause after a contrast states; `undefined` if it states none. */
const ofContrast = (clause: string): StatedAccess | undefined => {
  const parts = clause.split(/,|\band\b/u).map((part) => part.trim())
  if (parts.some((part) => writes.test(part))) return { access: "write", isCertain: true }
  return mostSevere([...parts.map(ofForm), ofPassive(clause)].flatMap((stated) => stated ?? []))
}

/** Returns the access that the verb of a clause states, unless it is an imperative, which may be about another tool. */
const ofForm = (clause: string): StatedAccess | undefined => {
  const [, verb = ""] = ofSubject.exec(clause) ?? leading.exec(clause) ?? []
  return ofSubject.test(clause) || /s$/iu.test(verb) ? ofVerb(clause, true) : undefined
}

const ofClause = (clause: string, isFirst: boolean): StatedAccess | undefined => {
  if (isLasting.test(clause)) return { access: "destructive", isCertain: true }
  if (writes.test(clause)) return { access: "write", isCertain: true }
  return ofVerb(clause, isFirst)
}

/** Returns the access that a sentence states, with the following sentences that restrict it. */
const inEnglish = (
  [sentence = "", ...restrictions]: ReadonlyArray<string>,
  isFirst: boolean
): StatedAccess | undefined => {
  const [main = "", ...others] = sentence.split(contrast)
  const contrasts = [...others, ...restrictions.map((each) => each.replaceAll(new RegExp(contrast, "giu"), " ").trim())]
  const changes = mostSevere(contrasts.flatMap((clause) => ofContrast(clause) ?? []))
  const isRestricted =
    changes !== undefined || others.some((clause) => !statesReading(clause) && !harmless.test(clause))
  if (statesReading(sentence)) return isRestricted && !statesReading(others.at(-1) ?? "") ? changes : reads
  return mostSevere([ofClause(main, isFirst), changes].flatMap((stated) => stated ?? []))
}

const reads: StatedAccess = { access: "read", isCertain: true }

const rank: Readonly<Record<Access, number>> = { read: 0, write: 1, destructive: 2 }

/** Returns the certain statement of the most severe access, otherwise the likely statement of the most severe access. */
const mostSevere = (statements: ReadonlyArray<StatedAccess>): StatedAccess | undefined =>
  statements.reduce<StatedAccess | undefined>(
    (most, one) =>
      most === undefined ||
      (one.isCertain && !most.isCertain) ||
      (one.isCertain === most.isCertain && rank[one.access] > rank[most.access])
        ? one
        : most,
    undefined
  )

/** Groups each sentence with the following sentences that restrict it. */
const grouped = (sentences: ReadonlyArray<string>): ReadonlyArray<ReadonlyArray<string>> => {
  const groups: Array<Array<string>> = []
  for (const sentence of sentences) {
    const last = groups.at(-1)
    if (last !== undefined && contrasting.test(sentence)) last.push(sentence)
    else groups.push([sentence])
  }
  return groups
}

/**
 * Returns the access that a description states; `undefined` if it states none. A certain statement outweighs a likely
 * one, and among equally certain statements the most severe counts.
 */
export const of = (description: string): StatedAccess | undefined => {
  const text = description.slice(0, 10_000)
  const sentences = text.split(sentenceEnd).flatMap((sentence) => sentence.trim() || [])
  const isFirstEnglish = !Chinese.isChinese(sentences[0] ?? "")
  const groups = grouped(sentences.filter((sentence) => !Chinese.isChinese(sentence)))
  const found = groups.map((group, index) => inEnglish(group, index === 0 && isFirstEnglish))
  return mostSevere([...found, Chinese.statedAccess(text)].flatMap((stated) => stated ?? []))
}
