/** Finds the parameter that is an idempotency key. Accepts any common spelling. */
import type { Field } from "./Field.ts"
import { wordsOf } from "./EnglishWords.ts"

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

/** Returns the parameter that is an idempotency key, or `undefined` if there is no such parameter. */
export const keyOf = (fields: ReadonlyArray<Field>): Field | undefined =>
  fields.find(({ level, name, role }) => level === 1 && role === "property" && spellings.has(wordsOf(name).join(" ")))

/** True if the name of a parameter begins with `idempotency` or a variant of it. */
export const isIdempotencyKey = ({ name }: Field): boolean => (wordsOf(name)[0] ?? "").startsWith("idempoten")
