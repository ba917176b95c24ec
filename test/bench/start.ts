/**
 * `npm run bench:start`: measures the CPU time of starting the built packages, compared with Node alone and with their
 * dependencies.
 *
 * Variants are started alternately, 11 times each (`-- --runs N`). A figure is a median, and a ratio is the median of the
 * ratios within a round. `-- --json` prints one JSON object. `-- --budget` only rewrites `test/start/budget.json`.
 */
import * as Budget from "../start/budget.ts"
import { entries, importing, toolguard } from "../start/entries.ts"
import { cpuMillis, installBuilt, loaded, type LoadedModules } from "../start/start.ts"
import { median } from "./measure.ts"

const option = (name: string): string | undefined => {
  const at = process.argv.indexOf(`--${name}`)
  return at === -1 ? undefined : process.argv[at + 1]
}

const variants = {
  node: ["--eval", "0"],
  "effect/ai": importing("effect/ai"),
  "effect-toolguard": importing("effect-toolguard"),
  "effect/cli and the platform": importing(
    "effect/cli",
    "@effect/platform-node/NodeServices",
    "@effect/platform-node/NodeRuntime"
  ),
  "toolguard --version": toolguard("--version"),
  "toolguard --help": toolguard("--help")
} as const

type Variant = keyof typeof variants

// the type of `Object.keys` forgets the keys
const names = Object.keys(variants) as ReadonlyArray<Variant>

const measure = async (folder: string, runs: number): Promise<Readonly<Record<Variant, ReadonlyArray<number>>>> => {
  // `fromEntries` forgets the keys
  const times = Object.fromEntries(names.map((name) => [name, [] as Array<number>])) as Record<Variant, Array<number>>
  for (let run = 0; run < runs; run++)
    for (const name of names) times[name].push(await cpuMillis(folder, variants[name]))
  return times
}

const built = await installBuilt()
try {
  if (process.argv.includes("--budget")) {
    const found: Record<string, LoadedModules> = {}
    for (const { args, name } of entries) found[name] = await loaded(built.folder, args)
    Budget.write(found)
  } else {
    const times = await measure(built.folder, Number(option("runs") ?? 11))
    const ratio = (name: Variant, to: Variant) =>
      median(times[name].map((millis, run) => millis / (times[to][run] ?? Number.NaN)))
    const result = {
      cpuMillis: Object.fromEntries(names.map((name) => [name, Math.round(median(times[name]))])),
      versionOverNodeMillis: Math.round(
        median(times["toolguard --version"].map((millis, run) => millis - (times.node[run] ?? Number.NaN)))
      ),
      helpToCli: Number(ratio("toolguard --help", "effect/cli and the platform").toFixed(2)),
      importToAi: Number(ratio("effect-toolguard", "effect/ai").toFixed(2))
    }
    if (process.argv.includes("--json")) console.log(JSON.stringify(result))
    else {
      for (const [name, millis] of Object.entries(result.cpuMillis))
        console.log(`${name.padEnd(30)}${String(millis).padStart(6)} ms of CPU`)
      console.log(`\ntoolguard --version minus Node alone: ${result.versionOverNodeMillis} ms (at most 100)`)
      console.log(`toolguard --help relative to effect/cli and the platform: ${result.helpToCli} (at most 1.2)`)
      console.log(`effect-toolguard relative to effect/ai: ${result.importToAi} (at most 1.1)`)
    }
  }
} finally {
  built.remove()
}
