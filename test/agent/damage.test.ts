/** Tests of damaged journals: they are refused with a reason and a next step, and left unchanged. */
import * as CheckpointsSql from "#layers/CheckpointsSql"
import * as SqliteNode from "#layers/SqliteNode"
import { CheckpointRefused, Checkpoints, CheckpointsUnavailable } from "#services/Checkpoints"
import { DatabaseUnavailable } from "#services/DatabaseUnavailable"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Layer } from "effect"
import { TestClock } from "effect/testing"
import { createHash } from "node:crypto"
import { readFileSync, statSync, truncateSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { tool } from "../pipeline/support.ts"
import { folder } from "../support/sqliteFile.ts"
import { begin, byPlace, onStores, resume, storesWith, type World } from "./processes.ts"
import { call } from "./support.ts"

const world = (): World => {
  const read = tool("read_it", {}, ({ q }: { readonly q: string }) => Effect.succeed({ n: q.length }))
  const script = [1, 2, 3].map((n) => call("read_it", { q: "q".repeat(n) }, `c${n}`))
  return { tools: [read], model: byPlace([...script, "It is done."]) }
}

const checkpointsIn = (filename: string) =>
  Layer.provide(CheckpointsSql.layer, SqliteNode.layer({ filename, busyTimeout: 0 }))

/** Runs a first process for two rounds, applies the damage to its file, and returns a second process on the same file. */
const afterDamage = (damage: (db: DatabaseSync) => void, maxRounds = 2) =>
  Effect.gen(function* () {
    const filename = join(yield* folder, "runs.db")
    const first = yield* begin(world(), { maxRounds }).pipe(onStores(storesWith(checkpointsIn(filename))))
    const db = new DatabaseSync(filename)
    damage(db)
    db.close()
    const second = (run: Effect.Effect<any, any, any>) => run.pipe(onStores(storesWith(checkpointsIn(filename))))
    return { filename, first, second }
  })

/** Returns a digest of the tables of runs, without the columns of the last owner. */
const digest = (filename: string): string => {
  const db = new DatabaseSync(filename, { readOnly: true })
  const rows = [
    db.prepare("SELECT tenant, run, format, row_count, last_sum, run_end, created_at FROM toolguard_runs").all(),
    db.prepare("SELECT * FROM toolguard_journal ORDER BY tenant, run, seq").all()
  ]
  db.close()
  return createHash("sha256").update(JSON.stringify(rows)).digest("hex")
}

const refusalOf = (run: Effect.Effect<unknown, any, any>) =>
  Effect.map(Effect.flip(run), (error) =>
    error instanceof CheckpointRefused ? [error.reason, error.detail] : [String(error?._tag), String(error)]
  )

/** Kinds of damage to a journal of six rows: the start, two replies, two calls, and the limit that ended the run. */
const damages: Record<string, readonly [(db: DatabaseSync) => void, reason: string, detail: RegExp]> = {
  "a changed body": [
    (db) => db.exec(`UPDATE toolguard_journal SET body = replace(body, 'read_it', 'drop_it') WHERE seq = 2`),
    "damaged",
    /^Row 2 was changed\. The run was left unchanged; restore a copy, or remove the run\.$/u
  ],
  "a changed sum": [
    (db) => db.exec(`UPDATE toolguard_journal SET sum = '${"0".repeat(64)}' WHERE seq = 3`),
    "damaged",
    /^Row 3 was changed\./u
  ],
  "a body that is not valid JSON, with a matching sum": [
    (db) => {
      const before = db.prepare("SELECT sum FROM toolguard_journal WHERE seq = 5").get()?.["sum"]
      const sum = createHash("sha256")
        .update(`${String(before)}\n6\n{"kind":`)
        .digest("hex")
      db.prepare("UPDATE toolguard_journal SET body = ?, sum = ? WHERE seq = 6").run(`{"kind":`, sum)
      db.prepare("UPDATE toolguard_runs SET last_sum = ?").run(sum)
    },
    "damaged",
    /^Row 6 is not a step of a run: /u
  ],
  "no first row": [
    (db) => db.exec("DELETE FROM toolguard_journal WHERE seq = 1"),
    "damaged",
    /^Row 1 of 6 is missing/u
  ],
  "a missing row": [
    (db) => db.exec("DELETE FROM toolguard_journal WHERE seq = 3"),
    "damaged",
    /^Row 3 of 6 is missing\./u
  ],
  "two swapped rows": [
    (db) =>
      db.exec(`UPDATE toolguard_journal SET seq = 100 WHERE seq = 3; UPDATE toolguard_journal SET seq = 3 WHERE seq = 4;
        UPDATE toolguard_journal SET seq = 4 WHERE seq = 100`),
    "damaged",
    /^Row 3 was changed\./u
  ],
  "no last row": [
    (db) => db.exec("DELETE FROM toolguard_journal WHERE seq = 6"),
    "damaged",
    /^It has 5 rows, but 6 were written\./u
  ],
  "no rows at all": [
    (db) => db.exec("DELETE FROM toolguard_journal"),
    "damaged",
    /^It has 0 rows, but 6 were written\./u
  ],
  "an extra row": [
    (db) => {
      const { body, sum } = db.prepare("SELECT body, sum FROM toolguard_journal WHERE seq = 6").get() as {
        body: string
        sum: string
      }
      const next = createHash("sha256").update(`${sum}\n7\n${body}`).digest("hex")
      db.prepare("INSERT INTO toolguard_journal VALUES ('default', 'run', 7, ?, ?)").run(body, next)
    },
    "damaged",
    /^It has 7 rows, but 6 were written\./u
  ],
  "another last row": [
    (db) => db.exec(`UPDATE toolguard_runs SET last_sum = '${"0".repeat(64)}'`),
    "damaged",
    /^Its last row is not the last row that was written\./u
  ],
  "a row count of 0": [
    (db) => db.exec("UPDATE toolguard_runs SET row_count = 0, last_sum = ''"),
    "damaged",
    /^It has 6 rows, but 0 were written\./u
  ],
  "an older format": [
    (db) => db.exec("UPDATE toolguard_runs SET format = 0"),
    "older_format",
    /^The run has format 0, and this version reads format 1\. Finish the run with the version that started it\.$/u
  ],
  "a newer format": [
    (db) => db.exec("UPDATE toolguard_runs SET format = 2"),
    "newer_format",
    /^The run has format 2, and this version reads format 1\./u
  ]
}

describe("a journal with", () => {
  for (const [what, [damage, reason, detail]] of Object.entries(damages)) {
    it.effect(`12.2 ${what} is refused and left unchanged`, () =>
      Effect.gen(function* () {
        const { filename, second } = yield* afterDamage(damage)
        const before = digest(filename)
        for (const run of [resume(world()), begin(world()), begin(world(), { prompt: "Something else." })]) {
          const [actualReason, actualDetail] = yield* second(refusalOf(run))
          assert.strictEqual(actualReason, reason)
          assert.match(String(actualDetail), detail)
        }
        assert.strictEqual(digest(filename), before)
        const store = Effect.flatMap(Checkpoints, ({ remove }) => remove({ tenant: "default", run: "run" }))
        yield* second(store)
        assert.strictEqual((yield* second(begin(world()))).end._tag, "Answered")
      })
    )
  }

  it.effect("12.2 no damage is resumed", () =>
    Effect.gen(function* () {
      const { second } = yield* afterDamage(() => undefined)
      assert.strictEqual((yield* second(resume(world()))).end._tag, "Answered")
    })
  )

  for (const [what, change] of Object.entries({
    "a changed end": `replace(run_end, 'It is done', 'It is not')`,
    "a truncated end": `substr(run_end, 1, 100)`,
    "an empty end": `''`,
    "the end of another run": `replace(run_end, '"begun":"', '"begun":"0')`
  })) {
    it.effect(`12.2 ${what} is refused and left unchanged`, () =>
      Effect.gen(function* () {
        const { filename, first, second } = yield* afterDamage(
          (db) => db.exec(`UPDATE toolguard_runs SET run_end = ${change}`),
          50
        )
        assert.strictEqual(first.end._tag, "Answered")
        const before = digest(filename)
        for (const run of [resume(world()), begin(world())]) {
          assert.strictEqual((yield* second(refusalOf(run)))[0], "damaged")
        }
        assert.strictEqual(digest(filename), before)
      })
    )
  }
})

describe("a file", () => {
  const sumOf = (filename: string) => createHash("sha256").update(readFileSync(filename)).digest("hex")

  /** Returns why the checkpoints in a file cannot be opened, or why a run in the file cannot be resumed. */
  const refusal = (filename: string) =>
    Effect.gen(function* () {
      const asked = yield* Effect.forkChild(
        Effect.flip(resume(world()).pipe(onStores(storesWith(checkpointsIn(filename))))),
        { startImmediately: true }
      )
      yield* TestClock.adjust("10 seconds") // the layer retries for a few seconds
      const error: unknown = yield* Fiber.join(asked)
      return error instanceof CheckpointsUnavailable ? error.cause : error
    })

  it.effect("12.2 that is not a database is refused and left unchanged", () =>
    Effect.gen(function* () {
      const filename = join(yield* folder, "notes.txt")
      for (const bytes of ["Notes, not a database. ".repeat(100), "{}", "SQLite format 3\u0000 and no pages"]) {
        writeFileSync(filename, bytes)
        const error = yield* refusal(filename)
        assert.instanceOf(error, DatabaseUnavailable)
        assert.include(
          String(error),
          `Cannot use the SQLite file ${filename}. It is not a SQLite database: choose another file.`
        )
        assert.strictEqual(readFileSync(filename, "utf8"), bytes)
      }
    })
  )

  it.effect("12.2 with the application id of another program is refused and left unchanged", () =>
    Effect.gen(function* () {
      const filename = join(yield* folder, "places.gpkg")
      const db = new DatabaseSync(filename)
      db.exec("PRAGMA application_id = 1196444487; CREATE TABLE places (name TEXT); INSERT INTO places VALUES ('here')")
      db.close()
      const before = sumOf(filename)
      const error = yield* refusal(filename)
      assert.instanceOf(error, DatabaseUnavailable)
      assert.include(
        String(error),
        `Cannot use the SQLite file ${filename}. It belongs to another program (application id 0x47504b47): choose another file.`
      )
      assert.strictEqual(sumOf(filename), before)
    })
  )

  it.effect("12.2 with another program's table of the same name is refused, and its rows are left unchanged", () =>
    Effect.gen(function* () {
      const filename = join(yield* folder, "other.db")
      const db = new DatabaseSync(filename)
      db.exec("CREATE TABLE toolguard_runs (speed REAL); INSERT INTO toolguard_runs VALUES (12.5)")
      db.close()
      const error = yield* refusal(filename)
      assert.instanceOf(error, DatabaseUnavailable)
      assert.match(
        String(error),
        /^.*Cannot use the SQLite file .*other\.db\. Its tables cannot be created\. SQLite says: .*toolguard_runs/u
      )
      const after = new DatabaseSync(filename, { readOnly: true })
      assert.deepStrictEqual(
        after
          .prepare("SELECT * FROM toolguard_runs")
          .all()
          .map((row) => ({ ...row })),
        [{ speed: 12.5 }]
      )
      after.close()
    })
  )

  it.effect("12.2 that was truncated at any of seven places is refused and left unchanged", () =>
    Effect.gen(function* () {
      const refused: Array<string> = []
      for (const part of [0.05, 0.2, 0.35, 0.5, 0.65, 0.8, 0.95]) {
        const { filename } = yield* afterDamage((db) => db.exec("PRAGMA wal_checkpoint(TRUNCATE)"))
        truncateSync(filename, Math.floor(statSync(filename).size * part))
        const before = sumOf(filename)
        const error = yield* refusal(filename)
        assert.isFalse(typeof error === "object" && error !== null && "end" in error)
        refused.push(error instanceof Error ? error.message : String(error))
        assert.strictEqual(sumOf(filename), before, String(part))
      }
      for (const message of refused)
        assert.match(message, /The file is damaged: restore a copy\. It was left unchanged\./u)
    })
  )
})
