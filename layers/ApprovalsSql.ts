/**
 * Keeps approvals in a database: they survive a restart, and an approver can decide in any process that uses the
 * database.
 *
 * **Details**
 *
 * - A step reads the request, applies the pure rule, and writes if the request has not changed since the read. If
 *   another process has written in the meantime, the step starts again.
 * - Statements join the caller's transaction.
 * - Requests that were denied, used or withdrawn, or that have expired, are kept for `timeToLive` after their expiry
 *   time.
 * - Each method has a span, such as `Approvals.open`, which contains the spans of its statements.
 * - Requests expire by the clock of the database (`StoreTime`).
 */
import * as ApprovalRequest from "#domain/approval/ApprovalRequest"
import { key as turnKey, type Turn } from "#domain/turn/Turn"
import {
  Approvals,
  ApprovalsUnavailable,
  type DecisionResult,
  type NewDecision,
  type Listing,
  type ApprovalQuestion
} from "#services/Approvals"
import { AtRest, openText } from "#services/AtRest"
import type { DatabaseUnavailable } from "#services/DatabaseUnavailable"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as PubSub from "effect/PubSub"
import * as Redacted from "effect/Redacted"
import type { SqlClient } from "effect/sql/SqlClient"
import * as ApprovalRows from "#layers/internal/sql/ApprovalRows"
import * as NewRequest from "#layers/internal/stores/NewRequest"
import { isUnguessableId, unguessableId } from "#services/Unguessable"
import { among } from "#layers/internal/sql/ListCondition"
import * as Database from "#layers/internal/sql/Database"
import * as Sweep from "#layers/internal/sql/Sweep"

/** Returns the digest of a turn, for the indexed column `turn`. */
const digestOf = (turn: Turn): string => NewRequest.digestOf(turnKey(turn))

export interface ApprovalsSqlOptions {
  /** How long requests are kept after their expiry time, as a record of decisions and approvers. Default 90 days. */
  readonly timeToLive?: Duration.Input
}

