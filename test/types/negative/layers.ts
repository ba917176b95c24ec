/** [2.1] A handler must return an Effect of the tool's success type, and must leave verdicts to checks. */
import { Context, Effect } from "effect"
import { PartialData, SemanticGarbage } from "effect-toolguard"
import { Paged, Search } from "../tools.ts"

class Database extends Context.Service<Database, { readonly rows: Effect.Effect<string> }>()("Database") {}

// error: Types of property 'orders' are incompatible
// error: Type 'number' is not assignable to type 'string'
export const wrongType = Search.layer(({ page }) => Effect.succeed({ orders: [1], page, has_more: true }))

// error: Property 'orders' is missing in type '{ orderz: never[]; page: number; has_more: true; }' but required in type 'Orders'
export const wrongField = Search.layer(({ page }) => Effect.succeed({ orderz: [], page, has_more: true }))

// error: Property 'orders' is missing in type '{ page: number; has_more: true; }' but required in type 'Orders'
export const wrongBuilt = Search.layer(Effect.succeed(({ page }) => Effect.succeed({ page, has_more: true })))

// error: Property 'customer' does not exist on type
export const wrongArgument = Search.layer(({ customer }) => Effect.succeed(customer))

// error: Type 'Promise<{ orders: never[]; page: number; has_more: boolean; }>' is missing the following properties from type 'Effect<
export const promise = Search.layer(async ({ page }) => ({ orders: [], page, has_more: false }))

// error: is not assignable to
export const value = Search.layer(() => ({ orders: [], page: 1, has_more: false }))

// error: Type 'Database' is not assignable to type 'never'
export const needing = Search.layerTest(() => Effect.flatMap(Database, ({ rows }) => rows))

const failed = { tool: "a", code: "b", detail: "c", hint: "d", sideEffect: "none", traceId: "e" } as const
const partial = new PartialData({ ...failed, data: {}, next: {} })

// error: "A handler must not fail with PartialData or SemanticGarbage: a check returns these verdicts on the decoded result."
export const ownVerdict = Search.layer(() => Effect.fail(partial))

// error: "A handler must not fail with PartialData or SemanticGarbage: a check returns these verdicts on the decoded result."
export const ownVerdictOfPaged = Paged.layer(() => Effect.fail(partial))

// error: "A handler must not fail with PartialData or SemanticGarbage: a check returns these verdicts on the decoded result."
export const builtVerdict = Search.layer(Effect.succeed(() => Effect.fail(new SemanticGarbage(failed))))

// error: "A handler must not fail with PartialData or SemanticGarbage: a check returns these verdicts on the decoded result."
export const testedVerdict = Search.layerTest(() => Effect.fail(new SemanticGarbage(failed)))
