/** Policies of a guarded toolkit must match its tools. */
import { Context, Schema } from "effect"
import { Tool, Toolkit } from "effect/ai"
import { GuardedTool } from "effect-toolguard"

const Find = Tool.make("find", { parameters: Schema.Struct({ id: Schema.String }), success: Schema.Int })
const kit = Toolkit.make(Find)

// error: "The toolkit has no tool with this name."
GuardedTool.fromToolkit(kit, { fnd: { access: "read" } })

// error: Type '"reads"' is not assignable to type 'Access'
GuardedTool.fromToolkit(kit, { find: { access: "reads" } })

// error: Property 'name' does not exist on type '{ readonly id: string; }'
GuardedTool.fromToolkit(kit, { find: { approval: ({ name }) => name } })

const Gone = Schema.TaggedStruct("Gone", {})
const Failing = Toolkit.make(Tool.make("failing", { failure: Gone }))

// error: Type '"Lost"' is not assignable to type '"Gone"'
GuardedTool.fromToolkit(Failing, { failing: { access: "write", refusals: ["Lost"] } })

class Clock extends Context.Service<Clock, string>()("negative/Clock") {}
declare const Requiring: Schema.Codec<string, string, Clock>
const requiring = Toolkit.make(Tool.make("requiring", { parameters: Schema.Struct({ id: Requiring }) }))

// error: A schema of this toolkit requires services: the guard cannot decode with it.
GuardedTool.fromToolkit(requiring)
