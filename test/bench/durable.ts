/**
 * `npm run bench:durable`: measures the cost of surviving a crash of the process. Compares `Agent.run`, which does not
 * survive a crash, with `Agent.checkpointed` and a durable agent, in memory, in a SQLite file and on PostgreSQL.
 *
 * A run has 20 rounds with a keyed write each, and a round with the answer. The model and the tool answer immediately, so that
 * only storage takes time. The idempotency keys are in the same store as the run. Figures are medians of 9 runs, or of 3 with
 * `-- --quick`. `-- --json` prints one JSON array.
 *
 * On PostgreSQL, it then prints the CPU time, the rows and the bytes of a run of five rounds in a fleet of one and of three
 * runners, beside a bare Effect workflow with as many activities: see `fleet/measure.ts`. `-- --fleet` prints only this part.
 */
import * as CheckpointsMemory from "#layers/CheckpointsMemory"
import * as CheckpointsSql from "#layers/CheckpointsSql"
import * as DigestMemory from "#layers/DigestMemory"
import * as DurablePostgres from "#layers/DurablePostgres"
import * as DurableSqlite from "#layers/DurableSqlite"
import * as IdempotencyKeysSql from "#layers/IdempotencyKeysSql"
import * as Agent from "#src/agent/Agent"
import type { AgentEnd } from "#src/agent/AgentEnd"
import * as DurableAgent from "#src/durable/DurableAgent"
import { Guard } from "#src/guard/Guard"
import { Effect, Layer, ManagedRuntime, References } from "effect"
import { WorkflowEngine } from "effect/workflow"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { measureFleet } from "./fleet/measure.ts"
import { median } from "./measure.ts"
import { implementationsFor, tools } from "./savingAgent.ts"
import * as Databases from "./databases.ts"

const rounds = 20
const isQuick = process.argv.includes("--quick")
const isFleetOnly = process.argv.includes("--fleet")
const runs = isQuick ? 3 : 9

const implementations = implementationsFor(rounds)
const agent = DurableAgent.make("Bench", { tools })
const memory = Layer.merge(Guard.layerMemory, implementations)
const sql = Layer.merge(Guard.layerMemoryWith(IdempotencyKeysSql.layer), implementations)

interface Case {
  readonly what: string
  readonly where: string
  readonly layer: Layer.Layer<any, unknown>
  readonly run: (run: string) => Effect.Effect<AgentEnd, unknown, any>
  readonly remove?: () => unknown
}

const plain = (run: string) => Agent.run({ prompt: "Go.", tools, turn: { conversation: run, turn: run } })
const checkpointed = (run: string) => Agent.checkpointed({ prompt: "Go.", tools, run })
const durable = (run: string) => agent.execute({ prompt: "Go.", run })

const folder = mkdtempSync(join(tmpdir(), "toolguard-bench-"))
const [sqlite, servers] = [Databases.sqlite(), [await Databases.postgres(), await Databases.postgres("d")]]

const cases: ReadonlyArray<Case> = [
  { what: "Agent.run", where: "memory", layer: memory, run: plain },
  { what: "Agent.run", where: "keys in SQLite", layer: sql.pipe(Layer.provide(sqlite.layer)), run: plain },
  {
    what: "Agent.checkpointed",
    where: "memory",
    layer: Layer.mergeAll(memory, CheckpointsMemory.layer, DigestMemory.layer),
    run: checkpointed
  },
  {
    what: "Agent.checkpointed",
    where: "SQLite",
    layer: Layer.mergeAll(sql, CheckpointsSql.layer, DigestMemory.layer).pipe(Layer.provide(sqlite.layer)),
    run: checkpointed,
    remove: sqlite.remove
  },
  ...servers.slice(0, 1).flatMap((server): ReadonlyArray<Case> =>
    server === undefined
      ? []
      : [
          {
            what: "Agent.checkpointed",
            where: "PostgreSQL",
            layer: Layer.mergeAll(sql, CheckpointsSql.layer, DigestMemory.layer).pipe(Layer.provide(server.layer)),
            run: checkpointed,
            remove: server.remove
          }
        ]
  ),
  {
    what: "DurableAgent",
    where: "memory",
    layer: agent.layer.pipe(Layer.provideMerge(WorkflowEngine.layerMemory), Layer.provide(memory)),
    run: durable
  },
  {
    what: "DurableAgent",
    where: "SQLite",
    layer: agent.layer.pipe(
      Layer.provide(sql),
      Layer.provideMerge(DurableSqlite.layer({ filename: join(folder, "agents.db") }))
    ),
    run: durable
  },
  ...servers.slice(1).flatMap((server): ReadonlyArray<Case> =>
    server === undefined
      ? []
      : [
          {
            what: "DurableAgent",
            where: "PostgreSQL",
            layer: agent.layer.pipe(
              Layer.provide(sql),
              Layer.provideMerge(DurablePostgres.layer({ host: "127.0.0.1", port: 34_431 })),
              Layer.provide(server.layer)
            ),
            run: durable,
            remove: server.remove
          }
        ]
  )
]

