/**
 * Recognizes what a description in English or Chinese states about the access of its tool: `Read-only`, `Deletes …`,
 * `This tool modifies …`, `只读`, `会修改…`.
 *
 * **Details**
 *
 * - A statement with a condition (`Read-only unless apply is set`) or about a part (`Does not modify the original file`)
 *   does not say that the tool only reads.
 * - A certain statement can only mean what it says. A description that begins with `Creates` or `Adds` is a likely
 *   statement, because with some names the verb means a computation.
 */
import type { Access } from "effect-toolguard/internal/domain/tool/Access"
import * as Chinese from "./Chinese.ts"
import { stemsOf } from "./EnglishWords.ts"
import { isActing, isChanging, isDestroying, isWritingInDescriptions } from "./WritingVerbs.ts"

/** What a description states. */
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

/** Everything that a tool could change, at the end of a clause. A part of it, such as `the original file`, is no match. */
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

const inEnglish = (sentence: string, isFirst: boolean): StatedAccess | undefined => {
  if (statesReading(sentence)) return { access: "read", isCertain: true }
  if (isLasting.test(sentence)) return { access: "destructive", isCertain: true }
  if (writes.test(sentence)) return { access: "write", isCertain: true }
  return ofVerb(sentence, isFirst)
}

const rank: Readonly<Record<Access, number>> = { read: 0, write: 1, destructive: 2 }

/**
 * Returns the access that a description states; `undefined` if it states none. A certain statement outweighs a likely
 * one, and of equally certain statements the gravest counts.
 */
export const of = (description: string): StatedAccess | undefined => {
  const text = description.slice(0, 10_000)
  const sentences = text.split(sentenceEnd).flatMap((sentence) => sentence.trim() || [])
  const found = sentences.flatMap((sentence, index) => {
    const stated = Chinese.isChinese(sentence) ? undefined : inEnglish(sentence, index === 0)
    return stated ?? []
  })
  const chinese = Chinese.statedAccess(text)
  const all = chinese === undefined ? found : [...found, chinese]
  return all.reduce<StatedAccess | undefined>(
    (most, one) =>
      most === undefined ||
      (one.isCertain && !most.isCertain) ||
      (one.isCertain === most.isCertain && rank[one.access] > rank[most.access])
        ? one
        : most,
    undefined
  )
}
