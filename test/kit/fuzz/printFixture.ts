/** The imports of a printed test: a tool, and a guard without redaction. */
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
