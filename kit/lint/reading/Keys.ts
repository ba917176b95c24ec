/** The parameter that says which action a call means, however it is spelt. */
import type { Field } from "./Field.ts"
import { wordsOf } from "./Words.ts"

const spellings = new Set([
  "idempotency key",
  "idempotent key",
  "idempotency token",
  "idempotence key",
  "request id",
  "client request id",
  "client request token",
  "client token",
  "client reference id",
  "dedup key",
  "dedupe key",
  "deduplication id",
  "deduplication key",
  "request token",
  "external id"
])

/** The key among the parameters; undefined where there is none. */
export const keyOf = (fields: ReadonlyArray<Field>): Field | undefined =>
  fields.find(({ level, name, role }) => level === 1 && role === "property" && spellings.has(wordsOf(name).join(" ")))

/** Whether a parameter is called an idempotency key in so many words. */
export const isIdempotencyKey = ({ name }: Field): boolean => (wordsOf(name)[0] ?? "").startsWith("idempoten")
