/** What the name of a field says about the texts in it, and what stands beside it. */
import { fieldKind, type FieldKind } from "./SecretLike.ts"

type Fields = Readonly<Record<string, unknown>>

/** What a name says by itself; of some names the fields beside them say it. */
type Said = FieldKind | "beside"

const said = new Map<string, Said>()
const mostNames = 4_096
const longestName = 64

/** Field names repeat: what one says is judged once. */
const saidBy = (name: string): Said => {
  const known = said.get(name)
  if (known !== undefined) return known
  const kind = isHolder(name) ? "beside" : fieldKind(name)
  if (name.length <= longestName && said.size < mostNames) said.set(name, kind)
  return kind
}

/** Names whose fields, where what stands beside them says so, hold secrets all the way down. */
export const isHolder = (name: string): boolean =>
  name === "value" || name === "Value" || name === "data" || name === "stringData"

/** The data of a Kubernetes secret, the value beside the name of a secret. */
const besideOf = (record: Fields, name: string): FieldKind => {
  if (name === "data" || name === "stringData") return record["kind"] === "Secret" ? "secret" : "none"
  const told = record["name"] ?? record["key"] ?? record["Name"] ?? record["Key"]
  const kind = typeof told === "string" ? saidBy(told) : "none"
  return kind === "beside" ? "none" : kind
}

/** What a field of a record says about its text. */
export const kindOf = (record: Fields, name: string): FieldKind => {
  const kind = saidBy(name)
  return kind === "beside" ? besideOf(record, name) : kind
}

/** Whether a name may say something of the texts below it, by itself or with what stands beside it. */
export const mayTell = (name: string): boolean => saidBy(name) !== "none"
