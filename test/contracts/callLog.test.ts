/** Runs the contract of CallLog in SQLite. */
import * as CallLogSql from "#layers/CallLogSql"
import { Layer } from "effect"
import { sqliteFile } from "../support/sqliteFile.ts"
import { callLogContract } from "./CallLog.ts"

callLogContract("SQLite", CallLogSql.layer.pipe(Layer.provide(sqliteFile)))
