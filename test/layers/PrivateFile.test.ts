/** Tests that only the owner can read new files of state, and that existing files keep their modes. */
import * as PrivateFile from "#layers/internal/stores/PrivateFile"
import * as CallLogFile from "#layers/CallLogFile"
import * as SqliteNode from "#layers/SqliteNode"
import { afterAll, assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"

const root = mkdtempSync(join(tmpdir(), "toolguard-private-"))
afterAll(() => rmSync(root, { recursive: true }))
const folder = () => mkdtempSync(join(root, "f-"))
const modeOf = (path: string) => (statSync(path).mode & 0o777).toString(8)

describe("files of state", () => {
  it.effect("12.1 only the owner can read a new SQLite file and the files next to it, from the first write", () =>
    Effect.gen(function* () {
      const dir = folder()
      const names = ["plain.db", "uri.db", "linked.db", "with space.db"]
      symlinkSync(join(dir, "target.db"), join(dir, "linked.db"))
      const filenames = [
        join(dir, "plain.db"),
        `file:${join(dir, "uri.db")}?mode=rwc`,
        join(dir, "linked.db"),
        `file:///${join(dir, "with%20space.db").slice(1)}`
      ]
      for (const [index, filename] of filenames.entries()) {
        yield* Effect.gen(function* () {
          const sql = yield* SqlClient.SqlClient
          yield* sql`CREATE TABLE t (a)`
          const file = join(dir, names[index] ?? "")
          for (const suffix of ["", "-wal", "-shm"])
            // SQLite names the files next to a link after its target
            if (existsSync(file + suffix)) assert.strictEqual(modeOf(file + suffix), "600", filename + suffix)
        }).pipe(Effect.provide(SqliteNode.layer({ filename })))
      }
      assert.strictEqual(modeOf(join(dir, "target.db")), "600")
      assert.isTrue(names.every((name) => existsSync(join(dir, name))))
    })
  )

  it.effect(
    "12.1 an existing SQLite file keeps its mode, and a missing folder leads to an error that names it and the remedy",
    () =>
      Effect.gen(function* () {
        const file = join(folder(), "shared.db")
        yield* Effect.void.pipe(Effect.provide(SqliteNode.layer({ filename: file })))
        chmodSync(file, 0o640)
        yield* Effect.void.pipe(Effect.provide(SqliteNode.layer({ filename: file })))
        assert.strictEqual(modeOf(file), "640")
        const none = join(root, "none", "below")
        for (const filename of [join(none, "a.db"), `file:${none}/a.db?mode=rwc`]) {
          const missing = SqliteNode.layer({ filename })
          const error = yield* Effect.flip(Effect.void.pipe(Effect.provide(missing)))
          assert.strictEqual(
            error.message,
            `Cannot use the SQLite file ${filename}. The folder ${none} does not exist: create it (mkdir -p -m 700), or name a file in another folder.`
          )
        }
        assert.isFalse(existsSync(join(root, "none")))
        yield* Effect.void.pipe(Effect.provide(SqliteNode.layer({ filename: "file::memory:" })))
        yield* Effect.void.pipe(Effect.provide(SqliteNode.layer({ filename: ":memory:" })))
        assert.isFalse(existsSync(":memory:"))
      })
  )

  it.effect("12.1 if a second layer opens the same file in the process, the lock of the first is kept", () =>
    Effect.gen(function* () {
      const filename = join(folder(), "twice.db")
      const busyTimeout = "50 millis"
      yield* Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        yield* sql`CREATE TABLE t (a)`
        yield* sql.withTransaction(
          Effect.gen(function* () {
            yield* sql`INSERT INTO t VALUES (1)`
            const second = yield* Effect.exit(
              Effect.void.pipe(Effect.provide(Layer.fresh(SqliteNode.layer({ filename, busyTimeout }))))
            )
            assert.strictEqual(second._tag, "Failure")
          })
        )
        assert.deepStrictEqual(yield* sql`SELECT a FROM t`, [{ a: 1 }])
      }).pipe(Effect.provide(SqliteNode.layer({ filename, busyTimeout })))
    })
  )

  it.effect("15.2 a new call log, file or folder is private, and a replaced file keeps its wider mode", () =>
    Effect.gen(function* () {
      const dir = join(folder(), "a", "b")
      PrivateFile.createFolder(dir)
      assert.deepStrictEqual([modeOf(dir), modeOf(join(dir, ".."))], ["700", "700"])
      const log = join(dir, "calls.jsonl")
      yield* Effect.void.pipe(Effect.provide(CallLogFile.layer(log)))
      assert.strictEqual(modeOf(log), "600")
      const file = join(dir, "lock.json")
      PrivateFile.replace(file, "1")
      assert.strictEqual(modeOf(file), "600")
      chmodSync(file, 0o664)
      PrivateFile.replace(file, "2")
      assert.deepStrictEqual([modeOf(file), readFileSync(file, "utf8")], ["664", "2"])
      PrivateFile.write(join(dir, "page.html"), "<p>", { isNew: true })
      assert.strictEqual(modeOf(join(dir, "page.html")), "600")
      assert.throws(() => PrivateFile.write(file, "3", { isNew: true }), /EEXIST/u)
    })
  )

  it("15.2 the file that a link at the path of the temporary file points to is not written", () => {
    const dir = folder()
    const victim = join(dir, "victim")
    writeFileSync(victim, "safe")
    symlinkSync(victim, join(dir, `lock.json.${process.pid}.tmp`))
    PrivateFile.replace(join(dir, "lock.json"), "new")
    assert.deepStrictEqual(
      [readFileSync(victim, "utf8"), readFileSync(join(dir, "lock.json"), "utf8")],
      ["safe", "new"]
    )
  })
})
