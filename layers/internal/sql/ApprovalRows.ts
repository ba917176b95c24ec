/**
 * Decodes the rows of approval requests. A row that a person or another program has damaged leads to an error, or, in a
 * list, to its id.
 */
import * as ApprovalRequest from "#domain/approval/ApprovalRequest"
import type { Page } from "#services/Approvals"
import { type AtRestCipher, AtRestUnreadable, openText } from "#services/AtRest"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"

/** A row as drivers return it: a BIGINT of PostgreSQL is a `bigint` or a string. */
export interface Row {
  readonly id: string
  readonly state: string
  readonly request: string
  readonly decision: string | null
  readonly requested_at: number | bigint | string
  readonly expires_at: number | bigint | string
  readonly told_at: number | bigint | string | null
  readonly reveals: string | null
}

const decode = Schema.decodeUnknownEffect(Schema.fromJsonString(ApprovalRequest.ApprovalRequest))
const decodeDecision = Schema.decodeUnknownEffect(Schema.fromJsonString(ApprovalRequest.Decision))
/** The later changes of a request, which have separate columns. */
const decodeChanges = Schema.decodeUnknownEffect(
  Schema.Struct({
    state: ApprovalRequest.State,
    expiresAt: Schema.Int,
    toldAt: Schema.NullOr(Schema.Int),
    reveals: Schema.fromJsonString(Schema.Array(ApprovalRequest.Reveal))
  })
)

/** Decodes the request as it was opened, and adds its later changes. Fails if the row cannot be decoded. */
export const opening =
  (cipher: AtRestCipher) =>
  (row: Row): Effect.Effect<ApprovalRequest.ApprovalRequest, unknown> =>
    Effect.gen(function* () {
      const document = yield* decode(yield* openText(cipher, row.request, placeOf.request(row.id)))
      const { reveals, toldAt, ...changes } = yield* decodeChanges({
        state: row.state,
        expiresAt: Number(row.expires_at),
        toldAt: row.told_at === null ? null : Number(row.told_at),
        reveals: row.reveals ?? "[]"
      })
      const decision =
        row.decision === null
          ? undefined
          : yield* decodeDecision(yield* openText(cipher, row.decision, placeOf.decision(row.id)))
      return {
        ...document,
        ...changes,
        ...(decision === undefined ? {} : { decision }),
        ...(toldAt === null ? {} : { toldAt }),
        ...(reveals.length === 0 ? {} : { reveals })
      }
    })

/**
 * Decodes the rows of a list. A damaged row does not hide the others: its id is returned instead of its request. Fails
 * if the key that a row was encrypted with is missing, because the fault then is in the configuration.
 */
export const listing = (cipher: AtRestCipher) => {
  const requestOf = opening(cipher)
  return (rows: ReadonlyArray<Row>): Effect.Effect<Pick<Page, "requests" | "unreadable">, unknown> =>
    Effect.gen(function* () {
      const [requests, damaged] = yield* Effect.partition(rows, (row) =>
        Effect.mapError(requestOf(row), (error) => ({ id: row.id, error }))
      )
      const misconfigured = damaged.find(({ error }) => isMisconfigured(error))
      if (misconfigured !== undefined) return yield* Effect.fail(misconfigured.error)
      return { requests, ...(damaged.length === 0 ? {} : { unreadable: damaged.map(({ id }) => id) }) }
    })
}

const isMisconfigured = (error: unknown): boolean =>
  error instanceof AtRestUnreadable && (error.reason === "no_key" || error.reason === "wrong_key")

/** The places (table and row) of the texts of a request. */
export const placeOf = {
  request: (id: string) => ["approvals", id] as const,
  decision: (id: string) => ["decisions", id] as const,
  reveal: (id: string) => ["reveals", id] as const
}
