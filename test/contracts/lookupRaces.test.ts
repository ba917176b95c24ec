/** Explores lookups that race with each other, over stores in memory and in SQLite. */
import * as SqliteNode from "#layers/SqliteNode"
import { Effect } from "effect"
import { join } from "node:path"
import { folder } from "../support/sqliteFile.ts"
import { onTestTime } from "../support/storeTime.ts"
import { inMemory, lookupRacesContract, onDatabase } from "./LookupRaces.ts"

lookupRacesContract("memory", inMemory, { seeds: 20 })
lookupRacesContract(
  "SQLite",
  Effect.flatMap(folder, (path) => onDatabase(onTestTime(SqliteNode.layer({ filename: join(path, "stores.db") })))),
  { seeds: 10 }
)
