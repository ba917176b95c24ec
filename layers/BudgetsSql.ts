/**
 * Keeps budgets in SQL: one row for each call key of a turn, so any number of processes can share a turn's budget.
 *
 * **Details**
 *
 * - `Account` decides. The database writes only if the row has not changed since it was read.
 * - Turns and keys are stored as SHA-256 digests, so that no argument of a call appears in a key.
 * - The latest twenty results of a turn are stored as text in their rows.
 * - Methods have no spans, because every attempt calls them.
 *
 * **Gotchas**
 *
 * If the database does not respond within 5 seconds, calls that write are refused and calls that read run uncounted.
 */
import { heldResults } from "#domain/turn/Budget"
import { AtRest } from "#services/AtRest"
import { Budgets, BudgetsUnavailable } from "#services/Budgets"
import type { DatabaseUnavailable } from "#services/DatabaseUnavailable"
import { unguessableId } from "#services/Unguessable"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { SqlClient } from "effect/sql/SqlClient"
import { type AccountStore, budgets } from "#layers/internal/stores/AccountStore"
import * as Database from "#layers/internal/sql/Database"
import * as Sweep from "#layers/internal/sql/Sweep"

export interface BudgetsSqlOptions {
  /** How long a turn is kept after its last attempt, if the host does not end the turn. Default 24 hours. */
  readonly timeToLive?: Duration.Input
}

/** An account, with nulls if it does not exist, and the time of the database. */
interface Row {
  readonly now: number | bigint | string
  readonly state: string | null
  readonly result: string | null
}

/** Keeps budgets in the database of the `SqlClient`. Creates missing tables. */
export const layerWith = ({
  timeToLive = "24 hours"
}: BudgetsSqlOptions): Layer.Layer<Budgets, DatabaseUnavailable, SqlClient> =>
  Layer.effect(
    Budgets,
    Effect.gen(function* () {
      const database = yield* Database.Database
      const keptMillis = Duration.toMillis(Duration.fromInputUnsafe(timeToLive))
      yield* Sweep.start(
        database.time,
        ({ after }) => database.sql`DELETE FROM toolguard_budgets WHERE touched_at <= ${after(-keptMillis)}`
      )
      return budgets(makeStore(database), yield* AtRest, yield* unguessableId)
    })
  ).pipe(Layer.provide(Database.layer))

/**
 * Keeps budgets in the database of the `SqlClient`. A turn that is not ended is kept for 24 hours after its last
 * attempt.
 */
export const layer: Layer.Layer<Budgets, DatabaseUnavailable, SqlClient> = layerWith({})

const unavailable = Effect.mapError((cause: DatabaseUnavailable) => new BudgetsUnavailable({ cause }))

const makeStore = ({ ask, askAgain, dialect, sql, time }: Database.Database["Service"]): AccountStore => {
  // MySQL cannot read the table that a statement changes, except through a derived table
  const next = (turn: string) => sql`(SELECT latest.held_as + 1 FROM
    (SELECT COALESCE(MAX(held_as), 0) AS held_as FROM toolguard_budgets WHERE turn_id = ${turn}) AS latest)`
  /** Drops the results beyond the limit. Failures are ignored, because they only leave rows larger than necessary. */
  const dropOldResults = (turn: string) =>
    Effect.ignore(sql`UPDATE toolguard_budgets SET result = NULL, held_as = NULL WHERE turn_id = ${turn} AND held_as <=
      (SELECT oldest.held_as FROM (SELECT held_as FROM toolguard_budgets WHERE turn_id = ${turn} AND held_as IS NOT NULL
        ORDER BY held_as DESC LIMIT 1 OFFSET ${sql.literal(String(heldResults))}) AS oldest)`)
  return {
    read: (turn, key) =>
      Effect.flatMap(time, ({ now }) =>
        Effect.map(
          unavailable(
            askAgain(sql<Row>`SELECT ${now} AS now, stored.state, stored.result FROM (SELECT 1 AS one) AS always
              LEFT JOIN toolguard_budgets AS stored ON stored.turn_id = ${turn} AND stored.key_id = ${key}`)
          ),
          ([row]) => ({
            account:
              row === undefined || row.state === null
                ? undefined
                : { state: row.state, result: row.result ?? undefined },
            now: Number(row?.now)
          })
        )
      ),
    swap: (turn, key, before, { isOpen, result, state }) =>
      Effect.flatMap(time, ({ now }) => {
        const heldAs = result === undefined ? sql`NULL` : next(turn)
        const open = isOpen ? 1 : 0
        const written = { state, is_open: open, result: result ?? null, held_as: heldAs, touched_at: now }
        const isWritten =
          before === undefined
            ? dialect.insertIfAbsent("toolguard_budgets", { turn_id: turn, key_id: key, ...written })
            : dialect.changeOne(sql`UPDATE toolguard_budgets SET state = ${state}, is_open = ${open},
                result = ${result ?? null}, held_as = ${heldAs}, touched_at = ${now}
                WHERE turn_id = ${turn} AND key_id = ${key} AND state = ${before}`)
        return unavailable(ask(result === undefined ? isWritten : Effect.tap(isWritten, dropOldResults(turn))))
      }),
    progress: (turn, key) =>
      unavailable(
        askAgain(
          Effect.asVoid(sql`DELETE FROM toolguard_budgets WHERE turn_id = ${turn} AND key_id <> ${key} AND is_open = 0`)
        )
      ),
    end: (turn) => unavailable(askAgain(Effect.asVoid(sql`DELETE FROM toolguard_budgets WHERE turn_id = ${turn}`)))
  }
}
