/** Reads the owner (tenant, conversation, principal) of a stored text. */
import { isJsonObject } from "#domain/json/JsonObject"
import type { Owner } from "#domain/turn/Turn"

const textOf = (value: unknown): string | undefined => (typeof value === "string" ? value : undefined)

/** Parses JSON; returns undefined if the text is not JSON. */
export const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Reads an owner that `ownerValues` has written as JSON, or a tenant that was written as text. */
export const ownerOf = (text: string): Partial<Owner> => {
  const parts = text.startsWith("[") ? parsed(text) : [text]
  if (!Array.isArray(parts)) return {}
  const last: unknown = parts.at(-1)
  const principal = isJsonObject(last) ? textOf(last["principal"]) : undefined
  const [tenant, conversation] = parts.map(textOf)
  return { ...(tenant === undefined ? {} : { tenant }), conversation, principal }
}

/** Reads the owner of a value that has its fields: a turn, or a record of a call. */
export const ownerOfFields = (value: unknown): Partial<Owner> =>
  isJsonObject(value)
    ? {
        tenant: textOf(value["tenant"]) ?? "",
        conversation: textOf(value["conversation"]),
        principal: textOf(value["principal"]),
        turn: textOf(value["turn"])
      }
    : {}

/** Returns the conversation and the turn of the call that claimed a key. */
export const placeOfCall = (callId: string): Pick<Owner, "conversation" | "turn"> => {
  const parts = parsed(callId)
  if (!Array.isArray(parts) || typeof parts[0] !== "string") return {}
  return { conversation: parts[0], turn: textOf(parts[1]) }
}
