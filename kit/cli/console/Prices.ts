/** What tokens cost, as the user of a command says it: `--price` for all models alike, `--prices` for a table in a file. */
import * as Price from "effect-toolguard/internal/domain/transcript/Price"
import * as Flag from "effect/cli/Flag"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { readFileSync } from "node:fs"
import { lineOf, misuse, type Problem, problem } from "./Problem.ts"

export const flags = {
  price: Flag.String("price").pipe(
    Flag.withMetavar("<in/out>"),
    Flag.withDescription("Dollars a million tokens: 2.5/10; with the cache 2.5/10/0.25/3"),
    Flag.optional
  ),
  prices: Flag.String("prices").pipe(
    Flag.withMetavar("<file>"),
    Flag.withDescription("Prices by model, or by the beginning of its name, as JSON"),
    Flag.optional
  )
}

interface Given {
  readonly price: Option.Option<string>
  readonly prices: Option.Option<string>
}

const shape = `{"gpt-4.1":{"inputPerMillion":2,"outputPerMillion":8},"*":…}`

/** The prices; undefined where none were given. */
export const read = ({ price, prices }: Given): Effect.Effect<Price.Prices | undefined, Problem> => {
  if (Option.isSome(price)) {
    if (Option.isSome(prices)) return Effect.fail(misuse("--price and --prices are given both.", "Leave one out."))
    const one = Price.parse(price.value)
    return one === undefined
      ? Effect.fail(
          misuse(`"${price.value}" is no price.`, "Write dollars a million tokens, input and output: --price 2.5/10")
        )
      : Effect.succeed(one)
  }
  if (Option.isNone(prices)) return Effect.undefined
  const file = prices.value
  return Effect.gen(function* () {
    const text = yield* Effect.try({
      try: () => readFileSync(file, "utf8"),
      catch: (error) => problem(`Cannot read ${file}: ${lineOf(error)}`, "Name a file with prices.")
    })
    const table = Price.parseTable(text)
    if (table._tag === "Failure") {
      return yield* problem(`${file} is no table of prices: ${lineOf(table.failure)}`, `It looks like ${shape}`)
    }
    return table.success
  })
}
