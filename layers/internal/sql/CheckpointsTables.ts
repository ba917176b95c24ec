/** The tables of the checkpoints: one row for a run, and one for each of its steps. */
import * as Effect from "effect/Effect"
import * as SqlClient from "effect/sql/SqlClient"

export const checkpointsTables = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`CREATE TABLE toolguard_runs (
    tenant TEXT NOT NULL,
    run TEXT NOT NULL,
    format INTEGER NOT NULL,
    owner TEXT NOT NULL,
    lease_until BIGINT NOT NULL,
    row_count INTEGER NOT NULL,
    last_sum TEXT NOT NULL,
    run_end TEXT,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL,
    PRIMARY KEY (tenant, run)
  )`
  yield* sql`CREATE TABLE toolguard_journal (
    tenant TEXT NOT NULL,
    run TEXT NOT NULL,
    seq INTEGER NOT NULL,
    body TEXT NOT NULL,
    sum TEXT NOT NULL,
    PRIMARY KEY (tenant, run, seq)
  )`
})
