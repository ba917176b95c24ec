/**
 * Keeps budgets in SQL: one row for each call key of a turn, so any number of processes can share a turn's budget.
 *
 * **Details**
 *
 * - `Account` decides. The database writes only if the row is the one that this process wrote or read last: a spend and a
 *   settle are one statement each.
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
import type { Fragment } from "effect/sql/Statement"
import { type AccountStore, budgets } from "#layers/internal/stores/AccountStore"
import * as Database from "#layers/internal/sql/Database"
import type { Value } from "#layers/internal/sql/StatementText"
import type { Time } from "#layers/internal/sql/StoreTime"
import * as Sweep from "#layers/internal/sql/Sweep"

export interface BudgetsSqlOptions {
  /** How long a turn is kept after its last attempt, if the host does not end the turn. Default 24 hours. */
  readonly timeToLive?: Duration.Input
}

/** The time of the database. */
interface Now {
  readonly now: number | bigint | string
}

/** The key of an account. */
interface Account {
  readonly turn: string
  readonly key: string
}

interface Written extends Account {
  readonly state: string
  readonly isOpen: 0 | 1
}

interface Held extends Written {
  readonly result: string
}

interface Swapped extends Written {
  readonly before: string
}

/** An account, with nulls if it does not exist. */
interface Row extends Now {
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

const makeStore = ({ askAgain, dialect, prepare, sql }: Database.Database["Service"]): AccountStore => {
  const table = "toolguard_budgets"
  const read = prepare<Account, Row>((value, { now }) => [
    sql<Row>`SELECT ${now} AS now, stored.state, stored.result FROM (SELECT 1 AS one) AS always
      LEFT JOIN toolguard_budgets AS stored ON stored.turn_id = ${value("turn")} AND stored.key_id = ${value("key")}`
  ])
  const setOf = (value: Value<Written>, { now }: Time, result: Fragment | null, heldAs: Fragment | null) => ({
    state: value("state"),
    is_open: value("isOpen"),
    result,
    held_as: heldAs,
    touched_at: now
  })
  const changeOf = (value: Value<Swapped>, { now }: Time) => ({
    table,
    where: sql`turn_id = ${value("turn")} AND key_id = ${value("key")} AND state = ${value("before")}`,
    returning: sql`${now} AS now`
  })
  const heldAs = (value: Value<Account>) =>
    sql`(SELECT COALESCE(MAX(held_as), 0) + 1 FROM toolguard_budgets WHERE turn_id = ${value("turn")})`
  /** Drops the results of the other keys of a turn that are beyond the limit. */
  const dropOldResults = (value: Value<Account>, isChanged: Fragment) => {
    const [turn, key] = [value("turn"), value("key")]
    return sql`UPDATE toolguard_budgets SET result = NULL, held_as = NULL
      WHERE ${isChanged} AND turn_id = ${turn} AND key_id IN (SELECT key_id FROM toolguard_budgets
        WHERE ${isChanged} AND turn_id = ${turn} AND key_id <> ${key} AND held_as <= (
          SELECT held_as FROM toolguard_budgets WHERE turn_id = ${turn} AND key_id <> ${key} AND held_as IS NOT NULL
          ORDER BY held_as DESC LIMIT 1 OFFSET ${sql.literal(String(heldResults - 1))})${dialect.skipLocked})`
  }
  const insert = (value: Value<Written>, time: Time, result: Fragment | null, held: Fragment | null) => [
    dialect.insertReturning<Now>(
      table,
      { turn_id: value("turn"), key_id: value("key"), ...setOf(value, time, result, held) },
      sql`${time.now} AS now`
    )
  ]
  const added = prepare<Written, Now>((value, time) => insert(value, time, null, null))
  const addedWithResult = prepare<Held, Now>((value, time) => insert(value, time, value("result"), heldAs(value)))
  const changed = prepare<Swapped, Now>((value, time) => [
    dialect.updateReturning<Now>({ ...changeOf(value, time), set: setOf(value, time, null, null) })
  ])
  const changedWithResult = prepare<Swapped & Held, Now>((value, time) =>
    dialect.updateAnd<Now>({
      ...changeOf(value, time),
      set: setOf(value, time, value("result"), heldAs(value)),
      also: (isChanged) => dropOldResults(value, isChanged)
    })
  )
  const swapping = (written: Written, before: string | undefined, result: string | undefined) => {
    if (before === undefined) return result === undefined ? added(written) : addedWithResult({ ...written, result })
    return result === undefined ? changed({ ...written, before }) : changedWithResult({ ...written, before, result })
  }
  return {
    read: (turn, key) =>
      Effect.map(unavailable(askAgain(read({ turn, key }))), ([row]) => ({
        account:
          row === undefined || row.state === null ? undefined : { state: row.state, result: row.result ?? undefined },
        now: Number(row?.now)
      })),
    swap: (turn, key, before, { isOpen, result, state }) =>
      Effect.map(
        // a repeated write changes nothing if the first was made
        unavailable(askAgain(swapping({ turn, key, state, isOpen: isOpen ? 1 : 0 }, before, result))),
        ([row]) => row && { now: Number(row.now) }
      ),
    progress: (turn, key) =>
      unavailable(
        askAgain(
          Effect.asVoid(sql`DELETE FROM toolguard_budgets WHERE turn_id = ${turn} AND key_id <> ${key} AND is_open = 0`)
        )
      ),
    end: (turn) => unavailable(askAgain(Effect.asVoid(sql`DELETE FROM toolguard_budgets WHERE turn_id = ${turn}`)))
  }
}
