/** [2.5] A caller must respect the arguments, the failures and the requirements of a tool. */
import { Effect, Layer } from "effect"
import { Agent, type CallFailure, emptyFirstPage, Guard, GuardedTool, Toolbox } from "effect-toolguard"
import { base, type Orders, Paged, Search } from "../tools.ts"

class Sound extends GuardedTool.Service<Sound>()("sound", {
  ...base,
  access: "read",
  checks: { empty: emptyFirstPage((result) => result.orders) }
}) {}

// a caller that ignores the verdict of a check

// error: Type 'PartialData<Orders, { readonly customer_id: string; readonly page?: number; }>' is not assignable to type
export const partial: Effect.Effect<Orders, CallFailure, Paged | Guard> = Paged.call({ customer_id: "C-1" })

// error: Type 'SemanticGarbage' is not assignable to type
export const garbage: Effect.Effect<Orders, CallFailure, Sound | Guard> = Sound.call({ customer_id: "C-1" })

// a tag that cannot occur

export const caught = Search.call({ customer_id: "C-1" }).pipe(
  // error: Argument of type '"PartialData"' is not assignable to parameter of type '"HumanReview" | "Permanent" | "Resource" | "SchemaMismatch" | "ToolArgError" | "Transient"
  Effect.catchTag("PartialData", () => Effect.succeed("caught"))
)

export const caughtGarbage = Paged.call({ customer_id: "C-1" }).pipe(
  // error: Argument of type '"SemanticGarbage"' is not assignable to parameter of type
  Effect.catchTag("SemanticGarbage", () => Effect.succeed("caught"))
)

// missing layers

const call = Search.call({ customer_id: "C-1" })
const handler = Search.layerTest(() => Effect.succeed({ orders: [], page: 1, has_more: false }))

// error: Type 'Guard | Search' is not assignable to type 'never'
export const nothing = Effect.runPromise(call)

// error: Type 'Guard' is not assignable to type 'never'
export const noGuard = Effect.runPromise(call.pipe(Effect.provide(handler)))

// error: Type 'Search' is not assignable to type 'never'
export const noHandler: Effect.Effect<unknown, unknown> = call.pipe(Effect.provide(Guard.layerMemory))

const run = Agent.run({ prompt: "Hello", tools: Toolbox.make(Search) })
// error: LanguageModel' is not assignable to type 'never'
export const noModel = Effect.runPromise(run.pipe(Effect.provide(Layer.merge(handler, Guard.layerMemory))))

// arguments

// error: 'customer' does not exist in type
export const misspelt = Search.call({ customer: "C-1" })

// error: Property 'customer_id' is missing in type '{ page: number; }'
export const incomplete = Search.call({ page: 1 })

// error: Type 'string' is not assignable to type 'number'
export const wrongType = Search.call({ customer_id: "C-1", page: "1" })

// calls that bypass the guard

export const unguarded = Effect.gen(function* () {
  const search = yield* Search
  // error: Property 'run' does not exist on type 'Implementation<
  return yield* search.run({ customer_id: "C-1", page: 1 })
})

// error: Property 'handler' does not exist on type 'Implementation<
export const handlerOf = Effect.map(Search, (search) => search.handler)
