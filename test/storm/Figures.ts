/** The figures of many storms, compared with the same storms without a guard. */
import type { Result } from "./Storm.ts"

/** What the guard may need, as multiples: of the capacity for `peak`, of plain retries for the others. */
const limits = { peak: 1.6, requests: 0.25, mean: 1.5, last: 1.4 } as const

type Column = keyof typeof limits

const columns = Object.keys(limits) as ReadonlyArray<Column> // the keys of a literal

const meanOf = (values: ReadonlyArray<number>): number => values.reduce((sum, value) => sum + value, 0) / values.length

/** Returns the mean of a column as a multiple of its reference. */
const multipleOf = (column: Column, results: ReadonlyArray<Result>, plain: ReadonlyArray<Result>): number => {
  const mean = meanOf(results.map((result) => result[column]))
  return column === "peak" ? mean : mean / meanOf(plain.map((result) => result[column]))
}

/** Returns a sentence for each column that is above its limit, and for clients that did not succeed. */
export const exceeded = (results: ReadonlyArray<Result>, plain: ReadonlyArray<Result>): ReadonlyArray<string> => [
  ...columns.flatMap((column) => {
    const multiple = multipleOf(column, results, plain)
    return multiple <= limits[column] ? [] : [`${column} is ${multiple.toFixed(2)}, above ${limits[column]}`]
  }),
  ...results.flatMap(({ unfinished }) => (unfinished === 0 ? [] : [`${unfinished} clients did not succeed`]))
]

const seconds = (millis: number): string => (millis / 1_000).toFixed(1)
const count = (value: number): string => Math.round(value).toLocaleString("en")

const cellOf = (
  column: Column,
  results: ReadonlyArray<Result>,
  plain: ReadonlyArray<Result>,
  format: (value: number) => string
): string => {
  const values = results.map((result) => result[column])
  const multiple = column === "peak" ? "" : ` = **${multipleOf(column, results, plain).toFixed(2)}**`
  return `${format(meanOf(values))}${multiple} (${format(Math.min(...values))}–${format(Math.max(...values))})`
}

/** The first lines of a table. */
export const head = `| processes | clients | peak, × capacity | requests, × plain | mean time in s, × plain | last client in s, × plain | calls of a client |
| --- | --- | --- | --- | --- | --- | --- |`

/** Returns a line of the table: means, multiples, and the least and the largest value of a seed. */
export const row = (
  processes: string,
  clients: string,
  results: ReadonlyArray<Result>,
  plain: ReadonlyArray<Result>,
  clientCount: number
): string => {
  const cells = [
    cellOf("peak", results, plain, (value) => value.toFixed(2)),
    cellOf("requests", results, plain, count),
    cellOf("mean", results, plain, seconds),
    cellOf("last", results, plain, seconds),
    (meanOf(results.map(({ calls }) => calls)) / clientCount).toFixed(1)
  ]
  return `| ${[processes, clients, ...cells].join(" | ")} |`
}
