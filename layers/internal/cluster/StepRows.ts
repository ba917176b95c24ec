/**
 * Stores the steps of durable runs in the tables of Effect's workflow engine, in the rows that the engine writes for
 * activities: a request and its reply. Runners of earlier versions read and write the same rows.
 *
 * **Details**
 *
 * - The engine saves a request, delivers it to the mailbox of the run, and saves the reply in a transaction. This store
 *   writes both rows in one statement after the step was executed.
 * - A step is stored only while the request of its run is unprocessed. A runner that lost a run without noticing it
 *   therefore cannot add steps after the run has ended.
 * - The steps of a run are removed within `interval` after the engine has stored its end, which contains everything that
 *   is read later. If the runner crashes in this time, the retention removes them with the run.
 */
import { DurableRunsUnavailable } from "#services/DurableRuns"
import type { DatabaseUnavailable } from "#services/DatabaseUnavailable"
import { type Execution, type SavedStep, type StoredStep, StepStore } from "#services/StepStore"
import { isJsonObject, type JsonObject } from "#domain/json/JsonObject"
import { parsed } from "#layers/internal/stores/StoredOwner"
import * as EntityId from "effect/cluster/EntityId"
import { Sharding } from "effect/cluster/Sharding"
import * as Cause from "effect/Cause"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schedule from "effect/Schedule"
import * as Schema from "effect/Schema"
import type { SqlClient } from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"
import * as Workflow from "effect/workflow/Workflow"
import { createHash } from "node:crypto"
import * as Database from "#layers/internal/sql/Database"
import * as EngineRows from "#layers/internal/sql/EngineRows"

interface StepRow {
  readonly payload: string
  readonly reply: string
}

/** The longest key of a request that the engine stores unchanged. */
const longestKey = 255

/** Returns the unique key by which the engine finds a request. */
const keyOf = ({ agent, execution }: Execution, tag: string, id: string): string => {
  const key = `Workflow/${agent}/${execution}/${tag}/${id}`
  return key.length <= longestKey ? key : createHash("sha256").update(key).digest("hex")
}

/** The engine counts the attempts of an activity. A step has one. */
const attempt = 1
const suffix = `/${attempt}`

/** The shard group of workflows. */
const group = "default"

