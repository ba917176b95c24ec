/** Runs the contract of IdempotencyKeys in SQLite. */
import * as IdempotencyKeysSql from "#layers/IdempotencyKeysSql"
import * as SqliteNode from "#layers/SqliteNode"
import { afterAll, describe } from "@effect/vitest"
import { Layer } from "effect"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { clientClockOfDatabase, clientClockOfKeys } from "./ClientClock.ts"
import { databaseContract } from "./IdempotencyKeysDatabase.ts"

const folder = mkdtempSync(join(tmpdir(), "toolguard-keys-"))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

describe("on SQLite", () => {
  const file = SqliteNode.layer({ filename: join(folder, "keys.db") })
  databaseContract("SQLite", file)
  clientClockOfKeys("SQLite", Layer.provide(IdempotencyKeysSql.layer, file))
  clientClockOfDatabase("SQLite", file)
})
