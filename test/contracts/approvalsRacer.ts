/**
 * One of the processes that race for a decision and for the approval: `approvalsRacer.ts DATABASE ID BINDING NAME`.
 *
 * Prints `ready` when it is connected, and starts when it reads from standard input, so that all processes start at the same time.
 */
import * as ApprovalsSql from "#layers/ApprovalsSql"
import * as Postgres from "#layers/Postgres"
import * as SqliteNode from "#layers/SqliteNode"
import { Approvals } from "#services/Approvals"
import { Effect, Layer, Redacted } from "effect"
import { once } from "node:events"

const [database = "", id = "", binding = "", name = ""] = process.argv.slice(2)

const client = database.startsWith("postgres:")
  ? Postgres.layer({ url: Redacted.make(database), maxConnections: 1 })
  : SqliteNode.layer({ filename: database, busyTimeout: "30 seconds" })

const race = Effect.gen(function* () {
  const approvals = yield* Approvals
  process.stdout.write("ready\n")
  yield* Effect.promise(() => once(process.stdin, "data"))
  process.stdin.unref()
  const decided = yield* approvals.decide(id, { verdict: "approve", by: name, reason: "" })
  const consumed = yield* approvals.consume(id, binding)
  const by = decided._tag === "Unknown" ? "" : decided.request.decision?.by
  process.stdout.write(JSON.stringify({ name, decided: decided._tag, by, consumed }))
})

await Effect.runPromise(Effect.provide(race, Layer.provide(ApprovalsSql.layer, client)))
