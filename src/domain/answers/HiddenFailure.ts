/** Finds the failure that a tool reports inside a success, in the forms that real tools use. */
import { isJsonObject } from "#domain/json/JsonObject"
import { errorIn } from "./ErrorText.ts"
import { failedItemsIn } from "./FailedItems.ts"
import { innerErrorIn } from "./InnerError.ts"
import { errorTitleIn } from "./WebPage.ts"
import { messageIn, statedIn } from "./StatedError.ts"

/** A failure reported inside a success. */
interface HiddenFailure {
  readonly message: string
  /**
   * The answer that contains the message, with its codes and statuses; the message itself if the answer is a text.
   */
  readonly error: unknown
}

const ofItems = (answer: unknown): string | undefined => {
  const items = failedItemsIn(answer)
  return items !== undefined && items.failed === items.total ? items.message : undefined
}

/** Returns the answer with the message in a field that the classifier reads. */
const withMessage = (answer: unknown, message: string): unknown =>
  isJsonObject(answer) && typeof answer["message"] === "string" && answer["message"] !== message
    ? { ...answer, description: message }
    : { ...Object(answer), message }

const ofAnswer = (answer: unknown): HiddenFailure | undefined => {
  const stated = statedIn(answer) ?? messageIn(answer)
  if (stated !== undefined) return { message: stated, error: withMessage(answer, stated) }
  const message =
    typeof answer === "string" ? (errorTitleIn(answer) ?? errorIn(answer) ?? ofItems(answer)) : ofItems(answer)
  return message === undefined ? undefined : { message, error: message }
}

/** Returns the failure in a result, if any. `answers` are the result and the answers that it wraps, outermost first. */
export const hiddenFailureIn = (answers: ReadonlyArray<unknown>): HiddenFailure | undefined => {
  const flagged = innerErrorIn(answers)
  if (flagged !== undefined) return { message: flagged, error: flagged }
  for (const answer of answers) {
    const found = ofAnswer(answer)
    if (found !== undefined) return found
  }
  return undefined
}
