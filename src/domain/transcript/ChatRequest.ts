/** Reads the fields of a chat request that have several names. Rig writes `chat_history` and `preamble`. */
import * as Fields from "#domain/json/Fields"
import type { JsonObject } from "#domain/json/JsonObject"

/** Returns the list of messages: `messages`, or `chat_history`. Undefined if neither is a list. */
export const messagesOf = ({
  chat_history: history,
  messages = history
}: JsonObject): ReadonlyArray<unknown> | undefined => (Array.isArray(messages) ? messages : undefined)

/** Returns the instructions of a request outside its messages (`preamble`), or undefined. */
export const preambleOf = (request: JsonObject): string | undefined => Fields.string(request["preamble"]) || undefined
