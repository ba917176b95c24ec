/**
 * Calculates the cost of tokens from the prices of models. The user provides the prices. The package contains none,
 * because they would become outdated.
 *
 * **Details**
 *
 * - The keys of a table are model names or prefixes of them. The longest matching key applies; `*` matches every model.
 * - Tokens read from or written to the provider's prompt cache can have separate prices. By default they cost as much
 *   as other input.
 */
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"

const amount = Schema.Finite.check(Schema.isGreaterThanOrEqualTo(0))

/** The price of a model per million tokens, in any currency. */
export const Price = Schema.Struct({
  inputPerMillion: amount,
  outputPerMillion: amount,
  /** The price of input that is read from the prompt cache. Default: `inputPerMillion`. */
  cachedInputPerMillion: Schema.optionalKey(amount),
  /** The price of input that is written to the prompt cache. Default: `inputPerMillion`. */
  cacheWritePerMillion: Schema.optionalKey(amount),
  /** When the price was looked up, e.g. `2026-11`. It does not affect the cost. */
  asOf: Schema.optionalKey(Schema.String)
})
export type Price = typeof Price.Type

/** Prices by model, e.g. `{ "gpt-4.1": …, "gpt-4.1-mini": …, "claude-": …, "*": … }`. */
export const PriceTable = Schema.Record(Schema.String, Price)
export type PriceTable = typeof PriceTable.Type

/** One price for every model, or a table. */
export type Prices = Price | PriceTable

/** The tokens that the provider counted. `input` includes the tokens that were read from and written to the cache. */
export interface Tokens {
  readonly input: number
  readonly cachedInput: number
  readonly cacheWrite: number
  readonly output: number
}

const isOne = (prices: Prices): prices is Price => typeof prices["inputPerMillion"] === "number"

/** Returns the price of a model, or undefined if the table has no price for the model. */
export const of = (prices: Prices, model: string): Price | undefined => {
  if (isOne(prices)) return prices
  const key = Object.keys(prices)
    .filter((name) => name !== "*" && name !== "" && model.startsWith(name))
    .reduce<string | undefined>(
      (best, name) => (best === undefined || name.length > best.length ? name : best),
      undefined
    )
  return key !== undefined ? prices[key] : Object.hasOwn(prices, "*") ? prices["*"] : undefined
}

const sum = ({ inputPerMillion, outputPerMillion }: Price): number => inputPerMillion + outputPerMillion

/**
 * Returns the highest price of a table, or undefined if the table is empty. Models without a price get the highest
 * price, because they must not count as free.
 */
export const mostExpensive = (prices: Prices): Price | undefined =>
  isOne(prices)
    ? prices
    : Object.values(prices).reduce<Price | undefined>(
        (best, price) => (best === undefined || sum(price) > sum(best) ? price : best),
        undefined
      )

const amountsOf = (price: Partial<Price> | undefined): ReadonlyArray<number | undefined> => {
  const { cacheWritePerMillion = 0, cachedInputPerMillion = 0, inputPerMillion, outputPerMillion } = price ?? {}
  return [inputPerMillion, outputPerMillion, cachedInputPerMillion, cacheWritePerMillion]
}

/** True if a cost limit can be enforced: there is at least one price, and no amount is missing, negative or NaN. */
export const canLimit = (prices: Prices): boolean => {
  const all = isOne(prices) ? [prices] : Object.values(prices)
  return all.length > 0 && all.flatMap(amountsOf).every((each) => each !== undefined && each >= 0)
}

/** Returns the cost of tokens, in the currency of the price. */
export const cost = (price: Price, { cacheWrite, cachedInput, input, output }: Tokens): number => {
  const { cacheWritePerMillion = price.inputPerMillion, cachedInputPerMillion = price.inputPerMillion } = price
  const other = Math.max(0, input - cachedInput - cacheWrite)
  return (
    (other * price.inputPerMillion +
      cachedInput * cachedInputPerMillion +
      cacheWrite * cacheWritePerMillion +
      output * price.outputPerMillion) /
    1_000_000
  )
}

const pricePattern = /^(\d+(?:\.\d+)?)\/(\d+(?:\.\d+)?)(?:\/(\d+(?:\.\d+)?))?(?:\/(\d+(?:\.\d+)?))?$/u

/**
 * Reads `INPUT/OUTPUT`, `INPUT/OUTPUT/CACHED` or `INPUT/OUTPUT/CACHED/WRITTEN`. Returns undefined for any other text.
 */
export const parse = (text: string): Price | undefined => {
  const [, input, output, cached, written] = pricePattern.exec(text) ?? []
  if (input === undefined || output === undefined) return undefined
  return {
    inputPerMillion: Number(input),
    outputPerMillion: Number(output),
    ...(cached === undefined ? {} : { cachedInputPerMillion: Number(cached) }),
    ...(written === undefined ? {} : { cacheWritePerMillion: Number(written) })
  }
}

const decodeTable = Schema.decodeUnknownResult(Schema.fromJsonString(PriceTable), {
  errors: "all",
  onExcessProperty: "error"
})

/** Reads a table from JSON. Fails with a message that lists every error. */
export const parseTable = (text: string): Result.Result<PriceTable, string> =>
  Result.mapError(decodeTable(text), ({ message }) => message)
