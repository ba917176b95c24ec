/** What a recorded result is: JSON, the repr of a Python client, plain text, or a failure. */
import { hiddenFailure } from "effect-toolguard/internal/checks/Recognisers"
import * as Sample from "./Sample.ts"

export type Reading =
  | { readonly _tag: "Json"; readonly value: unknown; readonly isRepr: boolean }
  | { readonly _tag: "Text"; readonly text: string }
  /** JSON that ends too early. */
  | { readonly _tag: "Cut" }
  | { readonly _tag: "Failure" }

/** A JSON text that holds a text is text, unless that holds JSON again. */
const isPlainText = (value: unknown): boolean => typeof value === "string" && !/^\s*[[{]/.test(value)

/** Reads one result. */
export const read = (text: string): Reading => {
  if (hiddenFailure(text)._tag === "Garbage") return { _tag: "Failure" }
  const sample = Sample.read(text)
  if (sample._tag === "Cut") return sample
  return sample._tag === "Other" || isPlainText(sample.value)
    ? { _tag: "Text", text }
    : { _tag: "Json", value: sample.value, isRepr: sample.notation === "python" }
}
