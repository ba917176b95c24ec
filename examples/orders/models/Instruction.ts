/** What a tool's answer tells a model: data, an instruction that it can follow, or nothing that is of use. */
import { fieldsOf, objectIn } from "./Conversation.ts"

export type Told =
  /** Data, with the arguments of the call that brings the rest where there is one. */
  | { readonly _tag: "Data"; readonly next: Readonly<Record<string, unknown>> | undefined }
  /** A structured error: arguments to go on with, or a step and a sentence. */
  | {
      readonly _tag: "Instruction"
      readonly next: Readonly<Record<string, unknown>> | undefined
      readonly step: string
      readonly sentence: string
    }
  /** Only the beginning of a result, with the advice to ask for less. */
  | { readonly _tag: "TooLarge"; readonly sentence: string }
  /** A stack trace, the text of an exception, half of a document. */
  | { readonly _tag: "Nothing" }

const text = (value: unknown): string => (typeof value === "string" ? value : "")

const objectOr = (value: unknown) => (typeof value === "object" && value !== null ? fieldsOf(value) : undefined)

/** Reads one answer. */
export const read = (answer: string): Told => {
  const whole = objectIn(answer)
  if (whole === undefined) return { _tag: "Nothing" }
  const error = objectOr(whole["error"]) ?? (typeof whole["error"] === "string" ? whole : undefined)
  if (error !== undefined) {
    const step = text(error["next_step"])
    const sentence = text(error["hint"])
    const next = objectOr(error["next"])
    return step === "" && sentence === "" && next === undefined
      ? { _tag: "Nothing" }
      : { _tag: "Instruction", next, step, sentence: `${text(error["message"])} ${sentence}`.trim() }
  }
  const preview = objectOr(whole["preview"])
  if (preview !== undefined) return { _tag: "TooLarge", sentence: text(preview["note"]) }
  const data = fieldsOf(whole["data"] ?? whole)
  const cursor = data["next_cursor"]
  return { _tag: "Data", next: data["has_more"] === true && typeof cursor === "string" ? { cursor } : undefined }
}
