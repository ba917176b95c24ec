/** A module of guarded tools for `toolguard replay --tools`. */
import { Schema } from "effect"
import * as GuardedTool from "#src/tool/GuardedTool"
import * as Toolbox from "#src/tool/Toolbox"

class GetOrder extends GuardedTool.Service<GetOrder>()("get_order", {
  description: "Gets an order. Read-only.",
  access: "read",
  parameters: Schema.Struct({ id: Schema.String.check(Schema.isMaxCodePoints(2)) }),
  success: Schema.Struct({ id: Schema.String, total: Schema.Int })
}) {}

export const box = Toolbox.make(GetOrder)

/** Trims a text. This export is neither a tool nor a backend, and loading must not call it. */
export const trimmed = (text: string): string => text.trim()
