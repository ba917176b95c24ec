/** Runs the contract of UnknownOutcomes in PostgreSQL. */
import * as UnknownOutcomesSql from "#layers/UnknownOutcomesSql"
import { describe } from "@effect/vitest"
import { Layer } from "effect"
import { needs } from "../support/prerequisites.ts"
import { postgres, scratchDatabase } from "../support/servers.ts"
import { emptied } from "../support/stores.ts"
import { sharedOutcomesContract, unknownOutcomesContract } from "./UnknownOutcomes.ts"

describe("PostgreSQL", needs(postgres), () => {
  const database = scratchDatabase("outcomes")
  unknownOutcomesContract("PostgreSQL", Layer.fresh(Layer.provide(UnknownOutcomesSql.layer, emptied(database))))
  const shared = scratchDatabase("outcomes_shared")
  sharedOutcomesContract("PostgreSQL", () => Layer.fresh(Layer.provide(UnknownOutcomesSql.layer, shared)))
})
