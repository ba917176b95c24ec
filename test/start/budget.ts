/** Reads and writes `budget.json`: each entry may load 3 % more than it loaded when the table was written. */
import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import type { LoadedModules } from "./start.ts"

const file = join(import.meta.dirname, "budget.json")

/** Reads the table. */
export const read = (): Readonly<Record<string, LoadedModules>> =>
  JSON.parse(readFileSync(file, "utf8")) as Readonly<Record<string, LoadedModules>>

const headroom = 1.03

/** Writes the table from the modules that the entries load now, with 3 % of headroom. */
export const write = (found: Readonly<Record<string, LoadedModules>>): void => {
  const table = Object.fromEntries(
    Object.entries(found).map(([name, { kilobytes, modules }]) => [
      name,
      { modules: Math.ceil(modules * headroom), kilobytes: Math.ceil(kilobytes * headroom) }
    ])
  )
  writeFileSync(file, `${JSON.stringify(table, null, 2)}\n`)
}
