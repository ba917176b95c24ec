/**
 * Signatures of webhook messages according to Standard Webhooks (https://www.standardwebhooks.com): HMAC-SHA-256 over
 * `id.timestamp.body`, in the headers `webhook-id`, `webhook-timestamp` (seconds) and `webhook-signature` (`v1,` and
 * base64).
 *
 * A secret is `whsec_` and the base64 of 24 to 64 random bytes.
 */
import * as Secret from "#domain/text/Secret"
import type * as Redacted from "effect/Redacted"
import { createHmac, timingSafeEqual } from "node:crypto"

/** The largest difference between a message's time and the receiver's clock, in seconds. */
const tolerance = 300

const keyOf = (secret: Redacted.Redacted): Buffer =>
  Buffer.from(Secret.textOf("secret", secret).replace(/^whsec_/u, ""), "base64")

/** Returns true if a secret has the right format and length. */
export const isSecret = (secret: Redacted.Redacted): boolean => {
  const bytes = keyOf(secret).length
  return /^whsec_[A-Za-z0-9+/]+={0,2}$/u.test(Secret.textOf("secret", secret)) && bytes >= 24 && bytes <= 64
}

const signatureOf = (secret: Redacted.Redacted, id: string, timestamp: string, body: string): string =>
  `v1,${createHmac("sha256", keyOf(secret)).update(`${id}.${timestamp}.${body}`).digest("base64")}`

/** Returns the signed headers of a message. `now` is in epoch milliseconds. */
export const headersOf = (
  secret: Redacted.Redacted,
  id: string,
  body: string,
  now: number
): Readonly<Record<"webhook-id" | "webhook-timestamp" | "webhook-signature", string>> => {
  const timestamp = String(Math.floor(now / 1_000))
  return {
    "webhook-id": id,
    "webhook-timestamp": timestamp,
    "webhook-signature": signatureOf(secret, id, timestamp, body)
  }
}

/**
 * Returns true if a message is recent and signed with the secret. Receivers verify messages with it. Ids repeat,
 * because a message is sent until it is accepted.
 */
export const isSigned = (
  secret: Redacted.Redacted,
  headers: Readonly<Record<string, string | undefined>>,
  body: string,
  now: number
): boolean => {
  const { "webhook-id": id, "webhook-signature": signatures, "webhook-timestamp": timestamp } = headers
  if (id === undefined || signatures === undefined || timestamp === undefined) return false
  if (!/^\d{1,12}$/u.test(timestamp) || Math.abs(now / 1_000 - Number(timestamp)) > tolerance) return false
  const expected = Buffer.from(signatureOf(secret, id, timestamp, body))
  return signatures.split(" ").some((signature) => {
    const actual = Buffer.from(signature)
    return actual.length === expected.length && timingSafeEqual(actual, expected)
  })
}
