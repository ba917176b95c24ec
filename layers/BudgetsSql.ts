/**
 * Budgets in SQL: one row for a call key of a turn, so that any number of processes share a turn's budget.
 *
 * **Details**
 *
 * - The rule is `Account`'s; the database only compares the row with what was read before it writes.
 * - Turns and keys are stored as SHA-256: no argument of a call stands in a key.
 * - A result that is held is text in the row, the latest twenty of a turn.
 *
 * **Gotchas**
 *
 * Where the database does not answer within 5 seconds, writes are refused and reads go on uncounted.
 */
import { heldResults } from "#domain/turn/Budget"
import { Budgets, BudgetsUnavailable } from "#services/Budgets"
import type { DatabaseUnavailable } from "#services/DatabaseUnavailable"
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { SqlClient } from "effect/sql/SqlClient"
import { type AccountStore, budgets } from "#layers/internal/stores/AccountStore"
import * as Database from "#layers/internal/sql/Database"
import { sweeping } from "#layers/internal/sql/sweeping"

export interface BudgetsSqlOptions {
  /** How long a turn that nobody ends is remembered after its last attempt. Default 24 hours. */
  readonly timeToLive?: Duration.Input
}

interface Row {
  readonly state: string
  readonly result: string | null
}

/** The budgets in whatever database the `SqlClient` has. Makes its tables where they are missing. */
export const layerWith = ({
  timeToLive = "24 hours"
}: BudgetsSqlOptions): Layer.Layer<Budgets, DatabaseUnavailable, SqlClient> =>
  Layer.effect(
    Budgets,
    Effect.gen(function* () {
      const database = yield* Database.Database
      const age = Duration.toMillis(Duration.fromInputUnsafe(timeToLive))
      yield* sweeping((now) => database.sql`DELETE FROM toolguard_budgets WHERE touched_at <= ${now - age}`)
      return budgets(makeStore(database))
    })
  ).pipe(Layer.provide(Database.layer))

export const layer: Layer.Layer<Budgets, DatabaseUnavailable, SqlClient> = layerWith({})

const unavailable = Effect.mapError((cause: DatabaseUnavailable) => new BudgetsUnavailable({ cause }))

const makeStore = ({ ask, askAgain, dialect, sql }: Database.Database["Service"]): AccountStore => {
  // the inner SELECTs are there for MySQL, which reads the table that it changes only by way of one
  const next = (turn: string) => sql`(SELECT latest.held_as + 1 FROM
    (SELECT COALESCE(MAX(held_as), 0) AS held_as FROM toolguard_budgets WHERE turn_id = ${turn}) AS latest)`
  /** Drops the results that are too many. If that fails a row stays larger than it should be, which is no error. */
  const dropOldResults = (turn: string) =>
    Effect.ignore(sql`UPDATE toolguard_budgets SET result = NULL, held_as = NULL WHERE turn_id = ${turn} AND held_as <=
      (SELECT oldest.held_as FROM (SELECT held_as FROM toolguard_budgets WHERE turn_id = ${turn} AND held_as IS NOT NULL
        ORDER BY held_as DESC LIMIT 1 OFFSET ${sql.literal(String(heldResults))}) AS oldest)`)
  return {
    read: (turn, key) =>
      Effect.map(
        unavailable(
          askAgain(sql<Row>`SELECT state, result FROM toolguard_budgets WHERE turn_id = ${turn} AND key_id = ${key}`)
        ),
        ([row]) => row && { state: row.state, result: row.result ?? undefined }
      ),
    swap: (turn, key, before, { isOpen, result, state }) =>
      Effect.flatMap(Clock.currentTimeMillis, (now) => {
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
