/** Compares the tables with the released tables. A changed table needs a new migration and a new line here. */
import * as Database from "#layers/internal/sql/Database"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { sqliteFile } from "../../../support/sqliteFile.ts"

const released = [
  "CREATE TABLE toolguard_approvals ( id TEXT PRIMARY KEY, binding TEXT NOT NULL, is_current SMALLINT NOT NULL, state TEXT NOT NULL, tenant TEXT NOT NULL, tool TEXT NOT NULL, turn TEXT NOT NULL, request TEXT NOT NULL, decision TEXT, requested_at BIGINT NOT NULL, expires_at BIGINT NOT NULL, told_at BIGINT )",
  "CREATE UNIQUE INDEX toolguard_approvals_current ON toolguard_approvals (binding) WHERE is_current = 1",
  "CREATE INDEX toolguard_approvals_pending ON toolguard_approvals (state, requested_at, id)",
  "CREATE INDEX toolguard_approvals_turn ON toolguard_approvals (turn, state)",
  "CREATE TABLE toolguard_artifacts ( id TEXT PRIMARY KEY, conversation TEXT NOT NULL, body TEXT NOT NULL, expires_at BIGINT NOT NULL , turn TEXT)",
  "CREATE INDEX toolguard_artifacts_expiry ON toolguard_artifacts (expires_at)",
  "CREATE TABLE toolguard_budgets ( turn_id TEXT NOT NULL, key_id TEXT NOT NULL, state TEXT NOT NULL, is_open INTEGER NOT NULL, result TEXT, held_as BIGINT, touched_at BIGINT NOT NULL, PRIMARY KEY (turn_id, key_id) )",
  "CREATE INDEX toolguard_budgets_touched ON toolguard_budgets (touched_at)",
  "CREATE TABLE toolguard_calls ( id INTEGER PRIMARY KEY AUTOINCREMENT, kind TEXT NOT NULL, tenant TEXT NOT NULL, conversation TEXT NOT NULL, turn TEXT NOT NULL, tool TEXT NOT NULL, trace_id TEXT NOT NULL, at BIGINT NOT NULL, record TEXT NOT NULL , principal TEXT)",
  "CREATE INDEX toolguard_calls_at ON toolguard_calls (at)",
  "CREATE INDEX toolguard_calls_tenant ON toolguard_calls (tenant, id)",
  "CREATE INDEX toolguard_calls_trace ON toolguard_calls (trace_id)",
  "CREATE INDEX toolguard_calls_turn ON toolguard_calls (tenant, conversation, turn)",
  "CREATE TABLE toolguard_durable_runs ( execution_id TEXT PRIMARY KEY, agent TEXT NOT NULL, run TEXT NOT NULL, tenant TEXT NOT NULL, principal TEXT, conversation TEXT NOT NULL, state TEXT NOT NULL, run_end TEXT, started_at BIGINT NOT NULL, changed_at BIGINT NOT NULL, ended_at BIGINT )",
  "CREATE INDEX toolguard_durable_runs_ended ON toolguard_durable_runs (ended_at)",
  "CREATE INDEX toolguard_durable_runs_run ON toolguard_durable_runs (run, agent)",
  "CREATE INDEX toolguard_durable_runs_started ON toolguard_durable_runs (started_at, execution_id)",
  "CREATE INDEX toolguard_durable_runs_state ON toolguard_durable_runs (state, started_at, execution_id)",
  "CREATE INDEX toolguard_durable_runs_tenant ON toolguard_durable_runs (tenant, started_at, execution_id)",
  "CREATE TABLE toolguard_halts ( id INTEGER PRIMARY KEY AUTOINCREMENT, tool TEXT NOT NULL, action TEXT NOT NULL, operator TEXT NOT NULL, reason TEXT NOT NULL, at BIGINT NOT NULL )",
  "CREATE INDEX toolguard_halts_tool ON toolguard_halts (tool, id)",
  "CREATE TABLE toolguard_journal ( tenant TEXT NOT NULL, run TEXT NOT NULL, seq INTEGER NOT NULL, body TEXT NOT NULL, sum TEXT NOT NULL, PRIMARY KEY (tenant, run, seq) )",
  "CREATE TABLE toolguard_keys ( tenant TEXT NOT NULL, idempotency_key TEXT NOT NULL, binding TEXT NOT NULL, owner TEXT NOT NULL, call_id TEXT NOT NULL, lease_until BIGINT NOT NULL, lapsed_until BIGINT, outcome TEXT, expires_at BIGINT NOT NULL, fencing_token BIGINT NOT NULL DEFAULT 0, PRIMARY KEY (tenant, idempotency_key) )",
  "CREATE INDEX toolguard_keys_expiry ON toolguard_keys (expires_at)",
  "CREATE TABLE toolguard_outcomes ( seq INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT NOT NULL, binding TEXT NOT NULL, tenant TEXT NOT NULL, tool TEXT NOT NULL, is_answered SMALLINT NOT NULL, is_open SMALLINT NOT NULL, outcome TEXT NOT NULL, settlement TEXT, at BIGINT NOT NULL )",
  "CREATE INDEX toolguard_outcomes_binding ON toolguard_outcomes (binding, seq)",
  "CREATE INDEX toolguard_outcomes_id ON toolguard_outcomes (id)",
  "CREATE INDEX toolguard_outcomes_open ON toolguard_outcomes (is_open, at)",
  "CREATE TABLE toolguard_reveals ( id TEXT PRIMARY KEY, body TEXT NOT NULL, reveals TEXT NOT NULL )",
  "CREATE TABLE toolguard_runs ( tenant TEXT NOT NULL, run TEXT NOT NULL, format INTEGER NOT NULL, owner TEXT NOT NULL, lease_until BIGINT NOT NULL, row_count INTEGER NOT NULL, last_sum TEXT NOT NULL, run_end TEXT, created_at BIGINT NOT NULL, updated_at BIGINT NOT NULL, PRIMARY KEY (tenant, run) )"
]

describe("the tables", () => {
  it.effect("12.2 a new database has exactly the released tables and indices", () =>
    Effect.gen(function* () {
      const { sql } = yield* Database.Database
      const rows = yield* sql<{ readonly sql: string }>`SELECT sql FROM sqlite_master
        WHERE name LIKE 'toolguard%' AND sql IS NOT NULL AND name <> 'toolguard_migrations' ORDER BY name`
      assert.deepStrictEqual(
        rows.map((row) => row.sql.replace(/\s+/gu, " ")),
        released
      )
    }).pipe(Effect.provide(Layer.provide(Database.layer, sqliteFile)))
  )
})
