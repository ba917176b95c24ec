/**
 * Imports modules one after the other and writes one JSON line for each to a file: the error of the import, or "".
 *
 * Arguments: the file to write, then the modules. A module that takes longer than a minute fails.
 */
import { appendFileSync } from "node:fs"
import { pathToFileURL } from "node:url"

const [results = "", ...modules] = process.argv.slice(2)

for (const path of modules) {
  const { promise, resolve } = Promise.withResolvers<string>()
  const timer = setTimeout(() => resolve("The module took longer than a minute."), 60_000)
  const done = import(pathToFileURL(path).href).then(
    () => "",
    (error: unknown) => (error instanceof Error ? error.message : String(error))
  )
  const result = await Promise.race([promise, done])
  clearTimeout(timer)
  appendFileSync(results, `${JSON.stringify(result)}\n`)
}
process.exit(0)
