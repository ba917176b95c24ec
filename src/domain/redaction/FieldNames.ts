/** Decides by the name of a field and its sibling fields whether the text of the field can be a secret. */
import { fieldKind, type FieldKind } from "./SecretLike.ts"
import type { JsonObject } from "#domain/json/JsonObject"

/** The kind of text that a name implies. For a `holder` the kind depends on the sibling fields. */
type NameKind = FieldKind | "holder"

const kinds = new Map<string, NameKind>()
const maxNames = 4_096
const longestName = 64

/** Returns the kind that a field name implies, from a cache, because field names repeat. */
const kindOfName = (name: string): NameKind => {
  const known = kinds.get(name)
  if (known !== undefined) return known
  const kind = isHolder(name) ? "holder" : fieldKind(name)
  if (name.length <= longestName && kinds.size < maxNames) kinds.set(name, kind)
  return kind
}

/** The private parts of a JSON Web Key, which is a record with the field `kty`. */
const keyParts = new Set(["d", "p", "q", "dp", "dq", "qi", "k"])

/** True if the sibling fields decide whether the content of a field with this name is secret. */
export const isHolder = (name: string): boolean =>
  name === "value" || name === "Value" || name === "data" || name === "stringData" || keyParts.has(name)

/**
 * Returns the kind of the data of a Kubernetes secret, of a part of a JSON Web Key, or of a value whose sibling field is
 * the name of a secret.
 */
const kindOfHolder = (record: JsonObject, name: string): FieldKind => {
  if (keyParts.has(name)) return typeof record["kty"] === "string" ? "secret" : "none"
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

/** Names of fields that describe a secret and do not contain it. */
const metadata =
  /^(?:id|name|label|title|type|kind|format|in|description|status|state|scopes?|hint|help|placeholder|error|errors|message|messages|required|optional|enabled|disabled|visible|autocomplete|created\w*|updated\w*|expires?\w*|last\w*|min\w*|max\w*|length|count|version|algorithm|username|user|email|owner|url|href|\w+[_-](?:at|on|date|id|name)|\w+(?:At|On|Date|Id|Name))$/
/** Names of fields that contain the value of a described secret. */
const content = /^(?:value|default|const|examples?|enum|data|secret|current|previous|old|new|raw|text|plain(?:text)?)$/i
/** Names whose fields hold sentences about other fields. */
const about =
  /^(?:errors?|violations|messages?|issues|labels?|descriptions?|hints?|placeholders?|translations?|i18n|properties|definitions|required|rules|validations?)$/i

/** True for a record with a type, which is a schema or describes a field, a parameter or a secret. */
const isDescribed = (record: JsonObject): boolean =>
  typeof record["type"] === "string" || Array.isArray(record["type"]) || typeof record["$ref"] === "string"

/** Returns the kind of the field `name` in a record that is the content of a field of kind `above`. */
export const kindBelow = (record: JsonObject, name: string, above: FieldKind): FieldKind => {
  if (above !== "secret") return content.test(name) ? above : "none"
  if (content.test(name)) return "secret"
  return metadata.test(name) || isDescribed(record) ? "none" : "secret"
}

/** Returns the kind of a field that is below a record of sentences about fields, such as `errors`. */
export const kindAmongSentences = (kind: FieldKind): FieldKind => (kind === "none" ? "none" : "perhaps")

/** True if the fields below a field with this name are sentences about fields, such as `errors`. */
export const holdsSentences = (name: string): boolean => about.test(name)
