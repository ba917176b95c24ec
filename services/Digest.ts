/** SHA-256 of a text, as 64 lower-case hex digits. A service, since the pure core has no cryptography of its own. */
import * as Context from "effect/Context"

export class Digest extends Context.Service<Digest, { readonly sha256: (text: string) => string }>()(
  "effect-toolguard/Digest"
) {}
