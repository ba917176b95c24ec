/**
 * Measures whether the guard reports what really happened: `npm run bench:told [-- --json | --vectors | --page]`.
 *
 * Generates situations (access × deed of the upstream × its answer × caller × policy) and makes the call of each through the
 * real pipeline, some of them through a remote MCP server. Compares the reports with the specification and with a ledger
 * outside the guard.
 * Exit code 1 if a count is not 0.
 *
 * - `--json` prints one object with all cells.
 * - `--vectors` writes `test/vectors/told.json`, `--page` the tables of docs/model-messages.md.
 */
import { readFileSync, writeFileSync } from "node:fs"
import { performance } from "node:perf_hooks"
import { run } from "./told/Cells.ts"
import { compare, count } from "./told/Counts.ts"
import * as RemoteMcp from "./told/RemoteMcp.ts"
import { print, toJson } from "./told/Printout.ts"
import { pageSituations, updated } from "./told/Page.ts"
import { situations } from "./told/Situation.ts"
import { vectorSituations, write } from "./told/Vectors.ts"

const options = new Set(["--json", "--vectors", "--page"])
const vectorFile = "test/vectors/told.json"
const pageFile = "docs/model-messages.md"

const main = async (argv: ReadonlyArray<string>): Promise<number> => {
  const unknown = argv.find((argument) => argument !== "--" && !options.has(argument))
  if (unknown !== undefined) {
    process.stderr.write(`Unknown option ${unknown}. Usage: npm run bench:told [-- ${[...options].join(" | ")}]\n`)
    return 1
  }
  if (argv.includes("--vectors")) {
    writeFileSync(vectorFile, write(await run(vectorSituations)))
    return 0
  }
  if (argv.includes("--page")) {
    writeFileSync(pageFile, updated(readFileSync(pageFile, "utf8"), await run(pageSituations)))
    return 0
  }
  const start = performance.now()
  const compared = compare([...(await run(situations)), ...(await RemoteMcp.run())])
  const seconds = (performance.now() - start) / 1000
  process.stdout.write(
    argv.includes("--json") ? `${JSON.stringify(toJson(compared))}\n` : `${print(compared, seconds)}\n`
  )
  return Object.values(count(compared)).every((number) => number === 0) ? 0 : 1
}

process.exitCode = await main(process.argv.slice(2))
