/** The verdict on an answer that is a failure without an error flag. */
import { classify } from "#domain/classification/Classification"
import { cut } from "#domain/text/Cut"
import { garbage, type GarbageVerdict } from "#domain/tool/Verdict"

const hints = {
  ToolArgError: "Check the arguments and call again with others, or use another tool.",
  Transient: "The tool's upstream is failing for now. Use another tool, or tell the user to try later."
} as const

/** Returns the verdict for an answer whose message is a failure. `error` is what the classifier reads. */
export const hidden = (message: string, error: unknown): GarbageVerdict => {
  const { tag } = classify(error, { access: "read" })
  return garbage({
    code: "hidden_failure",
    statedFailure: error,
    detail: `The answer is a failure: ${oneLine(message)}`,
    hint:
      tag === "ToolArgError" || tag === "Transient"
        ? hints[tag]
        : "The answer contains no data. Use another tool or tell the user; the same call returns the same answer."
  })
}

/** Returns a text on one line, cut to 160 characters. */
export const oneLine = (text: string): string => cut(text.trim().replace(/\s+/g, " "), 160)
