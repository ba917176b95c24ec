/** Policies of a guarded toolkit must match its tools. */
import { Context, Schema } from "effect"
import { Tool, Toolkit } from "effect/ai"
import { GuardedTool } from "effect-toolguard"

const Find = Tool.make("find", { parameters: Schema.Struct({ id: Schema.String }), success: Schema.Int })
const kit = Toolkit.make(Find)

// error: 'fnd' does not exist in type
GuardedTool.fromToolkit(kit, { fnd: { access: "read" } })

// error: Type '"reads"' is not assignable to type 'Access | undefined'
GuardedTool.fromToolkit(kit, { find: { access: "reads" } })

// error: Property 'name' does not exist on type '{ readonly id: string; }'
GuardedTool.fromToolkit(kit, { find: { approval: ({ name }) => name } })

class Clock extends Context.Service<Clock, string>()("negative/Clock") {}
declare const Requiring: Schema.Codec<string, string, Clock>
const requiring = Toolkit.make(Tool.make("requiring", { parameters: Schema.Struct({ id: Requiring }) }))

// error: A schema of this toolkit requires services: the guard cannot decode with it.
GuardedTool.fromToolkit(requiring)
