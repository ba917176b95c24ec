/**
 * Recognises the failure in an answer of a tool without a result schema and without an error flag: what is marked as an
 * error, and short answers that say nothing but that the request failed.
 */
import { cutMarkIn } from "#domain/answers/CutMark"
import { failure, type HiddenFailure, hiddenFailureIn } from "#domain/answers/HiddenFailure"
import { isObservation } from "#domain/answers/Observation"
import { isDocumentRead, isOutputRead } from "#domain/answers/ReadSubject"
import { reportsSuccess } from "#domain/answers/ReportedSuccess"
import { hasData, isReport } from "#domain/answers/StatedError"
import * as UpstreamWords from "#domain/classification/UpstreamWords"
import { isJsonObject } from "#domain/json/JsonObject"
import type { Access } from "#domain/tool/Access"
import { failureOutputIn } from "./FailureOutput.ts"
import { problemOf } from "./StatedProblem.ts"

/**
 * Returns the failure in the answer of a tool without a result schema, if any. In addition to `hiddenFailureIn`, a short
 * answer of a read counts that says nothing but that the request failed, whether as a text, as the output of a program,
 * or as fields in any form. What a write returns can be what it made, or the state of a thing.
 */
export const unflaggedFailureIn = (
  answers: ReadonlyArray<unknown>,
  tool = "",
  access: Access = "read"
): HiddenFailure | undefined => {
  const hidden = hiddenFailureIn(answers, tool)
  return hidden ?? soleFailureIn(answers, tool, access)
}

/**
 * Returns the failure of a short answer that says nothing else; `undefined` for any other answer. A text in an object
 * with other fields is data.
 */
export const soleFailureIn = (
  answers: ReadonlyArray<unknown>,
  tool: string,
  access: Access
): HiddenFailure | undefined => {
  if (access !== "read" || isOutputRead(tool)) return undefined
  for (const answer of answers) {
    if (typeof answer === "string" && isDocumentRead(tool) && answer.trim().includes("\n")) return undefined
    const message = soleMessageIn(answer)
    if (message !== undefined && !reportsSuccess(message, tool)) {
      const words = typeof answer === "string" ? UpstreamWords.ofText(answer) : UpstreamWords.ofValue(answer)
      return failure(message, answer, words)
    }
    if (isJsonObject(answer) && !Array.isArray(answer["content"]) && hasData(answer)) return undefined
  }
  return undefined
}

const soleMessageIn = (answer: unknown): string | undefined => {
  if (typeof answer === "string") {
    const message = failureOutputIn(answer)
    return message === undefined || cutMarkIn(answer) !== undefined ? undefined : message
  }
  if (isJsonObject(answer) && (isReport(answer) || isObservation(answer))) return undefined
  return problemOf(answer)
}
