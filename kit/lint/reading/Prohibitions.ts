/**
 * Removes the prohibitions from a text, so that a rule does not report a description for something that the description
 * forbids: `Do not concatenate SQL`, `勿拼接 SQL`.
 */

import { plain } from "./Chinese.ts"

/** Separates clauses. A period within a name or number does not separate. */
const clause = /[;:!?\n()。]+|[.,、]+(?=\s|$|\p{Script=Han})/u

/** Matches the rest of a clause from a word that forbids, denies or excludes. */
const forbidden =
  /(?:\b(?:do not|don['’]t|does not|doesn['’]t|never|must not|mustn['’]t|may not|cannot|can['’]t|should not|shouldn['’]t|will not|won['’]t|is not|isn['’]t|are not|aren['’]t|not|no|without|avoid|forbids?|prohibits?|refuses?|rejects?)\b|[请切]?勿|不(?:要|得|可|能|应|许|会|是|支持|允许|接受|执行)|禁止|严禁|避免|拒绝|无需|而非|并非).*$/isu

/** Matches a clause that forbids its own subject: `SQL must not be concatenated`, `SQL 会被拒绝`. */
const passive =
  /\b(?:(?:must|may|should|can|will) ?n[o']t be|cannot be|(?:is|are) (?:not (?:allowed|permitted|supported|executed|run|accepted|interpreted|evaluated|concatenated)|never|forbidden|prohibited|refused|rejected|escaped|ignored))\b|不(?:会被|得被|能被|可被|被|允许|予)|(?:会|将)?被?(?:拒绝|忽略|转义)/iu

/** Returns a text without its prohibitions. */
export const withoutProhibitions = (text: string): string =>
  plain(text.slice(0, 20_000))
    .split(clause)
    .filter((part) => !passive.test(part))
    .map((part) => part.replace(forbidden, ""))
    .join("; ")
