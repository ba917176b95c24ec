/**
 * `npm run bench:checkpoints`: measures the cost of a journal in runs of 10, 100 and 1,000 rounds, and of resuming them.
 *
 * Each round has one call, whose result has ten rows. The model answers immediately. Figures are medians. `-- --json` prints
 * one JSON object.
 */
import * as BudgetsMemory from "#layers/BudgetsMemory"
import * as CheckpointsMemory from "#layers/CheckpointsMemory"
import * as CheckpointsSql from "#layers/CheckpointsSql"
import * as PlayedModel from "#layers/internal/model/PlayedModel"
import { Checkpoints } from "#services/Checkpoints"
import * as Agent from "#src/agent/Agent"
import { Guard } from "#src/guard/Guard"
import * as GuardedTool from "#src/tool/GuardedTool"
import * as Toolbox from "#src/tool/Toolbox"
import { Effect, Layer, Schema } from "effect"
import { LanguageModel } from "effect/ai"
import { median } from "./measure.ts"
import * as Databases from "./databases.ts"

const isJson = process.argv.includes("--json")
const sizes = [10, 100, 1_000] as const
const repeats = { 10: 11, 100: 5, 1_000: 3 } as const

const Order = Schema.Struct({ id: Schema.String, customer: Schema.String, cents: Schema.Int })

class Page extends GuardedTool.Service<Page>()("list_orders", {
  description: "Lists a page of orders. Read-only.",
  access: "read",
  parameters: Schema.Struct({ page: Schema.Int }),
  success: Schema.Struct({ orders: Schema.Array(Order) })
}) {}

const page = Page.layer(({ page }) =>
  Effect.succeed({
    orders: Array.from({ length: 10 }, (_, row) => ({ id: `O-${page}-${row}`, customer: `C-${row}`, cents: 100 * row }))
  })
)

/** Requests the next page in each round. */
const model = Layer.effect(
  LanguageModel.LanguageModel,
  PlayedModel.make((_, index) =>
    Effect.succeed([
      { type: "text", text: "The next page." },
      { type: "tool-call", id: `call_${index}`, name: "list_orders", params: { page: index } },
      { type: "finish", reason: "tool-calls", usage: { inputTokens: { total: 100 }, outputTokens: { total: 20 } } }
      // encoded parts, which the type of the function does not accept
    ] as never)
  )
)

const inProcess = Layer.mergeAll(Layer.fresh(Guard.layerMemoryWith(BudgetsMemory.layer)), page)
const options = { prompt: "Go through all orders.", tools: Toolbox.make(Page) }

const timed = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.suspend(() => {
    const start = performance.now()
    return Effect.map(effect, () => performance.now() - start)
  })

/** Returns the milliseconds of a run without a journal. */
const bare = (rounds: number) =>
  timed(Agent.run({ ...options, maxRounds: rounds })).pipe(Effect.provide(Layer.fresh(Layer.merge(inProcess, model))))

/** Returns the milliseconds of a run with a journal, the milliseconds of resuming it, and the bytes of its rows. */
const journalled = (run: string, rounds: number) =>
  Effect.gen(function* () {
    const recorded = yield* timed(Agent.checkpointed({ ...options, run, maxRounds: rounds })).pipe(
      Effect.provide(Layer.fresh(Layer.merge(inProcess, model)))
    )
    const resumed = yield* timed(Agent.resume({ tools: options.tools, run, maxRounds: rounds })).pipe(
      Effect.provide(Layer.fresh(Layer.merge(inProcess, model)))
    )
    const store = yield* Checkpoints
    const found = yield* store.find({ tenant: "default", run })
    const bytes = (found?.rows ?? []).reduce(
      (sum, { body, sum: hash }) => sum + Buffer.byteLength(body) + hash.length,
      0
    )
    return { recorded, resumed, bytes }
  })

interface Figure {
  readonly where: string
  readonly rounds: number
  readonly msPerRound: number
  readonly resumeMs: number
  readonly resumeMsPerRound: number
  readonly bytesPerRound: number
}

const round = (value: number, digits = 3): number => Number(value.toFixed(digits))

