/** SHA-256 by `node:crypto`. */
import { Digest } from "#services/Digest"
import * as Layer from "effect/Layer"
import { hash } from "node:crypto"

export const layer: Layer.Layer<Digest> = Layer.succeed(Digest, { sha256: (text) => hash("sha256", text, "hex") })
