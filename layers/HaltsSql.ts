/** Halts in SQL: one row for each order; the last row of a tool is in force. */
import type { HaltEntry, HaltOrder } from "#domain/tool/Halt"
import type { DatabaseUnavailable } from "#services/DatabaseUnavailable"
import { Halts, HaltsUnavailable } from "#services/Halts"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { SqlClient } from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"
import * as Database from "#layers/internal/sql/Database"
import * as IdText from "#layers/internal/sql/IdText"
import * as CachedHalts from "#layers/internal/stores/CachedHalts"

interface HaltRow {
  readonly tool: string
  readonly action: string
  readonly operator: string
  readonly reason: string
  readonly at: number | bigint | string
}

const table = "toolguard_halts"

/** Halts in the database of the `SqlClient`. Creates missing tables. */
export const layer: Layer.Layer<Halts, DatabaseUnavailable, SqlClient> = Layer.effect(
  Halts,
  Effect.flatMap(Database.Database, (database) => CachedHalts.make(makeStore(database)))
).pipe(Layer.provide(Database.layer))

const makeStore = ({ ask, dialect, sql }: Database.Database["Service"]): CachedHalts.HaltStore => {
  const asked = <A>(step: Effect.Effect<A, SqlError>): Effect.Effect<A, HaltsUnavailable> =>
    Effect.mapError(ask(step), (cause) => new HaltsUnavailable({ cause }))
  const add = (action: HaltEntry["action"], { by, reason, tool }: HaltOrder) =>
    Effect.flatMap(Clock.currentTimeMillis, (at) =>
      Effect.as(
        dialect.insertIfAbsent(table, {
          tool: IdText.encode(tool),
          action,
          operator: IdText.encode(by),
          reason: IdText.encode(reason),
          at
        }),
        { tool, action, by, reason, at } satisfies HaltEntry
      )
    )
  const lastOf = (tool: string) =>
    Effect.map(
      sql<HaltRow>`SELECT tool, action, operator, reason, at FROM toolguard_halts
        WHERE tool = ${IdText.encode(tool)} ORDER BY id DESC LIMIT 1`,
      ([row]) => (row === undefined ? undefined : entryOf(row))
    )
  return {
    read: asked(
      Effect.map(
        sql<HaltRow>`SELECT tool, action, operator, reason, at FROM toolguard_halts
          WHERE action = 'halted' AND id IN (SELECT MAX(id) FROM toolguard_halts GROUP BY tool)`,
        (rows) => rows.map(entryOf)
      )
    ),
    halt: (order) => asked(add("halted", order)),
    resume: (order) =>
      asked(
        dialect.transaction(
          Effect.flatMap(lastOf(order.tool), (last) =>
            last?.action === "halted" ? Effect.as(add("resumed", order), last) : Effect.undefined
          )
        )
      ),
    history: asked(
      Effect.map(
        sql<HaltRow>`SELECT tool, action, operator, reason, at FROM toolguard_halts ORDER BY id DESC LIMIT 100`,
        (rows) => rows.map(entryOf)
      )
    )
  }
}

const entryOf = ({ action, at, operator, reason, tool }: HaltRow): HaltEntry => ({
  tool: IdText.decode(tool),
  action: action === "halted" ? "halted" : "resumed",
  by: IdText.decode(operator),
  reason: IdText.decode(reason),
  at: Number(at)
})
