/** Runs the contracts of the stores that write to SQLite or a file, with encryption. */
import * as ApprovalsSql from "#layers/ApprovalsSql"
import * as ArtifactsSql from "#layers/ArtifactsSql"
import * as BudgetsSql from "#layers/BudgetsSql"
import * as CallLogFile from "#layers/CallLogFile"
import * as CallLogSql from "#layers/CallLogSql"
import * as CheckpointsSql from "#layers/CheckpointsSql"
import * as IdempotencyKeysSql from "#layers/IdempotencyKeysSql"
import * as UnknownOutcomesSql from "#layers/UnknownOutcomesSql"
import { afterAll, describe } from "@effect/vitest"
import { Effect, Layer } from "effect"
import type { SqlClient } from "effect/sql"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { encrypting } from "../support/atRest.ts"
import { sqliteFile } from "../support/sqliteFile.ts"
import { approvalsContract } from "./Approvals.ts"
import { artifactsContract } from "./Artifacts.ts"
import { budgetsContract } from "./Budgets.ts"
import { callLogContract } from "./CallLog.ts"
import { checkpointsContract } from "./Checkpoints.ts"
import { idempotencyKeysContract } from "./IdempotencyKeys.ts"
import { unknownOutcomesContract } from "./UnknownOutcomes.ts"

const folder = mkdtempSync(join(tmpdir(), "toolguard-at-rest-"))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const encrypted = <A, E>(layer: Layer.Layer<A, E, SqlClient.SqlClient>) =>
  Layer.fresh(layer.pipe(Layer.provide(sqliteFile), Layer.provide(encrypting())))

describe("encrypted", () => {
  approvalsContract("SQLite, AES", Layer.orDie(encrypted(ApprovalsSql.layer)))
  artifactsContract("SQLite, AES", encrypted(ArtifactsSql.layer))
  budgetsContract("SQLite, AES", encrypted(BudgetsSql.layer))
  callLogContract("SQLite, AES", encrypted(CallLogSql.layer))
  checkpointsContract("SQLite, AES", encrypted(CheckpointsSql.layer))
  idempotencyKeysContract("SQLite, AES", encrypted(IdempotencyKeysSql.layer), { isShared: false })
  unknownOutcomesContract("SQLite, AES", Layer.orDie(encrypted(UnknownOutcomesSql.layer)))

  let files = 0
  callLogContract(
    "file, AES",
    Layer.unwrap(Effect.sync(() => CallLogFile.layer(join(folder, `${(files += 1)}.jsonl`)))).pipe(
      Layer.provide(encrypting())
    )
  )
})
