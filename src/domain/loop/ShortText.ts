/** Shortens long texts. Different texts stay different unless their hashes of 53 bits collide. */

import { type Steps, stepLength } from "#domain/json/Steps"

/** Returns a 53-bit hash (cyrb53). It is not cryptographic. */
export const hash53 = (text: string): string => digits(mix(start, text, 0, text.length))

interface Hash {
  readonly a: number
  readonly b: number
}

const start: Hash = { a: 0xdeadbeef, b: 0x41c6ce57 }

const mix = ({ a, b }: Hash, text: string, from: number, to: number): Hash => {
  for (let i = from; i < to; i++) {
    const unit = text.charCodeAt(i)
    a = Math.imul(a ^ unit, 2654435761)
    b = Math.imul(b ^ unit, 1597334677)
  }
  return { a, b }
}

const digits = ({ a, b }: Hash): string => {
  a = Math.imul(a ^ (a >>> 16), 2246822507) ^ Math.imul(b ^ (b >>> 13), 3266489909)
  b = Math.imul(b ^ (b >>> 16), 2246822507) ^ Math.imul(a ^ (a >>> 13), 3266489909)
  return (4294967296 * (2097151 & b) + (a >>> 0)).toString(36)
}

/** Returns a text of at most `longest` characters unchanged, and a longer text as its beginning, length and hash. */
export const shorten = (text: string, longest: number): string =>
  text.length <= longest ? text : shortOf(text, hash53(text))

const shortOf = (text: string, hash: string): string => `${text.slice(0, 32)}…${text.length}:${hash}`

/** Returns the same as `shorten` for a text that is longer than `longest`, in steps. */
export function* shortenInSteps(text: string): Steps<string> {
  let hash = start
  for (let at = 0; at < text.length; at += stepLength) {
    hash = mix(hash, text, at, Math.min(text.length, at + stepLength))
    yield
  }
  return shortOf(text, digits(hash))
}
