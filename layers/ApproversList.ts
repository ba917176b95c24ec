/**
 * Reads approvers from a list, or from the variable `TOOLGUARD_APPROVERS`: a JSON array of names with the SHA-256 of
 * their tokens.
 *
 * `[{ "name": "ana", "token_sha256": "<64 hex digits>", "tools": ["refund_order"], "tenants": ["acme"] }]`
 *
 * **Details**
 *
 * - `tools` and `tenants` limit what an approver sees and decides. Without them there is no limit.
 * - Two entries with the same name are two tokens of one person, for example while a token is replaced.
 * - `toolguard approvals token NAME` creates a token and its entry.
 */
import type { Approver } from "#domain/approval/ApprovalRequest"
import { fromBytes, isToken } from "#domain/approval/ApproverToken"
import { Approvers } from "#services/Approvers"
import { unguessableBytes } from "#services/Unguessable"
import * as Config from "effect/Config"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import { hash, timingSafeEqual } from "node:crypto"

/** An approver and the digest of their token. */
export const Entry = Schema.Struct({
  name: Schema.String.check(Schema.isMinLength(1)),
  token_sha256: Schema.String.check(Schema.isPattern(/^[0-9a-f]{64}$/)),
  tools: Schema.optionalKey(Schema.Array(Schema.String)),
  tenants: Schema.optionalKey(Schema.Array(Schema.String))
})
export type Entry = typeof Entry.Type

const sha256 = (text: string): Buffer => hash("sha256", text, "buffer")

/** Creates a token and its entry. Show the token once; only its digest is in the entry. */
export const issue = (
  approver: Approver
): Effect.Effect<{ readonly token: Redacted.Redacted; readonly entry: Entry }> =>
  Effect.map(unguessableBytes(16), (bytes) => {
    const token = fromBytes(bytes)
    return { token: Redacted.make(token), entry: { ...approver, token_sha256: sha256(token).toString("hex") } }
  })

/** Provides the approvers of a list. */
export const layer = (entries: ReadonlyArray<Entry>): Layer.Layer<Approvers> => {
  const known = entries.map(({ token_sha256, ...approver }) => ({ approver, digest: Buffer.from(token_sha256, "hex") }))
  return Layer.succeed(Approvers, {
    verify: (token) =>
      Effect.sync(() => {
        const text = Redacted.value(token)
        const digest = sha256(text)
        let found: Approver | undefined
        // compares every entry, so that the time does not depend on the position of the match
        for (const entry of known) if (timingSafeEqual(entry.digest, digest)) found ??= entry.approver
        return isToken(text) ? found : undefined
      })
  })
}

/** Provides the approvers of `TOOLGUARD_APPROVERS`. Fails if the variable is absent or not a list of entries. */
export const layerConfig: Layer.Layer<Approvers, Config.ConfigError> = Layer.unwrap(
  Effect.map(Config.schema(Schema.fromJsonString(Schema.Array(Entry)), "TOOLGUARD_APPROVERS"), layer)
)
