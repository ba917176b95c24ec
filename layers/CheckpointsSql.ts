/**
 * Checkpoints in SQL: one row for each step, written in one transaction with the check that this process still owns the run.
 *
 * **Details**
 *
 * - A completed run is kept with its end for 30 days. A run that is not completed is kept until it is removed.
 * - Each step is retried for about three seconds, so that a short outage of the database does not stop a run.
 * - Each method has a span, such as `Checkpoints.append`, which contains the spans of its statements.
 */
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
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schedule from "effect/Schedule"
import type { SqlClient } from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"
import type { Statement } from "effect/sql/Statement"
import * as RandomId from "#layers/internal/stores/RandomId"
import * as Database from "#layers/internal/sql/Database"
import * as IdText from "#layers/internal/sql/IdText"
import * as Sweep from "#layers/internal/sql/Sweep"

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

const keptMillis = Duration.toMillis(Duration.days(30))
const again = Schedule.exponential("50 millis").pipe(Schedule.upTo({ times: 6 }))

/** Checkpoints in the database of the `SqlClient`. Creates missing tables. */
export const layer: Layer.Layer<Checkpoints, DatabaseUnavailable, SqlClient> = Layer.effect(
  Checkpoints,
  Effect.gen(function* () {
    const database = yield* Database.Database
    yield* Sweep.start(
      (now) => database.sql`DELETE FROM toolguard_runs
        WHERE run_end IS NOT NULL AND updated_at <= ${now - keptMillis}`
    )
    return make(database)
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

const make = ({ ask, dialect, sql }: Database.Database["Service"]): Checkpoints["Service"] => {
  const withRetry = <A>(step: Effect.Effect<A, SqlError>): Effect.Effect<A, CheckpointsUnavailable> =>
    Effect.mapError(Effect.retry(ask(step), again), (cause) => new CheckpointsUnavailable({ cause }))
  /** Runs a step that may be refused, with retries. A refusal is not an error of the database, and is not retried. */
  const withRefusals = <A>(step: Effect.Effect<A, SqlError | CheckpointRefused>) =>
    Effect.flatten(
      withRetry(
        Effect.map(step, Effect.succeed).pipe(
          Effect.catchTag("CheckpointRefused", (error) => Effect.succeed(Effect.fail(error)))
        )
      )
    )
  const isOf = ({ run, tenant }: RunKey) => sql`tenant = ${IdText.encode(tenant)} AND run = ${IdText.encode(run)}`
  const rowsOf = (key: RunKey) =>
    sql<JournalRow>`SELECT seq, body, sum FROM toolguard_journal WHERE ${isOf(key)} ORDER BY seq`
  /** Changes a run and other tables in one transaction. Fails with `in_use` if the statement finds no row of this owner. */
  const changed = (
    key: RunKey,
    statement: (now: number) => Statement<object>,
    also: Effect.Effect<unknown, SqlError> = Effect.void
  ) =>
    Effect.flatMap(Clock.currentTimeMillis, (now) => {
      const change = Effect.gen(function* () {
        if (!(yield* dialect.changeOne(statement(now)))) return yield* inUse(key)
        yield* also
      })
      return withRefusals(dialect.transaction(change))
    })

  return {
    open: Effect.fn("Checkpoints.open")(function* (key: RunKey, { format, lease, mayMake, takeOver }: OpenOptions) {
      const now = yield* Clock.currentTimeMillis
      const owner = yield* RandomId.make
      const until = now + Duration.toMillis(lease)
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
              ...idsOf(key),
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
        : Effect.map(
            dialect.updateReturning<RunRow>({ ...taking, where: sql`${isOf(key)} AND ${isFree}` }),
            ([run]) => run
          )
      const opened = Effect.gen(function* () {
        const run = yield* taken
        if (run !== undefined) return { owner, ...openOf(run, yield* rowsOf(key)) }
        const [other] = yield* sql`SELECT run FROM toolguard_runs WHERE ${isOf(key)}`
        return yield* other === undefined
          ? refused(key, "unknown_run", "No run in this database has this id.")
          : inUse(key)
      })
      return yield* withRefusals(dialect.transaction(opened))
    }),
    append: Effect.fn("Checkpoints.append")((key: RunKey, owner: string, { body, seq, sum }: JournalRow) =>
      changed(
        key,
        // the same row can be written again, because the answer to the first attempt may have been lost
        (now) => sql`UPDATE toolguard_runs SET row_count = ${seq}, last_sum = ${sum}, updated_at = ${now}
          WHERE ${isOf(key)} AND owner = ${owner}
            AND (row_count = ${seq - 1} OR (row_count = ${seq} AND last_sum = ${sum}))`,
        dialect.insertIfAbsent("toolguard_journal", { ...idsOf(key), seq, body, sum })
      )
    ),
    renew: Effect.fn("Checkpoints.renew")((key: RunKey, owner: string, lease: Duration.Duration) =>
      changed(
        key,
        (now) => sql`UPDATE toolguard_runs SET lease_until = ${now + Duration.toMillis(lease)}
          WHERE ${isOf(key)} AND owner = ${owner} AND lease_until > 0`
      )
    ),
    close: Effect.fn("Checkpoints.close")((key: RunKey, owner: string, end: string | undefined) =>
      end === undefined
        ? changed(
            key,
            (now) => sql`UPDATE toolguard_runs SET lease_until = 0, updated_at = ${now}
              WHERE ${isOf(key)} AND owner = ${owner}`
          )
        : changed(
            key,
            (now) => sql`UPDATE toolguard_runs
              SET lease_until = 0, updated_at = ${now}, run_end = ${end}, row_count = 0, last_sum = ''
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
          sql<RunRow>`SELECT run FROM toolguard_runs WHERE tenant = ${IdText.encode(tenant)} AND run_end IS NULL
            ORDER BY created_at, run`,
          (rows) => rows.map(({ run }) => IdText.decode(run))
        )
      )
    ),
    list: Effect.flatMap(Clock.currentTimeMillis, (now) =>
      withRetry(
        Effect.map(sql<RunRow>`SELECT * FROM toolguard_runs ORDER BY created_at, tenant, run`, (rows) =>
          rows.map((row): RunSummary => ({
            tenant: IdText.decode(row.tenant),
            run: IdText.decode(row.run),
            format: row.format,
            written: row.row_count,
            isCompleted: row.run_end !== null,
            isInUse: Number(row.lease_until) > now,
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
      )
    ),
    put: Effect.fn("Checkpoints.put")((run: StoredRun) =>
      withRefusals(
        dialect.transaction(
          Effect.gen(function* () {
            const isPut = yield* dialect.insertIfAbsent("toolguard_runs", {
              ...idsOf(run),
              format: run.format,
              owner: "",
              lease_until: 0,
              row_count: run.written,
              last_sum: run.lastSum,
              run_end: run.end ?? null,
              created_at: run.createdAt,
              updated_at: run.updatedAt
            })
            if (!isPut) return yield* refused(run, "exists", "A run with this id already exists in this database.")
            for (const { body, seq, sum } of run.rows) {
              yield* sql`INSERT INTO toolguard_journal ${sql.insert({ ...idsOf(run), seq, body, sum })}`
            }
          })
        )
      )
    )
  }
}

const idsOf = ({ run, tenant }: RunKey) => ({ tenant: IdText.encode(tenant), run: IdText.encode(run) })

const openOf = (run: RunRow, rows: ReadonlyArray<JournalRow>): Omit<OpenRun, "owner"> => ({
  rows,
  written: run.row_count,
  lastSum: run.last_sum,
  format: run.format,
  end: run.run_end ?? undefined
})
