/**
 * The fewest statements that keep the promises of the stores, written by hand against the driver that the store uses:
 * `node:sqlite`, one connection of `@effect/sql-pg`, and `EVALSHA` of `redis`. They have no timeouts, retries,
 * encryption, decoding or call joining. What the statements of budgets and keys write is part of the promises, and is
 * computed for each step: the digests of turns, keys and calls, an owner of its own for each claim, a different state for
 * each write, and the text of the result.
 *
 * What must hold, and what is therefore the fewest:
 *
 * - **Budget, spend and settle: 2 statements, 2 transactions.** A unit must be on disk before the attempt begins, and its
 *   end after it. `spend` is one upsert that checks the limit; `settle` is one update of the unit, which holds the result
 *   and drops the results beyond the latest twenty of the turn.
 * - **Key, claim and complete: 2 statements, 2 transactions.** A claim must be on disk before the action, and its outcome
 *   after it. The claim is one upsert that also decides whether an earlier claim has lapsed.
 * - **Journal, the two rows of a round with one call: 2 transactions.** Each row must be on disk before the run continues,
 *   together with the check that this process owns the run, and with the count that reveals a lost row. PostgreSQL does
 *   both in 1 statement. SQLite has no statement that changes two tables: it takes 2 between BEGIN and COMMIT.
 *
 * The rows have the columns, indexes and sizes of the rows of the stores.
 */
import { heldResults } from "#domain/turn/Budget"

/** The texts of the statements in a dialect: `$` stands for a parameter. */
const texts = (now: string) => ({
  spend: `INSERT INTO fewest_budgets (turn_id, key_id, spent, running, state, is_open, touched_at)
    VALUES ($, $, 1, 1, $, 1, ${now}) ON CONFLICT (turn_id, key_id) DO UPDATE
    SET spent = fewest_budgets.spent + 1, running = fewest_budgets.running + 1, is_open = 1, touched_at = ${now}
    WHERE fewest_budgets.spent < 3 RETURNING spent, result`,
  claim: `INSERT INTO fewest_keys (tenant, idempotency_key, binding, owner, call_id, lease_until, outcome, expires_at,
      fencing_token) VALUES ($, $, $, $, $, ${now} + 60000, NULL, 0, ${now})
    ON CONFLICT (tenant, idempotency_key) DO UPDATE
    SET binding = excluded.binding, owner = excluded.owner, call_id = excluded.call_id,
      lease_until = excluded.lease_until, outcome = NULL, fencing_token = fewest_keys.fencing_token + 1
    WHERE fewest_keys.lease_until <= ${now} AND fewest_keys.outcome IS NULL RETURNING fencing_token`,
  complete: `UPDATE fewest_keys SET outcome = $, expires_at = ${now} + 86400000
    WHERE tenant = $ AND idempotency_key = $ AND owner = $ AND outcome IS NULL RETURNING 1`,
  own: `UPDATE fewest_runs SET row_count = row_count + 1, last_sum = $, updated_at = ${now}
    WHERE tenant = $ AND run = $ AND owner = $ AND row_count = $ RETURNING 1`
})

const latest = (column: string) =>
  `(SELECT ${column} FROM fewest_budgets WHERE turn_id = $ AND key_id <> $ AND held_as IS NOT NULL
    ORDER BY held_as DESC LIMIT 1 OFFSET ${heldResults - 1})`
const next = "(SELECT COALESCE(MAX(held_as), 0) + 1 FROM fewest_budgets WHERE turn_id = $)"

/** The statements of SQLite. One update settles, and drops old results. */
export const sqlite = {
  ...texts("CAST((julianday('now') - 2440587.5) * 86400000 + 0.5 AS INTEGER)"),
  // turn, key, state, key, result, key, turn, turn, key, turn, key
  settle: `UPDATE fewest_budgets SET running = running - (key_id = $), state = CASE key_id WHEN $ THEN $ ELSE state END,
      is_open = 0, result = CASE key_id WHEN $ THEN $ END, held_as = CASE key_id WHEN $ THEN ${next} END
    WHERE turn_id = $ AND (key_id = $ OR held_as <= ${latest("held_as")}) RETURNING 1`,
  row: "INSERT INTO fewest_journal (tenant, run, seq, body, sum) VALUES ($, $, $, $, $)"
}

/** The statements of PostgreSQL. */
const postgresNow = "CAST(EXTRACT(EPOCH FROM clock_timestamp()) * 1000 AS BIGINT)"
const shared = texts(postgresNow)
export const postgres = {
  ...shared,
  // state, result, turn, turn, key, turn, turn, key
  settle: `WITH settled AS (UPDATE fewest_budgets SET running = running - 1, state = $, is_open = 0, result = $,
        held_as = ${next} WHERE turn_id = $ AND key_id = $ RETURNING 1),
      dropped AS (UPDATE fewest_budgets SET result = NULL, held_as = NULL
        WHERE turn_id = $ AND held_as <= ${latest("held_as")})
    SELECT 1 FROM settled`,
  // sum, tenant, run, owner, count, tenant, run, seq, body, sum
  append: `WITH owned AS (${shared.own}) INSERT INTO fewest_journal (tenant, run, seq, body, sum)
    SELECT $, $, CAST($ AS INTEGER), $, $ FROM owned RETURNING 1`
}

