/** The table of the call log: one row a record (`call`) or late outcome (`late`), as JSON beside what it is searched by. */
import * as Effect from "effect/Effect"
import * as SqlClient from "effect/sql/SqlClient"

export const callsTable = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const counted = sql.onDialectOrElse({
    pg: () => sql.literal("BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY"),
    orElse: () => sql.literal("INTEGER PRIMARY KEY AUTOINCREMENT")
  })
  yield* sql`CREATE TABLE toolguard_calls (
    id ${counted},
    kind TEXT NOT NULL,
    tenant TEXT NOT NULL,
    conversation TEXT NOT NULL,
    turn TEXT NOT NULL,
    tool TEXT NOT NULL,
    trace_id TEXT NOT NULL,
    at BIGINT NOT NULL,
    record TEXT NOT NULL
  )`
  yield* sql`CREATE INDEX toolguard_calls_turn ON toolguard_calls (tenant, conversation, turn)`
  yield* sql`CREATE INDEX toolguard_calls_trace ON toolguard_calls (trace_id)`
  yield* sql`CREATE INDEX toolguard_calls_at ON toolguard_calls (at)`
})
