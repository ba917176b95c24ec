/** Runs the contract of Approvals in memory and in a SQLite file. */
import * as ApprovalsMemory from "#layers/ApprovalsMemory"
import * as ApprovalsSql from "#layers/ApprovalsSql"
import * as SqliteNode from "#layers/SqliteNode"
import { afterAll } from "@effect/vitest"
import { Layer } from "effect"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { onTestTime } from "../support/storeTime.ts"
import { approvalsContract } from "./Approvals.ts"
import { databaseContract } from "./ApprovalsDatabase.ts"

const folder = mkdtempSync(join(tmpdir(), "toolguard-approvals-"))
afterAll(() => rmSync(folder, { recursive: true }))

const file = (name: string) => Layer.orDie(onTestTime(SqliteNode.layer({ filename: join(folder, name) })))

approvalsContract("memory", ApprovalsMemory.layer)
approvalsContract("SQLite file", Layer.orDie(Layer.provide(ApprovalsSql.layer, file("contract.db"))))
databaseContract("SQLite file", file("approvals.db"))
