/**
 * Erases a tenant, a conversation, a principal or a turn from the stores in SQL.
 *
 * **Details**
 *
 * - Rows of a tenant are found by their columns. For conversations and principals the rows of the tenant are opened,
 *   which needs the key of `AtRest` if they are encrypted. Of the call records, only those with matching columns are opened.
 * - A SQLite file is rebuilt once after all rows were removed, so that its bytes do not contain them. In PostgreSQL
 *   they remain on the disk until VACUUM and the removal of its log.
 *
 * **Gotchas**
 *
 * Backups are not changed.
 *
 * The file has more lines than others, because the searches of all tables build one plan.
 */
import { key as turnKey } from "#domain/turn/Turn"
import { AtRest, openText, type Place } from "#services/AtRest"
import type { DatabaseUnavailable } from "#services/DatabaseUnavailable"
import type { RunKey } from "#services/Checkpoints"
import { Forget, type ForgetScope, ForgetUnavailable, type ForgetReport, isOf } from "#services/Forget"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { SqlClient } from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"
import type { Fragment } from "effect/sql/Statement"
import { hash } from "node:crypto"
import * as CallRows from "#layers/internal/sql/CallRows"
import * as Database from "#layers/internal/sql/Database"
import * as DurableRunRows from "#layers/internal/sql/DurableRunRows"
import * as IdText from "#layers/internal/sql/IdText"
import * as RunIds from "#layers/internal/sql/RunIds"
import { digestOf } from "#layers/internal/stores/NewRequest"
import { ownerOf, ownerOfFields, parsed, placeOfCall } from "#layers/internal/stores/StoredOwner"

/**
 * The rows found in one store, and the effect that removes them. If rows may come into use after they were found, `kept`
 * counts those in use, and `remove` returns the number of rows that it removed.
 */
type FoundRows = { readonly store: string; readonly count: number } & (
  | { readonly remove: Effect.Effect<unknown, SqlError>; readonly kept?: never }
  | {
      readonly remove: Effect.Effect<number, SqlError>
      readonly kept: { readonly count: number; readonly what: string }
    }
)

interface Plan {
  readonly found: Array<FoundRows>
  readonly left: Array<ForgetReport["left"][number]>
  /** The keys of the turns. */
  readonly turns: Set<string>
}

/**
 * The owner of a run whose turn is not recorded: by default, a run is its own conversation and its own turn. A run
 * whose key has no principal belongs to an unknown principal.
 */
const ownerOfKey = ({ turn }: ForgetScope, { principal, run, tenant }: RunKey) => ({
  tenant,
  conversation: run,
  principal,
  turn: turn === undefined ? undefined : run
})

/** True if the scope may include a run whose turn is not recorded. */
const isUnknown = ({ principal }: ForgetScope, key: RunKey): boolean =>
  key.principal === undefined || principal === undefined || key.principal === principal

/** The number of rows that are read at a time. */
const page = 500

const isWhole = ({ conversation, principal, turn }: ForgetScope): boolean =>
  conversation === undefined && principal === undefined && turn === undefined

