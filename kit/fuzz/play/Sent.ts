/** What the arguments of a call are worth: valid for the contract, not valid, or something that the guard may read either way. */
import { isJsonObject } from "effect-toolguard/internal/domain/json/JsonObject"
import { keyField } from "effect-toolguard/internal/pipeline/stages/decodeArguments"
import type { FuzzCall, FuzzCase, Json } from "#kit/fuzz/cases/FuzzCase"
import { expanded } from "#kit/fuzz/cases/Given"
import type { Subject } from "#kit/fuzz/cases/Subject"

type Sent =
  | { readonly _tag: "Valid"; readonly value: unknown }
  | { readonly _tag: "Invalid" }
  /** A field given twice, a name of prototypes, a text too long or too deep: refused or not, by the kind of tool. */
  | { readonly _tag: "Doubtful" }

/** Most characters of arguments that are surely read. */
const short = 100_000

export const read = (subject: Subject, { caller }: FuzzCase, call: FuzzCall): Sent => {
  const sent = expanded(call.arguments)
  const whole = caller === "program" ? valueOf(sent) : sent
  if (caller === "program" || typeof whole !== "string") return judged(subject, whole)
  if (whole.trim() === "") return judged(subject, {})
  if (whole.length > short || whole.startsWith("\ufeff")) return { _tag: "Doubtful" }
  try {
    const outer = JSON.parse(whole) as Json
    const value = typeof outer === "string" ? (JSON.parse(outer) as Json) : outer
    const isPlain = JSON.stringify(value) === (typeof outer === "string" ? outer : whole)
    const sent = judged(subject, value)
    return isPlain || sent._tag === "Invalid" ? sent : { _tag: "Doubtful" }
  } catch {
    return { _tag: "Invalid" }
  }
}

/** What a program sends for a text: the value that it holds. */
export const valueOf = (args: Json): Json => {
  try {
    return typeof args === "string" ? (JSON.parse(args) as Json) : args
  } catch {
    return args
  }
}

const judged = ({ contract, definition }: Subject, value: Json): Sent => {
  if (!isJsonObject(value)) return { _tag: "Invalid" }
  const { [keyField]: key, ...rest } = value as { readonly [name: string]: Json }
  const isKeyed = definition.idempotency.mode === "key" && key !== undefined
  if (isKeyed) return { _tag: "Doubtful" }
  const decoded = contract.decode(value)
  if (decoded._tag === "Failure") return { _tag: "Invalid" }
  return isDoubtful(value, 0) || isDoubtful(rest, 0) ? { _tag: "Doubtful" } : { _tag: "Valid", value: decoded.success }
}

const isDoubtful = (value: Json, depth: number): boolean =>
  typeof value === "object" &&
  value !== null &&
  (depth > 60 ||
    Object.entries(value).some(
      ([name, field]: readonly [string, Json]) =>
        name === "__proto__" || name === "constructor" || isDoubtful(field, depth + 1)
    ))
