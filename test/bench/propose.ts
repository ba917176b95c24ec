/**
 * Measures the report on results and its proposals: `npm run bench:propose -- [--cases 200] [--seed 1] [--json]`.
 *
 * Each case breaks three results of a tool in one way at one place. The invented cases have invented schemas. The recorded cases
 * break results of recorded traffic (`TOOLGUARD_DATA`) under the schemas that `infer` proposes for them.
 */
import { join } from "node:path"
import { parseArgs } from "node:util"
import { data, recordedData } from "../support/data.ts"
import { kinds, type Outcome, runInvented } from "./proposeCases.ts"
import { runRecorded } from "./proposeData.ts"

const row = (name: string, all: ReadonlyArray<Outcome>) => ({
  name,
  cases: all.length,
  listed: all.filter(({ isListed }) => isListed).length,
  relaxed: all.filter(({ isRelaxed }) => isRelaxed).length,
  othersRefused: all.reduce((sum, { refused }) => sum + refused, 0),
  othersAccepted: all.reduce((sum, { wrong }) => sum + wrong.length, 0)
})

type Row = ReturnType<typeof row>

const print = (title: string, rows: ReadonlyArray<Row>): void => {
  console.log(`\n${title}`)
  console.log(`  ${"fault".padEnd(26)}  cases  listed once  relaxed or kept  others refused  others accepted`)
  for (const { cases, listed, name, othersAccepted, othersRefused, relaxed } of rows) {
    const cells = [cases, listed, relaxed, othersRefused, othersAccepted].map((count, index) =>
      count.toLocaleString("en").padStart([5, 11, 15, 14, 15][index] ?? 0)
    )
    console.log(`  ${name.padEnd(26)}  ${cells.join("  ")}`)
  }
}

const rowsOf = (all: ReadonlyArray<Outcome>): ReadonlyArray<Row> => [
  ...kinds.map((kind) =>
    row(
      kind,
      all.filter((outcome) => outcome.kind === kind)
    )
  ),
  row("all", all)
]

const { values } = parseArgs({
  options: {
    cases: { type: "string", default: "200" },
    seed: { type: "string", default: "1" },
    json: { type: "boolean", default: false }
  }
})
const seed = Number(values.seed)
const invented = rowsOf(runInvented(Number(values.cases), seed))
const recorded = recordedData.absent === undefined ? rowsOf(await runRecorded(join(data, "traffic"), seed)) : undefined
if (values.json) console.log(JSON.stringify({ invented, recorded }))
else {
  print("Invented schemas", invented)
  if (recorded === undefined) console.log(`\nRecorded traffic: ${recordedData.absent}`)
  else print("Recorded traffic, with inferred schemas", recorded)
}
