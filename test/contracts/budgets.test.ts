/** Runs the contract of Budgets in SQLite, with right and wrong clocks. */
import * as BudgetsSql from "#layers/BudgetsSql"
import * as SqliteNode from "#layers/SqliteNode"
import { afterAll } from "@effect/vitest"
import { Layer } from "effect"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { sqliteFile } from "../support/sqliteFile.ts"
import { budgetsContract } from "./Budgets.ts"
import { writeLookupContract } from "./WriteLookup.ts"
import { clientClockOfBudgets } from "./ClientClock.ts"

budgetsContract("SQLite", BudgetsSql.layer.pipe(Layer.provide(sqliteFile)))
writeLookupContract("SQLite", BudgetsSql.layer.pipe(Layer.provide(sqliteFile)))

const folder = mkdtempSync(join(tmpdir(), "toolguard-budgets-"))
afterAll(() => rmSync(folder, { recursive: true, force: true }))
const file = SqliteNode.layer({ filename: join(folder, "budgets.db") })
clientClockOfBudgets("SQLite", Layer.provide(BudgetsSql.layer, file))
