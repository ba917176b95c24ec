/** Defines the flags for prices: `--price` sets one price for all models, `--prices` names a file with a table. */
import * as Price from "effect-toolguard/internal/domain/transcript/Price"
import * as Flag from "effect/cli/Flag"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { readFileSync } from "node:fs"
import { lineOf, misuse, type Problem, problem, unreadable } from "./Problem.ts"

/** The flags `--price` and `--prices`. */
export const flags = {
  price: Flag.String("price").pipe(
    Flag.withMetavar("<in/out>"),
    Flag.withDescription("Dollars per million tokens: 2.5/10; with the cache 2.5/10/0.25/3"),
    Flag.optional
  ),
  prices: Flag.String("prices").pipe(
    Flag.withMetavar("<file>"),
    Flag.withDescription("JSON file of prices by model name or its prefix"),
    Flag.optional
  )
}

interface Options {
  readonly price: Option.Option<string>
  readonly prices: Option.Option<string>
}

const shape = `{"gpt-4.1":{"inputPerMillion":2,"outputPerMillion":8},"*":…}`

/** Reads the prices. Returns `undefined` if neither flag is given. */
export const read = ({ price, prices }: Options): Effect.Effect<Price.Prices | undefined, Problem> => {
  if (Option.isSome(price)) {
    if (Option.isSome(prices)) return Effect.fail(misuse("--price and --prices cannot be combined.", "Leave one out."))
    const one = Price.parse(price.value)
    return one === undefined
      ? Effect.fail(
          misuse(
            `"${price.value}" is not a price.`,
            "Write dollars per million tokens, input and output: --price 2.5/10"
          )
        )
      : Effect.succeed(one)
  }
  if (Option.isNone(prices)) return Effect.undefined
  const file = prices.value
  return Effect.gen(function* () {
    const text = yield* Effect.try({
      try: () => readFileSync(file, "utf8"),
      catch: (error) => unreadable(file, error, "Name a file of prices.")
    })
    const table = Price.parseTable(text)
    if (table._tag === "Failure") {
      return yield* problem(
        `${file} is not a table of prices: ${lineOf(table.failure)}`,
        `Write it like this: ${shape}`
      )
    }
    return table.success
  })
}
