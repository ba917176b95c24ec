/**
 * Keeps the rows of durable runs in the database of the workflow engine. `DurableSqlite` and `DurablePostgres` contain
 * this layer: provide it yourself only to your own engine.
 *
 * **Details**
 *
 * - Runs that an earlier version started get their row when they are found, executed or swept.
 * - A sweep removes an ended run from the tables of the engine and from `toolguard_durable_runs`, in batches of 200
 *   runs with one transaction each. The database provides the time. A run that ended without being recorded, because
 *   its process crashed at that moment, is recorded first.
 * - A runner adds two indexes to `cluster_messages` before its first sweep, in PostgreSQL without blocking writes. In
 *   the meantime, other processes work without them.
 */
import * as DurableTurn from "#domain/turn/DurableTurn"
import { AtRest, type AtRestCipher } from "#services/AtRest"
import type { DatabaseUnavailable } from "#services/DatabaseUnavailable"
import {
  cursorOf,
  type DurableForgetOptions,
  DurableRuns,
  type DurableRunsListing,
  type DurableRunState,
  type DurableRunsStore,
  type DurableRunSummary,
  DurableRunsUnavailable,
  limitOf,
  type NewDurableRun,
  readCursor
} from "#services/DurableRuns"
import { Forget } from "#services/Forget"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { SqlClient } from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"
import * as Database from "#layers/internal/sql/Database"
import * as DurableRunRows from "#layers/internal/sql/DurableRunRows"
import * as EngineRows from "#layers/internal/sql/EngineRows"
import * as IdText from "#layers/internal/sql/IdText"
import * as ForgetSql from "./ForgetSql.ts"

/** How often a runner looks for runs that other processes cancelled. */
export interface DurableRunsSqlOptions {
  /** Default 1 second. */
  readonly interval?: Duration.Input
}

interface Row {
  readonly execution_id: string
  readonly agent: string
  readonly run: string
  readonly tenant: string
  readonly principal: string | null
  readonly conversation: string
  readonly state: DurableRunState
  readonly run_end: string | null
  readonly started_at: number | bigint | string
  readonly changed_at: number | bigint | string
  readonly ended_at: number | bigint | string | null
}

const batch = 200
/** How long a row whose run was never stored is kept, in milliseconds: its process may still be starting the run. */
const keptUnstored = Duration.toMillis("1 hour")

/** Keeps the rows in the database of the `SqlClient`. Creates missing tables. */
export const layerWith = ({
  interval = "1 second"
}: DurableRunsSqlOptions): Layer.Layer<never, DatabaseUnavailable, SqlClient> =>
  Layer.effect(
    DurableRuns,
    Effect.gen(function* () {
      return make(yield* Database.Database, yield* AtRest, yield* Forget, interval)
    })
  ).pipe(Layer.provide([ForgetSql.layer, Database.layer]))

/** Keeps the rows in the database of the `SqlClient`. Runners look for cancelled runs every second. */
export const layer: Layer.Layer<never, DatabaseUnavailable, SqlClient> = layerWith({})

