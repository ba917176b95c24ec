/**
 * Defines the tables of all stores, and the migrations that create them.
 *
 * A released migration never changes; a change is a new migration. Times are epoch milliseconds. Ids from hosts and
 * models are stored as `IdText`.
 */
import * as Effect from "effect/Effect"
import type { SqlError } from "effect/sql/SqlError"
import type { Dialect, Table } from "./Dialect.ts"

/**
 * One row for each key of a tenant. `outcome` is NULL while the action is in flight. `fencing_token`, which a later
 * migration adds, grows with every claim of the key.
 */
const keys: Table = {
  name: "toolguard_keys",
  columns: {
    tenant: "id",
    idempotency_key: "id",
    binding: "text",
    owner: "text",
    call_id: "text",
    lease_until: "bigint",
    lapsed_until: "bigint?",
    outcome: "text?",
    expires_at: "bigint"
  },
  primaryKey: ["tenant", "idempotency_key"],
  indexes: { toolguard_keys_expiry: ["expires_at"] }
}

/** One row for each call key of a turn. The key and the turn are SHA-256 digests. */
const budgets: Table = {
  name: "toolguard_budgets",
  columns: {
    turn_id: "word",
    key_id: "word",
    state: "text",
    is_open: "integer",
    result: "text?",
    held_as: "bigint?",
    touched_at: "bigint"
  },
  primaryKey: ["turn_id", "key_id"],
  indexes: { toolguard_budgets_touched: ["touched_at"] }
}

/**
 * One row for each approval request. `request` is a JSON document. At most one request of a binding is current: the
 * request that an identical call joins. `turn` is a SHA-256 digest.
 */
const approvals: Table = {
  name: "toolguard_approvals",
  columns: {
    id: "word",
    binding: "word",
    is_current: "smallint",
    state: "word",
    tenant: "text",
    tool: "text",
    turn: "word",
    request: "text",
    decision: "text?",
    requested_at: "bigint",
    expires_at: "bigint",
    told_at: "bigint?"
  },
  primaryKey: ["id"],
  uniqueWhere: { name: "toolguard_approvals_current", column: "binding", condition: "is_current = 1" },
  indexes: {
    toolguard_approvals_pending: ["state", "requested_at", "id"],
    toolguard_approvals_turn: ["turn", "state"]
  }
}

/**
 * One row for each artifact. `conversation` holds tenant, principal and conversation as one JSON text. `turn`, which a
 * later migration adds, is a SHA-256 digest, and NULL in rows of older versions.
 */
const artifacts: Table = {
  name: "toolguard_artifacts",
  columns: { id: "word", conversation: "text", body: "text", expires_at: "bigint" },
  primaryKey: ["id"],
  indexes: { toolguard_artifacts_expiry: ["expires_at"] }
}

/** One row for each run. `run` holds its id and its principal, as `RunIds` encodes them. */
const runs: Table = {
  name: "toolguard_runs",
  columns: {
    tenant: "id",
    run: "id",
    format: "integer",
    owner: "text",
    lease_until: "bigint",
    row_count: "integer",
    last_sum: "text",
    run_end: "text?",
    created_at: "bigint",
    updated_at: "bigint"
  },
  primaryKey: ["tenant", "run"]
}

/** One row for each step of a run. */
const journal: Table = {
  name: "toolguard_journal",
  columns: { tenant: "id", run: "id", seq: "integer", body: "text", sum: "text" },
  primaryKey: ["tenant", "run", "seq"]
}

/**
 * One row for each record (`call`) or late outcome (`late`): `record` is JSON, the other columns are for queries.
 * `principal`, which a later migration adds, is empty without a principal, and NULL in rows of older versions.
 */
