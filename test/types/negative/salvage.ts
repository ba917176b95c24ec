/** [4.9] A salvaged part of a cut answer must say how to continue. */
import { GuardedTool } from "effect-toolguard"
import { base } from "../tools.ts"

export class OtherField extends GuardedTool.Service<OtherField>()("other_field", {
  ...base,
  access: "read",
  // error: `next` contains a field that is not a parameter of this tool: offset
  salvage: { path: "orders", next: (result) => ({ offset: result.orders.length }) }
}) {}

export class OtherType extends GuardedTool.Service<OtherType>()("other_type", {
  ...base,
  access: "read",
  // error: Type 'string' is not assignable to type 'number'
  salvage: { path: "orders", next: () => ({ page: "2" }) }
}) {}

export class NoArguments extends GuardedTool.Service<NoArguments>()("no_arguments", {
  ...base,
  access: "read",
  // error: A partial verdict must say how to continue
  salvage: { path: "orders", next: () => ({}) }
}) {}

export class Rest extends GuardedTool.Service<Rest>()("rest", {
  ...base,
  access: "read",
  // error: Type '{ hasMore: boolean; }' has no properties in common with type
  salvage: { path: "orders", rest: () => ({ hasMore: true }), narrow: "Ask for one month." }
}) {}
