/**
 * `npm run bench:holds`: how long a model's call with 10 MB holds the event loop, beyond the platform's own parsing,
 * writing and decoding of the same data.
 *
 * A hold is the CPU time of the thread between two turns of the event loop. `JSON.parse`, `JSON.stringify` and the
 * decoders and encoders of the tool's schemas are timed within each hold, and subtracted from it. The figures of a shape
 * are medians of calls after a warm-up: of the longest hold of each call beyond the platform's work, of the platform's
 * longest work in a hold, and of the number of holds longer than a millisecond. `-- --json` prints one JSON object,
 * `-- --each` all holds of one call of each shape, and `-- NAME` measures only the shapes whose names contain NAME.
 */
import type { CompiledTool } from "#pipeline/call/CompiledTool"
import { median } from "./measure.ts"
import { type LargeCalls, shapes } from "./large-shapes.ts"

const calls = 9
const warmUp = 3

const cpuMillis = (): number => {
  const { system, user } = process.threadCpuUsage()
  return (system + user) / 1000
}

let platformMillis = 0
let depth = 0

/** Returns the function, whose CPU time counts as the platform's. Calls within calls are counted once. */
const timed =
  <Args extends ReadonlyArray<any>, A>(work: (...args: Args) => A) =>
  (...args: Args): A => {
    if (depth > 0) return work(...args)
    const start = cpuMillis()
    depth += 1
    try {
      return work(...args)
    } finally {
      depth -= 1
      platformMillis += cpuMillis() - start
    }
  }

/** Times the codecs of a tool. The stages read them from this object at each call. */
const timeCodecs = ({ contract, result }: CompiledTool): void => {
  Object.assign(result, {
    checkValue: timed(result.checkValue),
    decode: timed(result.decode),
    encode: timed(result.encode)
  })
  Object.assign(contract, { decode: timed(contract.decode), encode: timed(contract.encode) })
}

// the clock takes longer than the platform takes for a short text
const { parse, stringify } = JSON
const timedParse = timed(parse)
const timedStringify = timed(stringify)
const isShort = (value: unknown): boolean => typeof value === "string" && value.length < 10_000
JSON.parse = (...args) => (isShort(args[0]) ? parse(...args) : timedParse(...args))
JSON.stringify = ((...args: Parameters<typeof stringify>) =>
  isShort(args[0]) ? stringify(...args) : timedStringify(...args)) as typeof stringify // the overloads are lost

interface Hold {
  readonly beyond: number
  readonly platform: number
}

const holdsOf = async (call: () => Promise<unknown>): Promise<ReadonlyArray<Hold>> => {
  const holds: Array<Hold> = []
  let isOver = false
  let last = cpuMillis()
  platformMillis = 0
  const turn = (): void => {
    const hold = cpuMillis() - last
    if (hold >= 1) holds.push({ beyond: hold - platformMillis, platform: platformMillis })
    platformMillis = 0
    last = cpuMillis()
    if (!isOver) setImmediate(turn)
  }
  setImmediate(turn)
  await call()
  isOver = true
  await new Promise((resolve) => setImmediate(resolve))
  return holds
}

interface Row {
  readonly shape: string
  readonly beyond: number
  readonly platform: number
  readonly holds: number
}

const each = process.argv.includes("--each")
const wanted = process.argv.slice(2).filter((word) => !word.startsWith("--"))

const measure = async (name: string, { call, tool }: LargeCalls): Promise<Row> => {
  timeCodecs(tool)
  const all: Array<ReadonlyArray<Hold>> = []
  for (let index = 0; index < warmUp + calls; index++) {
    const holds = await holdsOf(() => call(index))
    if (index >= warmUp) all.push(holds)
  }
  if (each) {
    const holds = all.at(-1) ?? []
    console.log(
      `${name}: ${holds.map(({ beyond, platform }) => `${beyond.toFixed(1)}+${platform.toFixed(1)}`).join("  ")}`
    )
  }
  const longest = (of: (hold: Hold) => number): number => median(all.map((holds) => Math.max(0, ...holds.map(of))))
  return {
    shape: name,
    beyond: longest(({ beyond }) => beyond),
    platform: longest(({ platform }) => platform),
    holds: median(all.map(({ length }) => length))
  }
}

const rows: Array<Row> = []
for (const [name, make] of Object.entries(shapes)) {
  if (wanted.length === 0 || wanted.some((word) => name.includes(word))) rows.push(await measure(name, make()))
}
const worst = Math.max(...rows.map(({ beyond }) => beyond))
if (process.argv.includes("--json")) console.log(JSON.stringify({ rows, worst }))
else {
  const line = (name: string, cells: ReadonlyArray<string>): void =>
    console.log(name.padEnd(44) + cells.map((cell) => cell.padStart(10)).join(""))
  line("10 MB, ms of CPU", ["longest", "platform", "holds"])
  for (const { beyond, holds, platform, shape } of rows) {
    line(shape, [beyond.toFixed(1), platform.toFixed(0), String(holds)])
  }
  line("worst", [worst.toFixed(1)])
}
process.exit(0)
