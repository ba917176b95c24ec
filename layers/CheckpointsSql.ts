/**
 * Keeps checkpoints in SQL: one row for each step. Each row is written in one transaction with the check that this
 * process still owns the run.
 *
 * **Details**
 *
 * - A completed run is kept with its end for 30 days. A run that is not completed is kept until it is removed.
 * - Each operation is retried for about three seconds, so that a short outage of the database does not stop a run.
 * - Each method has a span, such as `Checkpoints.append`, which contains the spans of its statements.
 */
import { AtRest, type AtRestCipher, openText } from "#services/AtRest"
import {
  CheckpointRefused,
  Checkpoints,
  CheckpointsUnavailable,
  type JournalRow,
  type OpenOptions,
  type OpenRun,
  type RunKey,
  type RunSummary,
  type StoredRun
} from "#services/Checkpoints"
import type { DatabaseUnavailable } from "#services/DatabaseUnavailable"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schedule from "effect/Schedule"
import type { SqlClient } from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"
import type { Statement } from "effect/sql/Statement"
import { unguessableId } from "#services/Unguessable"
import * as Database from "#layers/internal/sql/Database"
import * as IdText from "#layers/internal/sql/IdText"
import * as RunIds from "#layers/internal/sql/RunIds"
import type { Time } from "#layers/internal/sql/StoreTime"
import * as Sweep from "#layers/internal/sql/Sweep"
import * as Retries from "#layers/internal/stores/Retries"

interface RunRow {
  readonly tenant: string
  readonly run: string
  readonly format: number
  readonly lease_until: number | bigint | string
  readonly row_count: number
  readonly last_sum: string
  readonly run_end: string | null
  readonly created_at: number | bigint | string
  readonly updated_at: number | bigint | string
}

interface Appended extends RunIds.RunIds, JournalRow {
  readonly owner: string
  readonly before: number
}

interface ListedRow extends RunRow {
  /** The time of the database. */
  readonly now: number | bigint | string
}

const keptMillis = Duration.toMillis(Duration.days(30))
const retrySchedule = Schedule.exponential("50 millis").pipe(Schedule.upTo({ times: 6 }))

/** Keeps checkpoints in the database of the `SqlClient`. Creates missing tables. */
export const layer: Layer.Layer<Checkpoints, DatabaseUnavailable, SqlClient> = Layer.effect(
  Checkpoints,
  Effect.gen(function* () {
    const database = yield* Database.Database
    yield* Sweep.start(
      database.time,
      ({ after }) => database.sql`DELETE FROM toolguard_runs
        WHERE run_end IS NOT NULL AND updated_at <= ${after(-keptMillis)}`
    )
    return make(database, yield* AtRest)
  })
).pipe(Layer.provide(Database.layer))

const refused = ({ run }: RunKey, reason: CheckpointRefused["reason"], detail: string) =>
  new CheckpointRefused({ run, reason, detail })

const inUse = (key: RunKey) =>
  refused(
    key,
    "in_use",
    "Another process owns the run. Try again after the lease expires, or take the run over if that process has crashed."
  )

