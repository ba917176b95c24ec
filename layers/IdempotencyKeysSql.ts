/**
 * Keeps idempotency keys in SQL: one row for each key, claimed by one statement, so that exactly one process wins.
 *
 * **Details**
 *
 * - A completed row is deleted after its time to live. A row in flight does not expire, because its action may have
 *   been done.
 * - A claim and the use of its approval are one transaction, if both use the same `SqlClient`.
 * - A row holds a digest of the arguments instead of the arguments. Its outcome is encrypted if `AtRest` encrypts.
 * - If a claim was committed but its answer was lost, repeating it returns the claim.
 * - Methods have no spans, because every keyed call uses them.
 * - The clock of the database decides which claims have lapsed and which outcomes have expired (`StoreTime`).
 */
import { AtRest } from "#services/AtRest"
import type { DatabaseUnavailable } from "#services/DatabaseUnavailable"
import { IdempotencyKeys, type KeyClaim } from "#services/IdempotencyKeys"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { SqlClient } from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"
import {
  bindingOf,
  idempotencyKeys,
  type KeyStore,
  ownerOf,
  remote,
  type StoredState,
  type StoredClaim
} from "#layers/internal/stores/KeyStore"
import { unguessableId } from "#services/Unguessable"
import * as Database from "#layers/internal/sql/Database"
import * as IdText from "#layers/internal/sql/IdText"
import type { Value } from "#layers/internal/sql/StatementText"
import * as StoreTime from "#layers/internal/sql/StoreTime"
import * as Sweep from "#layers/internal/sql/Sweep"

interface Row {
  readonly binding: string
  readonly owner: string
  readonly call_id: string
  readonly lease_until: number | bigint
  readonly outcome: string | null
  readonly expires_at: number | bigint
  /** The time of the database. */
  readonly now: number | bigint | string
}

interface TakenRow {
  readonly fencing_token: number | bigint | string
  readonly lapsed_until: number | bigint | string | null
  readonly now: number | bigint | string
}

/** The columns that identify a key. */
interface KeyId {
  readonly tenant: string
  readonly key: string
}

interface Owned extends KeyId {
  readonly owner: string
}

interface Taking {
  readonly binding: string
  /** The call itself, which rows of an earlier version have in place of its digest. */
  readonly call: string
  readonly owner: string
  readonly callId: string
  readonly lease: number
  readonly isResumed: 0 | 1
}

/** Keeps idempotency keys in the database of the `SqlClient`. Creates missing tables. */
export const layer: Layer.Layer<IdempotencyKeys, DatabaseUnavailable, SqlClient> = Layer.effect(
  IdempotencyKeys,
  Effect.gen(function* () {
    const database = yield* Database.Database
    yield* Sweep.start(
      database.time,
      ({ now }) => database.sql`DELETE FROM toolguard_keys WHERE outcome IS NOT NULL AND expires_at <= ${now}`
    )
    return idempotencyKeys(remote(makeStore(database), yield* AtRest), unguessableId)
  })
).pipe(Layer.provide(Database.layer))

