/**
 * Measures whether the guard reports what really happened: `npm run bench:told [-- --json | --vectors | --page]`.
 *
 * Generates situations (access × what the upstream did × what it answered × caller × policy), makes the call of each through
 * the real pipeline, and compares what the caller reads with the specification and with a ledger outside the guard.
 * Exit code 1 if a count is not 0.
 *
 * - `--json` prints one object with all cells.
 * - `--vectors` writes `test/vectors/told.json`, `--page` the tables of docs/what-is-told.md.
 */
import { performance } from "node:perf_hooks"
import { run } from "./told/Cells.ts"
import { count, judge } from "./told/Counts.ts"
import { print, toJson } from "./told/Printout.ts"
import { situations } from "./told/Situation.ts"

const options = new Set(["--json"])

const main = async (argv: ReadonlyArray<string>): Promise<number> => {
  const unknown = argv.find((argument) => argument !== "--" && !options.has(argument))
  if (unknown !== undefined) {
    process.stderr.write(`Unknown option ${unknown}. Usage: npm run bench:told [-- ${[...options].join(" | ")}]\n`)
    return 1
  }
  const start = performance.now()
  const judged = judge(await run(situations))
  const seconds = (performance.now() - start) / 1000
  process.stdout.write(argv.includes("--json") ? `${JSON.stringify(toJson(judged))}\n` : `${print(judged, seconds)}\n`)
  return Object.values(count(judged)).every((number) => number === 0) ? 0 : 1
}

process.exitCode = await main(process.argv.slice(2))
