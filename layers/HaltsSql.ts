/**
 * Halts in SQL: one row for each order. A row with the action `halted` is in force, and a resumption changes it to
 * `ended`. If several processes resume a tool at the same time, one of them changes the row, and only its resumption is
 * recorded.
 */
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
  readonly id: number | bigint | string
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
  /** Ends the halts of a tool. Returns the latest; undefined if none was in force. */
  const end = (tool: string) =>
    Effect.map(
      dialect.updateReturning<HaltRow>({
        table,
        set: { action: "ended" },
        where: sql`tool = ${IdText.encode(tool)} AND action = 'halted'`,
        returning: ["id", "tool", "operator", "reason", "at"]
      }),
      (rows) =>
        rows
          .toSorted((self, that) => Number(self.id) - Number(that.id))
          .map((row) => entryOf({ ...row, action: "halted" }))
          .at(-1)
    )
  return {
    read: asked(
      Effect.map(
        // the latest of several halts of a tool comes last, and is in force
        sql<HaltRow>`SELECT id, tool, action, operator, reason, at FROM toolguard_halts
          WHERE action = 'halted' ORDER BY id`,
        (rows) => rows.map(entryOf)
      )
    ),
    halt: (order) => asked(add("halted", order)),
    resume: (order) =>
      asked(
        dialect.transaction(
          Effect.flatMap(end(order.tool), (ended) =>
            ended === undefined ? Effect.undefined : Effect.as(add("resumed", order), ended)
          )
        )
      ),
    history: asked(
      Effect.map(
        sql<HaltRow>`SELECT id, tool, action, operator, reason, at FROM toolguard_halts ORDER BY id DESC LIMIT 100`,
        (rows) => rows.map(entryOf)
      )
    )
  }
}

const entryOf = ({ action, at, operator, reason, tool }: HaltRow): HaltEntry => ({
  tool: IdText.decode(tool),
  action: action === "resumed" ? "resumed" : "halted",
  by: IdText.decode(operator),
  reason: IdText.decode(reason),
  at: Number(at)
})
