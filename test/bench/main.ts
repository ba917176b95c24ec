/**
 * `npm run bench`: the guard against the bare handler, effect/ai's Toolkit and a hand-written zod parse in and out.
 *
 * With `-- --json` one JSON object, each figure a median over rounds. With `-- --quick` fewer rounds.
 */
import { measure, median, quantile, ratio } from "./measure.ts"
import { byHand, guarded, toolkit } from "./variants.ts"

const isJson = process.argv.includes("--json")
const rounds = process.argv.includes("--quick") ? 5 : 21

// what is to stay uncompiled is used before schema JIT is switched on, for good, by its import
const plain = [...toolkit("plain"), ...guarded("plain")]
for (const { loop } of plain) await loop(20)
await import("effect/schema/SchemaJITCompiler/enable")

const variants = [...byHand(), ...plain, ...toolkit("JIT"), ...guarded("JIT")]
const measured = await measure(variants, { rounds, calls: 1_000 })
const of = (name: string, to: string) => Number(ratio(measured, name, to).toFixed(3))
const bytes = (name: string) => Math.round(measured.get(name)?.bytes ?? Number.NaN)

const zod = "zod in and out"
const typed = "guard, typed call, JIT"
const summary = {
  success: {
    ratioToZod: of(typed, zod),
    ratioToToolkit: of(typed, "Toolkit.handle, plain"),
    ratioToToolkitJit: of(typed, "Toolkit.handle, JIT"),
    inTurnRatioToZod: of("guard, typed call in a turn, JIT", zod)
  },
  text: { ratioToZod: of("guard, JSON text to parse, JIT", "zod, JSON text to parse") },
  model: { ratioToZod: of("guard, model-facing, JIT", "zod + JSON.stringify") },
  failure: {
    ratioToZod: of("guard, wrong arguments, JIT", "zod, wrong arguments"),
    ratioToToolkit: of("guard, wrong arguments, JIT", "Toolkit.handle, plain, wrong arguments")
  },
  bytesPerCall: bytes(typed),
  bytesPerModelCall: bytes("guard, model-facing, JIT")
}

if (isJson) {
  console.log(JSON.stringify(summary))
} else {
  const line = (name: string, ...cells: ReadonlyArray<string>) =>
    console.log(name.padEnd(46) + cells.map((cell) => cell.padStart(10)).join(""))
  line("a search of ten orders, per call", "µs", "x zod", "p50 µs", "p99 µs", "KB")
  for (const { bytes, latencies, micros, name } of measured.values()) {
    line(
      name,
      median(micros).toFixed(2),
      ratio(measured, name, zod).toFixed(2),
      (quantile(latencies, 0.5) * 1000).toFixed(1),
      (quantile(latencies, 0.99) * 1000).toFixed(1),
      (bytes / 1024).toFixed(1)
    )
  }
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
