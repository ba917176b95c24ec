/**
 * What models cost, as a table that the user gives: there are no prices in here that could go stale.
 *
 * **Details**
 *
 * - A table's keys are names of models or beginnings of them; the longest that fits counts. `*` fits every model.
 * - Tokens that the provider read from its prompt cache, or wrote to it, have prices of their own; where a price leaves them
 *   out they cost what input costs.
 */
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"

const amount = Schema.Finite.check(Schema.isGreaterThanOrEqualTo(0))

/** Money per million tokens, in any currency. */
export const Price = Schema.Struct({
  inputPerMillion: amount,
  outputPerMillion: amount,
  /** Input that was read from the prompt cache. Default: as other input. */
  cachedInputPerMillion: Schema.optionalKey(amount),
  /** Input that was written to the prompt cache. Default: as other input. */
  cacheWritePerMillion: Schema.optionalKey(amount),
  /** When the price was looked up, for people, e.g. `2026-11`. */
  asOf: Schema.optionalKey(Schema.String)
})
export type Price = typeof Price.Type

/** Prices by model, e.g. `{ "gpt-4.1": …, "gpt-4.1-mini": …, "claude-": …, "*": … }`. */
export const PriceTable = Schema.Record(Schema.String, Price)
export type PriceTable = typeof PriceTable.Type

/** One price for every model, or a table. */
export type Prices = Price | PriceTable

/** Tokens as a provider counts them. `input` is all of it, what came from or went into the cache included. */
export interface Tokens {
  readonly input: number
  readonly cachedInput: number
  readonly cacheWrite: number
  readonly output: number
}

const isOne = (prices: Prices): prices is Price => typeof prices["inputPerMillion"] === "number"

/** The price of a model; undefined where the table has none. */
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

/** The dearest price of a table; undefined of an empty one. What has no price must not count as free. */
export const dearest = (prices: Prices): Price | undefined =>
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

/** Whether a limit of money can hold: there is a price, and none of the table is negative or no number. */
export const canLimit = (prices: Prices): boolean => {
  const all = isOne(prices) ? [prices] : Object.values(prices)
  return all.length > 0 && all.flatMap(amountsOf).every((each) => each !== undefined && each >= 0)
}

/** What tokens cost. */
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

const short = /^(\d+(?:\.\d+)?)\/(\d+(?:\.\d+)?)(?:\/(\d+(?:\.\d+)?))?(?:\/(\d+(?:\.\d+)?))?$/u

/** Reads `INPUT/OUTPUT`, `INPUT/OUTPUT/CACHED` or `INPUT/OUTPUT/CACHED/WRITTEN`; undefined where it is none of them. */
export const parse = (text: string): Price | undefined => {
  const [, input, output, cached, written] = short.exec(text) ?? []
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

/** Reads a table from JSON, or says in words what is wrong with it. */
export const parseTable = (text: string): Result.Result<PriceTable, string> =>
  Result.mapError(decodeTable(text), ({ message }) => message)