const make = Effect.gen(function* () {
  const database = yield* Database.Database
  const { dialect, millis, run, sql, time } = database
  const durableRuns = DurableRunRows.make(database)
  const cipher = yield* AtRest

  const removeIn = (table: string, column: string, ids: ReadonlyArray<string | number>) =>
    Effect.forEach(
      Array.from({ length: Math.ceil(ids.length / page) }, (_, i) => ids.slice(i * page, (i + 1) * page)),
      (some) => sql`DELETE FROM ${sql(table)} WHERE ${sql.in(column, some)}`,
      { discard: true }
    )

  /** Adds the turn of a stored value. */
  const addTurn = ({ turns }: Plan, value: unknown) => {
    const { conversation, principal, tenant, turn } = ownerOfFields(value)
    if (tenant === undefined || conversation === undefined || turn === undefined) return
    turns.add(turnKey({ tenant, conversation, turn, ...(principal === undefined ? {} : { principal }) }))
  }

  /**
   * Opens the JSON of a row. Returns undefined if the row is damaged. If the whole tenant is erased, a row that cannot be
   * opened is erased unread.
   */
  const opened = (scope: ForgetScope, text: string, place: Place) =>
    Effect.map(openText(cipher, text, place), parsed).pipe(
      Effect.catchIf(
        ({ reason }) => isWhole(scope) || reason === "changed",
        () => Effect.undefined
      )
    )

  /** Names the damaged rows, whose owner is unknown. */
  const addDamaged = ({ left }: Plan, store: string, count: number) => {
    if (count === 0) return
    left.push({
      store,
      reason: `Damaged rows of the tenant, whose owner cannot be read: ${count}. They are removed when they expire, or with the tenant.`
    })
  }

  /** Removes rows that are still free, and returns their number. */
  const removeFree = <Row>(rows: ReadonlyArray<Row>, remove: (row: Row) => Effect.Effect<boolean, SqlError>) =>
    Effect.map(Effect.forEach(rows, remove), (removed) => removed.filter((isRemoved) => isRemoved).length)

  const keys = Effect.fnUntraced(function* (scope: ForgetScope, { found }: Plan) {
    const rows = yield* sql<{
      readonly tenant: string
      readonly idempotency_key: string
      readonly call_id: string
      readonly outcome: string | null
    }>`SELECT tenant, idempotency_key, call_id, CASE WHEN outcome IS NULL THEN NULL ELSE '' END AS outcome
      FROM toolguard_keys WHERE ${isCallOf(scope)}`
    const ours = rows.filter(({ call_id, tenant }) => {
      const { principal, tenant: own } = ownerOf(IdText.decode(tenant))
      return isOf(scope, { tenant: own, principal, ...placeOfCall(call_id) })
    })
    const done = ours.filter(({ outcome }) => outcome !== null)
    found.push({
      store: "idempotency keys",
      count: done.length,
      remove: removeFree(done, ({ idempotency_key, tenant }) =>
        dialect.changeOne(sql`DELETE FROM toolguard_keys
          WHERE tenant = ${tenant} AND idempotency_key = ${idempotency_key} AND outcome IS NOT NULL`)
      ),
      kept: { count: ours.length - done.length, what: "Actions in flight" }
    })
  })

  /** True if a call id starts with the conversation and the turn of the scope. */
  const isCallOf = ({ conversation, turn }: ForgetScope) => {
    if (conversation === undefined) return sql`1 = 1`
    const start = JSON.stringify(turn === undefined ? [conversation] : [conversation, turn]).slice(0, -1)
    return sql`SUBSTR(call_id, 1, LENGTH(CAST(${start} AS TEXT))) = ${start}`
  }

  /** Selects rows by the digest of the scope's turn. */
  const isTurnOf = ({ conversation, principal, tenant, turn }: ForgetScope) =>
    conversation === undefined || turn === undefined
      ? sql`1 = 1`
      : sql`turn = ${digestOf(turnKey({ tenant, conversation, turn, ...(principal === undefined ? {} : { principal }) }))}`

  /** Finds the rows of a table with a JSON document that has the field `turn`. */
  const documents = Effect.fnUntraced(function* (
    scope: ForgetScope,
    plan: Plan,
    {
      column,
      place,
      store,
      table,
      where = sql`1 = 1`
    }: { store: string; table: string; column: string; place: string; where?: Fragment }
  ) {
    const rows = yield* sql<{ readonly id: string; readonly body: string }>`SELECT id, ${sql(column)} AS body
      FROM ${sql(table)} WHERE tenant = ${JSON.stringify(scope.tenant)} AND ${where}`
    const ids: Array<string> = []
    let damaged = 0
    for (const { body, id } of rows) {
      const document = yield* opened(scope, body, [place, id])
      if (document === undefined && !isWhole(scope)) {
        damaged += 1
        continue
      }
      const turn: unknown = (document as { readonly turn?: unknown } | undefined)?.turn
      if (!isWhole(scope) && !isOf(scope, ownerOfFields(turn))) continue
      addTurn(plan, turn)
      ids.push(id)
    }
    addDamaged(plan, store, damaged)
    return { store, count: ids.length, ids, table }
  })

  const requests = Effect.fnUntraced(function* (scope: ForgetScope, plan: Plan) {
    const approvals = yield* documents(scope, plan, {
      store: "approvals",
      table: "toolguard_approvals",
      column: "request",
      place: "approvals",
      where: isTurnOf(scope)
    })
    const outcomes = yield* documents(scope, plan, {
      store: "unknown outcomes",
      table: "toolguard_outcomes",
      column: "outcome",
      place: "outcomes"
    })
    plan.found.push(
      {
        ...approvals,
        remove: Effect.andThen(
          removeIn("toolguard_reveals", "id", approvals.ids),
          removeIn("toolguard_approvals", "id", approvals.ids)
        )
      },
      { ...outcomes, remove: removeIn("toolguard_outcomes", "id", outcomes.ids) }
    )
  })

  const artifacts = Effect.fnUntraced(function* (scope: ForgetScope, { found, left }: Plan) {
    const rows = yield* sql<{
      readonly id: string
      readonly conversation: string
      readonly turn: string | null
    }>`SELECT id, conversation, turn FROM toolguard_artifacts
      WHERE ${scope.turn === undefined ? sql`1 = 1` : sql`(${isTurnOf(scope)} OR turn IS NULL)`}`
    const ours = rows.filter(({ conversation }) => isOf(scope, { ...ownerOf(conversation), turn: scope.turn }))
    const ids = ours.filter(({ turn }) => scope.turn === undefined || turn !== null).map(({ id }) => id)
    found.push({ store: "artifacts", count: ids.length, remove: removeIn("toolguard_artifacts", "id", ids) })
    if (ids.length < ours.length) {
      left.push({
        store: "artifacts",
        reason: `Artifacts of the conversation without a recorded turn: ${ours.length - ids.length}. They are removed when they expire.`
      })
    }
  })

  const runs = Effect.fnUntraced(function* (scope: ForgetScope, plan: Plan) {
    const now = yield* millis
    const rows = yield* sql<{
      readonly tenant: string
      readonly run: string
      readonly lease_until: number | bigint | string
      readonly run_end: string | null
      readonly body: string | null
    }>`SELECT tenant, run, lease_until, run_end,
        (SELECT body FROM toolguard_journal WHERE toolguard_journal.tenant = toolguard_runs.tenant
          AND toolguard_journal.run = toolguard_runs.run AND seq = 1) AS body
      FROM toolguard_runs WHERE tenant = ${IdText.encode(scope.tenant)}`
    const ours: Array<RunIds.RunIds> = []
    let [inUse, unknown] = [0, 0]
    for (const { body, lease_until, run, run_end, tenant } of rows) {
      const key = RunIds.decode({ tenant, run })
      // the turn of a run is in its first row until it has an end, and then in its end
      const [text, place] = run_end === null ? [body, RunIds.rowPlace(key, 1)] : [run_end, RunIds.endPlace(key)]
      const stored = text === null ? undefined : yield* opened(scope, text, place)
      const turn: unknown = (stored as { readonly turn?: unknown } | undefined)?.turn
      if (!isWhole(scope) && !isOf(scope, turn === undefined ? ownerOfKey(scope, key) : ownerOfFields(turn))) {
        if (turn === undefined && scope.turn === undefined && isUnknown(scope, key)) unknown += 1
        continue
      }
      addTurn(plan, turn)
      if (run_end === null && Number(lease_until) > now) inUse += 1
      else ours.push({ tenant, run })
    }
    const isOneOf = ({ run, tenant }: RunIds.RunIds) => sql`tenant = ${tenant} AND run = ${run}`
    // a run that was opened since it was found keeps its journal
    const removeRun = Effect.fnUntraced(function* (one: RunIds.RunIds) {
      const { now } = yield* time
      const isRemoved = yield* dialect.changeOne(sql`DELETE FROM toolguard_runs
        WHERE ${isOneOf(one)} AND (run_end IS NOT NULL OR lease_until <= ${now})`)
      if (isRemoved) yield* sql`DELETE FROM toolguard_journal WHERE ${isOneOf(one)}`
      return isRemoved
    })
    plan.found.push({
      store: "runs",
      count: ours.length,
      remove: removeFree(ours, removeRun),
      kept: { count: inUse, what: "Runs in use" }
    })
    if (unknown > 0) {
      plan.left.push({
        store: "runs",
        reason: `Runs of the tenant without a recorded owner: ${unknown}. They are removed 30 days after their end, or by toolguard runs remove.`
      })
    }
  })

  const calls = Effect.fnUntraced(function* (scope: ForgetScope, plan: Plan) {
    const ids: Array<string> = []
    const condition = CallRows.inScope(sql, scope)
    let damaged = 0
    let after = "0"
    for (;;) {
      const rows = yield* sql<{
        readonly id: number | bigint | string
        readonly kind: string
        readonly trace_id: string
        readonly record: string
      }>`SELECT id, kind, trace_id, record FROM toolguard_calls
        WHERE ${condition} AND id > ${sql.literal(after)} ORDER BY id LIMIT ${page}`
      for (const { id, kind, record, trace_id } of rows) {
        after = String(id)
        const value = yield* opened(scope, record, ["calls", kind, trace_id])
        // a record that cannot be read is removed only with its whole tenant, by its column
        if (value !== undefined && !isOf(scope, ownerOfFields(value))) continue
        if (value === undefined && !isWhole(scope)) {
          damaged += 1
          continue
        }
        addTurn(plan, value)
        ids.push(after)
      }
      if (rows.length < page) break
    }
    addDamaged(plan, "call records", damaged)
    plan.found.push({ store: "call records", count: ids.length, remove: removeIn("toolguard_calls", "id", ids) })
  })

  const budgets = Effect.fnUntraced(function* ({ found, left, turns }: Plan) {
    const digests = [...turns].map((turn) => hash("sha256", turn, "hex"))
    let count = 0
    for (let i = 0; i < digests.length; i += page) {
      const some = digests.slice(i, i + page)
      const [row] = yield* sql<{ readonly total: number | bigint | string }>`SELECT COUNT(*) AS total
        FROM toolguard_budgets WHERE ${sql.in("turn_id", some)}`
      count += Number(row?.total ?? 0)
    }
    found.push({ store: "budgets", count, remove: removeIn("toolguard_budgets", "turn_id", digests) })
    left.push({
      store: "budgets",
      reason:
        "Turns without a record, a request or a journal are stored as digests and cannot be found: they are removed 24 hours after their last attempt."
    })
  })

  const durable = (
    { executions, turns: keys, unended }: DurableRunRows.DurableRunsOf,
    { found, left, turns }: Plan
  ) => {
    for (const key of keys) turns.add(key)
    found.push({ store: "durable runs", count: executions.length, remove: durableRuns.remove(executions) })
    if (unended > 0) {
      left.push({
        store: "durable runs",
        reason: `Durable runs that have not ended: ${unended}. Cancel them (toolguard runs cancel), and erase again after they have ended.`
      })
    }
  }

  /** True if the SQLite file may contain bytes of rows that this process has removed. */
  let hasRemains = false
  /** Removes the bytes of removed rows from a SQLite file. Returns a note if bytes may remain. */
  const compact = (isWanted: boolean | undefined) =>
    sql.onDialectOrElse({
      sqlite: () => {
        if (!hasRemains && isWanted !== true) return Effect.undefined
        if (isWanted === false) return Effect.succeed(remains("The file was not rebuilt"))
        // a checkpoint that a reader prevents succeeds with the column `busy`
        return Effect.andThen(sql.unsafe("VACUUM"), sql.unsafe("PRAGMA wal_checkpoint(TRUNCATE)")).pipe(
          Effect.map(([row]) => {
            hasRemains = Number((row as { readonly busy?: unknown } | undefined)?.busy ?? 0) !== 0
            return hasRemains ? remains("The file is in use and could not be rebuilt") : undefined
          }),
          Effect.orElseSucceed(() => remains("The file is in use and could not be rebuilt"))
        )
      },
      orElse: () =>
        Effect.succeed({
          store: "database disk",
          reason: "Removed rows remain on the disk until VACUUM and the removal of the server's log."
        })
    })

  const plan = (scope: ForgetScope, turns: ReadonlyArray<string>) =>
    Effect.gen(function* () {
      const plan: Plan = { found: [], left: [], turns: new Set(turns) }
      yield* keys(scope, plan)
      yield* requests(scope, plan)
      yield* artifacts(scope, plan)
      const durableRunsOf = yield* durableRuns.find(scope)
      // the turn of a durable run belongs to no run with a journal, so the journals of the tenant are not read for it
      if (scope.turn === undefined || durableRunsOf.turns.length === 0) yield* runs(scope, plan)
      yield* calls(scope, plan)
      durable(durableRunsOf, plan)
      yield* budgets(plan)
      return plan
    })

  return Forget.of({
    forget: Effect.fn("Forget.forget")((scope, { compact: isCompacted, dryRun = false, turns = [] } = {}) =>
      Effect.gen(function* () {
        const { found, left, turns: known } = yield* run(plan(scope, turns))
        const counts = dryRun ? [] : yield* run(dialect.transaction(Effect.forEach(found, ({ remove }) => remove)))
        const removed = found.map(({ count, kept, store }, i) => {
          const all = kept === undefined || dryRun ? count : Number(counts[i])
          const inUse = kept === undefined ? 0 : kept.count + count - all
          if (inUse > 0) left.push({ store, reason: `${kept?.what}: ${inUse}. Erase again after they have ended.` })
          return { store, count: all }
        })
        if (!dryRun) {
          if (removed.some(({ count }) => count > 0)) hasRemains = true
          const rest = yield* run(compact(isCompacted))
          if (rest !== undefined) left.push(rest)
        }
        return { removed, left, turns: [...known] }
      }).pipe(Effect.mapError((cause) => new ForgetUnavailable({ cause })))
    )
  })
})

const remains = (what: string) => ({
  store: "database file",
  reason: `${what}: run VACUUM later, because it may still contain removed bytes.`
})

/** Erases from the database of the `SqlClient`. Creates missing tables. */
export const layer: Layer.Layer<Forget, DatabaseUnavailable, SqlClient> = Layer.effect(Forget, make).pipe(
  Layer.provide(Database.layer)
)
