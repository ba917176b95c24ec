/** Defines the tests that every dialect must pass. */
import * as Database from "#layers/internal/sql/Database"
import type { Table } from "#layers/internal/sql/Dialect"
import type { DatabaseUnavailable } from "#services/DatabaseUnavailable"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import type { SqlClient } from "effect/sql"

const tries: Table = {
  name: "toolguard_tries",
  columns: { id: "id", note: "word?", is_current: "smallint", state: "text", at: "bigint", amount: "integer" },
  primaryKey: ["id", "at"],
  uniqueWhere: { name: "toolguard_tries_current", column: "note", condition: "is_current = 1" },
  indexes: { toolguard_tries_at: ["at"] }
}

const row = { id: "a", note: "n", is_current: 1, state: "new", at: 1, amount: 1 }

const first = <Row, E>(rows: Effect.Effect<ReadonlyArray<Row>, E>) => Effect.map(rows, ([row]) => row)

export const dialectContract = (
  name: string,
  database: Layer.Layer<SqlClient.SqlClient, DatabaseUnavailable>
): void => {
  describe(`Dialect (${name})`, () => {
    const using = <A, E>(use: (database: Database.Database["Service"]) => Effect.Effect<A, E>) =>
      Effect.flatMap(Database.Database, (database) =>
        Effect.andThen(database.dialect.createTable(tries), use(database))
      ).pipe(Effect.provide(Layer.provide(Database.layer, database)))

    it.effect("12.1 a migration runs once, even if it is started twice concurrently", () =>
      using(({ dialect }) =>
        Effect.gen(function* () {
          let runs = 0
          const migrations = { "99_count": Effect.sync(() => void (runs += 1)) }
          yield* Effect.all([dialect.migrate(migrations), dialect.migrate(migrations)], { concurrency: "unbounded" })
          yield* dialect.migrate(migrations)
          assert.strictEqual(runs, 1)
        })
      )
    )

    it.effect("12.1 a row is not inserted if its key or a value of a unique index exists", () =>
      using(({ dialect: { insertIfAbsent }, sql }) =>
        Effect.gen(function* () {
          const insert = (over: object) => insertIfAbsent("toolguard_tries", { ...row, ...over })
          assert.isTrue(yield* insert({}))
          assert.isFalse(yield* insert({ state: "again" }))
          assert.isFalse(yield* insert({ id: "b" }), "a row with this note is already current")
          assert.isTrue(yield* insert({ id: "b", is_current: 0 }))
          assert.isTrue(yield* insert({ id: "A", note: "m" }), "ids are compared by their code points")
          const kept = yield* sql`SELECT id, state FROM toolguard_tries`
          assert.sameDeepMembers(
            [...kept],
            [
              { id: "a", state: "new" },
              { id: "b", state: "new" },
              { id: "A", state: "new" }
            ]
          )
        })
      )
    )

    it.effect("12.1 a refused insert leaves its transaction usable", () =>
      using(({ dialect, sql }) =>
        Effect.gen(function* () {
          yield* dialect.transaction(
            Effect.gen(function* () {
              yield* dialect.insertIfAbsent("toolguard_tries", row)
              assert.isFalse(yield* dialect.insertIfAbsent("toolguard_tries", row))
              yield* dialect.insertIfAbsent("toolguard_tries", { ...row, id: "b", note: null })
            })
          )
          assert.deepStrictEqual(yield* sql`SELECT id, note FROM toolguard_tries ORDER BY id`, [
            { id: "a", note: "n" },
            { id: "b", note: null }
          ])
        })
      )
    )

    it.effect(
      "12.1 an upsert inserts or changes a row and returns it, or returns nothing if the condition is false",
      () =>
        using(({ dialect, sql }) =>
          Effect.gen(function* () {
            const upsert = (amount: number, limit: number) =>
              first(
                dialect.upsert<{ readonly amount: number; readonly state: string }>({
                  table: "toolguard_tries",
                  key: ["id", "at"],
                  row: { ...row, amount },
                  set: { state: sql`CASE WHEN toolguard_tries.amount = 1 THEN 'second' ELSE 'later' END`, amount },
                  where: sql`toolguard_tries.amount < ${limit}`,
                  returning: ["amount", "state"]
                })
              )
            assert.deepStrictEqual(yield* upsert(1, 9), { amount: 1, state: "new" })
            assert.deepStrictEqual(yield* upsert(2, 9), { amount: 2, state: "second" })
            assert.isUndefined(yield* upsert(3, 2))
            assert.deepStrictEqual(yield* upsert(4, 9), { amount: 4, state: "later" })
          })
        )
    )

    it.effect("12.1 only one of fifty concurrent upserts of a new row inserts it", () =>
      using(({ dialect, sql }) =>
        Effect.gen(function* () {
          const upsert = first(
            dialect.upsert({
              table: "toolguard_tries",
              key: ["id", "at"],
              row,
              set: { amount: 2 },
              where: sql`1 = 0`,
              returning: ["id"]
            })
          )
          const all = yield* Effect.all(
            Array.from({ length: 50 }, () => upsert),
            { concurrency: "unbounded" }
          )
          assert.strictEqual(all.filter((found) => found !== undefined).length, 1)
        })
      )
    )

    it.effect("12.1 changed rows are returned, and a change of one row reports whether the row exists", () =>
      using(({ dialect, sql }) =>
        Effect.gen(function* () {
          for (const id of ["a", "b"]) yield* dialect.insertIfAbsent("toolguard_tries", { ...row, id, note: id })
          const update = dialect.updateReturning<{ readonly id: string }>({
            table: "toolguard_tries",
            set: { state: "over" },
            where: sql`state = 'new'`,
            returning: ["id"]
          })
          assert.sameDeepMembers([...(yield* update)], [{ id: "a" }, { id: "b" }])
          assert.deepStrictEqual(yield* update, [])
          // `changeOne` is also true if the row already has the new values
          const same = dialect.changeOne(sql`UPDATE toolguard_tries SET state = 'over' WHERE id = 'a'`)
          assert.deepStrictEqual([yield* same, yield* same], [true, true])
          const remove = dialect.changeOne(sql`DELETE FROM toolguard_tries WHERE id = 'a'`)
          assert.deepStrictEqual([yield* remove, yield* remove], [true, false])
        })
      )
    )

    it.effect("12.1 an update changes other rows only if it changed its own row, and in the same step", () =>
      using(({ dialect, sql }) =>
        Effect.gen(function* () {
          yield* dialect.insertIfAbsent("toolguard_tries", row)
          const next = (from: string, to: string, id: string) =>
            first(
              dialect.together(
                dialect.updateAnd<{ readonly was: string }>({
                  table: "toolguard_tries",
                  set: { state: to },
                  where: sql`id = 'a' AND state = ${from}`,
                  returning: sql`${from} AS was`,
                  also: (isChanged) => sql`INSERT INTO toolguard_tries (id, note, is_current, state, at, amount)
                SELECT ${id}, NULL, 0, 'new', 1, 1 WHERE ${isChanged}`
                })
              )
            )
          assert.deepStrictEqual(yield* next("new", "second", "b"), { was: "new" })
          assert.isUndefined(yield* next("new", "third", "c"))
          // the other row exists: neither row is changed
          yield* Effect.flip(next("second", "third", "b"))
          assert.deepStrictEqual(yield* sql`SELECT id, state FROM toolguard_tries ORDER BY id`, [
            { id: "a", state: "second" },
            { id: "b", state: "new" }
          ])
        })
      )
    )

    it.effect("12.1 concurrent updates of one row, each with another row, change it one after the other", () =>
      using(({ dialect, sql }) =>
        Effect.gen(function* () {
          yield* dialect.insertIfAbsent("toolguard_tries", { ...row, amount: 0 })
          const changes = Array.from({ length: 50 }, (_, i) =>
            first(
              dialect.together(
                dialect.updateAnd({
                  table: "toolguard_tries",
                  set: { amount: sql`amount + 1` },
                  where: sql`id = 'a' AND amount < 10`,
                  returning: ["id"],
                  also: (isChanged) => sql`INSERT INTO toolguard_tries (id, note, is_current, state, at, amount)
                SELECT ${`b${i}`}, NULL, 0, 'new', 1, 1 WHERE ${isChanged}`
                })
              )
            )
          )
          const all = yield* Effect.all(changes, { concurrency: "unbounded" })
          const made = all.flatMap((changed, i) => (changed === undefined ? [] : [`b${i}`]))
          assert.lengthOf(made, 10)
          const found = yield* sql<{ readonly id: string }>`SELECT id FROM toolguard_tries WHERE id <> 'a'`
          assert.sameMembers(
            found.map(({ id }) => id),
            made
          )
        })
      )
    )

    it.effect("12.1 a failed transaction changes nothing", () =>
      using(({ dialect, sql }) =>
        Effect.gen(function* () {
          const failing = Effect.andThen(dialect.insertIfAbsent("toolguard_tries", row), Effect.fail("stop" as const))
          assert.strictEqual(yield* Effect.flip(dialect.transaction(failing)), "stop")
          assert.deepStrictEqual(yield* sql`SELECT id FROM toolguard_tries`, [])
        })
      )
    )
  })
}
