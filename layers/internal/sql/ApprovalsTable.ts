/**
 * The table of the approvals, for SQLite and PostgreSQL alike.
 *
 * The texts of a request are one JSON document: PostgreSQL refuses U+0000 in a text, JSON escapes it. At most one request of a
 * binding is current: the one that an equal call joins.
 */
import * as Effect from "effect/Effect"
import * as SqlClient from "effect/sql/SqlClient"

export const approvalsTable = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`CREATE TABLE toolguard_approvals (
    id TEXT PRIMARY KEY,
    binding TEXT NOT NULL,
    is_current SMALLINT NOT NULL,
    state TEXT NOT NULL,
    tenant TEXT NOT NULL,
    tool TEXT NOT NULL,
    request TEXT NOT NULL,
    decision TEXT,
    requested_at BIGINT NOT NULL,
    expires_at BIGINT NOT NULL,
    told_at BIGINT
  )`
  yield* sql`CREATE UNIQUE INDEX toolguard_approvals_current ON toolguard_approvals (binding) WHERE is_current = 1`
  yield* sql`CREATE INDEX toolguard_approvals_pending ON toolguard_approvals (state, requested_at, id)`
})
