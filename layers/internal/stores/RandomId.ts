/**
 * Ids of 128 random bits from the operating system, as 32 hex digits.
 *
 * They do not come from `Random`, because processes with the same seed would create the same ids, and a claim's owner
 * is identified by its id.
 */
import * as Effect from "effect/Effect"
import { randomBytes } from "node:crypto"

export const makeUnsafe = (): string => randomBytes(16).toString("hex")

export const make: Effect.Effect<string> = Effect.sync(makeUnsafe)

/**
 * Returns true if a text has the form of an id. Stores look up no other text, because PostgreSQL fails on some texts.
 */
export const isRandomId = (id: string): boolean => /^[0-9a-f]{32}$/u.test(id)
