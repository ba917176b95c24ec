/**
 * The token with which an approver signs in: `tga_` and 128 random bits as 32 hex digits.
 *
 * Redaction recognises a leaked token by its prefix (`src/domain/redaction`).
 */

/** The beginning of every token. */
const prefix = "tga_"

/** Creates a token from 16 random bytes. */
export const fromBytes = (bytes: Uint8Array): string =>
  prefix + Array.from(bytes.subarray(0, 16), (byte) => byte.toString(16).padStart(2, "0")).join("")

const format = /^tga_[0-9a-f]{32}$/

/** True if a text has the form of a token. Does not check that the token belongs to an approver. */
export const isToken = (text: string): boolean => format.test(text)
