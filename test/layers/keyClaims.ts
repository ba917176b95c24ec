/** Claims keys of a store of idempotency keys. */
import { IdempotencyKeys, type KeyClaim } from "#services/IdempotencyKeys"
import { Effect } from "effect"
import { actionOf } from "../contracts/IdempotencyKeys.ts"

/** Claims the key of an action, completes it if it was free, and returns what the store answered. */
export const claimed = (action: KeyClaim, outcome = "done") =>
  Effect.gen(function* () {
    const keys = yield* IdempotencyKeys
    const claim = yield* keys.claim(action)
    if (claim._tag === "Claimed") yield* keys.complete(action, claim.owner, outcome, true)
    return claim._tag
  })

/** Creates an action of a tenant with a numbered key. */
export const keyed = (tenant: string, key: number, over: Partial<KeyClaim> = {}): KeyClaim => ({
  ...actionOf(tenant),
  key: `key ${key}`,
  ...over
})
