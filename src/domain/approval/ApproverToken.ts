/**
 * What an approver shows to be let in: `tga_` and 128 random bits as 32 hex digits.
 *
 * The mark makes it findable: where one leaks into a text, it is taken out (`src/domain/redaction`).
 */
export const prefix = "tga_"

/** Makes a token of 16 random bytes. */
export const fromBytes = (bytes: Uint8Array): string =>
  prefix + Array.from(bytes.subarray(0, 16), (byte) => byte.toString(16).padStart(2, "0")).join("")

const format = /^tga_[0-9a-f]{32}$/

/** Whether a text has the form of a token, which says nothing of whose it is. */
export const isToken = (text: string): boolean => format.test(text)
