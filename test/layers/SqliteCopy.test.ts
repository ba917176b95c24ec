/** Tests the creation of SQLite files in a file system without hard links. */
import { prepare } from "#layers/internal/sql/SqliteFile"
import * as SqliteNode from "#layers/SqliteNode"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { readdirSync, statSync } from "node:fs"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { folder } from "../support/sqliteFile.ts"

/** Returns a function that runs `first`, and then fails as `link` does in a file system without hard links. */
const noLink = (first: () => void) => (): never => {
  first()
  throw Object.assign(new Error("EPERM: operation not permitted, link"), { code: "EPERM" })
}

const modeOf = (path: string): string => (statSync(path).mode & 0o777).toString(8)

const insert = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`CREATE TABLE IF NOT EXISTS t (a INTEGER)`
  yield* sql`INSERT INTO t VALUES (1)`
  return yield* sql<{ readonly a: number }>`SELECT a FROM t`
})

describe("a new SQLite file without hard links", () => {
  it.effect(
    "12.1 with umask 0, only the owner can read the new files, no temporary file remains, and the file can be opened again",
    () =>
      Effect.gen(function* () {
        const path = yield* folder
        const filename = join(path, "stores.db")
        const umask = process.umask(0)
        yield* Effect.addFinalizer(() => Effect.sync(() => void process.umask(umask)))
        let links = 0
        const link = noLink(() => (links += 1))
        assert.isUndefined(prepare(filename, link))
        yield* Effect.gen(function* () {
          yield* insert
          const names = readdirSync(path).sort()
          assert.deepStrictEqual(names, ["stores.db", "stores.db-shm", "stores.db-wal"])
          assert.deepStrictEqual(
            names.map((name) => modeOf(join(path, name))),
            ["600", "600", "600"]
          )
        }).pipe(Effect.provide(SqliteNode.layer({ filename })))
        assert.strictEqual(links, 1)
        assert.isUndefined(prepare(filename, link))
        assert.lengthOf(yield* Effect.provide(insert, SqliteNode.layer({ filename })), 2)
        assert.strictEqual(links, 1)
      })
  )

  it.effect("12.1 if another process creates the file meanwhile, its rows are kept", () =>
    Effect.gen(function* () {
      const filename = join(yield* folder, "stores.db")
      const link = noLink(() => {
        const other = new DatabaseSync(filename)
        other.exec("PRAGMA journal_mode = WAL; CREATE TABLE t (a INTEGER); INSERT INTO t VALUES (1)")
        other.close()
      })
      assert.isUndefined(prepare(filename, link))
      assert.lengthOf(yield* Effect.provide(insert, SqliteNode.layer({ filename })), 2)
    })
  )
})
