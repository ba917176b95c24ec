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
import { DatabasePlace, databaseUnavailable, type DatabaseUnavailable } from "#services/DatabaseUnavailable"
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as SqlClient from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"
import { type AccountStore, budgets } from "#layers/internal/stores/AccountStore"
import * as Migrations from "#layers/internal/sql/Migrations"
import { remedyOf } from "#layers/internal/sql/remedy"
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
}: BudgetsSqlOptions): Layer.Layer<Budgets, DatabaseUnavailable, SqlClient.SqlClient> =>
  Layer.effect(
    Budgets,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const age = Duration.toMillis(Duration.fromInputUnsafe(timeToLive))
      yield* sweeping((now) => sql`DELETE FROM toolguard_budgets WHERE touched_at <= ${now - age}`)
      return budgets(makeStore(sql, yield* DatabasePlace))
    })
  ).pipe(Layer.provide(Migrations.layer))

export const layer: Layer.Layer<Budgets, DatabaseUnavailable, SqlClient.SqlClient> = layerWith({})

const longest = "5 seconds"

const makeStore = (sql: SqlClient.SqlClient, place: string): AccountStore => {
  const asked = <A>(step: Effect.Effect<A, SqlError>): Effect.Effect<A, BudgetsUnavailable> =>
    Effect.mapError(
      Effect.timeout(Effect.interruptible(step), longest),
      (cause) => new BudgetsUnavailable({ cause: databaseUnavailable(place, remedyOf(cause), cause) })
    )
  /** A step that may be made twice is, where its connection had broken meanwhile: the pool has another one. */
  const askedAgain = <A>(step: Effect.Effect<A, SqlError>) =>
    asked(Effect.retry(step, { times: 1, while: ({ reason }) => reason._tag === "ConnectionError" }))
  const next = (turn: string) =>
    sql`(SELECT COALESCE(MAX(held_as), 0) + 1 FROM toolguard_budgets WHERE turn_id = ${turn})`
  /** A result that was let go too late is a row that is a little larger: its failure is nobody's. */
  const letGo = (turn: string) =>
    Effect.ignore(sql`UPDATE toolguard_budgets SET result = NULL, held_as = NULL WHERE turn_id = ${turn} AND held_as <=
      (SELECT held_as FROM toolguard_budgets WHERE turn_id = ${turn} AND held_as IS NOT NULL
        ORDER BY held_as DESC LIMIT 1 OFFSET ${sql.literal(String(heldResults))})`)
  return {
    read: (turn, key) =>
      Effect.map(
        askedAgain(sql<Row>`SELECT state, result FROM toolguard_budgets WHERE turn_id = ${turn} AND key_id = ${key}`),
        ([row]) => row && { state: row.state, result: row.result ?? undefined }
      ),
    swap: (turn, key, before, { isOpen, result, state }) =>
      Effect.flatMap(Clock.currentTimeMillis, (now) => {
        const open = isOpen ? 1 : 0
        const heldAs = result === undefined ? sql`NULL` : next(turn)
        const written =
          before === undefined
            ? sql`INSERT INTO toolguard_budgets (turn_id, key_id, state, is_open, result, held_as, touched_at)
                VALUES (${turn}, ${key}, ${state}, ${open}, ${result ?? null}, ${heldAs}, ${now})
                ON CONFLICT (turn_id, key_id) DO NOTHING RETURNING key_id`
            : sql`UPDATE toolguard_budgets SET state = ${state}, is_open = ${open}, result = ${result ?? null},
                held_as = ${heldAs}, touched_at = ${now}
                WHERE turn_id = ${turn} AND key_id = ${key} AND state = ${before} RETURNING key_id`
        const isWritten = Effect.map(written, ({ length }) => length === 1)
        return asked(result === undefined ? isWritten : Effect.tap(isWritten, letGo(turn)))
      }),
    progress: (turn, key) =>
      askedAgain(
        Effect.asVoid(sql`DELETE FROM toolguard_budgets WHERE turn_id = ${turn} AND key_id <> ${key} AND is_open = 0`)
      ),
    end: (turn) => askedAgain(Effect.asVoid(sql`DELETE FROM toolguard_budgets WHERE turn_id = ${turn}`))
  }
}
