/** Reads a tool's answer as data, as an instruction that a model can follow, as a preview of a large result, or as useless. */
import { fieldsOf, objectIn } from "./Conversation.ts"

export type Reading =
  /** Data, with the arguments of the next call if there is more. */
  | { readonly _tag: "Data"; readonly next: Readonly<Record<string, unknown>> | undefined }
  /** A structured error: arguments of the next call, or a step and a sentence. */
  | {
      readonly _tag: "Instruction"
      readonly next: Readonly<Record<string, unknown>> | undefined
      readonly step: string
      readonly sentence: string
    }
  /** The beginning of a result that was too large, with advice to request less. */
  | { readonly _tag: "TooLarge"; readonly sentence: string }
  /** A useless answer, such as a stack trace, the message of an exception or a truncated document. */
  | { readonly _tag: "Useless" }

const text = (value: unknown): string => (typeof value === "string" ? value : "")

const objectOr = (value: unknown) => (typeof value === "object" && value !== null ? fieldsOf(value) : undefined)

/** Reads one answer. */
export const read = (answer: string): Reading => {
  const envelope = objectIn(answer)
  if (envelope === undefined) return { _tag: "Useless" }
  const error = objectOr(envelope["error"]) ?? (typeof envelope["error"] === "string" ? envelope : undefined)
  if (error !== undefined) {
    const step = text(error["next_step"])
    const sentence = text(error["hint"])
    const next = objectOr(error["next"])
    return step === "" && sentence === "" && next === undefined
      ? { _tag: "Useless" }
      : { _tag: "Instruction", next, step, sentence: `${text(error["message"])} ${sentence}`.trim() }
  }
  const preview = objectOr(envelope["preview"])
  if (preview !== undefined) return { _tag: "TooLarge", sentence: text(preview["note"]) }
  const data = fieldsOf(envelope["data"] ?? envelope)
  const cursor = data["next_cursor"]
  return { _tag: "Data", next: data["has_more"] === true && typeof cursor === "string" ? { cursor } : undefined }
}
