/** Decides whether the arguments of a call are valid for the tool's contract. */
import { isJsonObject } from "effect-toolguard/internal/domain/json/JsonObject"
import { keyField } from "effect-toolguard/internal/pipeline/stages/decodeArguments"
import type { FuzzCall, FuzzCase, Json } from "#kit/fuzz/cases/FuzzCase"
import { expanded } from "#kit/fuzz/cases/ScriptedAnswer"
import type { Subject } from "#kit/fuzz/cases/Subject"

/** The validity of arguments; `Doubtful` if the guard may either accept or refuse them. */
type Validity =
  | { readonly _tag: "Valid"; readonly value: unknown }
  | { readonly _tag: "Invalid" }
  /** For example arguments with a duplicate field or a prototype field name, or a very long or deeply nested text. */
  | { readonly _tag: "Doubtful" }

/** The length, in characters, up to which a text is never refused for its length. */
const safeLength = 100_000

/** Returns the validity of a call's arguments. */
export const of = (subject: Subject, { caller }: FuzzCase, call: FuzzCall): Validity => {
  const expandedArguments = expanded(call.arguments)
  const sent = caller === "program" ? parsed(expandedArguments) : expandedArguments
  if (caller === "program" || typeof sent !== "string") return validityOf(subject, sent)
  if (sent.trim() === "") return validityOf(subject, {})
  if (sent.length > safeLength || sent.startsWith("\ufeff")) return { _tag: "Doubtful" }
  try {
    const outer = JSON.parse(sent) as Json // JSON.parse returns only JSON values
    const value = typeof outer === "string" ? (JSON.parse(outer) as Json) : outer
    const isPlain = JSON.stringify(value) === (typeof outer === "string" ? outer : sent)
    const validity = validityOf(subject, value)
    return isPlain || validity._tag === "Invalid" ? validity : { _tag: "Doubtful" }
  } catch {
    return { _tag: "Invalid" }
  }
}

/**
 * Returns the value that a program passes: parses arguments that are a JSON text, and returns other arguments
 * unchanged.
 */
export const parsed = (args: Json): Json => {
  try {
    return typeof args === "string" ? (JSON.parse(args) as Json) : args // JSON.parse returns only JSON values
  } catch {
    return args
  }
}

const validityOf = ({ contract, definition }: Subject, value: Json): Validity => {
  if (!isJsonObject(value)) return { _tag: "Invalid" }
  const { [keyField]: key, ...rest } = value as { readonly [name: string]: Json } // every field of a JSON object is JSON
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
