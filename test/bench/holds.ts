/**
 * `npm run bench:holds`: how long a model's call with a result of 10 MB holds the event loop, beyond the platform's own
 * parsing, decoding and writing of the same result.
 *
 * A hold is the CPU time of the thread between two turns of the event loop. The call has three: it reads the text
 * (`JSON.parse`), decodes and compares the result (the decoder, `JSON.stringify`), and renders it. Figures are medians of
 * calls after a warm-up. `-- --json` prints one JSON object.
 */
import { Effect, Layer, ManagedRuntime, Schema } from "effect"
import { Guard } from "#src/guard/Guard"
import * as GuardedTool from "#src/tool/GuardedTool"
import * as Toolbox from "#src/tool/Toolbox"
import { median } from "./measure.ts"
import * as W from "./workload.ts"

const calls = 9
const orders = Math.floor(9_900_000 / JSON.stringify(W.wide.result.orders[0]).length)
const value = {
  ...W.wide.result,
  orders: Array.from({ length: orders }, (_, i) => ({ ...W.wide.result.orders[0], id: `O-${i}` }))
}
const text = JSON.stringify(value)

const cpuMillis = (): number => {
  const { system, user } = process.threadCpuUsage()
  return (system + user) / 1000
}

class Search extends GuardedTool.Service<Search>()("search_orders", {
  description: "Searches orders. Read-only.",
  access: "read",
  parameters: W.Input(),
  success: W.wide.Output()
}) {}

const tools = Toolbox.make(Search)
const runtime = ManagedRuntime.make(
  Layer.mergeAll(
    Search.layer(() => Effect.promise(async () => text)),
    Guard.layerMemory
  )
)

/** Returns the holds of one call, in milliseconds, without those that take less than one. */
const holdsOf = async (page: number): Promise<ReadonlyArray<number>> => {
  const holds: Array<number> = []
  let isOver = false
  let last = cpuMillis()
  const turn = (): void => {
    const now = cpuMillis()
    if (now - last >= 1) holds.push(now - last)
    last = now
    if (!isOver) setImmediate(turn)
  }
  setImmediate(turn)
  const args = JSON.stringify({ ...W.goodArguments, page })
  await runtime.runPromise(Guard.turn(tools.answer({ name: "search_orders", arguments: args, callId: "c" })))
  isOver = true
  await new Promise((resolve) => setImmediate(resolve))
  return holds
}

const decode = Schema.decodeUnknownSync(Schema.toCodecJson(W.wide.Output()))
const time = (work: () => unknown): number => {
  const start = cpuMillis()
  work()
  return cpuMillis() - start
}

const all: Array<ReadonlyArray<number>> = []
const platform: Array<readonly [number, number, number]> = []
for (let call = 0; call < calls + 3; call++) {
  const holds = await holdsOf(call)
  const parsed: unknown = JSON.parse(text)
  const own = [time(() => JSON.parse(text)), time(() => decode(parsed)), time(() => JSON.stringify(value))] as const
  if (call < 3) continue // the first calls compile the schema
  all.push(holds)
  platform.push(own)
}
const [parse, decoding, stringify] = [0, 1, 2].map((at) => median(platform.map((own) => own[at] ?? Number.NaN)))
const hold = (at: number): number => median(all.map((holds) => holds[at] ?? 0))
const rows = [
  { step: "read", hold: hold(0), platform: parse ?? Number.NaN },
  { step: "decode and compare", hold: hold(1), platform: (decoding ?? Number.NaN) + (stringify ?? Number.NaN) },
  { step: "render", hold: hold(2), platform: 0 }
]
if (process.argv.includes("--json")) console.log(JSON.stringify({ megabytes: text.length / 1e6, rows }))
else {
  console.log(
    `${(text.length / 1e6).toFixed(1)} MB, ms of CPU`.padEnd(28) +
      "hold".padStart(8) +
      "platform".padStart(10) +
      "beyond".padStart(8)
  )
  for (const { hold, platform, step } of rows) {
    console.log(
      step.padEnd(28) +
        hold.toFixed(0).padStart(8) +
        platform.toFixed(0).padStart(10) +
        (hold - platform).toFixed(0).padStart(8)
    )
  }
}
process.exit(0)