const make = Effect.fnUntraced(function* ({ timeToLive = "90 days" }: ApprovalsSqlOptions) {
  const { dialect, millis, run, sql, time } = yield* Database.Database
  const cipher = yield* AtRest
  const requestOf = ApprovalRows.opening(cipher)
  const requestsOf = ApprovalRows.listing(cipher)
  const unavailable = <A, E, R>(step: Effect.Effect<A, E, R>): Effect.Effect<A, ApprovalsUnavailable, R> =>
    Effect.mapError(run(step), (cause) => new ApprovalsUnavailable({ cause }))
  const changed = yield* PubSub.unbounded<string>()
  const announce = (id: string) => sql.afterCommit(Effect.asVoid(PubSub.publish(changed, id)))
  const columns = sql.literal(
    "id, state, request, decision, requested_at, expires_at, told_at, (SELECT reveals FROM toolguard_reveals WHERE toolguard_reveals.id = toolguard_approvals.id) AS reveals"
  )

  const load = (id: string) =>
    isUnguessableId(id)
      ? Effect.flatMap(sql<ApprovalRows.Row>`SELECT ${columns} FROM toolguard_approvals WHERE id = ${id}`, ([row]) =>
          row === undefined ? Effect.undefined : requestOf(row)
        )
      : Effect.undefined

  /** The conditions of the requests that an approver may see. */
  const visible = ({ tenants, tools }: Listing) => [...among(sql, "tool", tools), ...among(sql, "tenant", tenants)]
  /**
   * Returns the position of a request in lists, also if its other columns are damaged. A request that the approver may not see
   * has none, like an unknown id.
   */
  const positionOf = (id: string, listing: Listing) =>
    isUnguessableId(id)
      ? Effect.map(
          sql<Pick<ApprovalRows.Row, "id" | "requested_at">>`SELECT id, requested_at FROM toolguard_approvals
            WHERE ${sql.and([sql`id = ${id}`, ...visible(listing)])}`,
          ([row]) => row
        )
      : Effect.undefined

  /** Writes a request if it has not changed, and a decision or use only if it has not expired since it was read. */
  const replace = (
    before: ApprovalRequest.ApprovalRequest,
    after: ApprovalRequest.ApprovalRequest,
    { _tag }: ApprovalRequest.Step
  ) =>
    Effect.flatMap(time, ({ now }) =>
      dialect.changeOne(sql`UPDATE toolguard_approvals SET
        state = ${after.state},
        decision = ${after.decision === undefined ? null : cipher.seal(JSON.stringify(after.decision), ApprovalRows.placeOf.decision(before.id))},
        expires_at = ${after.expiresAt},
        told_at = ${after.toldAt ?? null}
      WHERE id = ${before.id} AND state = ${before.state} AND expires_at = ${before.expiresAt}
        AND (expires_at > ${now} OR ${_tag === "Tell" ? 1 : 0} = 1)`)
    )

  /** Deletes the masked parts of a request, but keeps the record of who has seen them. */
  const forget = (id: string) => sql`UPDATE toolguard_reveals SET body = '' WHERE id = ${id} AND body <> ''`

  const reveal = (id: string, by: string) =>
    dialect.transaction(
      Effect.gen(function* () {
        const now = yield* millis
        const request = yield* load(id)
        if (request === undefined || ApprovalRequest.stateAt(request, now) !== "pending") return undefined
        const [row] = yield* sql<{ readonly body: string }>`SELECT body FROM toolguard_reveals WHERE id = ${id}`
        if (row === undefined || row.body === "") return undefined
        const reveals = [...(request.reveals ?? []), { by, at: now }]
        yield* sql`UPDATE toolguard_reveals SET reveals = ${JSON.stringify(reveals)} WHERE id = ${id}`
        return String(JSON.parse(yield* openText(cipher, row.body, ApprovalRows.placeOf.reveal(id))))
      })
    )

  const take = (id: string, step: ApprovalRequest.Step): Effect.Effect<DecisionResult, unknown> =>
    Effect.gen(function* () {
      const now = yield* millis
      const before = yield* load(id)
      if (before === undefined) return { _tag: "Unknown" } as const
      const stepped = ApprovalRequest.step(before, step, now)
      if (stepped._tag === "Refused") return stepped
      if (!(yield* replace(before, stepped.request, step))) return yield* take(id, step)
      if (before.state === "pending") yield* forget(id)
      yield* announce(id)
      return stepped
    })

  const insertRow = (request: ApprovalRequest.ApprovalRequest) =>
    dialect.insertIfAbsent("toolguard_approvals", {
      id: request.id,
      binding: request.binding,
      is_current: 1,
      state: request.state,
      tenant: JSON.stringify(ApprovalRequest.tenantOf(request)),
      tool: JSON.stringify(request.tool),
      turn: request.turn === undefined ? "" : digestOf(request.turn),
      request: cipher.seal(JSON.stringify(request), ApprovalRows.placeOf.request(request.id)),
      requested_at: request.requestedAt,
      expires_at: request.expiresAt
    })

  /** Inserts a request and its masked parts together, because a request without them cannot be reviewed. */
  const insert = (request: ApprovalRequest.ApprovalRequest, revealed: ApprovalQuestion["revealed"]) =>
    revealed === undefined
      ? insertRow(request)
      : dialect.transaction(
          Effect.gen(function* () {
            if (!(yield* insertRow(request))) return false
            return yield* dialect.insertIfAbsent("toolguard_reveals", {
              id: request.id,
              body: cipher.seal(JSON.stringify(Redacted.value(revealed)), ApprovalRows.placeOf.reveal(request.id)),
              reveals: "[]"
            })
          })
        )

  const open = (opening: ApprovalQuestion): Effect.Effect<OpenedRequest, unknown> =>
    Effect.gen(function* () {
      const now = yield* millis
      const binding = NewRequest.digestOf(opening.binding)
      const [row] =
        yield* sql<ApprovalRows.Row>`SELECT ${columns} FROM toolguard_approvals WHERE binding = ${binding} AND is_current = 1`
      if (row !== undefined) {
        const known = yield* requestOf(row)
        if (ApprovalRequest.joins(known, opening.turn, now)) {
          return { request: ApprovalRequest.at(known, now), isNew: false }
        }
        yield* sql`UPDATE toolguard_approvals SET is_current = 0 WHERE id = ${known.id}`
      }
      const request = NewRequest.make(yield* unguessableId, opening, now)
      if (!(yield* insert(request, opening.revealed))) return yield* open(opening)
      yield* announce(request.id)
      return { request, isNew: true }
    })

  const pending = (listing: Listing) =>
    Effect.gen(function* () {
      const { now } = yield* time
      const conditions = [sql`state = 'pending'`, sql`expires_at > ${now}`, ...visible(listing)]
      const { after, limit } = listing
      const from = after === undefined ? undefined : yield* positionOf(after, listing)
      const rest = from === undefined ? [] : [sql`(requested_at, id) > (${from.requested_at}, ${from.id})`]
      const rows = yield* sql<ApprovalRows.Row>`SELECT ${columns} FROM toolguard_approvals
        WHERE ${sql.and([...conditions, ...rest])} ORDER BY requested_at, id LIMIT ${limit}`
      const [count] = yield* sql<{
        readonly total: number | bigint | string
      }>`SELECT COUNT(*) AS total FROM toolguard_approvals WHERE ${sql.and(conditions)}`
      return { ...(yield* requestsOf(rows)), total: Number(count?.total ?? 0) }
    })

  const expire = Effect.flatMap(time, ({ now }) =>
    dialect
      .updateReturning<{ readonly id: string }>({
        table: "toolguard_approvals",
        set: { state: "expired" },
        where: sql`state IN ('pending', 'approved') AND expires_at <= ${now}`,
        returning: ["id"]
      })
      .pipe(
        Effect.tap(Effect.forEach(({ id }) => announce(id), { discard: true })),
        Effect.map((rows) => rows.length)
      )
  )

  const withdraw = (turn: Turn) =>
    Effect.flatMap(time, ({ now }) =>
      dialect
        .updateReturning<{ readonly id: string }>({
          table: "toolguard_approvals",
          set: { state: "withdrawn" },
          where: sql`turn = ${digestOf(turn)} AND state = 'pending' AND expires_at > ${now}`,
          returning: ["id"]
        })
        .pipe(
          Effect.tap(Effect.forEach(({ id }) => announce(id), { discard: true })),
          Effect.map((rows) => rows.length)
        )
    )

  const keptMillis = Duration.toMillis(Duration.fromInputUnsafe(timeToLive))
  yield* Sweep.start(time, ({ after }) =>
    Effect.andThen(
      expire,
      Effect.all(
        [
          sql`DELETE FROM toolguard_approvals
            WHERE state NOT IN ('pending', 'approved') AND expires_at <= ${after(-keptMillis)}`,
          sql`UPDATE toolguard_reveals SET body = ''
            WHERE body <> '' AND id NOT IN (SELECT id FROM toolguard_approvals WHERE state = 'pending')`,
          sql`DELETE FROM toolguard_reveals WHERE id NOT IN (SELECT id FROM toolguard_approvals)`
        ],
        { discard: true }
      )
    )
  )

  return Approvals.of({
    open: Effect.fn("Approvals.open")((opening: ApprovalQuestion) => unavailable(open(opening))),
    reveal: Effect.fn("Approvals.reveal")((id: string, by: string) => unavailable(reveal(id, by))),
    decide: Effect.fn("Approvals.decide")((id: string, deciding: NewDecision) =>
      unavailable(take(id, { _tag: "Decide", ...deciding }))
    ),
    consume: Effect.fn("Approvals.consume")((id: string, binding: string) =>
      unavailable(Effect.map(take(id, { _tag: "Consume", binding }), ({ _tag }) => _tag === "Taken"))
    ),
    tell: Effect.fn("Approvals.tell")((id: string) => unavailable(Effect.asVoid(take(id, { _tag: "Tell" })))),
    withdraw: Effect.fn("Approvals.withdraw")((turn: Turn) => unavailable(withdraw(turn))),
    find: Effect.fn("Approvals.find")(function* (id: string) {
      const request = yield* unavailable(load(id))
      return request === undefined ? undefined : ApprovalRequest.at(request, yield* unavailable(millis))
    }),
    pending: Effect.fn("Approvals.pending")((listing: Listing) => unavailable(pending(listing))),
    expire: Effect.withSpan(unavailable(expire), "Approvals.expire"),
    changes: PubSub.subscribe(changed)
  })
})

interface OpenedRequest {
  readonly request: ApprovalRequest.ApprovalRequest
  readonly isNew: boolean
}

/** Keeps approvals in the database of the `SqlClient`. Creates missing tables. */
export const layerWith = (options: ApprovalsSqlOptions): Layer.Layer<Approvals, DatabaseUnavailable, SqlClient> =>
  Layer.effect(Approvals, make(options)).pipe(Layer.provide(Database.layer))

/** Keeps approvals in the database of the `SqlClient`, for 90 days after their expiry time. Creates missing tables. */
export const layer: Layer.Layer<Approvals, DatabaseUnavailable, SqlClient> = layerWith({})
