/**
 * Kills processes and prints what became of their writes: `npm run kill [-- --times 50 --random 1000]`.
 *
 * Ends with 1 where a write was done twice, or was lost and nobody was told.
 */
import { parseArgs } from "node:util"
import { type Count, killAt, killAtRandom, table } from "./harness.ts"
import { modes, points } from "./plan.ts"

const { values } = parseArgs({
  options: { times: { type: "string", default: "50" }, random: { type: "string", default: "1000" } }
})

const counts: Array<Count> = []
for (const mode of modes) {
  for (const point of points) counts.push(await killAt(point, mode, Number(values.times)))
}
for (const mode of modes)
  counts.push(await killAtRandom(mode, Math.ceil(Number(values.random) / modes.length), Math.random))
console.log(table(counts))
const violations = counts.flatMap(({ mode, place, violations }) => violations.map((it) => `${place}, ${mode}: ${it}`))
for (const violation of violations) console.error(violation)
process.exit(violations.length === 0 ? 0 : 1)
