/** The table of the idempotency keys: one row for a key of a tenant. `outcome` is absent while it is in flight. */
import * as Effect from "effect/Effect"
import * as SqlClient from "effect/sql/SqlClient"

export const keysTable = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`CREATE TABLE toolguard_keys (
    tenant TEXT NOT NULL,
    idempotency_key TEXT NOT NULL,
    binding TEXT NOT NULL,
    owner TEXT NOT NULL,
    call_id TEXT NOT NULL,
    lease_until BIGINT NOT NULL,
    lapsed_until BIGINT,
    outcome TEXT,
    expires_at BIGINT NOT NULL,
    PRIMARY KEY (tenant, idempotency_key)
  )`
  yield* sql`CREATE INDEX toolguard_keys_expiry ON toolguard_keys (expires_at)`
})