const measured = (where: string) =>
  Effect.gen(function* () {
    for (let warm = 0; warm < 3; warm++) yield* journalled(`warm ${warm}`, 100)
    const figures: Array<Figure> = []
    for (const rounds of sizes) {
      const all = yield* Effect.forEach(Array.from({ length: repeats[rounds] }), (_, n) =>
        journalled(`${rounds} ${n}`, rounds)
      )
      const resumeMs = median(all.map(({ resumed }) => resumed))
      figures.push({
        where,
        rounds,
        msPerRound: round(median(all.map(({ recorded }) => recorded)) / rounds),
        resumeMs: round(resumeMs, 1),
        resumeMsPerRound: round(resumeMs / rounds),
        bytesPerRound: Math.round((all[0]?.bytes ?? 0) / rounds)
      })
    }
    return figures
  })

const without = Effect.gen(function* () {
  for (let warm = 0; warm < 3; warm++) yield* bare(100)
  return yield* Effect.forEach(sizes, (rounds) =>
    Effect.map(
      Effect.forEach(Array.from({ length: repeats[rounds] }), () => bare(rounds)),
      (all) => ({ rounds, msPerRound: round(median(all) / rounds) })
    )
  )
})

const sqlite = Databases.sqlite()
const postgres = await Databases.postgres()
const plain = await Effect.runPromise(without)
const stores: ReadonlyArray<readonly [string, Layer.Layer<Checkpoints, unknown>]> = [
  ["memory", CheckpointsMemory.layer],
  ["SQLite", Layer.provide(CheckpointsSql.layer, sqlite.layer)],
  ...(postgres === undefined ? [] : [["PostgreSQL", Layer.provide(CheckpointsSql.layer, postgres.layer)] as const])
]
const figures: Array<Figure> = []
for (const [where, layer] of stores) {
  figures.push(...(await Effect.runPromise(Effect.provide(measured(where), layer))))
}
for (const database of [sqlite, postgres]) await database?.remove()

/** The cost per round in runs of 1,000 rounds, relative to runs of 100. Quadratic growth would give 10. */
const ratios = stores.map(([where]) => {
  const of = (rounds: number) => figures.find((figure) => figure.where === where && figure.rounds === rounds)
  const [long, short] = [of(1_000), of(100)]
  const ratio = (key: "msPerRound" | "resumeMsPerRound" | "bytesPerRound") =>
    round((long?.[key] ?? Number.NaN) / (short?.[key] ?? Number.NaN), 2)
  return { where, msPerRound: ratio("msPerRound"), resume: ratio("resumeMsPerRound"), bytes: ratio("bytesPerRound") }
})

if (isJson) {
  console.log(JSON.stringify({ without: plain, journaled: figures, ratio1000to100: ratios }))
} else {
  const line = (...cells: ReadonlyArray<string | number>) =>
    console.log(
      cells.map((cell, index) => (index === 0 ? String(cell).padEnd(24) : String(cell).padStart(14))).join("")
    )
  line("rounds of the run", ...sizes)
  line("no journal, ms per round", ...plain.map(({ msPerRound }) => msPerRound))
  for (const [where] of stores) {
    const own = figures.filter((figure) => figure.where === where)
    line(`${where}: ms per round`, ...own.map(({ msPerRound }) => msPerRound))
    line("  bytes per round", ...own.map(({ bytesPerRound }) => bytesPerRound))
    line("  resume, ms", ...own.map(({ resumeMs }) => resumeMs))
    line("  resume, ms per round", ...own.map(({ resumeMsPerRound }) => resumeMsPerRound))
  }
  console.log("\ncost per round of 1,000 rounds relative to 100 (10 would be quadratic)")
  for (const { bytes, msPerRound, resume, where } of ratios) {
    console.log(`  ${where.padEnd(22)} run ${msPerRound}, resume ${resume}, bytes ${bytes}`)
  }
  if (postgres === undefined) console.log("PostgreSQL was not measured: TOOLGUARD_POSTGRES_URL is not set.")
}
process.exit(0)
