/**
 * Idempotency keys in SQL: one row for each key, claimed by one statement, so that exactly one process wins.
 *
 * **Details**
 *
 * - A finished row is deleted after its time to live. A row in flight is never deleted, because its action may have been done.
 * - A claim and the use of its approval are one transaction, if both use the same `SqlClient`.
 * - If a claim was committed but its answer was lost, repeating it returns the claim.
 * - Methods have no spans, because every keyed call uses them.
 *
 * **Gotchas**
 *
 * Claims lapse by the clocks of the processes: keep the clocks synchronized.
 */
import type { DatabaseUnavailable } from "#services/DatabaseUnavailable"
import { IdempotencyKeys, type KeyClaim } from "#services/IdempotencyKeys"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { SqlClient } from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"
import {
  endTime,
  idempotencyKeys,
  type KeyStore,
  ownerOf,
  remote,
  type Stored,
  type StoredClaim
} from "#layers/internal/stores/KeyStore"
import * as RandomId from "#layers/internal/stores/RandomId"
import * as Database from "#layers/internal/sql/Database"
import * as IdText from "#layers/internal/sql/IdText"
import * as Sweep from "#layers/internal/sql/Sweep"

interface Row {
  readonly binding: string
  readonly owner: string
  readonly call_id: string
  readonly lease_until: number | bigint
  readonly outcome: string | null
  readonly expires_at: number | bigint
}

/** Idempotency keys in the database of the `SqlClient`. Creates missing tables. */
export const layer: Layer.Layer<IdempotencyKeys, DatabaseUnavailable, SqlClient> = Layer.effect(
  IdempotencyKeys,
  Effect.gen(function* () {
    const database = yield* Database.Database
    yield* Sweep.start(
      (now) => database.sql`DELETE FROM toolguard_keys WHERE outcome IS NOT NULL AND expires_at <= ${now}`
    )
    return idempotencyKeys(remote(makeStore(database)), RandomId.make)
  })
).pipe(Layer.provide(Database.layer))

const makeStore = ({ dialect, run, sql }: Database.Database["Service"]): KeyStore<SqlError> => {
  const rowOf = (claim: KeyClaim) =>
    Effect.map(
      sql<Row>`SELECT binding, owner, call_id, lease_until, outcome, expires_at FROM toolguard_keys
        WHERE tenant = ${IdText.encode(ownerOf(claim))} AND idempotency_key = ${IdText.encode(claim.key)}`,
      ([row]) => row
    )
  const find = (claim: KeyClaim) =>
    Effect.flatMap(Clock.currentTimeMillis, (now) => Effect.map(rowOf(claim), (row) => known(row, claim, now)))

  /**
   * Claims the key if it is free or already claimed by this owner, if its outcome has expired, or if its claim has
   * lapsed or belongs to the same resumed call. Otherwise returns undefined.
   */
  const take = (claim: KeyClaim, owner: string, now: number) => {
    const { binding, callId, isResumed, key, lease } = claim
    const taken = { binding, owner, call_id: callId, lease_until: endTime(now, lease), outcome: null }
    return dialect.upsert<{ readonly lapsed_until: number | bigint | null }>({
      table: "toolguard_keys",
      key: ["tenant", "idempotency_key"],
      row: {
        tenant: IdText.encode(ownerOf(claim)),
        idempotency_key: IdText.encode(key),
        ...taken,
        lapsed_until: null,
        expires_at: 0
      },
      set: {
        lapsed_until: sql`CASE WHEN toolguard_keys.owner = ${owner} THEN toolguard_keys.lapsed_until
          WHEN toolguard_keys.outcome IS NULL THEN toolguard_keys.lease_until ELSE NULL END`,
        ...taken
      },
      where: sql`toolguard_keys.owner = ${owner}
        OR (toolguard_keys.outcome IS NOT NULL AND toolguard_keys.expires_at <= ${now})
        OR (toolguard_keys.outcome IS NULL AND toolguard_keys.binding = ${binding}
          AND (toolguard_keys.lease_until <= ${now}
            OR (${isResumed ? 1 : 0} = 1 AND toolguard_keys.call_id = ${callId})))`,
      returning: ["lapsed_until"]
    })
  }

  const claimKey = (claim: KeyClaim, owner: string): Effect.Effect<StoredClaim, SqlError> =>
    Effect.flatMap(Clock.currentTimeMillis, (now) =>
      Effect.flatMap(take(claim, owner, now), (row): Effect.Effect<StoredClaim, SqlError> => {
        if (row !== undefined) {
          const lapsed = row.lapsed_until === null ? undefined : { until: Number(row.lapsed_until) }
          return Effect.succeed({ _tag: "Claimed", lapsed })
        }
        return Effect.flatMap(rowOf(claim), (other) => {
          const found = known(other, claim, now)
          // the key was freed, or its claim has lapsed, since the previous statement
          return found === undefined || found._tag === "Lapsed" ? claimKey(claim, owner) : Effect.succeed(found)
        })
      })
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
    find: (claim) => run(Effect.retry(find(claim), Database.ifDisconnected)),
    claim: (claim, owner, consume) =>
      run(
        Effect.retry(
          consume === undefined ? claimKey(claim, owner) : claimWithApproval(claim, owner, consume),
          Database.ifDisconnected
        )
      ),
    complete: (claim, owner, outcome, isKept) =>
      Effect.flatMap(Clock.currentTimeMillis, (now) => {
        const ours = sql`tenant = ${IdText.encode(ownerOf(claim))} AND idempotency_key = ${IdText.encode(claim.key)}
          AND owner = ${owner} AND outcome IS NULL`
        const expiresAt = endTime(now, claim.timeToLive)
        return dialect.changeOne(
          isKept
            ? sql`UPDATE toolguard_keys SET outcome = ${outcome}, expires_at = ${expiresAt} WHERE ${ours}`
            : sql`DELETE FROM toolguard_keys WHERE ${ours}`
        )
      }).pipe(run),
    release: (claim, outcome) =>
      run(
        Effect.retry(
          dialect.changeOne(sql`DELETE FROM toolguard_keys WHERE tenant = ${IdText.encode(ownerOf(claim))}
            AND idempotency_key = ${IdText.encode(claim.key)} AND outcome = ${outcome}`),
          Database.ifDisconnected
        )
      )
  }
}

const notApproved: StoredClaim = { _tag: "NotApproved" }

const known = (row: Row | undefined, claim: KeyClaim, now: number): Stored | undefined => {
  if (row === undefined) return undefined
  const { binding, call_id: callId, outcome } = row
  if (outcome !== null && Number(row.expires_at) <= now) return undefined
  if (binding !== claim.binding) return { _tag: "Conflict" }
  if (outcome !== null) return { _tag: "Done", outcome, callId }
  const until = Number(row.lease_until)
  return until <= now || (claim.isResumed && callId === claim.callId) ? { _tag: "Lapsed", until } : { _tag: "InFlight" }
}
