/** A tool, the guard as it is, and one that redacts nothing: what a pasted test is run with. */
import { Schema } from "effect"
import { GuardedTool } from "effect-toolguard"
import { without } from "./guards.ts"

export class ReadNote extends GuardedTool.Service<ReadNote>()("read_note", {
  description: "Reads one note. Read-only.",
  access: "read",
  parameters: Schema.Struct({ note_id: Schema.String }),
  success: Schema.Struct({ text: Schema.String })
}) {}

export const guard = without("redact")
