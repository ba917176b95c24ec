/** Runs the contract of dialects on PostgreSQL. */
import { describe } from "@effect/vitest"
import { needs } from "../../../support/prerequisites.ts"
import { postgres, scratchDatabase } from "../../../support/servers.ts"
import { emptied } from "../../../support/stores.ts"
import { dialectContract } from "./DialectContract.ts"

describe("on a server", needs(postgres), () => dialectContract("PostgreSQL", emptied(scratchDatabase("dialect"))))
