/** Judges by the name of a field and its sibling fields whether the text of the field can be a secret. */
import { fieldKind, type FieldKind } from "./SecretLike.ts"
import type { JsonObject } from "#domain/json/JsonObject"

/** The kind of text that a name implies. For a `holder` the kind depends on the sibling fields. */
type NameKind = FieldKind | "holder"

const kinds = new Map<string, NameKind>()
const mostNames = 4_096
const longestName = 64

/** Judges a field name and caches the result, because field names repeat. */
const kindOfName = (name: string): NameKind => {
  const known = kinds.get(name)
  if (known !== undefined) return known
  const kind = isHolder(name) ? "holder" : fieldKind(name)
  if (name.length <= longestName && kinds.size < mostNames) kinds.set(name, kind)
  return kind
}

/** True if the sibling fields decide whether the content of a field with this name is secret. */
export const isHolder = (name: string): boolean =>
  name === "value" || name === "Value" || name === "data" || name === "stringData"

/** Judges the data of a Kubernetes secret, or a value whose sibling field is the name of a secret. */
const kindOfHolder = (record: JsonObject, name: string): FieldKind => {
  if (name === "data" || name === "stringData") return record["kind"] === "Secret" ? "secret" : "none"
  const label = record["name"] ?? record["key"] ?? record["Name"] ?? record["Key"]
  const kind = typeof label === "string" ? kindOfName(label) : "none"
  return kind === "holder" ? "none" : kind
}

/** Returns the kind of the text in a field of a record. */
export const kindOf = (record: JsonObject, name: string): FieldKind => {
  const kind = kindOfName(name)
  return kind === "holder" ? kindOfHolder(record, name) : kind
}

/** True if a field with this name can hold a secret, because of its name or its sibling fields. */
export const mayBeSecret = (name: string): boolean => kindOfName(name) !== "none"
