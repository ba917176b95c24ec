/** Runs the contract of Budgets in SQLite. */
import * as BudgetsSql from "#layers/BudgetsSql"
import { Layer } from "effect"
import { sqliteFile } from "../support/sqliteFile.ts"
import { budgetsContract } from "./Budgets.ts"

budgetsContract("SQLite", BudgetsSql.layer.pipe(Layer.provide(sqliteFile)))
