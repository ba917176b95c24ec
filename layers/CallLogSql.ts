/**
 * Call records in SQL: what every call was asked, decided, attempted and answered, kept for thirty days.
 *
 * **Details**
 *
 * - A record is written behind its call, in batches. Up to `waiting` records (and 64 MB) wait while the database is away.
 * - What does not fit is dropped; a warning tells how many, once a minute. No call fails or waits for its record.
 * - When the layer closes what waits is written.
 *
 * **Gotchas**
 *
 * A process that is killed loses the records of its last moments.
 */
import { type CallRecord, fromJson, toJson } from "#domain/call/CallRecord"
import { LateOutcome } from "#domain/call/LateOutcome"
import { CallLog, CallLogUnavailable, type Keep } from "#services/CallLog"
import type { DatabaseUnavailable } from "#services/DatabaseUnavailable"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import type { SqlClient } from "effect/sql/SqlClient"
import * as Backlog from "#layers/internal/stores/backlog"
import * as Database from "#layers/internal/sql/Database"
import { sweeping } from "#layers/internal/sql/sweeping"

export interface CallLogSqlOptions {
  /** What of arguments and results is held. Default `redacted`. */
  readonly keep?: Keep
  /** How long a record is kept. Default 30 days. */
  readonly timeToLive?: Duration.Input
  /** Most records that `records` and `lateOutcomes` give: the latest ones. Default 1,000. */
  readonly limit?: number
  /** Most records that wait to be written. Default 1,000. */
  readonly waiting?: number
}

type Row = {
  readonly kind: "call" | "late"
  readonly tenant: string
  readonly conversation: string
  readonly turn: string
  readonly tool: string
  readonly trace_id: string
  readonly at: number
  readonly record: string
}

/** The log in whatever database the `SqlClient` has. Makes its table where it is missing. */
export const layerWith = ({
  keep = "redacted",
  limit = 1_000,
  timeToLive = "30 days",
  waiting = 1_000
}: CallLogSqlOptions): Layer.Layer<CallLog, DatabaseUnavailable, SqlClient> =>
  Layer.effect(
    CallLog,
    Effect.gen(function* () {
      const { ask, sql } = yield* Database.Database
      const age = Duration.toMillis(Duration.fromInputUnsafe(timeToLive))
      yield* sweeping((now) => sql`DELETE FROM toolguard_calls WHERE at <= ${now - age}`)

      const backlog = yield* Backlog.make<Row, DatabaseUnavailable>({
        most: waiting,
        write: (rows) => ask(Effect.asVoid(sql`INSERT INTO toolguard_calls ${sql.insert(rows)}`)),
        explain: ({ message }) => message
      })
      const add = (line: () => Row) => {
        try {
          const row = line()
          backlog.add({ value: row, bytes: 2 * row.record.length })
        } catch {
          backlog.lose() // a value that JSON cannot hold
        }
      }
      /** The latest rows of a kind, oldest first. */
      const read = <A>(kind: Row["kind"], decode: (text: unknown) => Result.Result<A, unknown>) =>
        Effect.gen(function* () {
          yield* backlog.flushed
          const rows = yield* ask(
            sql<
              Pick<Row, "record">
            >`SELECT record FROM toolguard_calls WHERE kind = ${kind} ORDER BY id DESC LIMIT ${limit}`
          )
          const all = rows.toReversed().map(({ record }) => decode(record))
          const readable = all.filter(Result.isSuccess).map(({ success }) => success)
          if (readable.length < all.length) {
            yield* Effect.logWarning(`Call records that cannot be read, left out: ${all.length - readable.length}.`)
          }
          return readable
        }).pipe(Effect.mapError((cause) => new CallLogUnavailable({ cause })))

      return {
        keep,
        append: (record) => add(() => rowOf("call", record, record.startedAt, toJson(record))),
        records: read("call", fromJson),
        appendLate: (late) => add(() => rowOf("late", late, late.endedAt, encodeLate(late))),
        lateOutcomes: read("late", decodeLate)
      }
    })
  ).pipe(Layer.provide(Database.layer))

export const layer: Layer.Layer<CallLog, DatabaseUnavailable, SqlClient> = layerWith({})

const LateText = Schema.fromJsonString(Schema.toCodecJson(LateOutcome))
const encodeLate = Schema.encodeSync(LateText)
const decodeLate = Schema.decodeUnknownResult(LateText)

const rowOf = (
  kind: Row["kind"],
  { conversation, tenant, tool, traceId, turn }: CallRecord | LateOutcome,
  at: number,
  record: string
): Row => ({
  kind,
  tenant: word(tenant),
  conversation: word(conversation),
  turn: word(turn),
  tool: word(tool),
  trace_id: word(traceId),
  at: Math.round(at),
  record
})

/** As a column holds it: a model may name a tool with any characters, and at any length. */
const word = (text: string): string => text.slice(0, 128).replaceAll("\u0000", "\ufffd").toWellFormed()
