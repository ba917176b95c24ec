/**
 * Recognises marks of missing content in answers: `[431 more lines in file. Use offset=825 to continue]`,
 * `<error>Content truncated. …</error>`, `Page 1 of 5`, `"has_more": true`.
 *
 * A mark counts in the first remark at the start of a text, in the last two remarks at its end, and in the middle of a
 * long text. A remark is a line that is not code, a comment or a table row. Elsewhere a mark is data.
 */
import { isJsonObject } from "#domain/json/JsonObject"

const edge = 400
const longestNote = 600
/** The minimum length of a text whose middle may have been removed. */
const shortestClipped = 8_000

const marks: ReadonlyArray<RegExp> = [
  /\b(?:use|call|pass|set|try|send|specify|provide|increase|run|see)\b[^\n]{0,60}\b(?:offset|start_?index|start_?line|cursor|page(?:_?token|_?number)?|view_range|next_\w{1,20}|range|limit|max_\w{1,20})\b[^\n]{0,40}\bto (?:continue|(?:get|read|see|fetch|view|retrieve|load|show) (?:the |all )?(?:more|rest|remaining|next|full|further|additional))/i,
  /\b\d[\d,]* (?:more |remaining |additional |other |further )(?:lines?|rows?|results?|items?|entries|records?|characters?|chars|bytes|pages?|files?|matches|chunks?|messages?)\b(?! (?:were|was) (?:added|created))/i,
  /\b\d[\d,.]* ?(?:lines?|rows?|results?|items?|entries|records?|characters?|chars|bytes|[kmg]i?b|tokens?|matches) (?:were |was |have been |are |is )?(?:omitted|truncated|hidden|skipped|not shown|cut|elided|remaining|left out)\b/i,
  /[[(<*.\u2026-]\s*(?:\.{3}\s*)?(?:\w{1,20} ){0,4}(?:truncated|clipped|omitted|elided|snipped)\b[^\n]{0,160}[\])>*.\u2026-]?\s*$/im,
  /^(?:\s*(?:note|warning|info|error)\s*:\s*)?[^\n]{0,80}\b(?:has been |was |were |is |are |been )(?:truncated|clipped|shortened|cut off|abbreviated)\b/im,
  /\b(?:content|output|results?|response|text|file|data|list|listing|message|observation|stdout|stderr|lines?) (?:is |was |were |are |has been |have been )?(?:truncated|clipped|cut off)\b/i,
  /\btruncated (?:to|at|after|due|because|for|by)\b/i,
  /\bonly (?:a )?(?:part|portion|the first \d[\d,]*|first \d[\d,]*)\b[^\n]{0,80}\b(?:shown|displayed|returned|included|listed)\b/i,
  /\b(?:results?|matches|lines?|rows?|items?|output|pages?|size|depth) limit(?: of \d[\d,]*)? (?:was |is |has been )?(?:reached|exceeded|hit)\b/i,
  /\b(?:limit|maximum)(?: of \d[\d,]* (?:\w{1,12} )?)? reached\b[^\n]{0,60}\b(?:more|narrow|refine|increase)\b/i,
  /\bfull (?:output|content|results?|log|text) (?:is |was |has been )?(?:saved|written|stored|available)\b/i,
  /\b(?:is|are) (?:still )?running\b[^\n]{0,80}\b(?:more output|background|wait|check|read_?output|use )\b|\bstill running\b|\bhas no new output after\b|\bto get more output\b|\brunning in (?:the )?background\b/i
]

/**
 * Shares of a total, such as `Showing 1-10 of 57` or `page 2 of 9`. The groups are the last item shown and the total.
 */
const share: ReadonlyArray<RegExp> = [
  /\b(?:showing|displaying|displayed|shown|returned|returning|listing|viewing|results?|lines?|rows?|items?)\b[^\n]{0,24}?\b(?:\d[\d,]* ?(?:-|\u2013|to|through) ?)?(\d[\d,]*) (?:\w{1,12} )?(?:of|out of|\/)(?: (?:about|approximately|over|a total of|total))? ?(\d[\d,]*)\b/i,
  /\bpages?:? (\d[\d,]*) (?:of|\/|out of) (\d[\d,]*)\b/i,
  /\((\d[\d,]*) of (\d[\d,]*)\)/
]

const numberOf = (digits: string | undefined): number => Number((digits ?? "").replaceAll(",", ""))

const markIn = (part: string, isPageRequested: boolean): string | undefined => {
  for (const mark of marks) {
    const found = mark.exec(part)
    if (found !== null) return found[0].trim()
  }
  if (isPageRequested) return undefined
  const some = /\bshowing (?:the |only )?(?:first|top|last|only) \d[\d,]*\b/i.exec(part)
  if (some !== null) return some[0]
  const left = /\b[1-9][\d,]* remaining\b/i.exec(part)
  if (left !== null) return left[0]
  for (const form of share) {
    const found = form.exec(part)
    if (found !== null && numberOf(found[1]) < numberOf(found[2])) return found[0].trim()
  }
  return undefined
}

/** True if a line is a remark on the answer, and not code, a comment or a table row in the answer. */
const isNote = (line: string): boolean =>
  line.length <= longestNote &&
  (/^\s*[[(<][\s\S]*[\])>]\s*[.:]?$/.test(line) || !/[;{}=`"]|^\s*(?:[/#*|>+-]|\d+[\t:])/.test(line))

const notesOf = (part: string): ReadonlyArray<string> =>
  part.split("\n").filter((line) => line.trim() !== "" && isNote(line))

/**
 * Returns the mark of missing content in a text; `undefined` if there is none. If `isPageRequested`, the caller asked
 * for one page of many, and `page 2 of 9`, `Showing first 10` and `3 remaining` are not marks.
 */
export const cutMarkIn = (text: string, isPageRequested = false): string | undefined => {
  const last = notesOf(text.slice(-longestNote)).slice(-2)
  const first = notesOf(text.slice(0, longestNote)).slice(0, 1)
  const middle = text.length >= shortestClipped ? text.slice(text.length / 2 - edge, text.length / 2 + edge) : ""
  const inside = notesOf(middle).filter((line) =>
    /^\s*[[(<.\u2026].*\b(?:truncated|clipped|omitted|elided)\b/i.test(line)
  )
  for (const line of [...last, ...first, ...inside]) {
    const mark = markIn(line, isPageRequested)
    if (mark !== undefined) return mark
  }
  return undefined
}

/** Names of fields that announce more rows if they are true. */
const more =
  /^(?:has_?more(?:_?\w{1,12})?|has_?next(?:_?page)?|more|(?:is_?)?truncated|incomplete_?results|(?:is_?)?partial)$/i
const next = /^(?:next|next_?(?:cursor|page|page_?token|token|link|url|offset)|continuation_?token|cursor_?next)$/i

/** Returns the name and value of the field that announces more rows, if the answer has rows. */
export const moreIn = (answer: unknown): string | undefined => {
  if (!isJsonObject(answer)) return undefined
  const entries = Object.entries(answer)
  if (!entries.some(([, value]) => Array.isArray(value) && value.length > 0)) return undefined
  const announcing = entries.find(
    ([name, value]) =>
      (more.test(name) && value === true) ||
      (next.test(name) && ((typeof value === "string" && value !== "") || (typeof value === "number" && value > 0)))
  )
  return announcing === undefined ? undefined : `${announcing[0]}: ${String(announcing[1]).slice(0, 80)}`
}