const make = (
  { ask, dialect, run, sql, time }: Database.Database["Service"],
  cipher: AtRestCipher,
  { forget }: Forget["Service"],
  interval: Duration.Input
): DurableRunsStore => {
  const rows = EngineRows.make(sql)
  const { adopt, insert } = DurableRunRows.make({ dialect, sql, time })
  /** The agents whose runs of earlier versions have rows. */
  const adopted = new Set<string>()
  let isCreated = false
  /** True if the tables of the engine exist. */
  const created = Effect.suspend(() =>
    isCreated ? Effect.succeed(true) : Effect.tap(rows.exists, (exists) => Effect.sync(() => void (isCreated = exists)))
  )
  const within = <A>(step: Effect.Effect<A, SqlError>): Effect.Effect<A, DurableRunsUnavailable> =>
    Effect.mapError(ask(step), unavailable)

  const read = (execution: string) =>
    Effect.map(sql<Row>`SELECT * FROM toolguard_durable_runs WHERE execution_id = ${execution}`, ([row]) =>
      row === undefined ? undefined : summaryOf(row)
    )
  const record = ({ endedAt, execution, isFailed }: EngineRows.EngineEnd) =>
    sql`UPDATE toolguard_durable_runs SET state = CASE WHEN ${isFailed ? 1 : 0} = 1 THEN 'Failed'
        WHEN state = 'Cancelling' THEN 'Cancelled' ELSE 'Ended' END,
      changed_at = ${endedAt}, ended_at = ${endedAt}
      WHERE execution_id = ${execution} AND ended_at IS NULL`
  /** Reads the row of a run that the engine has stored, with its end if the engine has stored one. */
  const readStored = (agent: string, execution: string) =>
    Effect.gen(function* () {
      if (!(yield* created)) return yield* read(execution)
      const found = yield* rows.find(agent, execution)
      if (found === undefined) return undefined
      yield* adopt(found)
      yield* Effect.forEach(yield* rows.unrecorded(agent, execution), record)
      return yield* read(execution)
    })
  /** Writes the missing rows of runs, and the ends that were not recorded. */
  const reconcile = (agent: string) =>
    Effect.gen(function* () {
      if (!adopted.has(agent)) {
        // runs of earlier versions; reads all runs, so it may take longer than one step
        yield* Effect.mapError(run(rows.eachUnregistered(agent, adopt)), unavailable)
        adopted.add(agent)
      }
      yield* Effect.repeat(
        Effect.flatMap(within(rows.unrecorded(agent)), (ends) =>
          Effect.as(
            Effect.forEach(ends, (end) => within(record(end))),
            ends.length > 0
          )
        ),
        { while: (isChanged) => isChanged }
      )
    })
  /** Removes one batch of runs. Returns the number of removed runs. */
  const removeBatch = (agent: string, retention: Duration.Duration) =>
    Effect.flatMap(time, ({ after }) =>
      dialect.transaction(
        Effect.gen(function* () {
          // two processes that sweep at the same time remove different runs: the second waits here, and finds the rows removed
          const removed = yield* sql<{ readonly execution_id: string }>`DELETE FROM toolguard_durable_runs
            WHERE execution_id IN (SELECT execution_id FROM toolguard_durable_runs
              WHERE ended_at <= ${after(-Duration.toMillis(retention))} AND agent = ${IdText.encode(agent)}
                AND (${rows.isEndStored} OR NOT ${rows.isStored})
              ORDER BY ended_at, execution_id LIMIT ${batch})
            RETURNING execution_id`
          yield* rows.remove(removed.map(({ execution_id }) => execution_id))
          return removed.length
        })
      )
    )

  return {
    cipher,
    interval,
    register: Effect.fn("DurableRuns.register")((run: NewDurableRun) =>
      within(
        Effect.gen(function* () {
          yield* insert(run)
          return (yield* read(run.execution)) ?? (yield* Effect.die(new Error("The row of a run disappeared.")))
        })
      )
    ),
    move: Effect.fn("DurableRuns.move")((execution: string, state: "Running" | "Suspended") =>
      Effect.asVoid(
        within(
          Effect.flatMap(
            time,
            ({ now }) => sql`UPDATE toolguard_durable_runs SET state = ${state}, changed_at = ${now}
              WHERE execution_id = ${execution} AND state <> ${state} AND state IN ('Running', 'Suspended')`
          )
        )
      )
    ),
    end: Effect.fn("DurableRuns.end")((execution: string, state: DurableRunState, end?: string) =>
      Effect.asVoid(
        within(
          Effect.flatMap(
            time,
            ({ now }) => sql`UPDATE toolguard_durable_runs
              SET state = ${state}, run_end = ${end ?? null}, changed_at = ${now}, ended_at = ${now}
              WHERE execution_id = ${execution} AND ended_at IS NULL`
          )
        )
      )
    ),
    cancel: Effect.fn("DurableRuns.cancel")((agent: string, execution: string) =>
      within(
        Effect.gen(function* () {
          if ((yield* readStored(agent, execution)) === undefined) return undefined
          const { now } = yield* time
          yield* sql`UPDATE toolguard_durable_runs SET state = 'Cancelling', changed_at = ${now}
            WHERE execution_id = ${execution} AND ended_at IS NULL AND state <> 'Cancelling'`
          return yield* read(execution)
        })
      )
    ),
    find: Effect.fn("DurableRuns.find")((agent: string, execution: string) => within(readStored(agent, execution))),
    cancelling: Effect.fn("DurableRuns.cancelling")((agent: string) =>
      within(
        Effect.map(
          sql<Row>`SELECT execution_id FROM toolguard_durable_runs
            WHERE state = 'Cancelling' AND agent = ${IdText.encode(agent)} ORDER BY started_at LIMIT 1000`,
          (found) => found.map(({ execution_id }) => execution_id)
        )
      )
    ),
    list: Effect.fn("DurableRuns.list")((listing: DurableRunsListing) =>
      within(
        Effect.gen(function* () {
          const cursor = listing.before === undefined ? undefined : readCursor(listing.before)
          if (listing.before !== undefined && cursor === undefined) return { runs: [] }
          const limit = limitOf(listing)
          const found = yield* sql<Row>`SELECT * FROM toolguard_durable_runs WHERE ${sql.and([
            (yield* created) ? rows.isStored : sql`1 = 1`,
            ...fields.flatMap((field) => {
              const value = listing[field]
              if (value === undefined) return []
              return value === null
                ? [sql`${sql.literal(field)} IS NULL`]
                : [sql`${sql.literal(field)} = ${IdText.encode(value)}`]
            }),
            ...(cursor === undefined
              ? []
              : [
                  sql`(started_at < ${cursor.startedAt}
                    OR (started_at = ${cursor.startedAt} AND execution_id < ${cursor.execution}))`
                ])
          ])} ORDER BY started_at DESC, execution_id DESC LIMIT ${limit + 1}`
          const runs = found.slice(0, limit).map(summaryOf)
          const last = runs.at(-1)
          return { runs, ...(last === undefined || found.length <= limit ? {} : { next: cursorOf(last) }) }
        })
      )
    ),
    forget: Effect.fn("DurableRuns.forget")((row: DurableRunSummary, options?: DurableForgetOptions) => {
      const { agent, conversation, principal, run, tenant } = row
      const turn = DurableTurn.idOf(agent, run)
      return Effect.mapError(
        forget({ tenant, conversation, turn, ...(principal === undefined ? {} : { principal }) }, options),
        ({ cause }) => unavailable(cause)
      )
    }),
    sweep: Effect.fn("DurableRuns.sweep")(function* (agent: string, retention: Duration.Duration) {
      if (!(yield* within(created))) return 0
      yield* Effect.catch(run(rows.index), (error) =>
        Effect.logWarning("The indexes of durable runs could not be created. The next sweep tries again.", error)
      )
      yield* reconcile(agent)
      yield* within(
        Effect.flatMap(
          time,
          ({ after }) => sql`DELETE FROM toolguard_durable_runs WHERE agent = ${IdText.encode(agent)}
            AND ended_at IS NULL AND started_at <= ${after(-keptUnstored)} AND NOT ${rows.isStored}`
        )
      )
      let total = 0
      while (Duration.isFinite(retention)) {
        const removed = yield* within(removeBatch(agent, retention))
        total += removed
        if (removed < batch) break
      }
      return total
    })
  }
}

const unavailable = (cause: unknown) => new DurableRunsUnavailable({ cause })

const fields = ["state", "agent", "tenant", "principal", "run"] as const

const summaryOf = (row: Row): DurableRunSummary => ({
  execution: row.execution_id,
  agent: IdText.decode(row.agent),
  run: IdText.decode(row.run),
  tenant: IdText.decode(row.tenant),
  ...(row.principal === null ? {} : { principal: IdText.decode(row.principal) }),
  conversation: IdText.decode(row.conversation),
  state: row.state,
  startedAt: Number(row.started_at),
  changedAt: Number(row.changed_at),
  ...(row.ended_at === null ? {} : { endedAt: Number(row.ended_at) }),
  ...(row.run_end === null ? {} : { end: row.run_end })
})
