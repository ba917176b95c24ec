/** Checks that concurrent writes to a SQLite file are committed together, and that each keeps its promises. */
import * as SqliteNode from "#layers/SqliteNode"
import * as Timeout from "#layers/internal/stores/Timeout"
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Duration, Effect, Exit, Fiber } from "effect"
import { SqlClient } from "effect/sql"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { folder } from "../../../support/sqliteFile.ts"

/** Counts the commits in a log. A frame of a commit holds the size of the file: https://sqlite.org/fileformat2.html#walformat */
const commitsIn = (filename: string): number => {
  const log = readFileSync(`${filename}-wal`)
  const pageSize = log.readUInt32BE(8)
  let commits = 0
  for (let at = 32; at + 24 + pageSize <= log.length; at += 24 + pageSize) {
    if (log.readUInt32BE(at + 4) > 0) commits++
  }
  return commits
}

const using = <A, E>(
  use: (file: {
    readonly sql: SqlClient.SqlClient
    readonly insert: (id: number, text?: string) => Effect.Effect<unknown, unknown>
    /** The transactions in the log. */
    readonly commits: () => number
    /** The ids that another connection reads. */
    readonly seen: () => ReadonlyArray<number>
  }) => Effect.Effect<A, E>
) =>
  Effect.gen(function* () {
    const filename = join(yield* folder, "stores.db")
    yield* Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      yield* sql`CREATE TABLE tries (id INTEGER PRIMARY KEY, note TEXT)`
      const other = new DatabaseSync(filename)
      yield* use({
        sql,
        insert: (id, text = "") => sql`INSERT INTO tries (id, note) VALUES (${id}, ${text})`,
        commits: () => commitsIn(filename),
        seen: () =>
          other
            .prepare("SELECT id FROM tries ORDER BY id")
            .all()
            .map(({ id }) => Number(id))
      })
      other.close()
    }).pipe(Effect.provide(SqliteNode.layer({ filename })))
  })

const ids = Array.from({ length: 50 }, (_, i) => i)

describe("concurrent writes to a SQLite file", () => {
  it.effect("12.1 share transactions, and each is on disk when its caller continues", () =>
    using(({ commits, insert, seen }) =>
      Effect.gen(function* () {
        const before = commits()
        const unseen = yield* Effect.forEach(
          ids,
          (id) => Effect.map(insert(id), () => (seen().includes(id) ? [] : [id])),
          { concurrency: "unbounded" }
        )
        assert.deepStrictEqual(unseen.flat(), [])
        // the first write runs at once, and the others together
        assert.strictEqual(commits() - before, 2)
      })
    )
  )

  it.live("12.1 the next writes of a caller run at once too, each with its own timeout", () =>
    using(({ insert, seen }) =>
      Effect.gen(function* () {
        let hasTurned = false
        setImmediate(() => {
          hasTurned = true
        })
        for (const id of [1, 2, 3]) yield* Timeout.within(insert(id), Duration.seconds(5))
        assert.isFalse(hasTurned)
        assert.deepStrictEqual(seen(), [1, 2, 3])
      })
    )
  )

  it.effect("12.1 a write that fails does not change the others", () =>
    using(({ insert, seen }) =>
      Effect.gen(function* () {
        yield* insert(7)
        const exits = yield* Effect.forEach(ids, (id) => Effect.exit(insert(id)), { concurrency: "unbounded" })
        assert.deepStrictEqual(
          exits.flatMap((exit, id) => (Exit.isFailure(exit) ? [id] : [])),
          [7]
        )
        assert.deepStrictEqual(seen(), ids)
      })
    )
  )

  it.effect("12.1 a full disk fails the write that has no space, and keeps the others", () =>
    using(({ insert, seen, sql }) =>
      Effect.gen(function* () {
        yield* sql`PRAGMA max_page_count = 10`
        const sizes = [10, 10, 100_000, 10, 10]
        const exits = yield* Effect.forEach(sizes, (size, id) => Effect.exit(insert(id, "x".repeat(size))), {
          concurrency: "unbounded"
        })
        assert.deepStrictEqual(exits.map(Exit.isSuccess), [true, true, false, true, true])
        assert.deepStrictEqual(seen(), [0, 1, 3, 4])
        yield* sql`PRAGMA max_page_count = 1000000`
        yield* insert(2, "x".repeat(100_000))
        assert.lengthOf(seen(), 5)
      })
    )
  )

  it.effect("12.1 while another process holds the lock, all writes fail and none is written later", () =>
    using(({ insert, seen, sql }) =>
      Effect.gen(function* () {
        yield* sql`PRAGMA busy_timeout = 0`
        const [{ file } = { file: "" }] = yield* sql<{ readonly file: string }>`PRAGMA database_list`
        const lock = new DatabaseSync(file)
        lock.exec("BEGIN IMMEDIATE")
        const exits = yield* Effect.forEach(ids, (id) => Effect.exit(insert(id)), { concurrency: "unbounded" })
        assert.isFalse(exits.some(Exit.isSuccess))
        lock.exec("ROLLBACK")
        lock.close()
        yield* insert(99)
        assert.deepStrictEqual(seen(), [99])
      })
    )
  )

  it.effect("12.1 wait for a transaction, and an interrupted write is not run", () =>
    using(({ insert, seen, sql }) =>
      Effect.gen(function* () {
        const [started, finish] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
        const transaction = yield* insert(1).pipe(
          Effect.andThen(Deferred.succeed(started, undefined)),
          Effect.andThen(Deferred.await(finish)),
          sql.withTransaction,
          Effect.forkChild
        )
        yield* Deferred.await(started)
        const [kept, interrupted] = [yield* Effect.forkChild(insert(2)), yield* Effect.forkChild(insert(3))]
        yield* Effect.yieldNow
        yield* Fiber.interrupt(interrupted)
        assert.deepStrictEqual(seen(), [])
        yield* Deferred.succeed(finish, undefined)
        yield* Fiber.join(transaction)
        yield* Fiber.join(kept)
        assert.deepStrictEqual(seen(), [1, 2])
      })
    )
  )

  it.effect("12.1 come before the statements that follow them", () =>
    using(({ insert, sql }) =>
      Effect.gen(function* () {
        const count = Effect.map(sql<{ readonly n: number }>`SELECT COUNT(*) AS n FROM tries`, ([row]) => row?.n)
        const inserts = ids.map((id) => insert(id))
        const answers = yield* Effect.all([...inserts, count], { concurrency: "unbounded" })
        assert.strictEqual(answers.at(-1), ids.length)
      })
    )
  )
})
