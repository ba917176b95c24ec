/**
 * Computes the SHA-256 of a text in UTF-8, as 64 lower-case hex digits. This is a service because the pure core has no
 * cryptography.
 *
 * Contract: `test/contracts/Digest.ts`.
 */
import * as Context from "effect/Context"

export class Digest extends Context.Service<Digest, { readonly sha256: (text: string) => string }>()(
  "effect-toolguard/Digest"
) {}
