/** The layers of Artifacts keep its promises: in memory, in a SQLite file, in PostgreSQL. */
import * as ArtifactsMemory from "#layers/ArtifactsMemory"
import * as ArtifactsNone from "#layers/ArtifactsNone"
import * as ArtifactsSql from "#layers/ArtifactsSql"
import * as Postgres from "#layers/Postgres"
import * as SqliteNode from "#layers/SqliteNode"
import type { DatabaseUnavailable } from "#services/DatabaseUnavailable"
import { Artifacts, type ArtifactsUnavailable } from "#services/Artifacts"
import { afterAll, assert, describe, it } from "@effect/vitest"
import { Duration, Effect, Fiber, Layer, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { proxyTo } from "../support/proxy.ts"
import { describeOn, postgres, scratchDatabase } from "../support/servers.ts"
import { artifactsContract } from "./Artifacts.ts"
import { turn } from "./values.ts"

const folder = mkdtempSync(join(tmpdir(), "toolguard-artifacts-"))
afterAll(() => rmSync(folder, { recursive: true }))

const timeToLive = Duration.hours(1)
const kilobyte = JSON.stringify("x".repeat(998))

artifactsContract("memory", ArtifactsMemory.layer)

describe("Artifacts (memory), within its bound", () => {
  const using = <A, E>(use: (artifacts: Artifacts["Service"]) => Effect.Effect<A, E>) =>
    Effect.flatMap(Artifacts, use).pipe(Effect.provide(ArtifactsMemory.layerWith({ maxBytes: 3_000 })))

  it.effect("4.14 over it the oldest go", () =>
    using(({ put, read }) =>
      Effect.gen(function* () {
        const ids = yield* Effect.forEach([1, 2, 3, 4, 5], () => put({ turn, text: kilobyte, timeToLive }))
        const kept = yield* Effect.forEach(ids, (id) => read(turn, id))
        assert.deepStrictEqual(kept, [undefined, undefined, kilobyte, kilobyte, kilobyte])
      })
    )
  )

  it.effect("4.14 what has expired goes before what has not", () =>
    using(({ put, read }) =>
      Effect.gen(function* () {
        const first = yield* put({ turn, text: kilobyte, timeToLive })
        yield* put({ turn, text: kilobyte, timeToLive: Duration.minutes(1) })
        yield* put({ turn, text: kilobyte, timeToLive: Duration.minutes(1) })
        yield* TestClock.adjust("1 minute")
        yield* put({ turn, text: kilobyte, timeToLive })
        yield* put({ turn, text: kilobyte, timeToLive })
        assert.strictEqual(yield* read(turn, first), kilobyte)
      })
    )
  )

  it.effect(
    "4.14 bytes are counted, not characters; a text that is larger alone is refused and costs the others nothing",
    () =>
      using(({ put, read }) =>
        Effect.gen(function* () {
          const small = yield* put({ turn, text: kilobyte, timeToLive })
          const text = JSON.stringify("é".repeat(1_500))
          assert.isBelow(text.length, 3_000)
          const error = yield* Effect.flip(put({ turn, text, timeToLive }))
          assert.strictEqual(error._tag, "ArtifactsUnavailable")
          assert.strictEqual(yield* read(turn, small), kilobyte)
        })
      )
  )
})

describe("Artifacts (none)", () => {
  it.effect("4.14 keeps nothing, and says so", () =>
    Effect.gen(function* () {
      const { isKeeping, put, read } = yield* Artifacts
      assert.isFalse(isKeeping)
      assert.strictEqual((yield* Effect.flip(put({ turn, text: "1", timeToLive })))._tag, "ArtifactsUnavailable")
      assert.isUndefined(yield* read(turn, "0".repeat(32)))
    }).pipe(Effect.provide(ArtifactsNone.layer))
  )
})

/** Promises that only a database can keep. */
const databaseContract = (name: string, database: Layer.Layer<SqlClient.SqlClient, DatabaseUnavailable>): void => {
  const layer = Layer.provideMerge(ArtifactsSql.layer, database)
  const count = (ids: ReadonlyArray<string>) =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const rows = yield* sql`SELECT id FROM toolguard_artifacts WHERE ${sql.in("id", ids)}`
      return rows.length
    })

  describe(`Artifacts (${name}), as a database`, () => {
    it.effect("4.14 survives a restart", () =>
      Effect.gen(function* () {
        const put = Effect.flatMap(Artifacts, ({ put }) => put({ turn, text: kilobyte, timeToLive }))
        const id = yield* Effect.provide(put, Layer.fresh(layer))
        const read = Effect.flatMap(Artifacts, ({ read }) => read(turn, id))
        assert.strictEqual(yield* Effect.provide(read, Layer.fresh(layer)), kilobyte)
      })
    )

    it.effect("4.14 sweeps what has expired, and nothing else", () =>
      Effect.gen(function* () {
        const { put } = yield* Artifacts
        const short = yield* put({ turn, text: kilobyte, timeToLive: Duration.minutes(1) })
        const long = yield* put({ turn, text: kilobyte, timeToLive: Duration.days(200) })
        // the database answers in its own time, and the sweep comes every ten minutes of ours
        while ((yield* count([short])) > 0) {
          yield* TestClock.adjust("10 minutes")
          yield* TestClock.withLive(Effect.sleep("5 millis"))
        }
        assert.deepStrictEqual([yield* count([short]), yield* count([long])], [0, 1])
      }).pipe(Effect.provide(layer))
    )

    it.effect("4.14 a store that breaks is a typed error, when writing and when reading", () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const { put, read } = yield* Artifacts
        yield* sql`ALTER TABLE toolguard_artifacts RENAME TO toolguard_elsewhere`
        const errors = yield* Effect.all([
          Effect.flip(put({ turn, text: kilobyte, timeToLive })),
          Effect.flip(read(turn, "0".repeat(32)))
        ]).pipe(Effect.ensuring(Effect.orDie(sql`ALTER TABLE toolguard_elsewhere RENAME TO toolguard_artifacts`)))
        assert.deepStrictEqual(
          errors.map(({ _tag }) => _tag),
          ["ArtifactsUnavailable", "ArtifactsUnavailable"]
        )
      }).pipe(Effect.provide(layer))
    )
  })
}

