/** The id of an artifact: 128 bits from the machine's source of randomness, as 32 hex digits. */
import * as Effect from "effect/Effect"
import { randomBytes } from "node:crypto"

export const artifactId: Effect.Effect<string> = Effect.sync(() => randomBytes(16).toString("hex"))

/** What can be no id is asked of no database: PostgreSQL fails on some texts. */
export const isArtifactId = (id: string): boolean => /^[0-9a-f]{32}$/.test(id)
