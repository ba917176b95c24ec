/**
 * Keeps call records in SQL, for thirty days by default.
 *
 * **Details**
 *
 * - Records are written in batches in the background. While the database is unavailable, up to `waiting` records wait,
 *   64 MB in total.
 * - Records that do not fit are dropped; a warning reports their number once a minute. No call fails or waits because
 *   of its record.
 * - When the layer closes, the waiting records are written.
 * - Reading has a span, such as `CallLog.records`, which contains the spans of its statements; appending has none.
 *
 * **Gotchas**
 *
 * A process that is killed loses its unwritten records.
 */
import { type CallRecord, fromJson, toJson } from "#domain/call/CallRecord"
import * as LateOutcome from "#domain/call/LateOutcome"
import type { Owner } from "#domain/turn/Turn"
import { CallLog, CallLogUnavailable, type Keep } from "#services/CallLog"
import { AtRest, callPlace, keyFault } from "#services/AtRest"
import type { DatabaseUnavailable } from "#services/DatabaseUnavailable"
import { isOf } from "#services/Forget"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import type { SqlClient } from "effect/sql/SqlClient"
import type { Fragment } from "effect/sql/Statement"
import * as CallRows from "#layers/internal/sql/CallRows"
import * as Backlog from "#layers/internal/stores/Backlog"
import { columnText } from "#layers/internal/sql/ColumnText"
import * as Database from "#layers/internal/sql/Database"
import * as Sweep from "#layers/internal/sql/Sweep"

export interface CallLogSqlOptions {
  /** Whether records hold arguments and results. Default `redacted`. */
  readonly keep?: Keep
  /** How long a record is kept. Default 30 days. */
  readonly timeToLive?: Duration.Input
  /**
   * The maximum number of records, and of late outcomes, that a read returns: the latest of all tenants (`records`,
   * `lateOutcomes`), or of one owner (`recordsOf`). Default 1,000.
   */
  readonly limit?: number
  /** The maximum number of records that wait to be written. Default 1,000. */
  readonly waiting?: number
}

type Row = {
  readonly kind: "call" | "late"
  readonly tenant: string
  readonly conversation: string
  /** Empty without a principal. */
  readonly principal: string
  readonly turn: string
  readonly tool: string
  readonly trace_id: string
  readonly at: number
  readonly record: string
}

/** Provides the call log in the database of the `SqlClient`. Creates missing tables. */
export const layerWith = ({
  keep = "redacted",
  limit = 1_000,
  timeToLive = "30 days",
  waiting = 1_000
}: CallLogSqlOptions): Layer.Layer<CallLog, DatabaseUnavailable, SqlClient> =>
  Layer.effect(
    CallLog,
    Effect.gen(function* () {
      const { ask, sql, time } = yield* Database.Database
      const cipher = yield* AtRest
      const keptMillis = Duration.toMillis(Duration.fromInputUnsafe(timeToLive))
      yield* Sweep.start(time, ({ after }) => sql`DELETE FROM toolguard_calls WHERE at <= ${after(-keptMillis)}`)

      const backlog = yield* Backlog.make<Row, DatabaseUnavailable>({
        maxItems: waiting,
        write: (rows) => ask(Effect.asVoid(sql`INSERT INTO toolguard_calls ${sql.insert(rows)}`)),
        explain: ({ message }) => message
      })
      const add = (encode: () => Row) => {
        try {
          const plain = encode()
          const row = { ...plain, record: cipher.seal(plain.record, placeOf(plain)) }
          backlog.add({ value: row, bytes: 2 * row.record.length })
        } catch {
          backlog.drop() // the record has a value that cannot be written as JSON
        }
      }
      /** Reads the latest rows of a kind, oldest first. */
      const read = <A>(kind: Row["kind"], decode: (text: unknown) => Result.Result<A, unknown>, where?: Fragment) =>
        Effect.gen(function* () {
          yield* backlog.flushed
          const rows = yield* ask(
            sql<
              Pick<Row, "record" | "kind" | "trace_id">
            >`SELECT kind, trace_id, record FROM toolguard_calls WHERE kind = ${kind} AND ${where ?? sql`1 = 1`} ORDER BY id DESC LIMIT ${limit}`
          )
          const texts = rows.toReversed().map((row) => cipher.open(row.record, placeOf(row)))
          yield* Effect.fromResult(keyFault(texts))
          const all = texts.map((text) => Result.flatMap(text, decode))
          const readable = all.filter(Result.isSuccess).map(({ success }) => success)
          if (readable.length < all.length) {
            yield* Effect.logWarning(`Omitted call records that cannot be decoded: ${all.length - readable.length}.`)
          }
          return readable
        }).pipe(Effect.mapError((cause) => new CallLogUnavailable({ cause })))

      return {
        keep,
        append: (record) => add(() => rowOf("call", record, record.startedAt, toJson(record))),
        records: Effect.withSpan(read("call", fromJson), "CallLog.records"),
        recordsOf: Effect.fn("CallLog.recordsOf")((owner: Owner) =>
          // columns shorten names, and rows of older versions have no principal
          Effect.map(read("call", fromJson, CallRows.inScope(sql, owner)), (all) =>
            all.filter((record) => isOf(owner, record))
          )
        ),
        appendLate: (late) => add(() => rowOf("late", late, late.endedAt, LateOutcome.toJson(late))),
        lateOutcomes: Effect.withSpan(read("late", LateOutcome.fromJson), "CallLog.lateOutcomes")
      }
    })
  ).pipe(Layer.provide(Database.layer))

/** Keeps call records for 30 days, with redacted arguments and results. */
export const layer: Layer.Layer<CallLog, DatabaseUnavailable, SqlClient> = layerWith({})

const placeOf = ({ kind, trace_id }: Pick<Row, "kind" | "trace_id">) => callPlace(kind, trace_id)

const rowOf = (
  kind: Row["kind"],
  { conversation, principal = "", tenant, tool, traceId, turn }: CallRecord | LateOutcome.LateOutcome,
  at: number,
  record: string
): Row => ({
  kind,
  tenant: columnText(tenant),
  conversation: columnText(conversation),
  principal: columnText(principal),
  turn: columnText(turn),
  tool: columnText(tool),
  trace_id: columnText(traceId),
  at: Math.round(at),
  record
})