const calls: Table = {
  name: "toolguard_calls",
  columns: {
    id: "serial",
    kind: "word",
    tenant: "word",
    conversation: "word",
    turn: "word",
    tool: "word",
    trace_id: "word",
    at: "bigint",
    record: "text"
  },
  primaryKey: ["id"],
  indexes: {
    toolguard_calls_turn: ["tenant", "conversation", "turn"],
    toolguard_calls_trace: ["trace_id"],
    toolguard_calls_at: ["at"]
  }
}

/**
 * One row for each order of an operator, with the action `halted` (in force), `ended` (a halt of a tool that was
 * resumed) or `resumed`.
 */
const halts: Table = {
  name: "toolguard_halts",
  columns: { id: "serial", tool: "id", action: "word", operator: "text", reason: "text", at: "bigint" },
  primaryKey: ["id"],
  indexes: { toolguard_halts_tool: ["tool", "id"] }
}

/**
 * One row for each call whose side effect is unknown. `outcome` and `settlement` are JSON documents; `seq` orders the
 * outcomes of one binding.
 */
const outcomes: Table = {
  name: "toolguard_outcomes",
  columns: {
    seq: "serial",
    id: "word",
    binding: "word",
    tenant: "text",
    tool: "text",
    is_answered: "smallint",
    is_open: "smallint",
    outcome: "text",
    settlement: "text?",
    at: "bigint"
  },
  primaryKey: ["seq"],
  indexes: {
    toolguard_outcomes_id: ["id"],
    toolguard_outcomes_binding: ["binding", "seq"],
    toolguard_outcomes_open: ["is_open", "at"]
  }
}

/**
 * One row for each approval request with masked parts. `body` is a JSON string of the arguments with these parts. It is
 * empty when the request is no longer pending. `reveals` is a JSON list of who has seen the parts, and when.
 */
const reveals: Table = {
  name: "toolguard_reveals",
  columns: { id: "word", body: "text", reveals: "text" },
  primaryKey: ["id"]
}

/**
 * One row for each durable run, by its id in the workflow engine. `state` is a `DurableRunState`, and `run_end` the tag
 * of an `AgentEnd`. `ended_at` is NULL until the run has ended.
 */
const durableRuns: Table = {
  name: "toolguard_durable_runs",
  columns: {
    execution_id: "word",
    agent: "id",
    run: "id",
    tenant: "id",
    principal: "id?",
    conversation: "id",
    state: "word",
    run_end: "word?",
    started_at: "bigint",
    changed_at: "bigint",
    ended_at: "bigint?"
  },
  primaryKey: ["execution_id"],
  indexes: {
    toolguard_durable_runs_started: ["started_at", "execution_id"],
    toolguard_durable_runs_state: ["state", "started_at", "execution_id"],
    toolguard_durable_runs_tenant: ["tenant", "started_at", "execution_id"],
    toolguard_durable_runs_ended: ["ended_at"]
  }
}

/** Returns every migration in order, by `number_name`. */
export const migrations = ({
  addIndex,
  addNumber,
  addWord,
  createTable
}: Dialect): Readonly<Record<string, Effect.Effect<void, SqlError>>> => ({
  "1_keys": createTable(keys),
  "2_budgets": createTable(budgets),
  "3_approvals": createTable(approvals),
  "4_artifacts": createTable(artifacts),
  "5_checkpoints": Effect.andThen(createTable(runs), createTable(journal)),
  "6_calls": createTable(calls),
  "7_halts": createTable(halts),
  "8_outcomes": createTable(outcomes),
  "9_reveals": createTable(reveals),
  "10_fencing": addNumber(keys.name, "fencing_token"),
  "11_call_principals": addWord(calls.name, "principal"),
  "12_durable_runs": createTable(durableRuns),
  "13_durable_run_ids": addIndex("toolguard_durable_runs_run", durableRuns.name, ["run", "agent"]),
  "14_artifact_turns": addWord(artifacts.name, "turn"),
  "15_call_tenants": addIndex("toolguard_calls_tenant", calls.name, ["tenant", "id"])
})
