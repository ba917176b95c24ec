/**
 * Approvals in a database, SQLite or PostgreSQL: they survive a restart, and any process on the database may decide.
 *
 * **Details**
 *
 * - A step reads the request, asks the pure rule, and writes `… WHERE state = …` as it was read. Where another was quicker
 *   nothing is written, and the rule is asked again with what the other wrote.
 * - Statements run in the caller's transaction where there is one.
 * - What is decided, used or expired is kept as a record for `timeToLive`.
 *
 * **Gotchas**
 *
 * The clocks of the processes judge what has expired: keep them in step.
 */
import * as ApprovalRequest from "#domain/approval/ApprovalRequest"
import { Approvals, ApprovalsUnavailable, type Decided, type Listing, type Opening } from "#services/Approvals"
import type { DatabaseUnavailable } from "#services/DatabaseUnavailable"
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as PubSub from "effect/PubSub"
import * as Schema from "effect/Schema"
import type { SqlClient } from "effect/sql/SqlClient"
import { digestOf, isRequestId, opened } from "#layers/internal/inbox/Opened"
import * as Database from "#layers/internal/sql/Database"
import { sweeping } from "#layers/internal/sql/sweeping"

/** A row as the drivers give it: PostgreSQL's BIGINT may come as `bigint` or as text. */
interface Row {
  readonly state: string
  readonly request: string
  readonly decision: string | null
  readonly expires_at: number | bigint | string
  readonly told_at: number | bigint | string | null
}

const decode = Schema.decodeUnknownEffect(Schema.fromJsonString(ApprovalRequest.ApprovalRequest))

/** The document as it was opened, with what has changed since. A row that is none of ours is an error, never half-read. */
const requestOf = (row: Row) =>
  Effect.map(decode(row.request), (document): ApprovalRequest.ApprovalRequest => ({
    ...document,
    state: row.state as ApprovalRequest.State, // written by this file alone
    expiresAt: Number(row.expires_at),
    ...(row.decision === null ? {} : { decision: JSON.parse(row.decision) as ApprovalRequest.Decision }),
    ...(row.told_at === null ? {} : { toldAt: Number(row.told_at) })
  }))

const unavailable = Effect.mapError((cause: unknown) => new ApprovalsUnavailable({ cause }))

export interface ApprovalsSqlOptions {
  /** How long requests that are over are kept, as a record of who decided what. Default 90 days. */
  readonly timeToLive?: Duration.Input
}

