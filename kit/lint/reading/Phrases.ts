/**
 * Recognises statements of a description in English or Chinese: whether its tool reads or writes, when to use it, and
 * when not.
 *
 * The loose functions accept any phrase that may be such a statement. The `Explicitly` functions, for the preset
 * `strict`, accept only explicit statements.
 */
import * as Chinese from "./Chinese.ts"
import { halfWidth } from "#kit/text/HalfWidth"
import { isEnglish } from "./EnglishWords.ts"
import { saysAccess as englishAccess } from "./Verbs.ts"

/** The languages that are recognised, for messages. */
export const languages = "English or Chinese"

const sentences = /[.!?:;\n"“”()。「」]+/u

/** True if each sentence of a text is in a language that is recognised. False for a text without letters. */
export const isReadable = (text: string): boolean => {
  const worded = halfWidth(text.slice(0, 10_000))
    .split(sentences)
    .filter((sentence) => /\p{L}/u.test(sentence))
  return worded.length > 0 && worded.every((sentence) => Chinese.isChinese(sentence) || isEnglish(sentence))
}

const statedAccess =
  /\b(?:read[- ]?only|reads?|writes?|no side[- ]effects?|side[- ]effects?|destructive|irreversibl[ey]|permanent(?:ly)?|idempotent|does not (?:change|modify)|modif(?:y|ies)|mutat\w+)\b/iu

const explicitAccess =
  /\b(?:read[- ]?only|reads|writes|no side[- ]effects?|destructive|irreversibl[ey]|(?:does not|do not|never|without) (?:chang|modif|writ|mutat)\w*|changes (?:nothing|no|the|an?|this|only|your)|modifies|mutates|cannot be undone)\b|(?:^|[.!?:;\n"]\s*)(?:read\s|write\s|creates?|updates?|deletes?|adds?|inserts?|removes?|sets?|sends?|submits?|publish(?:es)?|cancels?|edits?|renames?|replaces?|moves?|uploads?|saves?|drops?|purges?|refunds?|books?|pays?|closes?|assigns?|imports?|changes?|overwrites?)\b/iu

/** True if a description says whether its tool reads or writes. A clear verb is enough. */
export const saysAccess = (text: string): boolean =>
  statedAccess.test(text) || englishAccess(text) || Chinese.saysAccess(text)

/** True if a description states that its tool reads or writes. A verb of reading, such as `Gets`, is not enough. */
export const saysAccessExplicitly = (text: string): boolean => explicitAccess.test(text) || Chinese.statesAccess(text)

const when = new RegExp(
  [
    String.raw`\buse (?:this|it|the|when|whenever|for|to|if|after|before|only|in|where|instead|with)\b(?! tool\b\.)`,
    String.raw`\b(?:useful|helpful|ideal|best|perfect|great|good|suitable|suited|recommended|appropriate|intended|meant|designed|required|needed|handy|convenient|essential|powerful) (?:for|when|whenever|to|if|as|in|before|after)\b`,
    String.raw`\b(?:when|whenever|if|once|after|before|in case|while|unless|until) (?:you|the user|users|a user|it|they|someone|needed|asked|requested|necessary|required|possible|calling|using|making|the|an?|this|there|no|your|working|creating|starting)\b`,
    String.raw`\b(?:should|must|can|could|may) (?:be )?(?:used|called|run|invoked|use|call)\b`,
    String.raw`\bcall (?:this|it|before|after|when|if|first)\b`,
    String.raw`\b(?:so that|in order to|allows? (?:you|users|the)|lets you|enables? you|helps? (?:you|to|users|with|identify|understand)?)\b`,
    String.raw`\b(?:in order to|to) (?:show|display|visuali[sz]e|help|identify|understand|determine|demonstrate|illustrate|compare|let|allow)\b`,
    String.raw`\b(?:use cases?|usage|purpose|prerequisites?|examples? of use|scenarios?)\b`,
    String.raw`\bfor (?:example|use|finding|getting|checking|creating|searching|viewing|debugging|testing|working|when|users who|cases)\b`
  ].join("|"),
  "iu"
)

const whenNot =
  /\b(?:(?:do not|don['’]t|never|cannot|can['’]t|not|isn['’]t|won['’]t|doesn['’]t|does not|will not|should not|shouldn['’]t|must not)\b|instead\b|rather than|only (?:if|when|for|works?|available|supports?|use|one|on|within|in|after|once|valid|applies|returns?)|avoid|except|unless|prefer|deprecated|no longer|without|limitations?|before using|use .{1,40} (?:tool|first)\b)/iu

/** Matches phrases that introduce lists and do not say when to use the tool. */
const filler = /\byou can use this tool\b|\bexample[s]?\b/giu

/** True if a description says when to use its tool. */
export const saysWhen = (text: string): boolean => when.test(text.replaceAll(filler, "")) || Chinese.saysWhen(text)

/** True if a description says when not to use its tool, or what it does not do. */
export const saysWhenNot = (text: string): boolean =>
  whenNot.test(text.replaceAll(filler, "")) || Chinese.saysWhenNot(text)

/** Matches a clause that forbids a use, which therefore does not say when to use the tool. */
const forbiddenUse =
  /\b(?:do not|don['’]t|never|must not|should not|shouldn['’]t|cannot|can['’]t|avoid|not)\s+(?:\w+\s+)?(?:be\s+)?(?:use|used|using|call|called|calling|invoke|invoked|for|to|when|if)\b[^.,;:!?\n()]*/giu

const explicitWhenNot =
  /\b(?:(?:do not|don['’]t|never|must not|should not|shouldn['’]t|cannot|can['’]t|not)\s+(?:\w+\s+)?(?:be\s+)?(?:use|used|call|called|invoke|invoked|for|to|when|if|suitable|suited|intended|meant)|not (?:on|in|with|after|before|as|the|an?)|instead|rather than|only (?:if|when|for|after|once|within)|avoid|except|unless|deprecated|(?:use|call|see|prefer) [`"']?[a-z][a-z0-9]*_[a-z0-9_]+)\b/iu

/** True if a description states when to use its tool. A clause that forbids a use does not count. */
export const saysWhenExplicitly = (text: string): boolean => saysWhen(text.replaceAll(forbiddenUse, ""))

/** True if a description states what its tool is not for, or names the tool to use instead. */
export const saysWhenNotExplicitly = (text: string): boolean =>
  explicitWhenNot.test(text.replaceAll(filler, "")) || Chinese.forbidsUse(text)
