/**
 * Runs the contract of Artifacts in memory and in a SQLite file, and tests the limit of the memory layer and the layer
 * without a store.
 */
import * as ArtifactsMemory from "#layers/ArtifactsMemory"
import * as ArtifactsNone from "#layers/ArtifactsNone"
import * as ArtifactsSql from "#layers/ArtifactsSql"
import * as SqliteNode from "#layers/SqliteNode"
import { Artifacts } from "#services/Artifacts"
import { afterAll, assert, describe, it } from "@effect/vitest"
import { Duration, Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { onTestTime } from "../support/storeTime.ts"
import { artifactsContract } from "./Artifacts.ts"
import { databaseContract } from "./ArtifactsDatabase.ts"
import { turn } from "./values.ts"

const folder = mkdtempSync(join(tmpdir(), "toolguard-artifacts-"))
afterAll(() => rmSync(folder, { recursive: true }))

const timeToLive = Duration.hours(1)
const kilobyte = JSON.stringify("x".repeat(998))

artifactsContract("memory", ArtifactsMemory.layer)

describe("Artifacts (memory) over its limit", () => {
  const using = <A, E>(use: (artifacts: Artifacts["Service"]) => Effect.Effect<A, E>) =>
    Effect.flatMap(Artifacts, use).pipe(Effect.provide(ArtifactsMemory.layerWith({ maxBytes: 3_000 })))

  it.effect("4.14 drops the oldest artifacts", () =>
    using(({ put, read }) =>
      Effect.gen(function* () {
        const ids = yield* Effect.forEach([1, 2, 3, 4, 5], () => put({ turn, text: kilobyte, timeToLive }))
        const texts = yield* Effect.forEach(ids, (id) => read(turn, id))
        assert.deepStrictEqual(texts, [undefined, undefined, kilobyte, kilobyte, kilobyte])
      })
    )
  )

  it.effect("4.14 drops expired artifacts first", () =>
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

  it.effect("4.14 counts bytes, not characters, and refuses a text over the limit without dropping others", () =>
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
  it.effect("4.14 stores nothing: `isKeeping` is false", () =>
    Effect.gen(function* () {
      const { isKeeping, put, read } = yield* Artifacts
      assert.isFalse(isKeeping)
      assert.strictEqual((yield* Effect.flip(put({ turn, text: "1", timeToLive })))._tag, "ArtifactsUnavailable")
      assert.isUndefined(yield* read(turn, "0".repeat(32)))
    }).pipe(Effect.provide(ArtifactsNone.layer))
  )
})

const sqlite = onTestTime(SqliteNode.layer({ filename: join(folder, "artifacts.db") }))
artifactsContract("SQLite", Layer.provide(ArtifactsSql.layer, sqlite))
databaseContract("SQLite", sqlite)
