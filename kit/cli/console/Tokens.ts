/**
 * Counts tokens with the tokenizer o200k.
 *
 * Runs of more than 512 letters, spaces or punctuation marks are counted in pieces, because the tokenizer's time grows
 * with the square of their length. Each piece can change the count by one token.
 */
import * as Effect from "effect/Effect"

/** Counts the tokens of a text. Never fails: control tokens are counted as ordinary text. */
export type Count = (text: string) => number

const longRun = /[\p{L}\p{M}]{512}|\s{512}|[^\s\p{L}\p{N}]{512}/gu

/** Loads the tokenizer only when this effect runs, because the tokenizer is large. */
export const load: Effect.Effect<Count> = Effect.promise(async () => {
  const { countTokens } = await import("gpt-tokenizer/encoding/o200k_base")
  const options = { disallowedSpecial: new Set<string>() }
  return (text) => {
    let tokens = 0
    let start = 0
    for (const run of text.matchAll(longRun)) {
      const end = run.index + run[0].length
      tokens += countTokens(text.slice(start, end), options)
      start = end
    }
    return tokens + countTokens(text.slice(start), options)
  }
})
