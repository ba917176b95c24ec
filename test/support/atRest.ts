/** Provides keys to tests of stores that encrypt. */
import * as AtRestAes from "#layers/AtRestAes"
import { Layer, Redacted } from "effect"

/** A key in Base64 whose bytes all have this value. */
export const keyOf = (byte: number): string => Buffer.alloc(32, byte).toString("base64")

/** Encrypts with these keys, the first of which is current. */
export const encrypting = (keys = `first:${keyOf(1)}`): Layer.Layer<never> =>
  Layer.orDie(AtRestAes.layer({ keys: Redacted.make(keys) }))
