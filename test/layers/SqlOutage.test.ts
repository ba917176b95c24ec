/** Checks the errors for SQLite files that cannot be opened, and for files that fail during a run. */
import * as BudgetsSql from "#layers/BudgetsSql"
import * as DurableSqlite from "#layers/DurableSqlite"
import * as SqliteFile from "#layers/internal/sql/SqliteFile"
import * as SqliteNode from "#layers/SqliteNode"
import * as StoresSql from "#layers/StoresSql"
import { Budgets, type BudgetsUnavailable } from "#services/Budgets"
import { Guard } from "#src/guard/Guard"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import {
  chmodSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync
} from "node:fs"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { done, turn } from "../contracts/values.ts"
import { asked, tool, within } from "../pipeline/support.ts"
import { folder } from "../support/sqliteFile.ts"

const one = { limit: 1, onlyAfterTransient: false }
const many = { limit: 100, onlyAfterTransient: false }

/** Returns the error message for a file that cannot be opened. */
const refusalOf = (filename: string) =>
  SqlClient.SqlClient.pipe(
    Effect.provide(SqliteNode.layer({ filename, busyTimeout: 0 })),
    Effect.flip,
    Effect.map(({ message }) => message)
  )

const stores = (filename: string) =>
  BudgetsSql.layer.pipe(Layer.provideMerge(SqliteNode.layer({ filename, busyTimeout: 0 })))

const causeOf = ({ cause }: BudgetsUnavailable): string => (cause instanceof Error ? cause.message : String(cause))

/** Holds the lock of a file until the scope closes, or `free` is called. */
const locked = (filename: string) =>
  Effect.map(
    Effect.acquireRelease(
      Effect.sync(() => {
        const db = new DatabaseSync(filename)
        db.exec("CREATE TABLE IF NOT EXISTS held (a); BEGIN IMMEDIATE")
        return db
      }),
      (db) => Effect.sync(() => db.close())
    ),
    (db) => ({ free: () => db.exec("ROLLBACK") })
  )

describe("a SQLite file that cannot be used", () => {
  it.effect("12.3 is refused if its folder does not exist, is a file, or is not writable", () =>
    Effect.gen(function* () {
      const path = yield* folder
      const closed = join(path, "closed")
      writeFileSync(closed, "")
      chmodSync(closed, 0o400)
      for (const filename of [join(closed, "stores.db"), "/proc/stores.db"]) {
        assert.strictEqual(
          yield* refusalOf(filename),
          `Cannot use the SQLite file ${filename}. It cannot be opened: the folder must exist, and this user must be allowed to write in it.`
        )
        const lock = yield* Effect.flip(Effect.scoped(Layer.build(DurableSqlite.layer({ filename }))))
        assert.strictEqual(
          lock.message,
          `Cannot use the runner's lock ${filename}.runner. It cannot be opened: the folder must exist, and this user must be allowed to write in it.`
        )
      }
      const nowhere = join(path, "nowhere")
      assert.strictEqual(
        yield* refusalOf(join(nowhere, "stores.db")),
        `Cannot use the SQLite file ${nowhere}/stores.db. The folder ${nowhere} does not exist: create it (mkdir -p -m 700), or name a file in another folder.`
      )
    })
  )

  it.effect("12.3 is refused if it is read-only", () =>
    Effect.gen(function* () {
      const filename = join(yield* folder, "stores.db")
      new DatabaseSync(filename).exec("CREATE TABLE a (b)")
      const readOnly = `file:${filename}?mode=ro`
      assert.strictEqual(
        yield* refusalOf(readOnly),
        `Cannot use the SQLite file ${readOnly}. It is read-only: give this user the right to write the file and its folder.`
      )
    })
  )

  it.effect("12.3 is refused and left unchanged if it is not a database", () =>
    Effect.gen(function* () {
      const filename = join(yield* folder, "notes.txt")
      writeFileSync(filename, "Notes, not a database. ".repeat(100))
      assert.strictEqual(
        yield* refusalOf(filename),
        `Cannot use the SQLite file ${filename}. It is not a SQLite database: choose another file. It was left unchanged.`
      )
      assert.strictEqual(readFileSync(filename, "utf8"), "Notes, not a database. ".repeat(100))
    })
  )

  it.effect(
    "12.1 a file that was truncated to 0 bytes is refused and left unchanged by every layer that opens it",
    () =>
      Effect.gen(function* () {
        const path = yield* folder
        const filename = join(path, "stores.db")
        yield* Effect.void.pipe(Effect.provide(stores(filename)))
        truncateSync(filename)
        symlinkSync(filename, join(path, "link.db"))
        const reason = "It is empty (0 bytes). If it was a store, restore it; to start over, delete it."
        for (const name of [filename, join(path, "link.db"), `file:${filename}`, `file:${filename}?mode=rw`])
          assert.strictEqual(yield* refusalOf(name), `Cannot use the SQLite file ${name}. ${reason}`)
        const builds = [
          Effect.asVoid(Layer.build(StoresSql.layer.pipe(Layer.provide(SqliteNode.layer({ filename }))))),
          Effect.asVoid(Layer.build(DurableSqlite.layer({ filename }))),
          Effect.asVoid(Layer.build(DurableSqlite.client({ filename })))
        ]
        for (const build of builds) {
          const error = yield* Effect.flip(Effect.scoped(build))
          assert.strictEqual(error.message, `Cannot use the SQLite file ${filename}. ${reason}`)
        }
        assert.strictEqual(statSync(filename).size, 0)
        rmSync(filename)
        yield* Effect.void.pipe(Effect.provide(stores(filename)))
      })
  )

  it.effect("12.1 a truncated or missing file whose log exists is refused, and the log is kept", () =>
    Effect.gen(function* () {
      const path = yield* folder
      const filename = join(path, "stores.db")
      const log = `${filename}-wal`
      writeFileSync(log, "the last rows")
      assert.strictEqual(
        yield* refusalOf(filename),
        `Cannot use the SQLite file ${filename}. It is missing, but ${log} may contain its last rows. If it was a store, restore it; to start over, delete the rest.`
      )
      writeFileSync(filename, "")
      assert.strictEqual(
        yield* refusalOf(filename),
        `Cannot use the SQLite file ${filename}. It is empty (0 bytes), but ${log} may contain its last rows. If it was a store, restore it; to start over, delete all of them.`
      )
      assert.strictEqual(readFileSync(log, "utf8"), "the last rows")
    })
  )

  it.effect("12.1 a new file is not empty after its preparation, and no temporary file remains", () =>
    Effect.gen(function* () {
      const path = yield* folder
      const filename = join(path, "stores.db")
      assert.isUndefined(SqliteFile.prepare(filename))
      assert.isAbove(statSync(filename).size, 0)
      assert.deepStrictEqual(readdirSync(path), ["stores.db"])
    })
  )

  it.effect("12.3 is refused if another process holds its lock", () =>
    Effect.gen(function* () {
      const filename = join(yield* folder, "stores.db")
      yield* locked(filename)
      assert.strictEqual(
        yield* refusalOf(filename),
        `Cannot use the SQLite file ${filename}. Another process holds its lock: end it, or raise \`busyTimeout\`.`
      )
    })
  )
})

