/**
 * Summarises an envelope in one line: its result, marks and next step. Any other text is shown unchanged.
 */
import * as Fields from "effect-toolguard/internal/domain/json/Fields"
import type { JsonObject } from "effect-toolguard/internal/domain/json/JsonObject"
import { plain } from "./Screen.ts"

const parse = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Describes a result by the lengths of its lists, or by its JSON if it has no lists. */
const resultOf = (data: unknown): string => {
  if (Array.isArray(data)) return `${data.length} items`
  if (typeof data !== "object" || data === null) return plain(String(data))
  const lists = Object.entries(data).flatMap(([name, value]) =>
    Array.isArray(value) ? [`${value.length} ${name}`] : []
  )
  return lists.length > 0 ? lists.join(", ") : plain(JSON.stringify(data))
}

const marks = ["empty", "used_fallback", "_idempotent", "unchanged"] as const

/** Returns, as JSON, the arguments that differ between this call and the next call. */
const changedArguments = (next: JsonObject, args: JsonObject): string =>
  JSON.stringify(
    Object.fromEntries(
      Object.entries(next).filter(([name, value]) => JSON.stringify(value) !== JSON.stringify(args[name]))
    )
  )

const summary = (envelope: JsonObject, args: JsonObject): string => {
  const error = Fields.of(envelope["error"])
  const result = "preview" in envelope ? "a preview" : "data" in envelope ? resultOf(envelope["data"]) : ""
  const flags = [
    ...(envelope["executed"] === false ? ["not executed"] : []),
    ...marks.filter((mark) => mark in envelope).map((mark) => mark.replace(/^_/u, ""))
  ]
  const hint = typeof error["hint"] === "string" ? error["hint"] : ""
  const next = error["next"] === undefined ? "" : ` ${changedArguments(Fields.of(error["next"]), args)}`
  const step = typeof error["next_step"] === "string" ? `${error["next_step"]}${next}` : ""
  return [result, ...flags, step, hint].filter((part) => part !== "").join(" · ")
}

/** Summarises the text that the model reads for a call with these arguments. */
export const line = (text: string, args: unknown): string => {
  const envelope = Fields.of(parse(text))
  const { status } = envelope
  const isEnvelope = status === "success" || status === "partial" || status === "error"
  return plain(isEnvelope ? summary(envelope, Fields.of(args)) : text)
}
