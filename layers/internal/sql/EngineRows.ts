/**
 * Reads and removes the rows of Effect's workflow engine: `cluster_messages` holds the requests of an execution, and
 * `cluster_replies` their replies.
 *
 * **Details**
 *
 * - The request with the tag `run` holds the payload of the execution. Its last reply says whether the execution has
 *   completed or is suspended.
 * - The engine has no index by execution. `index` creates this index, and another for the requests with the tag `run`.
 *   Until then, one execution is found by the engine's unique key of its request, and statements about many executions
 *   are slow.
 */
import * as Snowflake from "effect/cluster/Snowflake"
import * as Effect from "effect/Effect"
import type { SqlClient } from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"
import type { Fragment } from "effect/sql/Statement"
import { isJsonObject } from "#domain/json/JsonObject"
import { parsed } from "#layers/internal/stores/StoredOwner"
import * as OnlineIndex from "./OnlineIndex.ts"

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
  /** True if the tables of the engine exist. */
  readonly exists: Effect.Effect<boolean, SqlError>
  /** Creates the indexes. The tables must exist. On a large table this takes minutes. */
  readonly index: Effect.Effect<void, SqlError>
  /** True if the execution of a row was stored. The condition reads the column `execution_id`. */
  readonly isStored: Fragment
  /** True if the end of the execution of a row was stored. The condition reads the column `execution_id`. */
  readonly isEndStored: Fragment
  /** Returns the request of an execution. */
  readonly find: (agent: string, execution: string) => Effect.Effect<EngineRun | undefined, SqlError>
  /**
   * Passes to `use` the requests of an agent, or of all agents, that have no row in `toolguard_durable_runs`. Payloads
   * of other requests are not read.
   */
  readonly eachUnregistered: (
    agent: string | undefined,
    use: (run: EngineRun) => Effect.Effect<unknown, SqlError>
  ) => Effect.Effect<void, SqlError>
  /**
   * Returns the ends of an agent's executions that are missing from their rows. With `execution`, only the end of that
   * execution.
   */
  readonly unrecorded: (agent: string, execution?: string) => Effect.Effect<ReadonlyArray<EngineEnd>, SqlError>
  /** True if the engine has stored the end of an execution. */
  readonly hasEnded: (agent: string, execution: string) => Effect.Effect<boolean, SqlError>
  /**
   * Removes the steps of those executions whose end was stored, and returns these executions. Removes nothing until
   * `index` has created the index.
   */
  readonly removeSteps: (executions: ReadonlyArray<string>) => Effect.Effect<ReadonlyArray<string>, SqlError>
  /** Removes everything that the engine stores about executions. */
  readonly remove: (executions: ReadonlyArray<string>) => Effect.Effect<void, SqlError>
}

/** The number of rows that are read at a time. */
const page = 500

