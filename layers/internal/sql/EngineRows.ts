/**
 * Reads and removes the rows of Effect's workflow engine: `cluster_messages` holds the requests of an execution, and
 * `cluster_replies` their replies.
 *
 * **Details**
 *
 * - The request with the tag `run` holds the payload of the execution. Its last reply says whether the execution has
 *   completed or is suspended.
 * - The engine has no index by execution, and none by request. `prepare` creates both.
 */
import * as Snowflake from "effect/cluster/Snowflake"
import * as Effect from "effect/Effect"
import type { SqlClient } from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"
import type { Fragment } from "effect/sql/Statement"
import { isJsonObject } from "#domain/json/JsonObject"
import { parsed } from "#layers/internal/stores/StoredOwner"

/** The request that started an execution. */
export interface EngineRun {
  readonly agent: string
  readonly execution: string
  readonly payload: Readonly<Record<string, unknown>>
  /** When it was started, in epoch milliseconds of the runner. */
  readonly startedAt: number
}

/** How an execution ended. */
export interface EngineEnd {
  readonly execution: string
  readonly isFailed: boolean
  /** In epoch milliseconds of the runner. */
  readonly endedAt: number
}

interface EngineRows {
  /** Creates the indexes, if the tables exist. Returns whether they exist. */
  readonly prepare: Effect.Effect<boolean, SqlError>
  /** True if the execution of a row was stored. The condition reads the column `execution_id`. */
  readonly isStored: Fragment
  /** Returns the request of an execution. */
  readonly find: (agent: string, execution: string) => Effect.Effect<EngineRun | undefined, SqlError>
  /**
   * Passes requests that have no row in `toolguard_durable_runs`: those of an agent or, without an agent, of all agents.
   * Reads all requests, a page at a time.
   */
  readonly eachUnregistered: (
    agent: string | undefined,
    use: (run: EngineRun) => Effect.Effect<unknown, SqlError>
  ) => Effect.Effect<void, SqlError>
  /** Returns ends of an agent's executions whose row has no end. With an execution, only of that one. */
  readonly unrecorded: (agent: string, execution?: string) => Effect.Effect<ReadonlyArray<EngineEnd>, SqlError>
  /** True if the engine has stored the end of an execution. */
  readonly hasEnded: (execution: string) => Effect.Effect<boolean, SqlError>
  /** Removes everything that the engine stores of executions. */
  readonly remove: (executions: ReadonlyArray<string>) => Effect.Effect<void, SqlError>
}

/** The number of rows that are read at a time. */
const page = 500

const clock = "Workflow/-/DurableClock"
const typeOf = (agent: string) => `Workflow/${agent}`

/** Returns the time at which the engine made an id. */
const timeOf = (id: string): number => Snowflake.timestamp(Snowflake.Snowflake(id))

interface RunRow {
  readonly id: string
  readonly entity_type: string
  readonly entity_id: string
  readonly payload: string
}

