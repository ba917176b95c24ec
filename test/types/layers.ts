/** One function creates the layer of a tool from any kind of handler, and infers what the layer requires. */
import { Context, Effect, Layer, Schema, type Scope, type Stream } from "effect"
import { HttpClient, type HttpClientError } from "effect/http"
import { type Guard, GuardedTool, Toolbox } from "effect-toolguard"
import { assertType, type Equals } from "./kit.ts"
import { base, type Orders, Search } from "./tools.ts"

class Database extends Context.Service<
  Database,
  { readonly query: (sql: string) => Effect.Effect<ReadonlyArray<string>, Error> }
>()("Database") {}

// plain handlers

const plain = Search.layer(({ page }) => Effect.succeed({ orders: [], page, has_more: false }))
assertType<Equals<typeof plain, Layer.Layer<Search>>>()

const needing = Search.layer(({ customer_id, page }, { attempt, callId, idempotencyKey }) =>
  Effect.gen(function* () {
    const database = yield* Database
    const orders = yield* database.query([customer_id, callId, idempotencyKey, attempt.toFixed()].join())
    return { orders, page, has_more: false }
  })
)
assertType<Equals<typeof needing, Layer.Layer<Search, never, Database>>>()

const function_ = Search.layer(
  Effect.fn("search")(function* ({ customer_id, page }) {
    const database = yield* Database
    return { orders: yield* database.query(customer_id), page, has_more: false }
  })
)
assertType<Equals<typeof function_, Layer.Layer<Search, never, Database>>>()

// built handlers

const built = Search.layer(
  Effect.gen(function* () {
    const database = yield* Database
    return ({ customer_id, page }) =>
      Effect.map(database.query(customer_id), (orders) => ({ orders, page, has_more: false }))
  })
)
assertType<Equals<typeof built, Layer.Layer<Search, never, Database>>>()

const both = Search.layer(
  Effect.gen(function* () {
    const http = yield* HttpClient.HttpClient
    return ({ customer_id, page }) =>
      Effect.gen(function* () {
        const database = yield* Database
        yield* http.get(`/orders?page=${page}`)
        return { orders: yield* database.query(customer_id), page, has_more: false }
      })
  })
)
assertType<Equals<typeof both, Layer.Layer<Search, never, Database | HttpClient.HttpClient>>>()

const failing = Search.layer(
  Effect.gen(function* () {
    if ((yield* Database) === undefined) return yield* Effect.fail("no database" as const)
    return ({ page }) => Effect.succeed({ orders: [], page, has_more: false })
  })
)
assertType<Equals<typeof failing, Layer.Layer<Search, "no database", Database>>>()

const mapped = Search.layer(
  Effect.map(
    Database,
    (database) =>
      ({ customer_id, page }) =>
        Effect.map(database.query(customer_id), (orders) => ({ orders, page, has_more: false }))
  )
)
assertType<Equals<typeof mapped, Layer.Layer<Search, never, Database>>>()

// the build uses the scope of the layer, and each run a new scope

declare const connection: Effect.Effect<string, "refused", Scope.Scope>
const scopedBuild = Search.layer(
  Effect.gen(function* () {
    const address = yield* connection
    return ({ page }) => Effect.succeed({ orders: [address], page, has_more: false })
  })
)
assertType<Equals<typeof scopedBuild, Layer.Layer<Search, "refused">>>()
const scopedRun = Search.layer(({ page }) =>
  Effect.map(connection, (address) => ({ orders: [address], page, has_more: false }))
)
assertType<Equals<typeof scopedRun, Layer.Layer<Search>>>()

// a handler can answer with the value, its JSON as text or bytes, a response or a stream of bytes