const makeStore = ({ dialect, prepare, run, sql }: Database.Database["Service"]): KeyStore<SqlError> => {
  const idOf = (claim: KeyClaim): KeyId => ({ tenant: IdText.encode(ownerOf(claim)), key: IdText.encode(claim.key) })
  const isOf = (value: Value<KeyId>) => sql`tenant = ${value("tenant")} AND idempotency_key = ${value("key")}`
  const isThis = (claim: KeyClaim) => isOf((name) => sql`${idOf(claim)[name]}`)
  const selected = prepare<KeyId, Row>((value, { now }) => [
    sql<Row>`SELECT binding, owner, call_id, lease_until, outcome, expires_at, ${now} AS now FROM toolguard_keys
      WHERE ${isOf(value)}`
  ])
  const rowOf = (claim: KeyClaim) => Effect.map(selected(idOf(claim)), ([row]) => row)
  const find = (claim: KeyClaim) => Effect.map(rowOf(claim), (row) => known(row, claim))

  /**
   * Claims the key if it is free or already claimed by this owner, if its outcome has expired, or if its claim has
   * lapsed or belongs to the same resumed call. Otherwise returns no row.
   */
  const taken = prepare<KeyId & Taking, TakenRow>((value, { afterValue, now }) => {
    const [binding, owner, callId] = [value("binding"), value("owner"), value("callId")]
    const taken = { binding, owner, call_id: callId, lease_until: afterValue(value("lease")), outcome: null }
    return [
      dialect.upsert<TakenRow>({
        table: "toolguard_keys",
        key: ["tenant", "idempotency_key"],
        row: {
          tenant: value("tenant"),
          idempotency_key: value("key"),
          ...taken,
          lapsed_until: null,
          fencing_token: now,
          expires_at: 0
        },
        set: {
          lapsed_until: sql`CASE WHEN toolguard_keys.owner = ${owner} THEN toolguard_keys.lapsed_until
            WHEN toolguard_keys.outcome IS NULL THEN toolguard_keys.lease_until ELSE NULL END`,
          // a key that was freed has no row, so a token begins with the time
          fencing_token: sql`CASE WHEN toolguard_keys.owner = ${owner} THEN toolguard_keys.fencing_token
            WHEN toolguard_keys.fencing_token >= ${now} THEN toolguard_keys.fencing_token + 1 ELSE ${now} END`,
          ...taken
        },
        where: sql`toolguard_keys.owner = ${owner}
          OR (toolguard_keys.outcome IS NOT NULL AND toolguard_keys.expires_at <= ${now})
          OR (toolguard_keys.outcome IS NULL AND toolguard_keys.binding IN (${binding}, ${value("call")})
            AND (toolguard_keys.lease_until <= ${now}
              OR (${value("isResumed")} = 1 AND toolguard_keys.call_id = ${callId})))`,
        returning: sql`lapsed_until, fencing_token, ${now} AS now`
      })
    ]
  })
  const isOurs = (value: Value<Owned>) => sql`${isOf(value)} AND owner = ${value("owner")}`
  const renewed = prepare<Owned & { readonly lease: number }, object>((value, { afterValue }) => [
    dialect.updateReturning({
      table: "toolguard_keys",
      set: { lease_until: afterValue(value("lease")) },
      where: sql`${isOurs(value)} AND outcome IS NULL`,
      returning: ["owner"]
    })
  ])
  const completed = prepare<Owned & { readonly outcome: string; readonly timeToLive: number }, object>(
    (value, { afterValue }) => [
      dialect.updateReturning({
        table: "toolguard_keys",
        set: { outcome: value("outcome"), expires_at: afterValue(value("timeToLive")) },
        where: sql`${isOurs(value)} AND (outcome IS NULL OR outcome = ${value("outcome")})`,
        returning: ["owner"]
      })
    ]
  )

  const claimKey = (claim: KeyClaim, owner: string): Effect.Effect<StoredClaim, SqlError> =>
    Effect.flatMap(
      taken({ ...idOf(claim), ...takingOf(claim, owner) }),
      ([row]): Effect.Effect<StoredClaim, SqlError> => {
        if (row !== undefined) {
          const lapsed =
            row.lapsed_until === null ? undefined : { remainingMillis: remaining(row.lapsed_until, row.now) }
          return Effect.succeed({ _tag: "Claimed", fencingToken: Number(row.fencing_token), lapsed })
        }
        return Effect.flatMap(find(claim), (found) =>
          // the key was freed, or its claim has lapsed, since the previous statement
          found === undefined || found._tag === "Lapsed" ? claimKey(claim, owner) : Effect.succeed(found)
        )
      }
    )

  /**
   * Claims a key and uses its approval. Rolls back if the approval cannot be used. Uses no approval if this owner
   * already holds the claim.
   */
  const claimWithApproval = (claim: KeyClaim, owner: string, consume: Effect.Effect<boolean>) =>
    dialect
      .transaction(
        Effect.gen(function* () {
          const before = yield* rowOf(claim)
          const answer = yield* claimKey(claim, owner)
          if (answer._tag !== "Claimed" || before?.owner === owner) return answer
          return (yield* consume) ? answer : yield* Effect.fail("not approved" as const)
        })
      )
      .pipe(Effect.catch((error) => (error === "not approved" ? Effect.succeed(notApproved) : Effect.fail(error))))

  return {
    find: (claim) => run(Database.reconnecting(find(claim))),
    claim: (claim, owner, consume) =>
      run(
        Database.reconnecting(consume === undefined ? claimKey(claim, owner) : claimWithApproval(claim, owner, consume))
      ),
    renew: (claim, owner) =>
      Effect.map(
        renewed({ ...idOf(claim), owner, lease: StoreTime.wholeMillis(claim.lease) }),
        ({ length }) => length === 1
      ).pipe(Database.reconnecting, run),
    // the same outcome can be stored again, because the answer to the first attempt may have been lost
    complete: (claim, owner, outcome, isKept) =>
      run(
        isKept
          ? Effect.map(
              completed({ ...idOf(claim), owner, outcome, timeToLive: StoreTime.wholeMillis(claim.timeToLive) }),
              ({ length }) => length === 1
            )
          : dialect.changeOne(
              sql`DELETE FROM toolguard_keys WHERE ${isThis(claim)} AND owner = ${owner} AND outcome IS NULL`
            )
      ),
    release: (claim, outcome) =>
      run(
        Database.reconnecting(
          dialect.changeOne(sql`DELETE FROM toolguard_keys WHERE ${isThis(claim)} AND outcome = ${outcome}`)
        )
      )
  }
}

const takingOf = (claim: KeyClaim, owner: string): Taking => ({
  binding: bindingOf(claim),
  call: claim.binding,
  owner,
  callId: claim.callId,
  lease: StoreTime.wholeMillis(claim.lease),
  isResumed: claim.isResumed ? 1 : 0
})

const notApproved: StoredClaim = { _tag: "NotApproved" }

/** Returns how many milliseconds are left until a time of the database. */
const remaining = (until: number | bigint | string, now: number | bigint | string): number =>
  Math.max(0, Number(until) - Number(now))

const known = (row: Row | undefined, claim: KeyClaim): StoredState | undefined => {
  if (row === undefined) return undefined
  const { binding, call_id: callId, outcome } = row
  if (outcome !== null && remaining(row.expires_at, row.now) === 0) return undefined
  // rows of an earlier version have the call itself
  if (binding !== bindingOf(claim) && binding !== claim.binding) return { _tag: "Conflict" }
  if (outcome !== null) return { _tag: "Done", outcome, callId }
  const remainingMillis = remaining(row.lease_until, row.now)
  return remainingMillis === 0 || (claim.isResumed && callId === claim.callId)
    ? { _tag: "Lapsed", remainingMillis }
    : { _tag: "InFlight" }
}
