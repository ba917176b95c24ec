/** The table of the budgets: one row for a call key of a turn. */
import * as Effect from "effect/Effect"
import * as SqlClient from "effect/sql/SqlClient"

export const budgetsTable = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`CREATE TABLE toolguard_budgets (
    turn_id TEXT NOT NULL,
    key_id TEXT NOT NULL,
    state TEXT NOT NULL,
    is_open INTEGER NOT NULL,
    result TEXT,
    held_as BIGINT,
    touched_at BIGINT NOT NULL,
    PRIMARY KEY (turn_id, key_id)
  )`
  yield* sql`CREATE INDEX toolguard_budgets_touched ON toolguard_budgets (touched_at)`
})