const measured: Array<{ readonly what: string; readonly where: string; readonly run: number; readonly round: number }> =
  []
for (const { layer, remove, run, what, where } of isFleetOnly ? [] : cases) {
  const runtime = ManagedRuntime.make(layer.pipe(Layer.provideMerge(Layer.succeed(References.MinimumLogLevel, "Warn"))))
  const times: Array<number> = []
  for (let i = 0; i <= runs; i++) {
    const start = performance.now()
    const end = await runtime.runPromise(run(`${what} ${where} ${i}`))
    if (end._tag !== "Answered" || end.usage.attempts !== rounds)
      throw new Error(`${what}, ${where}: the run ended with ${end._tag} after ${end.usage.attempts} attempts`)
    if (i > 0) times.push(performance.now() - start) // the first run is the warm-up
  }
  await runtime.dispose()
  await remove?.()
  const millis = median(times)
  measured.push({ what, where, run: Number(millis.toFixed(1)), round: Number((millis / (rounds + 1)).toFixed(2)) })
}
rmSync(folder, { recursive: true, force: true })
if (isFleetOnly) for (const server of servers) await server?.remove()

const fleets =
  servers[0] === undefined
    ? []
    : await Effect.runPromise(
        Effect.forEach([1, 3], (runners) =>
          measureFleet(runners, { batches: isQuick ? 3 : 7, runsPerBatch: (isQuick ? 15 : 30) * runners })
        )
      )

if (process.argv.includes("--json")) {
  console.log(JSON.stringify([...measured, ...fleets.flat()]))
} else {
  const line = (name: string, ...cells: ReadonlyArray<string>) =>
    console.log(name.padEnd(40) + cells.map((cell) => cell.padStart(12)).join(""))
  if (!isFleetOnly) line(`a run of ${rounds} rounds with a write each`, "ms per run", "ms per round")
  for (const { round, run, what, where } of measured) line(`${what}, ${where}`, run.toFixed(1), round.toFixed(2))
  for (const figures of fleets) {
    const [bare] = figures
    const beside = (own: number, other: number | undefined) =>
      `${own.toFixed(1)} (${(own / (other ?? own)).toFixed(2)} x)`
    console.log("")
    line(
      `a run of 5 rounds, ${bare?.runners} runner${bare?.runners === 1 ? "" : "s"}`,
      ...["CPU ms", "PostgreSQL ms", "rows", "KB", "KB, indexes"].map((name) => name.padStart(16))
    )
    for (const { bytes, bytesWithIndexes, postgresMillis, program, rows, runnerMillis } of figures)
      line(
        program === "bare" ? "bare workflow of 11 activities" : "DurableAgent",
        ...[
          beside(runnerMillis, bare?.runnerMillis),
          postgresMillis === null ? "-" : beside(postgresMillis, bare?.postgresMillis ?? undefined),
          rows.toFixed(1),
          (bytes / 1024).toFixed(1),
          (bytesWithIndexes / 1024).toFixed(1)
        ].map((cell) => cell.padStart(16))
      )
  }
  if (servers[0] === undefined) console.log("PostgreSQL was not measured: TOOLGUARD_POSTGRES_URL is not set.")
}
process.exit(0)
