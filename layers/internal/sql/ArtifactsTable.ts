/**
 * The table of the artifacts, for SQLite and PostgreSQL alike.
 *
 * `conversation` holds tenant and conversation as one JSON text: ids come from hosts, and PostgreSQL refuses U+0000 and
 * makes all lone surrogates one, where JSON escapes them.
 */
import * as Effect from "effect/Effect"
import * as SqlClient from "effect/sql/SqlClient"

export const artifactsTable = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`CREATE TABLE toolguard_artifacts (
    id TEXT PRIMARY KEY,
    conversation TEXT NOT NULL,
    body TEXT NOT NULL,
    expires_at BIGINT NOT NULL
  )`
  yield* sql`CREATE INDEX toolguard_artifacts_expiry ON toolguard_artifacts (expires_at)`
})
