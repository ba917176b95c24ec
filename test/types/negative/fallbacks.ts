/** [4.12] A fallback must have the same success type, no higher access, and arguments that match its parameters. */
import { GuardedTool } from "effect-toolguard"
import { base, Cancel, Count, Paged, Search } from "../tools.ts"

export class Mapping extends GuardedTool.Service<Mapping>()("mapping", {
  ...base,
  access: "read",
  // error: Type 'number' is not assignable to type 'string'
  fallbacks: [{ tool: Search, arguments: ({ page }) => ({ customer_id: page }) }]
}) {}

export class Missing extends GuardedTool.Service<Missing>()("missing", {
  ...base,
  access: "read",
  // error: Property 'customer_id' is missing in type '{ page: number; }'
  fallbacks: [{ tool: Search, arguments: ({ page }) => ({ page }) }]
}) {}

export class Unknown extends GuardedTool.Service<Unknown>()("unknown", {
  ...base,
  access: "read",
  // error: Property 'customer' does not exist on type
  fallbacks: [{ tool: Search, arguments: (args) => ({ customer_id: args.customer }) }]
}) {}

export class HigherAccess extends GuardedTool.Service<HigherAccess>()("higher_access", {
  ...base,
  access: "read",
  fallbacks: [
    { tool: Search, arguments: (args) => args },
    // error: "A fallback's access must not be higher than its tool's."
    { tool: Cancel, arguments: (args) => args }
  ]
}) {}

export class OtherSuccess extends GuardedTool.Service<OtherSuccess>()("other_success", {
  ...base,
  access: "read",
  // error: "The fallback's success type is not this tool's success type."
  fallbacks: [{ tool: Count, arguments: ({ customer_id }) => ({ customer: customer_id }) }]
}) {}

export class UnknownCode extends GuardedTool.Service<UnknownCode>()("unknown_code", {
  ...base,
  access: "read",
  // error: Type '"not_fond"' is not assignable to type
  fallbacks: [{ tool: Search, on: ["not_fond"], arguments: (args) => args }]
}) {}

export class BarredCode extends GuardedTool.Service<BarredCode>()("barred_code", {
  ...base,
  access: "read",
  // error: Type '"unauthorized"' is not assignable to type
  fallbacks: [{ tool: Search, on: ["unauthorized"], arguments: (args) => args }]
}) {}

export class NoTool extends GuardedTool.Service<NoTool>()("no_tool", {
  ...base,
  access: "read",
  // error: Type 'string' is not assignable to type 'AnyTool'
  fallbacks: [{ tool: "search_orders", arguments: () => ({}) }]
}) {}

export const mapping = Search.pipe(
  // error: Type 'number' is not assignable to type 'string'
  GuardedTool.fallback(Paged, () => ({ customer_id: 1 }))
)

export const higherAccess = Search.pipe(
  // error: "A fallback's access must not be higher than its tool's."
  GuardedTool.fallback(Cancel, () => ({ customer_id: "C-1" }))
)

export const otherSuccess = Search.pipe(
  // error: "The fallback's success type is not this tool's success type."
  GuardedTool.fallback(Count, () => ({ customer: "C-1" }))
)
