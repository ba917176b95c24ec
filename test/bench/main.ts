/**
 * `npm run bench`: compares the guard with the bare handler, effect/ai's Toolkit and hand-written code that parses
 * arguments and results with zod.
 *
 * `-- --json` prints one JSON object, in which each figure is a median over rounds. `-- --quick` runs fewer rounds.
 */
import { measure, type Measurement, median, quantile, ratio } from "./measure.ts"
import { byHand, guarded, toolkit } from "./variants.ts"
import * as W from "./workload.ts"

const isJson = process.argv.includes("--json")
const rounds = process.argv.includes("--quick") ? 5 : 21

const workloads = { wide: W.wide, narrow: W.narrow }

// variants without JIT run first, because importing the module enables schema JIT for all other schemas
const plain = { wide: toolkit("plain", W.wide), narrow: toolkit("plain", W.narrow) }
for (const { loop } of [...plain.wide, ...plain.narrow]) await loop(20)
await import("effect/schema/SchemaJITCompiler/enable")

/** The comparisons. Each group is measured separately, with its variants interleaved. */
const groups: ReadonlyArray<readonly [string, ReadonlyArray<string>]> = [
  [
    "a typed call",
    ["bare handler", "zod in and out", "Toolkit.handle, plain", "Toolkit.handle, JIT", "guard, typed call"]
  ],
  ["with a JSON text to parse", ["zod, JSON text to parse", "guard, JSON text to parse"]],
  ["a model's call", ["zod + JSON.stringify", "guard, model-facing"]],
  [
    "wrong arguments",
    [
      "zod, wrong arguments",
      "Toolkit.handle, plain, wrong arguments",
      "guard, wrong arguments",
      "guard, wrong arguments, model-facing"
    ]
  ],
  [
    "within a turn: budgets, recall, loops",
    [
      "zod in and out",
      "guard, typed call in a turn",
      "zod + JSON.stringify",
      "guard, model-facing in a turn",
      "zod, JSON text to parse",
      "guard, JSON text to parse in a turn"
    ]
  ]
]
type Measured = ReadonlyMap<string, ReadonlyMap<string, Measurement>>

const measureAll = async (name: keyof typeof workloads): Promise<Measured> => {
  const workload = workloads[name]
  const all = [...byHand(workload), ...plain[name], ...toolkit("JIT", workload), ...guarded(workload)]
  const byGroup = new Map<string, ReadonlyMap<string, Measurement>>()
  for (const [title, names] of groups) {
    byGroup.set(
      title,
      await measure(
        all.filter(({ name }) => names.includes(name)),
        { rounds, calls: 1_000 }
      )
    )
  }
  return byGroup
}

const zod = "zod in and out"
const typed = "guard, typed call"

const summaryOf = (byGroup: Measured) => {
  const groupOf = (name: string, to: string) =>
    [...byGroup.values()].find((group) => group.has(name) && group.has(to)) ?? new Map<string, Measurement>()
  const ratioOf = (name: string, to: string) => Number(ratio(groupOf(name, to), name, to).toFixed(3))
  const bytes = (name: string) => Math.round(groupOf(name, name).get(name)?.bytes ?? Number.NaN)
  return {
    success: {
      ratioToZod: ratioOf(typed, zod),
      ratioToToolkit: ratioOf(typed, "Toolkit.handle, plain"),
      ratioToToolkitJit: ratioOf(typed, "Toolkit.handle, JIT"),
      inTurnRatioToZod: ratioOf("guard, typed call in a turn", zod)
    },
    text: { ratioToZod: ratioOf("guard, JSON text to parse", "zod, JSON text to parse") },
    model: {
      ratioToZod: ratioOf("guard, model-facing", "zod + JSON.stringify"),
      inTurnRatioToZod: ratioOf("guard, model-facing in a turn", "zod + JSON.stringify")
    },
    failure: {
      ratioToZod: ratioOf("guard, wrong arguments", "zod, wrong arguments"),
      ratioToToolkit: ratioOf("guard, wrong arguments", "Toolkit.handle, plain, wrong arguments")
    },
    bytesPerCall: bytes(typed),
    bytesPerCallInTurn: bytes("guard, typed call in a turn"),
    bytesPerModelCall: bytes("guard, model-facing")
  }
}

const line = (name: string, ...cells: ReadonlyArray<string>) =>
  console.log(name.padEnd(46) + cells.map((cell) => cell.padStart(10)).join(""))

const print = (byGroup: Measured) => {
  for (const [title, names] of groups) {
    const baseline = names.find((name) => name.startsWith("zod")) ?? ""
    const group = byGroup.get(title) ?? new Map<string, Measurement>()
    line(`${title}, per call`, "µs", "x zod", "p50 µs", "p99 µs", "KB")
    for (const { bytes, latencies, micros, name } of group.values()) {
      line(
        `  ${name}`,
        median(micros).toFixed(2),
        ratio(group, name, baseline).toFixed(2),
        (quantile(latencies, 0.5) * 1000).toFixed(1),
        (quantile(latencies, 0.99) * 1000).toFixed(1),
        (bytes / 1024).toFixed(1)
      )
    }
  }
}

const wide = await measureAll("wide")
const narrow = await measureAll("narrow")
const summary = { wide: summaryOf(wide), narrow: summaryOf(narrow) }

if (isJson) {
  console.log(JSON.stringify(summary))
} else {
  console.log("WIDE: ten orders of 20 fields with an address and three lines")
  print(wide)
  console.log("\nNARROW: twenty orders of six fields with three lines")
  print(narrow)
  console.log("")
  const { variants: stages } = await import("./stages.ts")
  const grown = await measure(stages(), { rounds: Math.ceil(rounds / 2), calls: 1_000 })
  line("a typed call, stage by stage (JIT)", "µs", "adds")
  let before = 0
  for (const { micros, name } of grown.values()) {
    const now = median(micros)
    line(name, now.toFixed(2), before === 0 ? "" : (now - before).toFixed(2))
    before = now
  }
  console.log(`\n${JSON.stringify(summary, null, 2)}`)
}
process.exit(0)
