/**
 * `npm run example:durable`: two runners on PostgreSQL, and a client that starts a run. The runner that executes the
 * run is killed during a payment. The other runner continues, and each person is paid once.
 *
 * `DATABASE_URL` names the server (default `postgres://postgres@127.0.0.1:5432/postgres`). The example creates a separate
 * database there, and drops it at the end.
 */
import { Clock, Console, Effect, Layer, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import * as DurablePostgres from "effect-toolguard/layers/DurablePostgres"
import * as Postgres from "effect-toolguard/layers/Postgres"
import * as Bank from "./Bank.ts"
import { Payroll, people } from "./Payroll.ts"
import * as Runners from "./Runners.ts"

const server = process.env["DATABASE_URL"] ?? "postgres://postgres@127.0.0.1:5432/postgres"

/** Creates a database for this run, and drops it at the end. */
const temporaryDatabase = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const name = `toolguard_example_${process.pid}`
  yield* Effect.acquireRelease(sql.unsafe(`CREATE DATABASE ${name}`), () =>
    Effect.ignore(sql.unsafe(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`))
  )
  const url = new URL(server)
  url.pathname = `/${name}`
  return url.href
})

const example = Effect.gen(function* () {
  const database = yield* temporaryDatabase
  const bank = yield* Bank.start
  const runners = yield* Effect.all([Runners.start(database, bank.url), Runners.start(database, bank.url)], {
    concurrency: 2
  })
  yield* Console.log(`Two runners: processes ${runners.map(({ pid }) => pid).join(" and ")}.`)

  const client = DurablePostgres.client({ interval: "200 millis" }).pipe(
    Layer.provide(Postgres.layer({ url: Redacted.make(database) }))
  )
  const end = yield* Effect.gen(function* () {
    const run = { run: "wages of May" }
    const paying = bank.nextRequest("Bob")
    yield* Payroll.start({ ...run, prompt: `Pay the wages of ${people.join(", ")}.` })
    const pid = yield* Effect.raceFirst(
      Effect.promise(() => paying),
      Effect.flatMap(Payroll.result(run), (end) =>
        Effect.die(new Error(`The run ended before the payment: ${end._tag}.`))
      )
    )
    yield* Console.log(
      `Process ${pid} has the run. It is killed after the bank has moved Bob's money and before the bank answers.`
    )
    const owner = runners.find((runner) => runner.pid === pid)
    if (owner !== undefined) yield* Runners.kill(owner)
    const killedAt = yield* Clock.currentTimeMillis
    const end = yield* Payroll.result(run, "100 millis")
    const seconds = ((yield* Clock.currentTimeMillis) - killedAt) / 1000
    yield* Console.log(`The other process completed the run ${seconds.toFixed(1)} s later.\n`)
    return end
  }).pipe(Effect.provide(client))

  for (const [name, { done, requestedBy }] of bank.transfers) {
    yield* Console.log(
      `${name.padEnd(6)} paid ${done} time${done === 1 ? " " : "s"} requested by ${requestedBy.join(", ")}`
    )
  }
  yield* Console.log(`\n${end._tag}: ${end._tag === "Answered" ? end.text : ""}`)
  const isRight = people.every((name) => bank.transfers.get(name)?.done === 1) && end._tag === "Answered"
  if (!isRight) process.exitCode = 1
})

const remedy = `Start one, for example with
  docker run --rm -e POSTGRES_HOST_AUTH_METHOD=trust -p 127.0.0.1:5432:5432 postgres
or use yours: DATABASE_URL=postgres://user:password@host:5432/database npm run example:durable`

await example.pipe(
  Effect.scoped,
  Effect.provide(Postgres.layer({ url: Redacted.make(server) })),
  Effect.catchTag("DatabaseUnavailable", (error) =>
    Effect.andThen(
      Console.error(`This example needs PostgreSQL. ${error.message}\n${remedy}`),
      Effect.sync(() => void (process.exitCode = 2))
    )
  ),
  Effect.runPromise
)
