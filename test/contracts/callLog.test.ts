/** The call log in SQL keeps the promises of its service. */
import * as CallLogSql from "#layers/CallLogSql"
import { Layer } from "effect"
import { describeOn, postgres, scratchDatabase } from "../support/servers.ts"
import { emptied, sqliteFile } from "../support/stores.ts"
import { callLogContract } from "./CallLog.ts"

callLogContract("SQLite", CallLogSql.layer.pipe(Layer.provide(sqliteFile)))

describeOn(postgres, "on a server", () => {
  const database = emptied(scratchDatabase("calls"))
  callLogContract("PostgreSQL", CallLogSql.layer.pipe(Layer.provide(database)))
})
