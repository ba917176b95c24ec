/**
 * `npm run bench:checkpoints`: what a journal costs a run of 10, 100 and 1,000 rounds, and what it costs to go on with one.
 *
 * One call a round, whose result has ten rows; the model answers at once. Medians. With `-- --json` one JSON object.
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
import * as Places from "./places.ts"

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

/** Calls the next page in each request. */
const model = Layer.effect(
  LanguageModel.LanguageModel,
  PlayedModel.make((_, index) =>
    Effect.succeed([
      { type: "text", text: "The next page." },
      { type: "tool-call", id: `call_${index}`, name: "list_orders", params: { page: index } },
      { type: "finish", reason: "tool-calls", usage: { inputTokens: { total: 100 }, outputTokens: { total: 20 } } }
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

/** Milliseconds of a run without a journal. */
const bare = (rounds: number) =>
  timed(Agent.run({ ...options, maxRounds: rounds })).pipe(Effect.provide(Layer.fresh(Layer.merge(inProcess, model))))

/** Milliseconds of a run with one, and of going on with it to where it was; and the bytes of its rows. */
const journaled = (run: string, rounds: number) =>
  Effect.gen(function* () {
    const made = yield* timed(Agent.checkpointed({ ...options, run, maxRounds: rounds })).pipe(
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
    return { made, resumed, bytes }
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
    for (let warm = 0; warm < 3; warm++) yield* journaled(`warm ${warm}`, 100)
    const figures: Array<Figure> = []
    for (const rounds of sizes) {
      const all = yield* Effect.forEach(Array.from({ length: repeats[rounds] }), (_, n) =>
        journaled(`${rounds} ${n}`, rounds)
      )
      const resumeMs = median(all.map(({ resumed }) => resumed))
      figures.push({
        where,
        rounds,
        msPerRound: round(median(all.map(({ made }) => made)) / rounds),
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

const sqlite = Places.sqlite()
const postgres = await Places.postgres()
const plain = await Effect.runPromise(without)
const places: ReadonlyArray<readonly [string, Layer.Layer<Checkpoints, unknown>]> = [
  ["memory", CheckpointsMemory.layer],
  ["SQLite", Layer.provide(CheckpointsSql.layer, sqlite.layer)],
  ...(postgres === undefined ? [] : [["PostgreSQL", Layer.provide(CheckpointsSql.layer, postgres.layer)] as const])
]
const figures: Array<Figure> = []
for (const [where, layer] of places) {
  figures.push(...(await Effect.runPromise(Effect.provide(measured(where), layer))))
}
for (const place of [sqlite, postgres]) await place?.remove()

/** A round of a long run in one of a run of a hundred: 10 where the cost grows with the square of the rounds. */
const ratios = places.map(([where]) => {
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
  line("a run of so many rounds", ...sizes)
  line("without a journal, ms a round", ...plain.map(({ msPerRound }) => msPerRound))
  for (const [where] of places) {
    const own = figures.filter((figure) => figure.where === where)
    line(`${where}: ms a round`, ...own.map(({ msPerRound }) => msPerRound))
    line("  bytes a round", ...own.map(({ bytesPerRound }) => bytesPerRound))
    line("  resume, ms", ...own.map(({ resumeMs }) => resumeMs))
    line("  resume, ms a round", ...own.map(({ resumeMsPerRound }) => resumeMsPerRound))
  }
  console.log("\na round of 1,000 in one of 100 (10 would be quadratic)")
  for (const { bytes, msPerRound, resume, where } of ratios) {
    console.log(`  ${where.padEnd(22)} run ${msPerRound}, resume ${resume}, bytes ${bytes}`)
  }
  if (postgres === undefined) console.log("PostgreSQL was not measured: TOOLGUARD_POSTGRES_URL is not set.")
}
process.exit(0)
