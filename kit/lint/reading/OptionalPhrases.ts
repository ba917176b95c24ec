/** Decides whether a parameter is optional or required, by its schema and descriptions. */
import type { Field } from "./Field.ts"
import type { Subject } from "./Subject.ts"
import { docsOf } from "./ParameterDocs.ts"

const optional =
  /\boptional(?:ly)?\b|\bif (?:not )?(?:given|provided|specified|set|omitted|present|empty|true|false)\b|\bdefaults?\b|\bleave (?:out|empty|blank)\b|\bomit\b|\bcan be (?:empty|omitted|null|left)\b|\bwhen not\b|\bnot required\b/iu

/** True if a parameter may be omitted, according to its default, its types and its description. */
export const isOptional = (field: Field, subject: Subject): boolean =>
  field.shapes.some(({ schema, type }) => type === "null" || Object.hasOwn(schema, "default")) ||
  optional.test(docsOf(field, subject))

/** True if a description explicitly calls a parameter optional. */
export const isCalledOptional = (text: string): boolean =>
  /^\W*optional\b(?!ly)|\((?:[^()]*,\s*)?optional(?:\s*,[^()]*)?\)|\bthis (?:parameter|field|argument|value) is optional\b/iu.test(
    text
  )

/** True if a description explicitly calls a parameter required. */
export const isCalledRequired = (text: string): boolean =>
  /^\W*required\b(?!\s+(?:if|when|for|to|unless|only|by|in))|\((?:[^()]*,\s*)?(?:required|mandatory)(?:\s*,[^()]*)?\)|\bthis (?:parameter|field|argument|value) is (?:required|mandatory)\b(?!\s+(?:if|when|for|to|unless|only))/iu.test(
    text
  ) && !/\bnot (?:required|mandatory)\b|\brequired (?:if|when|unless)\b/iu.test(text)
