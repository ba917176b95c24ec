/** A guarded tool with some fields, for the tests of diff. */
import { Schema } from "effect"
import * as GuardedTool from "#src/tool/GuardedTool"
import type { AnyTool, Codec } from "#src/tool/ToolClass"

export const reader = (parameters: Schema.Struct.Fields, success: Schema.Struct.Fields): AnyTool => {
  // this function does not know the types of the fields; the tests pass only fields without services
  class ReadIt extends GuardedTool.Service<ReadIt>()("read_it", {
    description: "Reads one. Read-only.",
    access: "read",
    parameters: Schema.Struct(parameters) as unknown as Codec,
    success: Schema.Struct(success) as unknown as Codec
  }) {}
  // the exact type of the class depends on the fields of the caller
  return ReadIt as unknown as AnyTool
}
