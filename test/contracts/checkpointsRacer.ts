/**
 * One of the processes that race for a run: `checkpointsRacer.ts STORES`. STORES is a JSON object of files or addresses by name.
 *
 * Prints `ready` when it is connected. On the first input, it opens the run in every store, and writes ten rows to each store
 * in which it owns the run.
 */
import * as CheckpointsSql from "#layers/CheckpointsSql"
import * as Postgres from "#layers/Postgres"
import * as SqliteNode from "#layers/SqliteNode"
import { Checkpoints } from "#services/Checkpoints"
import { Duration, Effect, Layer, Redacted } from "effect"
import { once } from "node:events"

const stores = JSON.parse(process.argv[2] ?? "{}") as Readonly<Record<string, string>>
const key = { tenant: "tenant", run: "raced" }

const clientOf = (place: string) =>
  place.startsWith("postgres:")
    ? Postgres.layer({ url: Redacted.make(place), maxConnections: 1 })
    : SqliteNode.layer({ filename: place, busyTimeout: "30 seconds" })

const take = Effect.gen(function* () {
  const store = yield* Checkpoints
  const { owner, rows } = yield* store.open(key, {
    mayMake: true,
    format: 1,
    lease: Duration.minutes(10),
    takeOver: false
  })
  for (let n = 1; n <= 10; n++) yield* store.append(key, owner, { seq: rows.length + n, body: owner, sum: `sum ${n}` })
  return "opened"
}).pipe(Effect.catch((error) => Effect.succeed(error._tag === "CheckpointRefused" ? error.reason : error._tag)))

const run = Effect.gen(function* () {
  const all = yield* Effect.forEach(Object.entries(stores), ([name, place]) =>
    Effect.map(Layer.build(CheckpointsSql.layer.pipe(Layer.provide(clientOf(place)))), (context) => ({ name, context }))
  )
  process.stdout.write("ready\n")
  yield* Effect.promise(() => once(process.stdin, "data"))
  process.stdin.unref()
  const taken = yield* Effect.forEach(
    all,
    ({ context, name }) => Effect.map(Effect.provide(take, context), (result) => [name, result] as const),
    { concurrency: "unbounded" }
  )
  process.stdout.write(JSON.stringify(Object.fromEntries(taken)))
})

await Effect.runPromise(Effect.scoped(run))
