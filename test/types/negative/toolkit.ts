/** Policies for the tools of a toolkit. */
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
declare const Needy: Schema.Codec<string, string, Clock>
const needy = Toolkit.make(Tool.make("needy", { parameters: Schema.Struct({ id: Needy }) }))

// error: A schema of this toolkit needs services: the guard cannot decode with it.
GuardedTool.fromToolkit(needy)
