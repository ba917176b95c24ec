/** Says in lists of requests for approval which requests cannot be read. */
import { shownOnOneLine } from "#domain/text/VisibleText"

/** The number of ids that the sentence names. */
const named = 3

/** Names the requests whose rows cannot be read, and says what this means for their calls and what helps. */
export const sentenceOf = (ids: ReadonlyArray<string>): string => {
  const list = ids.slice(0, named).map(shownOnOneLine).join(", ")
  const rest = ids.length > named ? ` and ${ids.length - named} more` : ""
  const [subject, object] =
    ids.length === 1 ? ["One pending request", "it"] : [`${ids.length} pending requests`, "them"]
  return `${subject} cannot be read, and nobody can decide ${object}: ${list}${rest}. A person or another program changed the table toolguard_approvals. Restore it from a backup, or wait until the requests expire.`
}
