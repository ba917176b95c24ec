/**
 * Kills processes and prints the outcomes of their writes: `npm run kill [-- --times 50 --random 1000]`.
 *
 * Exits with 1 if a write happened twice or was lost without a report, or if a run did not end as expected.
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
const violations = counts.flatMap(({ mode, place, violations }) =>
  violations.map((text) => `${place}, ${mode}: ${text}`)
)
for (const violation of violations) console.error(violation)
process.exit(violations.length === 0 ? 0 : 1)
