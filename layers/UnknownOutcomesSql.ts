/**
 * Keeps unknown outcomes in a database: they survive a restart, and a person can settle them in any process that uses
 * the database.
 *
 * Outcomes are kept for `timeToLive`, settled or not. Each method has a span, such as `UnknownOutcomes.add`.
 */
import { tenantOf } from "#domain/approval/ApprovalRequest"
import {
  settle,
  type SettlementResult,
  Settlement,
  type NewSettlement,
  UnknownOutcome
} from "#domain/approval/UnknownOutcome"
import { AtRest, type AtRestCipher, openText } from "#services/AtRest"
import type { DatabaseUnavailable } from "#services/DatabaseUnavailable"
import {
  type NewUnknownOutcome,
  type OutcomeListing,
  UnknownOutcomes,
  UnknownOutcomesUnavailable
} from "#services/UnknownOutcomes"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import type { SqlClient } from "effect/sql/SqlClient"
import { among } from "#layers/internal/sql/ListCondition"
import * as Database from "#layers/internal/sql/Database"
import * as Sweep from "#layers/internal/sql/Sweep"
import * as NewOutcome from "#layers/internal/stores/NewOutcome"
import { digestOf } from "#layers/internal/stores/NewRequest"
import * as Timeout from "#layers/internal/stores/Timeout"
import { isUnguessableId, unguessableId } from "#services/Unguessable"

interface Row {
  readonly id: string
  readonly outcome: string
  readonly settlement: string | null
}

const decode = Schema.decodeUnknownEffect(Schema.fromJsonString(UnknownOutcome))
const decodeSettlement = Schema.decodeUnknownEffect(Schema.fromJsonString(Settlement))

/** Decodes the outcome as it was stored, and adds its settlement. Fails if the row cannot be decoded. */
const opening =
  (cipher: AtRestCipher) =>
  ({ id, outcome, settlement }: Row) =>
    Effect.gen(function* () {
      const open = yield* decode(yield* openText(cipher, outcome, placeOf(id)))
      if (settlement === null) return open
      return { ...open, settlement: yield* decodeSettlement(yield* openText(cipher, settlement, settlementOf(id))) }
    })

const placeOf = (id: string) => ["outcomes", id] as const
const settlementOf = (id: string) => ["settlements", id] as const

export interface UnknownOutcomesSqlOptions {
  /** How long outcomes are kept, as a record of who settled what. Default 90 days. */
  readonly timeToLive?: Duration.Input
}

const make = Effect.fnUntraced(function* ({ timeToLive = "90 days" }: UnknownOutcomesSqlOptions) {
  const { dialect, millis, run, sql, time } = yield* Database.Database
  const cipher = yield* AtRest
  const outcomeOf = opening(cipher)
  const unavailable = <A, E>(step: Effect.Effect<A, E>): Effect.Effect<A, UnknownOutcomesUnavailable> =>
    Effect.mapError(
      Timeout.within(run(step), Duration.seconds(5)),
      (cause) => new UnknownOutcomesUnavailable({ cause })
    )
  const keptMillis = Duration.toMillis(Duration.fromInputUnsafe(timeToLive))
  yield* Sweep.start(time, ({ after }) => sql`DELETE FROM toolguard_outcomes WHERE at <= ${after(-keptMillis)}`)

  const first = (rows: ReadonlyArray<Row>) => (rows[0] === undefined ? Effect.undefined : outcomeOf(rows[0]))
  const load = (id: string) =>
    isUnguessableId(id)
      ? Effect.flatMap(sql<Row>`SELECT id, outcome, settlement FROM toolguard_outcomes WHERE id = ${id}`, first)
      : Effect.undefined

  const add = (added: NewUnknownOutcome) =>
    Effect.gen(function* () {
      const outcome = NewOutcome.make(yield* unguessableId, added, yield* millis)
      yield* dialect.insertIfAbsent("toolguard_outcomes", {
        id: outcome.id,
        binding: outcome.binding,
        tenant: JSON.stringify(tenantOf(outcome)),
        tool: JSON.stringify(outcome.tool),
        is_answered: outcome.isAnswered ? 1 : 0,
        is_open: 1,
        outcome: cipher.seal(JSON.stringify(outcome), placeOf(outcome.id)),
        at: outcome.at
      })
      return outcome
    })

  const settleOne = (id: string, settling: NewSettlement): Effect.Effect<SettlementResult | undefined, unknown> =>
    Effect.gen(function* () {
      const before = yield* load(id)
      if (before === undefined) return undefined
      const settled = settle(before, settling, yield* millis)
      if (settled._tag === "Refused") return settled
      const settlement = cipher.seal(JSON.stringify(settled.outcome.settlement), settlementOf(id))
      const isOurs = yield* dialect.changeOne(sql`UPDATE toolguard_outcomes
        SET is_open = 0, settlement = ${settlement} WHERE id = ${id} AND is_open = 1`)
      return isOurs ? settled : yield* settleOne(id, settling)
    })

  const open = ({ answered = false, limit, tenants, tools }: OutcomeListing) => {
    const conditions = [
      sql`is_open = 1`,
      ...(answered ? [] : [sql`is_answered = 0`]),
      ...among(sql, "tool", tools),
      ...among(sql, "tenant", tenants)
    ]
    return Effect.flatMap(
      sql<Row>`SELECT id, outcome, settlement FROM toolguard_outcomes
        WHERE ${sql.and(conditions)} ORDER BY at, seq LIMIT ${limit}`,
      (rows) => Effect.forEach(rows, outcomeOf)
    )
  }

  return UnknownOutcomes.of({
    add: Effect.fn("UnknownOutcomes.add")((added: NewUnknownOutcome) => unavailable(add(added))),
    settle: Effect.fn("UnknownOutcomes.settle")((id: string, settling: NewSettlement) =>
      unavailable(settleOne(id, settling))
    ),
    find: Effect.fn("UnknownOutcomes.find")((id: string) => unavailable(load(id))),
    latest: Effect.fn("UnknownOutcomes.latest")((binding: string) =>
      unavailable(
        Effect.flatMap(
          sql<Row>`SELECT id, outcome, settlement FROM toolguard_outcomes
            WHERE binding = ${digestOf(binding)} ORDER BY seq DESC LIMIT 1`,
          first
        )
      )
    ),
    open: Effect.fn("UnknownOutcomes.open")((listing: OutcomeListing) => unavailable(open(listing)))
  })
})

/** Keeps unknown outcomes in the database of the `SqlClient`. Creates missing tables. */
export const layerWith = (
  options: UnknownOutcomesSqlOptions
): Layer.Layer<UnknownOutcomes, DatabaseUnavailable, SqlClient> =>
  Layer.effect(UnknownOutcomes, make(options)).pipe(Layer.provide(Database.layer))

/** Keeps outcomes for 90 days. */
export const layer: Layer.Layer<UnknownOutcomes, DatabaseUnavailable, SqlClient> = layerWith({})