describe("a SQLite file that fails during a run", () => {
  it.effect("4.7 while the file is locked, writes are refused and reads run, and writes run afterwards", () => {
    const read = tool("search", {}, { n: 1 })
    const write = tool("write_it", { access: "write" }, { n: 1 })
    return Effect.gen(function* () {
      const filename = join(yield* folder, "stores.db")
      yield* Effect.gen(function* () {
        const lock = yield* locked(filename)
        assert.deepStrictEqual(yield* asked(read.tool, { q: "a" }), { n: 1 })
        assert.deepStrictEqual(yield* asked(write.tool, { q: "a" }), ["Permanent", "store_unavailable", "none"])
        assert.strictEqual(write.runs(), 0)
        const error = yield* Effect.flip(Effect.flatMap(Budgets, ({ spend }) => spend(turn, "a", one, { now: 0 })))
        assert.strictEqual(
          causeOf(error),
          `Cannot use the SQLite file ${filename}. Another process holds its lock: end it, or raise \`busyTimeout\`.`
        )
        lock.free()
        assert.deepStrictEqual(yield* asked(write.tool, { q: "a" }), { n: 1 })
      }).pipe(within([read.layer, write.layer], Layer.orDie(Guard.layerMemoryWith(stores(filename)))))
    })
  })

  it.effect("4.7 a full disk loses no written row, and writing continues when there is space", () =>
    Effect.gen(function* () {
      const filename = join(yield* folder, "stores.db")
      yield* Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const { settle, spend } = yield* Budgets
        yield* spend(turn, "before", one, { now: 0 })
        yield* sql`PRAGMA max_page_count = 1` // no additional pages
        const big = done("x".repeat(100_000))
        yield* spend(turn, "a", one, { now: 0 })
        const error = yield* Effect.flip(settle(turn, "a", { outcome: big, digest: "digest", isLast: true }))
        assert.strictEqual(causeOf(error), `Cannot use the SQLite file ${filename}. The disk is full: free some space.`)
        assert.strictEqual((yield* spend(turn, "before", one, { now: 0 }))._tag, "Exhausted")
        yield* sql`PRAGMA max_page_count = 1000000`
        yield* settle(turn, "a", { outcome: big, digest: "digest", isLast: true })
        assert.strictEqual((yield* spend(turn, "a", one, { now: 0 }))._tag, "Exhausted")
      }).pipe(Effect.provide(stores(filename)))
    })
  )

  it.effect("4.7 a damaged account is an error, not a new budget", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { spend } = yield* Budgets
      yield* spend(turn, "a", many, { now: 0 })
      yield* sql`UPDATE toolguard_budgets SET state = '{"spent":'`
      assert.strictEqual(causeOf(yield* Effect.flip(spend(turn, "a", many, { now: 0 }))), "A stored budget is damaged.")
    }).pipe(Effect.provide(stores(":memory:")))
  )

  it.effect("4.7 turns that did not end are deleted after their time to live", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { spend } = yield* Budgets
      const rows = Effect.map(sql`SELECT key_id FROM toolguard_budgets`, ({ length }) => length)
      yield* spend(turn, "a", one, { now: 0 })
      yield* TestClock.adjust("12 hours")
      yield* spend(turn, "b", one, { now: 0 })
      assert.strictEqual(yield* rows, 2)
      yield* TestClock.adjust("13 hours")
      assert.strictEqual(yield* rows, 1)
      yield* TestClock.adjust("12 hours")
      assert.strictEqual(yield* rows, 0)
    }).pipe(Effect.provide(stores(":memory:")))
  )
})
