/** [2.7] A toolbox contains only tools, with distinct names. */
import { Effect } from "effect"
import { Guard, GuardedTool, Toolbox } from "effect-toolguard"
import { base, Cancel, Paged, Search } from "../tools.ts"

class Search2 extends GuardedTool.Service<Search2>()("search_orders", { ...base, access: "write" }) {}

// error: "Two tools are named \"search_orders\"."
export const twice = Toolbox.make(Cancel, Search, Paged, Search2)

// error: "Two tools are named \"cancel_order\"."
export const same = Toolbox.make(Cancel, Cancel.pipe(GuardedTool.timeout("1 second")))

// error: "Two tools are named \"search_orders\"."
export const merged = Toolbox.merge(Toolbox.make(Search, Cancel), Toolbox.make(Paged, Search2))

// error: Type 'typeof Guard' is missing the following properties from type 'ToolClass<
export const noTool = Toolbox.make(Search, Guard)

// error: is missing the following properties from type 'ToolClass<
export const effect = Toolbox.make(Search.pipe(Effect.timeout("1 second")))

// error: Argument of type '"serch_orders"' is not assignable to parameter of type '"cancel_order" | "search_orders"'
export const name = Toolbox.make(Search, Cancel).call("serch_orders", {})