const make = (
  { ask, dialect, prepare, sql, time }: Database.Database["Service"],
  cipher: AtRestCipher
): Checkpoints["Service"] => {
  const sealRow = (key: RunKey, { body, seq, sum }: JournalRow) => ({
    seq,
    body: cipher.seal(body, RunIds.rowPlace(key, seq)),
    sum
  })
  /** Decrypts the stored texts of a run. */
  const opened = <Run extends Pick<StoredRun, "rows" | "end">>(key: RunKey, stored: Run) =>
    Effect.gen(function* () {
      const rows = yield* Effect.forEach(stored.rows, ({ body, seq, sum }) =>
        Effect.map(openText(cipher, body, RunIds.rowPlace(key, seq)), (text): JournalRow => ({ seq, body: text, sum }))
      )
      const end = stored.end === undefined ? undefined : yield* openText(cipher, stored.end, RunIds.endPlace(key))
      return { ...stored, rows, end }
    }).pipe(Effect.mapError((cause) => new CheckpointsUnavailable({ cause })))

  const withRetry = <A>(step: Effect.Effect<A, SqlError>): Effect.Effect<A, CheckpointsUnavailable> =>
    Effect.mapError(Retries.retry(ask(step), retrySchedule), (cause) => new CheckpointsUnavailable({ cause }))
  /** Runs a step that may be refused, with retries. A refusal is not an error of the database, and is not retried. */
  const withRefusals = <A>(step: Effect.Effect<A, SqlError | CheckpointRefused>) =>
    Effect.flatten(
      withRetry(
        Effect.map(step, Effect.succeed).pipe(
          Effect.catchTag("CheckpointRefused", (error) => Effect.succeed(Effect.fail(error)))
        )
      )
    )
  const isOf = (key: RunKey) => {
    const { run, tenant } = RunIds.encode(key)
    return sql`tenant = ${tenant} AND run = ${run}`
  }
  const rowsOf = (key: RunKey) =>
    sql<JournalRow>`SELECT seq, body, sum FROM toolguard_journal WHERE ${isOf(key)} ORDER BY seq`
  /** Changes a run, and other tables in the same transaction. Fails with `in_use` if no row is of this owner. */
  const changed = (
    key: RunKey,
    statement: (time: Time) => Statement<object>,
    also?: Effect.Effect<unknown, SqlError>
  ) => {
    const changing = Effect.flatMap(time, (now) => dialect.changeOne(statement(now)))
    const owned = Effect.flatMap(changing, (isChanged) => (isChanged ? Effect.void : Effect.fail(inUse(key))))
    return withRefusals(also === undefined ? owned : dialect.transaction(Effect.andThen(owned, also)))
  }

  const append = prepare<Appended, object>((value, { now }) => {
    const [tenant, run, seq, sum] = [value("tenant"), value("run"), value("seq"), value("sum")]
    return dialect.updateAnd({
      table: "toolguard_runs",
      set: { row_count: seq, last_sum: sum, updated_at: now },
      // the same row can be written again, because the answer to the first attempt may have been lost
      where: sql`tenant = ${tenant} AND run = ${run} AND owner = ${value("owner")}
          AND (row_count = ${value("before")} OR (row_count = ${seq} AND last_sum = ${sum}))`,
      returning: ["tenant"],
      also: (isChanged) => sql`INSERT INTO toolguard_journal (tenant, run, seq, body, sum)
          SELECT ${tenant}, ${run}, CAST(${seq} AS INTEGER), ${value("body")}, ${sum} WHERE ${isChanged}
          ON CONFLICT DO NOTHING`
    })
  })

  return {
    open: Effect.fn("Checkpoints.open")(function* (key: RunKey, { format, lease, mayMake, takeOver }: OpenOptions) {
      const { after, now } = yield* time
      const owner = yield* unguessableId
      const until = after(Duration.toMillis(lease))
      // the owner can open the run again, because the answer to its first attempt may have been lost
      const isFree = sql`(toolguard_runs.lease_until <= ${now} OR ${takeOver ? 1 : 0} = 1
          OR toolguard_runs.owner = ${owner})`
      const taking = {
        table: "toolguard_runs",
        // a completed run is read without a lease
        set: { owner, lease_until: sql`CASE WHEN toolguard_runs.run_end IS NULL THEN ${until} ELSE 0 END` },
        returning: ["format", "row_count", "last_sum", "run_end"]
      }
      const taken = mayMake
        ? dialect.upsert<RunRow>({
            ...taking,
            key: ["tenant", "run"],
            row: {
              ...RunIds.encode(key),
              format,
              owner,
              lease_until: until,
              row_count: 0,
              last_sum: "",
              run_end: null,
              created_at: now,
              updated_at: now
            },
            where: isFree
          })
        : dialect.updateReturning<RunRow>({ ...taking, where: sql`${isOf(key)} AND ${isFree}` })
      const opening = Effect.gen(function* () {
        const [run] = yield* taken
        if (run !== undefined) return { owner, ...openOf(run, yield* rowsOf(key)) }
        const others = yield* sql`SELECT run FROM toolguard_runs WHERE ${isOf(key)}`
        return yield* others.length === 0 ? refused(key, "unknown_run", "No run has this id.") : inUse(key)
      })
      return yield* opened(key, yield* withRefusals(dialect.transaction(opening)))
    }),
    append: Effect.fn("Checkpoints.append")((key: RunKey, owner: string, row: JournalRow) =>
      Effect.flatMap(
        withRetry(append({ ...RunIds.encode(key), owner, before: row.seq - 1, ...sealRow(key, row) })),
        ({ length }) => (length === 0 ? Effect.fail(inUse(key)) : Effect.void)
      )
    ),
    renew: Effect.fn("Checkpoints.renew")((key: RunKey, owner: string, lease: Duration.Duration) =>
      changed(
        key,
        ({ after }) => sql`UPDATE toolguard_runs SET lease_until = ${after(Duration.toMillis(lease))}
          WHERE ${isOf(key)} AND owner = ${owner} AND lease_until > 0`
      )
    ),
    close: Effect.fn("Checkpoints.close")((key: RunKey, owner: string, end: string | undefined) =>
      end === undefined
        ? changed(
            key,
            ({ now }) => sql`UPDATE toolguard_runs SET lease_until = 0, updated_at = ${now}
              WHERE ${isOf(key)} AND owner = ${owner}`
          )
        : changed(
            key,
            ({ now }) => sql`UPDATE toolguard_runs
              SET lease_until = 0, updated_at = ${now}, run_end = ${cipher.seal(end, RunIds.endPlace(key))}, row_count = 0, last_sum = ''
              WHERE ${isOf(key)} AND owner = ${owner}`,
            sql`DELETE FROM toolguard_journal WHERE ${isOf(key)}`
          )
    ),
    remove: Effect.fn("Checkpoints.remove")((key: RunKey) =>
      withRetry(
        dialect.transaction(
          Effect.andThen(
            sql`DELETE FROM toolguard_journal WHERE ${isOf(key)}`,
            Effect.asVoid(sql`DELETE FROM toolguard_runs WHERE ${isOf(key)}`)
          )
        )
      )
    ),
    unfinished: Effect.fn("Checkpoints.unfinished")((tenant: string) =>
      withRetry(
        Effect.map(
          sql<RunRow>`SELECT tenant, run FROM toolguard_runs WHERE tenant = ${IdText.encode(tenant)} AND run_end IS NULL
            ORDER BY created_at, run`,
          (rows) => rows.map(RunIds.decode)
        )
      )
    ),
    list: Effect.flatMap(time, ({ now }) =>
      withRetry(
        Effect.map(
          sql<ListedRow>`SELECT *, ${now} AS now FROM toolguard_runs ORDER BY created_at, tenant, run`,
          (rows) =>
            rows.map((row): RunSummary => ({
              ...RunIds.decode(row),
              format: row.format,
              written: row.row_count,
              isCompleted: row.run_end !== null,
              isInUse: Number(row.lease_until) > Number(row.now),
              createdAt: Number(row.created_at),
              updatedAt: Number(row.updated_at)
            }))
        )
      )
    ).pipe(Effect.withSpan("Checkpoints.list")),
    find: Effect.fn("Checkpoints.find")((key: RunKey) =>
      withRetry(
        dialect.transaction(
          Effect.gen(function* () {
            const [run] = yield* sql<RunRow>`SELECT * FROM toolguard_runs WHERE ${isOf(key)}`
            if (run === undefined) return undefined
            const times = { createdAt: Number(run.created_at), updatedAt: Number(run.updated_at) }
            return { ...key, ...times, ...openOf(run, yield* rowsOf(key)) } satisfies StoredRun
          })
        )
      ).pipe(Effect.flatMap((run) => (run === undefined ? Effect.succeed(undefined) : opened(key, run))))
    ),
    put: Effect.fn("Checkpoints.put")((run: StoredRun) =>
      withRefusals(
        dialect.transaction(
          Effect.gen(function* () {
            const isPut = yield* dialect.insertIfAbsent("toolguard_runs", {
              ...RunIds.encode(run),
              format: run.format,
              owner: "",
              lease_until: 0,
              row_count: run.written,
              last_sum: run.lastSum,
              run_end: run.end === undefined ? null : cipher.seal(run.end, RunIds.endPlace(run)),
              created_at: run.createdAt,
              updated_at: run.updatedAt
            })
            if (!isPut) return yield* refused(run, "exists", "A run with this id already exists in this database.")
            for (const { body, seq, sum } of run.rows.map((row) => sealRow(run, row))) {
              yield* sql`INSERT INTO toolguard_journal ${sql.insert({ ...RunIds.encode(run), seq, body, sum })}`
            }
          })
        )
      )
    )
  }
}

const openOf = (run: RunRow, rows: ReadonlyArray<JournalRow>): Omit<OpenRun, "owner"> => ({
  rows,
  written: run.row_count,
  lastSum: run.last_sum,
  format: run.format,
  end: run.run_end ?? undefined
})
