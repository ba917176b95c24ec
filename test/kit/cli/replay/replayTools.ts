/** A module of guarded tools, as `toolguard replay --tools` takes it. */
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

/** Modules export more than tools: what is no backend is not called. */
export const trimmed = (text: string): string => text.trim()