/** Numbers the parameters of a text for PostgreSQL. */
export const numbered = (text: string): string => {
  let n = 0
  return text.replaceAll("$", () => `$${++n}`)
}

/** The tables, with the columns and indexes of the tables of the stores. */
export const tables: ReadonlyArray<string> = [
  `CREATE TABLE fewest_budgets (turn_id TEXT NOT NULL, key_id TEXT NOT NULL, spent INTEGER NOT NULL,
    running INTEGER NOT NULL, state TEXT NOT NULL, is_open INTEGER NOT NULL, result TEXT, held_as BIGINT,
    touched_at BIGINT NOT NULL, PRIMARY KEY (turn_id, key_id))`,
  "CREATE INDEX fewest_budgets_touched ON fewest_budgets (touched_at)",
  `CREATE TABLE fewest_keys (tenant TEXT NOT NULL, idempotency_key TEXT NOT NULL, binding TEXT NOT NULL,
    owner TEXT NOT NULL, call_id TEXT NOT NULL, lease_until BIGINT NOT NULL, lapsed_until BIGINT, outcome TEXT,
    expires_at BIGINT NOT NULL, fencing_token BIGINT NOT NULL, PRIMARY KEY (tenant, idempotency_key))`,
  "CREATE INDEX fewest_keys_expiry ON fewest_keys (expires_at)",
  `CREATE TABLE fewest_runs (tenant TEXT NOT NULL, run TEXT NOT NULL, format INTEGER NOT NULL, owner TEXT NOT NULL,
    lease_until BIGINT NOT NULL, row_count INTEGER NOT NULL, last_sum TEXT NOT NULL, run_end TEXT,
    created_at BIGINT NOT NULL, updated_at BIGINT NOT NULL, PRIMARY KEY (tenant, run))`,
  `CREATE TABLE fewest_journal (tenant TEXT NOT NULL, run TEXT NOT NULL, seq INTEGER NOT NULL, body TEXT NOT NULL,
    sum TEXT NOT NULL, PRIMARY KEY (tenant, run, seq))`
]

/** Creates a run, whose id is the parameter. */
export const newRun = `INSERT INTO fewest_runs VALUES ('bench', $, 1, 'owner', 0, 0, '', NULL, 0, 0) RETURNING 1`

/** The scripts of Redis: one for each step, with the fields of the stores. */
export const redis = {
  spend: `
local spent = redis.call("HINCRBY", KEYS[1], "n:" .. ARGV[1], 1)
if spent > 3 then redis.call("HINCRBY", KEYS[1], "n:" .. ARGV[1], -1) return 0 end
redis.call("HSET", KEYS[1], "s:" .. ARGV[1], ARGV[2])
redis.call("PEXPIRE", KEYS[1], 86400000)
return {spent, redis.call("HGET", KEYS[1], "r:" .. ARGV[1])}`,
  settle: `
redis.call("HSET", KEYS[1], "s:" .. ARGV[1], ARGV[2], "r:" .. ARGV[1], ARGV[3])
redis.call("LREM", KEYS[2], 0, ARGV[1])
if redis.call("RPUSH", KEYS[2], ARGV[1]) > ${heldResults} then
  redis.call("HDEL", KEYS[1], "r:" .. redis.call("LPOP", KEYS[2]))
end
redis.call("PEXPIRE", KEYS[1], 86400000)
redis.call("PEXPIRE", KEYS[2], 86400000)
return 1`,
  claim: `
local time = redis.call("TIME")
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local row = redis.call("HMGET", KEYS[1], "binding", "lease", "outcome", "expires", "fence")
if row[1] and (row[3] or tonumber(row[2]) > now) then return 0 end
local fence = string.format("%.0f", math.max(tonumber(row[5] or "0") + 1, now))
redis.call("HSET", KEYS[1], "binding", ARGV[1], "call", ARGV[2], "owner", ARGV[3],
  "lease", string.format("%.0f", now + 60000), "fence", fence)
return fence`,
  complete: `
local row = redis.call("HMGET", KEYS[1], "owner", "outcome")
if row[1] ~= ARGV[1] or row[2] then return 0 end
local time = redis.call("TIME")
local expires = time[1] * 1000 + math.floor(time[2] / 1000) + 86400000
redis.call("HSET", KEYS[1], "outcome", ARGV[2], "expires", string.format("%.0f", expires))
redis.call("PEXPIRE", KEYS[1], 86400000)
return 1`
}