const sqlite = SqliteNode.layer({ filename: join(folder, "artifacts.db") })
artifactsContract("SQLite", Layer.provide(ArtifactsSql.layer, sqlite))
databaseContract("SQLite", sqlite)

describeOn(postgres, "PostgreSQL", () => {
  const database = scratchDatabase("artifacts")

  it.effect(
    "4.14 a server that goes away, hangs and comes back: typed errors, in five seconds, and nothing is lost",
    () =>
      Effect.gen(function* () {
        const proxy = yield* proxyTo(5432)
        const url = Redacted.make(`postgres://postgres@127.0.0.1:${proxy.port}/toolguard_artifacts_${process.pid}`)
        yield* Effect.gen(function* () {
          const { put, read } = yield* Artifacts
          const causeOf = ({ cause }: ArtifactsUnavailable) => String((cause as Error).message)
          const id = yield* put({ turn, text: kilobyte, timeToLive })
          proxy.cut()
          assert.match(causeOf(yield* Effect.flip(put({ turn, text: kilobyte, timeToLive }))), /Nothing answers there/)
          assert.match(causeOf(yield* Effect.flip(read(turn, id))), /Nothing answers there/)
          proxy.restore()
          assert.strictEqual(yield* read(turn, id), kilobyte)
          proxy.hang()
          const reading = yield* Effect.forkChild(Effect.flip(read(turn, id)), { startImmediately: true })
          yield* TestClock.adjust("5 seconds")
          assert.match(causeOf(yield* Fiber.join(reading)), /does not answer in time/)
        }).pipe(Effect.provide(Layer.provide(ArtifactsSql.layer, Postgres.layer({ url }))))
      })
  )

  artifactsContract("PostgreSQL", Layer.provide(ArtifactsSql.layer, database))
  databaseContract("PostgreSQL", database)
})
