/** Chooses the change of a schema that lets the values of a group of equal faults pass. */
import type { Fault } from "./Fault.ts"
import type * as OtherForm from "./OtherForm.ts"
import type { Suggestion } from "./Suggestion.ts"

const maxEnumValues = 10
const longestEnumValue = 40

/**
 * Returns how to relax the schema so that the values of a group of equal faults pass. `sent` lists the different
 * values as JSON, whose ends may have been cut off.
 */
export const of = (fault: Fault, sent: ReadonlyArray<string>, redact: (text: string) => string): Suggestion => {
  switch (fault.kind) {
    case "null":
      return { _tag: "nullable" }
    case "missing":
      return { _tag: "optional" }
    case "excess":
      return { _tag: "open object" }
    case "enum":
    case "text":
      return wideningOfEnum(sent, redact)
    case "type":
      return { _tag: "wider type", type: fault.form === undefined ? "anything" : jsonType(fault.form, fault.value) }
    case "rule":
      return { _tag: "wider bound", expected: isStated(fault.expected) ? fault.expected : fault.problem }
    default:
      return { _tag: "keep" }
  }
}

/** True if an expectation says more than the message of the rule. */
const isStated = (expected: string | undefined): expected is string =>
  expected !== undefined && expected !== "a valid value"

/** Returns the JSON type of the values of a form. */
const jsonType = (form: OtherForm.OtherForm, value: unknown): string =>
  form._tag === "Type" ? form.type : Array.isArray(value) ? "array" : value === null ? "null" : typeof value

/** Returns the value of a JSON text. Only the JSON of a string is so long that its end may have been cut off. */
const valueOf = (json: string): string | number | boolean => {
  try {
    // the value of an enum that lists others is not an object
    return JSON.parse(json) as string | number | boolean
  } catch {
    return json.slice(1)
  }
}

/**
 * Adds the values to an enum. If there are many, or if one of them is long or secret, suggests any value of their type
 * instead, because a list of such values is not an enum.
 */
const wideningOfEnum = (sent: ReadonlyArray<string>, redact: (text: string) => string): Suggestion => {
  const values = sent.map(valueOf)
  const texts = values.map(String)
  const isList = texts.every((text) => text.length <= longestEnumValue && redact(text) === text)
  return isList && values.length <= maxEnumValues
    ? { _tag: "wider enum", values }
    : { _tag: "wider type", type: typeof values[0] }
}
