/** A name that no other claim of any process has, whatever seeds its Random: who has an owner's name has its claim. */
import * as Effect from "effect/Effect"
import { randomBytes } from "node:crypto"

export const owner: Effect.Effect<string> = Effect.sync(() => randomBytes(16).toString("hex"))