export const make = (sql: SqlClient): EngineRows => {
  const exists = (kind: "table" | "index", name: string) =>
    sql.onDialectOrElse({
      pg: () => sql`SELECT 1 FROM pg_class WHERE oid = to_regclass(${name})`,
      orElse: () => sql`SELECT 1 FROM sqlite_master WHERE type = ${kind} AND name = ${name}`
    })
  const indexes = {
    toolguard_cluster_entities: "(entity_id)",
    toolguard_cluster_runs: "(entity_type, id) WHERE tag = 'run'"
  }
  const isRun = sql`m.tag = 'run' AND m.kind = 0 AND m.entity_type <> ${clock}`
  const isOf = (agent: string | undefined) =>
    agent === undefined ? sql`m.entity_type LIKE 'Workflow/%'` : sql`m.entity_type = ${typeOf(agent)}`
  const isEnd = sql`r.kind = 0 AND SUBSTR(r.payload, 1, 200) NOT LIKE '%"_tag":"Suspended"%'`
  const columns = sql.literal("CAST(m.id AS TEXT) AS id, m.entity_type, m.entity_id, m.payload")
  return {
    prepare: Effect.gen(function* () {
      if ((yield* exists("table", "cluster_messages")).length === 0) return false
      for (const [name, columns] of Object.entries(indexes)) {
        if ((yield* exists("index", name)).length > 0) continue
        // of several processes that start together, one creates the index and the others fail
        yield* Effect.retry(sql.unsafe(`CREATE INDEX IF NOT EXISTS ${name} ON cluster_messages ${columns}`), {
          times: 3
        })
      }
      return true
    }),
    isStored: sql`EXISTS (SELECT 1 FROM cluster_messages m
      WHERE m.entity_id = toolguard_durable_runs.execution_id AND ${isRun})`,
    find: (agent, execution) =>
      Effect.map(
        sql<RunRow>`SELECT ${columns} FROM cluster_messages m
          WHERE m.entity_id = ${execution} AND ${isOf(agent)} AND ${isRun}`,
        (rows) => rows.flatMap(runOf)[0]
      ),
    eachUnregistered: Effect.fnUntraced(function* (agent, use) {
      for (let after = "0"; ;) {
        const rows = yield* sql<RunRow & { readonly is_known: number | bigint | string }>`SELECT ${columns},
            CASE WHEN EXISTS (SELECT 1 FROM toolguard_durable_runs d WHERE d.execution_id = m.entity_id)
              THEN 1 ELSE 0 END AS is_known
          FROM cluster_messages m WHERE ${isOf(agent)} AND ${isRun} AND m.id > ${sql.literal(after)}
          ORDER BY m.id LIMIT ${page}`
        for (const row of rows) {
          after = row.id
          if (Number(row.is_known) === 0) yield* Effect.forEach(runOf(row), use)
        }
        if (rows.length < page) break
      }
    }),
    unrecorded: (agent, execution) =>
      Effect.map(
        sql<{ readonly execution_id: string; readonly id: string; readonly head: string }>`
          SELECT d.execution_id, CAST(r.id AS TEXT) AS id, SUBSTR(r.payload, 1, 200) AS head
          FROM toolguard_durable_runs d
          JOIN cluster_messages m ON m.entity_id = d.execution_id AND ${isRun} AND ${isOf(agent)}
          JOIN cluster_replies r ON r.id = m.last_reply_id
          WHERE d.ended_at IS NULL ${execution === undefined ? sql`` : sql`AND d.execution_id = ${execution}`}
            AND ${isEnd}
          LIMIT ${page}`,
        (rows) =>
          rows.map(({ execution_id, head, id }) => ({
            execution: execution_id,
            isFailed: head.includes('"_tag":"Failure"'),
            endedAt: timeOf(id)
          }))
      ),
    hasEnded: (execution) =>
      Effect.map(
        sql`SELECT 1 FROM cluster_messages m JOIN cluster_replies r ON r.id = m.last_reply_id
          WHERE m.entity_id = ${execution} AND ${isRun} AND ${isEnd}`,
        ({ length }) => length > 0
      ),
    remove: (executions) => {
      const ours = sql`${sql.in("entity_id", executions)} AND entity_type LIKE 'Workflow/%'`
      return executions.length === 0
        ? Effect.void
        : Effect.andThen(
            sql`DELETE FROM cluster_replies WHERE request_id IN (SELECT id FROM cluster_messages WHERE ${ours})`,
            Effect.asVoid(sql`DELETE FROM cluster_messages WHERE ${ours}`)
          )
    }
  }
}

/** Reads a request of a durable agent. Requests of other workflows have other payloads. */
const runOf = ({ entity_id, entity_type, id, payload: text }: RunRow): ReadonlyArray<EngineRun> => {
  const payload = parsed(text)
  if (!isJsonObject(payload) || !isJsonObject(payload["prompt"])) return []
  const isText = ["run", "tenant", "conversation"].every((field) => typeof payload[field] === "string")
  return isText
    ? [{ agent: entity_type.slice(typeOf("").length), execution: entity_id, payload, startedAt: timeOf(id) }]
    : []
}