const make = Effect.fnUntraced(function* ({ timeToLive = "90 days" }: ApprovalsSqlOptions) {
  const { dialect, sql } = yield* Database.Database
  const changed = yield* PubSub.unbounded<string>()
  const announce = (id: string) => sql.afterCommit(Effect.asVoid(PubSub.publish(changed, id)))
  const columns = sql.literal("state, request, decision, expires_at, told_at")

  const load = (id: string) =>
    isRequestId(id)
      ? Effect.flatMap(sql<Row>`SELECT ${columns} FROM toolguard_approvals WHERE id = ${id}`, ([row]) =>
          row === undefined ? Effect.undefined : requestOf(row)
        )
      : Effect.undefined

  /** Writes a request where it is still as it was read; false where another was quicker. */
  const replace = (before: ApprovalRequest.ApprovalRequest, after: ApprovalRequest.ApprovalRequest) =>
    dialect.changeOne(sql`UPDATE toolguard_approvals SET
        state = ${after.state},
        decision = ${after.decision === undefined ? null : JSON.stringify(after.decision)},
        expires_at = ${after.expiresAt},
        told_at = ${after.toldAt ?? null}
      WHERE id = ${before.id} AND state = ${before.state} AND expires_at = ${before.expiresAt}`)

  const take = (id: string, step: ApprovalRequest.Step): Effect.Effect<Decided, unknown> =>
    Effect.gen(function* () {
      const now = yield* Clock.currentTimeMillis
      const before = yield* load(id)
      if (before === undefined) return { _tag: "Unknown" } as const
      const stepped = ApprovalRequest.step(before, step, now)
      if (stepped._tag === "Refused") return stepped
      if (!(yield* replace(before, stepped.request))) return yield* take(id, step)
      yield* announce(id)
      return stepped
    })

  const insert = (request: ApprovalRequest.ApprovalRequest) =>
    dialect.insertIfAbsent("toolguard_approvals", {
      id: request.id,
      binding: request.binding,
      is_current: 1,
      state: request.state,
      tenant: JSON.stringify(ApprovalRequest.tenantOf(request)),
      tool: JSON.stringify(request.tool),
      request: JSON.stringify(request),
      requested_at: request.requestedAt,
      expires_at: request.expiresAt
    })

  const open = (opening: Opening): Effect.Effect<Opened, unknown> =>
    Effect.gen(function* () {
      const now = yield* Clock.currentTimeMillis
      const binding = digestOf(opening.binding)
      const [row] =
        yield* sql<Row>`SELECT ${columns} FROM toolguard_approvals WHERE binding = ${binding} AND is_current = 1`
      if (row !== undefined) {
        const known = yield* requestOf(row)
        if (ApprovalRequest.joins(known, opening.turn, now)) {
          return { request: ApprovalRequest.at(known, now), isNew: false }
        }
        yield* sql`UPDATE toolguard_approvals SET is_current = 0 WHERE id = ${known.id}`
      }
      const request = opened(opening, now)
      if (!(yield* insert(request))) return yield* open(opening)
      yield* announce(request.id)
      return { request, isNew: true }
    })

  const pending = ({ after, limit, tenants, tools }: Listing) =>
    Effect.gen(function* () {
      const now = yield* Clock.currentTimeMillis
      const among = (column: "tenant" | "tool", values: ReadonlyArray<string> | undefined) =>
        values === undefined
          ? []
          : [
              values.length === 0
                ? sql`1 = 0`
                : sql.in(
                    column,
                    values.map((value) => JSON.stringify(value))
                  )
            ]
      const wanted = [
        sql`state = 'pending'`,
        sql`expires_at > ${now}`,
        ...among("tool", tools),
        ...among("tenant", tenants)
      ]
      const from = after === undefined ? undefined : yield* load(after)
      const rest = from === undefined ? [] : [sql`(requested_at, id) > (${from.requestedAt}, ${from.id})`]
      const rows = yield* sql<Row>`SELECT ${columns} FROM toolguard_approvals
        WHERE ${sql.and([...wanted, ...rest])} ORDER BY requested_at, id LIMIT ${limit}`
      const [count] = yield* sql<{
        readonly total: number | bigint | string
      }>`SELECT COUNT(*) AS total FROM toolguard_approvals WHERE ${sql.and(wanted)}`
      return { requests: yield* Effect.forEach(rows, requestOf), total: Number(count?.total ?? 0) }
    })

  const expire = Effect.flatMap(Clock.currentTimeMillis, (now) =>
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

  const age = Duration.toMillis(Duration.fromInputUnsafe(timeToLive))
  yield* sweeping((now) =>
    Effect.andThen(
      expire,
      sql`DELETE FROM toolguard_approvals
        WHERE state NOT IN ('pending', 'approved') AND expires_at <= ${now - age}`
    )
  )

  return Approvals.of({
    open: (opening) => unavailable(open(opening)),
    decide: (id, deciding) => unavailable(take(id, { _tag: "Decide", ...deciding })),
    consume: (id, binding) =>
      unavailable(Effect.map(take(id, { _tag: "Consume", binding }), ({ _tag }) => _tag === "Taken")),
    tell: (id) => unavailable(Effect.asVoid(take(id, { _tag: "Tell" }))),
    find: (id) =>
      unavailable(
        Effect.flatMap(Clock.currentTimeMillis, (now) =>
          Effect.map(load(id), (request) => (request === undefined ? undefined : ApprovalRequest.at(request, now)))
        )
      ),
    pending: (listing) => unavailable(pending(listing)),
    expire: unavailable(expire),
    changes: PubSub.subscribe(changed)
  })
})

interface Opened {
  readonly request: ApprovalRequest.ApprovalRequest
  readonly isNew: boolean
}

/** The store, with its tables made where they are missing. */
export const layerWith = (options: ApprovalsSqlOptions): Layer.Layer<Approvals, DatabaseUnavailable, SqlClient> =>
  Layer.effect(Approvals, make(options)).pipe(Layer.provide(Database.layer))

export const layer: Layer.Layer<Approvals, DatabaseUnavailable, SqlClient> = layerWith({})
