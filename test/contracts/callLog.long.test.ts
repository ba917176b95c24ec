/** Runs the contract of CallLog in PostgreSQL. */
import * as CallLogSql from "#layers/CallLogSql"
import { describe } from "@effect/vitest"
import { Layer } from "effect"
import { needs } from "../support/prerequisites.ts"
import { postgres, scratchDatabase } from "../support/servers.ts"
import { emptied } from "../support/stores.ts"
import { callLogContract } from "./CallLog.ts"

describe("on a server", needs(postgres), () => {
  const database = emptied(scratchDatabase("calls"))
  callLogContract("PostgreSQL", CallLogSql.layer.pipe(Layer.provide(database)))
})