/** The longest key of a request that the engine stores unchanged. */
const longestKey = 255

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
  const tables = sql.onDialectOrElse({
    pg: () => sql`SELECT 1 FROM pg_class WHERE oid = to_regclass('cluster_messages')`,
    orElse: () => sql`SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'cluster_messages'`
  })
  const entities = sql.onDialectOrElse({
    pg: () => sql`SELECT 1 FROM pg_index WHERE indexrelid = to_regclass('toolguard_cluster_entities') AND indisvalid`,
    orElse: () => sql`SELECT 1 FROM sqlite_master WHERE type = 'index' AND name = 'toolguard_cluster_entities'`
  })
  const indexes = {
    toolguard_cluster_entities: "(entity_id)",
    toolguard_cluster_runs: "(entity_type, id) WHERE tag = 'run'"
  }
  const isRun = sql`m.tag = 'run' AND m.kind = 0 AND m.entity_type <> ${clock}`
  const isOf = (agent: string | undefined) =>
    agent === undefined ? sql`m.entity_type LIKE 'Workflow/%'` : sql`m.entity_type = ${typeOf(agent)}`
  /**
   * Selects the request of an execution by its unique key, or by other columns if the engine stores the key as a hash.
   */
  const isRequest = (agent: string, execution: string) => {
    const id = `${typeOf(agent)}/${execution}/run/`
    return id.length > longestKey
      ? sql`m.entity_id = ${execution} AND ${isOf(agent)} AND ${isRun}`
      : sql`m.message_id = ${id} AND ${isRun}`
  }
  const isEnd = sql`r.kind = 0 AND SUBSTR(r.payload, 1, 200) NOT LIKE '%"_tag":"Suspended"%'`
  const columns = sql.literal("CAST(m.id AS TEXT) AS id, m.entity_type, m.entity_id, m.payload")
  return {
    exists: Effect.map(tables, ({ length }) => length > 0),
    index: Effect.forEach(
      Object.entries(indexes),
      ([name, columns]) => OnlineIndex.create(sql, { name, table: "cluster_messages", columns }),
      { discard: true }
    ),
    isStored: sql`EXISTS (SELECT 1 FROM cluster_messages m
      WHERE m.entity_id = toolguard_durable_runs.execution_id AND ${isRun})`,
    isEndStored: sql`EXISTS (SELECT 1 FROM cluster_messages m JOIN cluster_replies r ON r.id = m.last_reply_id
      WHERE m.entity_id = toolguard_durable_runs.execution_id AND ${isRun} AND ${isEnd})`,
    find: (agent, execution) =>
      Effect.map(
        sql<RunRow>`SELECT ${columns} FROM cluster_messages m WHERE ${isRequest(agent, execution)}`,
        (rows) => rows.flatMap(runOf)[0]
      ),
    eachUnregistered: Effect.fnUntraced(function* (agent, use) {
      for (let after = "0"; ;) {
        const rows = yield* sql<RunRow>`SELECT ${columns} FROM cluster_messages m
          WHERE ${isOf(agent)} AND ${isRun} AND m.id > ${sql.literal(after)}
            AND NOT EXISTS (SELECT 1 FROM toolguard_durable_runs d WHERE d.execution_id = m.entity_id)
          ORDER BY m.id LIMIT ${page}`
        for (const row of rows) {
          after = row.id
          yield* Effect.forEach(runOf(row), use)
        }
        if (rows.length < page) break
      }
    }),
    unrecorded: (agent, execution) =>
      Effect.map(
        sql<{ readonly execution_id: string; readonly id: string; readonly head: string }>`
          SELECT d.execution_id, CAST(r.id AS TEXT) AS id, SUBSTR(r.payload, 1, 200) AS head
          FROM toolguard_durable_runs d
          JOIN cluster_messages m ON ${
            execution === undefined
              ? sql`m.entity_id = d.execution_id AND ${isRun} AND ${isOf(agent)}`
              : isRequest(agent, execution)
          }
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
    hasEnded: (agent, execution) =>
      Effect.map(
        sql`SELECT 1 FROM cluster_messages m JOIN cluster_replies r ON r.id = m.last_reply_id
          WHERE ${isRequest(agent, execution)} AND ${isEnd}`,
        ({ length }) => length > 0
      ),
    removeSteps: Effect.fnUntraced(function* (executions) {
      if ((yield* entities).length === 0) return []
      const ended = (yield* sql<{ readonly entity_id: string }>`
        SELECT m.entity_id FROM cluster_messages m JOIN cluster_replies r ON r.id = m.last_reply_id
        WHERE ${sql.in("m.entity_id", executions)} AND ${isOf(undefined)} AND ${isRun} AND ${isEnd}`).map(
        ({ entity_id }) => entity_id
      )
      if (ended.length === 0) return []
      const steps = sql`${sql.in("entity_id", ended)} AND entity_type LIKE 'Workflow/%' AND tag = 'activity'`
      yield* sql`DELETE FROM cluster_replies WHERE request_id IN (SELECT id FROM cluster_messages WHERE ${steps})`
      yield* sql`DELETE FROM cluster_messages WHERE ${steps}`
      return ended
    }),
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
