/**
 * Checkpoints in SQL: one row a step, in one transaction with the proof that the run is still ours.
 *
 * **Details**
 *
 * - A completed run is kept for 30 days with its end; one that is not completed is kept until it is removed.
 * - A database that is away for a moment ends no run: each step is tried again for three seconds.
 */
import {
  CheckpointRefused,
  Checkpoints,
  CheckpointsUnavailable,
  type JournalRow,
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
import { owner as newOwner } from "#layers/internal/stores/owner"
import * as Database from "#layers/internal/sql/Database"
import { idOf, idText } from "#layers/internal/sql/idText"
import { sweeping } from "#layers/internal/sql/sweeping"

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

const kept = Duration.days(30)
const again = Schedule.exponential("50 millis").pipe(Schedule.upTo({ times: 6 }))

/** The checkpoints in whatever database the `SqlClient` has. Makes its tables where they are missing. */
export const layer: Layer.Layer<Checkpoints, DatabaseUnavailable, SqlClient> = Layer.effect(
  Checkpoints,
  Effect.gen(function* () {
    const database = yield* Database.Database
    yield* sweeping(
      (now) => database.sql`DELETE FROM toolguard_runs
        WHERE run_end IS NOT NULL AND updated_at <= ${now - Duration.toMillis(kept)}`
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
    "Another process has it. Try again when its lease is over, or take it over where that process is dead."
  )

const make = ({ ask, dialect, sql }: Database.Database["Service"]): Checkpoints["Service"] => {
  const asked = <A>(step: Effect.Effect<A, SqlError>): Effect.Effect<A, CheckpointsUnavailable> =>
    Effect.mapError(Effect.retry(ask(step), again), (cause) => new CheckpointsUnavailable({ cause }))
  /** The answer of a step to whether it may be done is no failure of the database. */
  const askedFor = <A>(step: Effect.Effect<A, SqlError | CheckpointRefused>) =>
    Effect.flatten(
      asked(
        Effect.map(step, Effect.succeed).pipe(
          Effect.catchTag("CheckpointRefused", (error) => Effect.succeed(Effect.fail(error)))
        )
      )
    )
  const isOf = ({ run, tenant }: RunKey) => sql`tenant = ${idText(tenant)} AND run = ${idText(run)}`
  const rowsOf = (key: RunKey) =>
    sql<JournalRow>`SELECT seq, body, sum FROM toolguard_journal WHERE ${isOf(key)} ORDER BY seq`
  /** Changes a run and more in one transaction, if the statement finds that the run is ours. */
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
      return askedFor(dialect.transaction(change))
    })

  return {
    open: (key, { format, lease, mayMake, takeOver }) =>
      Effect.flatMap(Effect.all([Clock.currentTimeMillis, newOwner]), ([now, owner]) => {
        const until = now + Duration.toMillis(lease)
        // also by the owner itself: the database's answer to a first try may have been lost
        const isFree = sql`(toolguard_runs.lease_until <= ${now} OR ${takeOver ? 1 : 0} = 1
          OR toolguard_runs.owner = ${owner})`
        const taking = {
          table: "toolguard_runs",
          // a completed run is read, and not leased
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
            ? refused(key, "unknown_run", "There is none in this database.")
            : inUse(key)
        })
        return askedFor(dialect.transaction(opened))
      }),
    append: (key, owner, { body, seq, sum }) =>
      changed(
        key,
        // the same row again, where an answer of the database was lost
        (now) => sql`UPDATE toolguard_runs SET row_count = ${seq}, last_sum = ${sum}, updated_at = ${now}
          WHERE ${isOf(key)} AND owner = ${owner}
            AND (row_count = ${seq - 1} OR (row_count = ${seq} AND last_sum = ${sum}))`,
        dialect.insertIfAbsent("toolguard_journal", { ...idsOf(key), seq, body, sum })
      ),
    renew: (key, owner, lease) =>
      changed(
        key,
        (now) => sql`UPDATE toolguard_runs SET lease_until = ${now + Duration.toMillis(lease)}
          WHERE ${isOf(key)} AND owner = ${owner} AND lease_until > 0`
      ),
    close: (key, owner, end) =>
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
          ),
    remove: (key) =>
      asked(
        dialect.transaction(
          Effect.andThen(
            sql`DELETE FROM toolguard_journal WHERE ${isOf(key)}`,
            Effect.asVoid(sql`DELETE FROM toolguard_runs WHERE ${isOf(key)}`)
          )
        )
      ),
    unfinished: (tenant) =>
      asked(
        Effect.map(
          sql<RunRow>`SELECT run FROM toolguard_runs WHERE tenant = ${idText(tenant)} AND run_end IS NULL
            ORDER BY created_at, run`,
          (rows) => rows.map(({ run }) => idOf(run))
        )
      ),
    list: Effect.flatMap(Clock.currentTimeMillis, (now) =>
      asked(
        Effect.map(sql<RunRow>`SELECT * FROM toolguard_runs ORDER BY created_at, tenant, run`, (rows) =>
          rows.map((row): RunSummary => ({
            tenant: idOf(row.tenant),
            run: idOf(row.run),
            format: row.format,
            written: row.row_count,
            isCompleted: row.run_end !== null,
            isInUse: Number(row.lease_until) > now,
            createdAt: Number(row.created_at),
            updatedAt: Number(row.updated_at)
          }))
        )
      )
    ),
    find: (key) =>
      asked(
        dialect.transaction(
          Effect.gen(function* () {
            const [run] = yield* sql<RunRow>`SELECT * FROM toolguard_runs WHERE ${isOf(key)}`
            if (run === undefined) return undefined
            const times = { createdAt: Number(run.created_at), updatedAt: Number(run.updated_at) }
            return { ...key, ...times, ...openOf(run, yield* rowsOf(key)) } satisfies StoredRun
          })
        )
      ),
    put: (run) =>
      askedFor(
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
            if (!isPut) return yield* refused(run, "exists", "There is a run with this id in this database.")
            for (const { body, seq, sum } of run.rows) {
              yield* sql`INSERT INTO toolguard_journal ${sql.insert({ ...idsOf(run), seq, body, sum })}`
            }
          })
        )
      )
  }
}

const idsOf = ({ run, tenant }: RunKey) => ({ tenant: idText(tenant), run: idText(run) })

const openOf = (run: RunRow, rows: ReadonlyArray<JournalRow>): Omit<OpenRun, "owner"> => ({
  rows,
  written: run.row_count,
  lastSum: run.last_sum,
  format: run.format,
  end: run.run_end ?? undefined
})
