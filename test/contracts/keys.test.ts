/** Runs the contract of IdempotencyKeys in SQLite, and tests the ids of owners. */
import * as RandomId from "#layers/internal/stores/RandomId"
import * as SqliteNode from "#layers/SqliteNode"
import { afterAll, assert, describe, it } from "@effect/vitest"
import { Effect, Random } from "effect"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { databaseContract } from "./IdempotencyKeysDatabase.ts"

const folder = mkdtempSync(join(tmpdir(), "toolguard-keys-"))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

describe("on SQLite", () => databaseContract("SQLite", SqliteNode.layer({ filename: join(folder, "keys.db") })))

describe("the owners of claims", () => {
  it.effect("8.2 are unique, even if every process seeds its Random alike", () =>
    Effect.gen(function* () {
      const seeded = Random.withSeed(RandomId.make, "seed")
      assert.notStrictEqual(yield* seeded, yield* seeded)
    })
  )
})
