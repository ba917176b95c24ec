/** A user's test that fuzzes a tool with the installed package, and prints `ok` if the test passes. */
import { Effect, Schema } from "effect"
import { GuardedTool } from "effect-toolguard"
import { checkTool } from "toolguard/testing"

export class RenameFolder extends GuardedTool.Service<RenameFolder>()("rename_folder", {
  description: "Renames one folder. Writes. Not for files.",
  access: "write",
  parameters: Schema.Struct({ folder_id: Schema.NonEmptyString, name: Schema.NonEmptyString }),
  success: Schema.Struct({ renamed: Schema.Boolean }),
  idempotency: "derived"
}) {}

const checked = await Effect.runPromise(checkTool(RenameFolder, { runs: 30 }))
console.log(checked.cases === 30 ? "ok" : JSON.stringify(checked))
