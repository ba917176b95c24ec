/** Finds the parameter that is an idempotency key, in any common spelling. */
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

/** The key among the parameters; `undefined` if there is none. */
export const keyOf = (fields: ReadonlyArray<Field>): Field | undefined =>
  fields.find(({ level, name, role }) => level === 1 && role === "property" && spellings.has(wordsOf(name).join(" ")))

/** True if the name of a parameter begins with `idempotency` or a variant of it. */
export const isIdempotencyKey = ({ name }: Field): boolean => (wordsOf(name)[0] ?? "").startsWith("idempoten")
