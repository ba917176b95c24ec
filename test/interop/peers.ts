/**
 * `npm run bench:peers`: compares a guarded call with how other frameworks run one tool with parsed arguments.
 *
 * **Details**
 *
 * - Each framework runs the same handler, and checks the arguments as it does before it runs a tool of a model. ajv, zod,
 *   Mastra and the guard also check the result; the others do not.
 * - Only the guard counts, records, redacts and classifies; the guard's calls are those of a turn.
 * - Variants are interleaved in one process. `-- --json` prints one JSON object, and `-- --quick` runs fewer rounds.
 */
import { readFileSync } from "node:fs"
import { measure, median, ratio } from "../bench/measure.ts"
import { byHand, guarded, toolkit } from "../bench/variants.ts"
import { wide } from "../bench/workload.ts"
import { packages } from "./packages.ts"

const names = ["ai", "@ai-sdk/provider-utils", "@langchain/core", "@openai/agents", "@mastra/core"]
const { absent } = packages(...names)
if (absent !== undefined) {
  console.error(`${absent}.`)
  process.exit(1)
}
const peers = (await import("./peerVariants.ts")).peers()

const isJson = process.argv.includes("--json")
const rounds = process.argv.includes("--quick") ? 5 : 21
const own = guarded(wide).filter(
  (one) => one.name === "guard, typed call in a turn" || one.name === "guard, model-facing in a turn"
)
const zod = byHand(wide).filter((one) => one.name === "zod in and out")
const effectAi = toolkit("as installed", wide).filter((one) => !one.name.includes("wrong"))

for (const { loop, name } of peers) {
  try {
    await loop(1)
  } catch (error) {
    throw new Error(`${name} does not run the tool.`, { cause: error })
  }
}

const group = await measure([...zod, ...own, ...effectAi, ...peers], { rounds, calls: 500 })
const guard = "guard, typed call in a turn"
const versions = (
  JSON.parse(readFileSync(new URL("package.json", import.meta.url), "utf8")) as {
    readonly dependencies: Readonly<Record<string, string>>
  }
).dependencies
const result = {
  versions: Object.fromEntries(names.map((name) => [name, versions[name]])),
  microsPerCall: Object.fromEntries(
    [...group.values()].map(({ micros, name }) => [name, Number(median(micros).toFixed(2))])
  ),
  guardTo: Object.fromEntries([...group.keys()].map((to) => [to, Number(ratio(group, guard, to).toFixed(2))]))
}

if (isJson) console.log(JSON.stringify(result))
else {
  console.log(names.map((name) => `${name} ${versions[name]}`).join(", "))
  console.log("per call".padEnd(40) + "µs".padStart(10) + "guard in a turn / it".padStart(24))
  for (const [name, micros] of Object.entries(result.microsPerCall)) {
    console.log(`  ${name}`.padEnd(40) + micros.toFixed(2).padStart(10) + String(result.guardTo[name]).padStart(24))
  }
}
process.exit(0)
