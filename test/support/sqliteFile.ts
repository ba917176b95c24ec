/** Creates SQLite files for tests, in temporary folders. */
import * as SqliteNode from "#layers/SqliteNode"
import type { DatabaseUnavailable } from "#services/DatabaseUnavailable"
import { Effect, Layer } from "effect"
import type { SqlClient } from "effect/sql"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { onTestTime } from "./storeTime.ts"

/** A temporary folder, removed when the scope closes. */
export const folder = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "toolguard-stores-"))),
  (path) => Effect.sync(() => rmSync(path, { recursive: true, force: true }))
)

/** A new SQLite file, whose stores use the test clock. */
export const sqliteFile: Layer.Layer<SqlClient.SqlClient, DatabaseUnavailable> = onTestTime(
  Layer.unwrap(Effect.map(folder, (path) => SqliteNode.layer({ filename: join(path, "stores.db") })))
)
