/** The failure that an answer hides: every way in which real tools tell one inside of a success. */
import { errorIn } from "./ErrorText.ts"
import { failedItemsIn } from "./FailedItems.ts"
import { innerErrorIn } from "./InnerError.ts"
import { errorTitleIn } from "./Page.ts"
import { messageIn, statedIn } from "./StatedError.ts"

const ofText = (answer: string): string | undefined => errorTitleIn(answer) ?? errorIn(answer) ?? ofItems(answer)

const ofItems = (answer: unknown): string | undefined => {
  const items = failedItemsIn(answer)
  return items !== undefined && items.failed === items.total ? items.message : undefined
}

/** The message of the failure that a result hides. `answers`: the result and what it wraps, outermost first. */
export const hiddenFailureIn = (answers: ReadonlyArray<unknown>): string | undefined => {
  const flagged = innerErrorIn(answers)
  if (flagged !== undefined) return flagged
  for (const answer of answers) {
    const message =
      typeof answer === "string" ? ofText(answer) : (statedIn(answer) ?? messageIn(answer) ?? ofItems(answer))
    if (message !== undefined) return message
  }
  return undefined
}
