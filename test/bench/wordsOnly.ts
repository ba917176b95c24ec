/** The baseline: a simple classifier by keywords. */
import type { FailureTag } from "#domain/failure/Failure"

const words: ReadonlyArray<readonly [tag: FailureTag, form: RegExp]> = [
  [
    "Transient",
    /time(?:d )?-?out|connection|network|retry|try again|rate limit|too many requests|unavailable|temporar|\b(?:429|5\d\d)\b/i
  ],
  ["Resource", /memory|disk|space|quota|limit|tokens?\b|exceed/i],
  [
    "ToolArgError",
    /not found|no such|does(?: not|n't) exist|invalid|required|missing|unknown|must|\b(?:400|404|422)\b/i
  ],
  ["Permanent", /denied|unauthori[sz]ed|forbidden|permission|\b(?:401|403)\b/i],
  ["SchemaMismatch", /json|parse|unexpected/i]
]

/** Returns the class of the first group of keywords that matches the error, or `Permanent` if no group does. */
export const wordsOnly = (
  error: Readonly<Record<string, unknown>>
): { readonly tag: FailureTag; readonly rule: string } => {
  const text = JSON.stringify(error)
  const found = words.find(([, form]) => form.test(text))
  return { tag: found?.[0] ?? "Permanent", rule: "words" }
}