const text = Search.layer(() => Effect.succeed(`{"orders":[],"page":1,"has_more":false}`))
assertType<Equals<typeof text, Layer.Layer<Search>>>()
const bytes = Search.layer(() => Effect.succeed(new Uint8Array(2)))
assertType<Equals<typeof bytes, Layer.Layer<Search>>>()
const instance = Search.layer(() => Effect.succeed<Orders>({ orders: [], page: 1, has_more: false }))
assertType<Equals<typeof instance, Layer.Layer<Search>>>()
const response = Search.layer(({ page }) =>
  Effect.flatMap(HttpClient.HttpClient, (http) => http.get(`/orders?page=${page}`))
)
assertType<Equals<typeof response, Layer.Layer<Search, never, HttpClient.HttpClient>>>()
declare const lines: Stream.Stream<Uint8Array, HttpClientError.HttpClientError>
const stream = Search.layer(() => Effect.succeed(lines))
assertType<Equals<typeof stream, Layer.Layer<Search>>>()

// a test layer requires nothing; a lazy layer does not fail

const test = Search.layerTest(({ page }) =>
  page > 9 ? Effect.fail(new Error("no such page")) : Effect.succeed({ orders: ["O-1"], page, has_more: false })
)
assertType<Equals<typeof test, Layer.Layer<Search>>>()
const lazy = Search.layerLazy(failing)
assertType<Equals<typeof lazy, Layer.Layer<Search, never, Database>>>()

// `success` can be a string, bytes or an instance of a class

class Read extends GuardedTool.Service<Read>()("read_page", { ...base, access: "read", success: Schema.String }) {}
const read = Read.layer(() => Effect.succeed("a page"))
assertType<Equals<typeof read, Layer.Layer<Read>>>()

class Invoice extends Schema.Class<Invoice>("Invoice")({ cents: Schema.Int }) {}
class Bill extends GuardedTool.Service<Bill>()("bill_order", { ...base, access: "read", success: Invoice }) {}
const bill = Bill.layer(() => Effect.succeed(new Invoice({ cents: 1 })))
assertType<Equals<typeof bill, Layer.Layer<Bill>>>()
const billed = Bill.call({ customer_id: "C-1" })
assertType<Equals<Effect.Success<typeof billed>, Invoice>>()

// all requirements of both layers are provided

const all = Layer.mergeAll(built, bill).pipe(
  Layer.provide(Layer.succeed(Database, { query: () => Effect.succeed([]) }))
)
assertType<Equals<typeof all, Layer.Layer<Search | Bill>>>()

// two classes with the same name are two services, which the compiler can distinguish by their ids

class SandboxSearch extends GuardedTool.Service<SandboxSearch>()("search_orders", {
  ...base,
  access: "read",
  id: "sandbox/search_orders"
}) {}
const sandboxed = SandboxSearch.layer(({ page }) => Effect.succeed({ orders: [], page, has_more: false }))
const alike = Layer.mergeAll(plain, sandboxed)
assertType<Equals<typeof alike, Layer.Layer<Search | SandboxSearch>>>()
const toolbox = Toolbox.make(Search)
const sandbox = Toolbox.make(SandboxSearch)
declare const both_: Effect.Effect<
  void,
  never,
  GuardedTool.RequirementsOf<Toolbox.Tools<typeof toolbox> | Toolbox.Tools<typeof sandbox>>
>
const provided = both_.pipe(Effect.provide(alike))
assertType<Equals<typeof provided, Effect.Effect<void>>>()
const half = both_.pipe(Effect.provide(sandboxed))
assertType<Equals<typeof half, Effect.Effect<void, never, Search>>>()
const overridden = SandboxSearch.pipe(GuardedTool.fallback(Search, (args) => args))
assertType<Equals<(typeof overridden)["toolId"], "sandbox/search_orders">>()
assertType<Equals<(typeof Search)["toolId"], "search_orders">>()

// without ids the compiler does not distinguish classes of equal types, and a missing layer is a failure at run time

class Twin extends GuardedTool.Service<Twin>()("search_orders", { ...base, access: "read" }) {}
const twin = Twin.layer(({ page }) => Effect.succeed({ orders: [], page, has_more: false }))
const twins = Layer.mergeAll(plain, twin)
assertType<Equals<typeof twins, Layer.Layer<Search | Twin>>>()
const asked = Effect.all([Search.call({ customer_id: "1" }), Twin.call({ customer_id: "1" })]).pipe(
  Effect.provide(twins)
)
assertType<Equals<Effect.Services<typeof asked>, Guard>>()