export const layer = ({
  interval
}: {
  readonly interval: Duration.Input
}): Layer.Layer<never, DatabaseUnavailable, SqlClient | Sharding> =>
  Layer.effect(
    StepStore,
    Effect.gen(function* () {
      const { ask, dialect, run, sql } = yield* Database.Database
      const sharding = yield* Sharding
      const rows = EngineRows.make(sql)
      const within = <A>(step: Effect.Effect<A, SqlError>): Effect.Effect<A, DurableRunsUnavailable> =>
        Effect.mapError(ask(step), (cause) => new DurableRunsUnavailable({ cause }))
      const shardOf = (execution: string) => sharding.getShardId(EntityId.make(execution), group)

      /** Inserts both rows unless the step has a row or the run is closed. True if the rows were inserted. */
      const insert = (of: Execution, name: string, value: Schema.Json) =>
        Effect.gen(function* () {
          const [id, replyId] = [String(yield* sharding.getSnowflake), String(yield* sharding.getSnowflake)]
          const request = sql`INSERT INTO cluster_messages (id, message_id, shard_id, entity_type, entity_id, kind, tag,
              payload, headers, processed, request_id, last_reply_id)
            SELECT CAST(${id} AS BIGINT), CAST(${keyOf(of, "activity", name + suffix)} AS VARCHAR),
              CAST(${shardOf(of.execution).toString()} AS VARCHAR), CAST(${`Workflow/${of.agent}`} AS VARCHAR),
              CAST(${of.execution} AS VARCHAR), 0, 'activity',
              CAST(${JSON.stringify({ name, attempt, withTransaction: false })} AS TEXT), '{}', TRUE,
              CAST(${id} AS BIGINT), CAST(${replyId} AS BIGINT)
            WHERE EXISTS (SELECT 1 FROM cluster_messages WHERE ${isOpen(of)})
            ON CONFLICT (message_id) DO NOTHING RETURNING kind`
          return yield* sql.onDialectOrElse({
            pg: () =>
              Effect.map(
                sql`WITH request AS (${request})
                  INSERT INTO cluster_replies (id, kind, request_id, payload)
                  SELECT CAST(${replyId} AS BIGINT), 0, CAST(${id} AS BIGINT), CAST(${replyOf(value)} AS TEXT) FROM request
                  RETURNING kind`,
                ({ length }) => length > 0
              ),
            orElse: () =>
              dialect.transaction(
                Effect.gen(function* () {
                  if ((yield* request).length === 0) return false
                  yield* insertReply(replyId, id, value)
                  return true
                })
              )
          })
        })
      const isOpen = (of: Execution) => sql`message_id = ${keyOf(of, "run", "")} AND processed = FALSE`
      const insertReply = (replyId: string, id: string, value: Schema.Json) =>
        sql`INSERT INTO cluster_replies (id, kind, request_id, payload)
          VALUES (CAST(${replyId} AS BIGINT), 0, CAST(${id} AS BIGINT), ${replyOf(value)})`
      const forUpdate = sql.onDialectOrElse({ pg: () => sql`FOR UPDATE OF m`, orElse: () => sql`` })

      /** Stores a step whose request exists: with a reply, or without one if its runner crashed during the step. */
      const settle = (of: Execution, name: string, value: Schema.Json): Effect.Effect<SavedStep, SqlError> =>
        dialect.transaction(
          Effect.gen(function* () {
            const open = yield* sql`SELECT 1 FROM cluster_messages WHERE ${isOpen(of)}`
            const [found] = yield* sql<{ readonly id: string; readonly reply: string | null }>`
              SELECT CAST(m.id AS VARCHAR) AS id, (SELECT r.payload FROM cluster_replies r WHERE r.id = m.last_reply_id) AS reply
              FROM cluster_messages m WHERE m.message_id = ${keyOf(of, "activity", name + suffix)} ${forUpdate}`
            const step = typeof found?.reply === "string" ? stepOf(found.reply) : undefined
            if (step !== undefined) return { _tag: "Earlier", step }
            if (found === undefined || open.length === 0) return { _tag: "Closed" }
            const replyId = String(yield* sharding.getSnowflake)
            yield* sql`DELETE FROM cluster_replies WHERE request_id = CAST(${found.id} AS BIGINT) AND kind = 0`
            yield* insertReply(replyId, found.id, value)
            yield* sql`UPDATE cluster_messages SET processed = TRUE, last_reply_id = CAST(${replyId} AS BIGINT)
              WHERE id = CAST(${found.id} AS BIGINT)`
            return { _tag: "Saved" }
          })
        )

      const ended = new Map<string, Execution>()
      /** Removes the steps of the runs whose end the engine has stored. The others are kept for the next time. */
      const removeSteps = Effect.suspend(() => {
        const executions = [...ended.keys()]
        return executions.length === 0
          ? Effect.void
          : Effect.map(run(dialect.transaction(rows.removeSteps(executions))), (removed) => {
              for (const execution of removed) ended.delete(execution)
            })
      }).pipe(Effect.catchCause((cause) => Effect.logDebug("Steps of ended runs could not be removed", cause)))
      yield* Effect.addFinalizer(() => Effect.timeoutOption(removeSteps, "1 second"))
      yield* Effect.forkScoped(Effect.repeat(removeSteps, Schedule.spaced(interval)))

      return {
        load: ({ agent, execution }) =>
          within(
            Effect.map(
              sql<StepRow>`SELECT m.payload, r.payload AS reply FROM cluster_messages m
                JOIN cluster_replies r ON r.id = m.last_reply_id
                WHERE m.entity_id = ${execution} AND m.entity_type = ${`Workflow/${agent}`} AND m.tag = 'activity'`,
              (found) =>
                new Map(
                  found.flatMap(({ payload, reply }) => {
                    const [request, step] = [parsed(payload), stepOf(reply)]
                    return step === undefined || !isJsonObject(request)
                      ? []
                      : [[String(request["name"]), step] as const]
                  })
                )
            )
          ),
        save: (of, name, value) =>
          within(
            Effect.flatMap(insert(of, name, value), (isInserted) =>
              isInserted ? Effect.succeed<SavedStep>({ _tag: "Saved" }) : settle(of, name, value)
            )
          ),
        isOwner: (execution) => sharding.hasShardId(shardOf(execution)),
        ending: (of) => void ended.set(of.execution, of)
      }
    })
  ).pipe(Layer.provide(Database.layer))

/** Encodes a result as the engine encodes the result of an activity. */
const replyOf = (value: Schema.Json): string =>
  JSON.stringify({ _tag: "Success", value: { _tag: "Complete", exit: { _tag: "Success", value } } })

const Ended = Schema.Struct({
  _tag: Schema.Literal("Success"),
  value: Workflow.Result({ success: Schema.Unknown, error: Schema.Unknown })
})
const decode = Schema.decodeUnknownSync(Schema.toCodecJson(Ended))

/** Reads a reply. Returns undefined if the step has no result: its activity was interrupted. */
const stepOf = (reply: string): StoredStep | undefined => {
  const exit = parsed(reply)
  const result = memberOf(exit, "value")
  if (result === undefined || result["_tag"] !== "Complete") return undefined
  const inner = memberOf(result, "exit")
  // encoded by the engine or by `replyOf`
  if (inner?.["_tag"] === "Success") return { _tag: "Result", value: (inner["value"] ?? null) as Schema.Json }
  const { value } = decode(exit)
  return {
    _tag: "Defect",
    defect: value._tag === "Complete" && value.exit._tag === "Failure" ? Cause.squash(value.exit.cause) : inner
  }
}

const memberOf = (value: unknown, name: string): JsonObject | undefined => {
  const member = isJsonObject(value) ? value[name] : undefined
  return isJsonObject(member) ? member : undefined
}
