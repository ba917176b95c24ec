/** Tests the order service of the example, the gateway in front of the service, and the guarded tools. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Schema } from "effect"
import { FetchHttpClient } from "effect/http"
import { Agent, type Backend, Guard } from "effect-toolguard"
import * as EscalationScripted from "effect-toolguard/layers/EscalationScripted"
import * as Gateway from "../../examples/orders/Gateway.ts"
import * as Handlers from "../../examples/orders/Handlers.ts"
import { backend } from "../../examples/orders/main.ts"
import * as OrderService from "../../examples/orders/OrderService.ts"
import { RefundOrder, SearchOrders } from "../../examples/orders/Tools.ts"

const get = (url: string, init?: RequestInit) =>
  Effect.promise(async () => {
    const response = await fetch(url, init)
    return { status: response.status, headers: response.headers, text: await response.text() }
  })

const rows = (text: string): ReadonlyArray<string> =>
  (JSON.parse(text) as { readonly orders: ReadonlyArray<{ readonly id: string }> }).orders.map(({ id }) => id)

/** Implements the tools with a gateway that truncates answers to `limit` bytes. */
const tools = (limit: number) =>
  Layer.unwrap(
    Effect.gen(function* () {
      return Handlers.layer(yield* Gateway.start(yield* OrderService.start, limit))
    })
  ).pipe(Layer.provide(FetchHttpClient.layer))

describe("the order service", () => {
  it.live("lists the 47 orders of a customer in pages, newest first", () =>
    Effect.gen(function* () {
      const service = yield* OrderService.start
      const seen: Array<string> = []
      let after = ""
      for (const expected of [20, 20, 7]) {
        const { text } = yield* get(`${service}/orders?customer=C-9921&limit=20${after}`)
        assert.lengthOf(rows(text), expected)
        seen.push(...rows(text))
        after = `&after=${seen.at(-1)}`
      }
      assert.deepStrictEqual(
        seen,
        Array.from({ length: 47 }, (_, index) => `O-${1047 - index}`)
      )
    })
  )

  it.live("refuses invalid requests with a status", () =>
    Effect.gen(function* () {
      const service = yield* OrderService.start
      const status = (path: string, init?: RequestInit) => Effect.map(get(`${service}${path}`, init), (r) => r.status)
      assert.strictEqual(yield* status("/orders"), 400)
      assert.strictEqual(yield* status("/orders?customer=C-9921&limit=101"), 400)
      assert.strictEqual(yield* status("/orders?customer=C-9921&after=O-9999"), 400)
      assert.strictEqual(yield* status("/orders/O-9999"), 404)
      assert.strictEqual(yield* status("/unknown"), 404)
      assert.strictEqual(yield* status("/refunds", { method: "POST", body: "{}" }), 400)
    })
  )

  it.live("makes a refund once per key and refuses the key for another refund", () =>
    Effect.gen(function* () {
      const service = yield* OrderService.start
      const refund = (key: string, order_id: string, cents: number) =>
        get(`${service}/refunds`, {
          method: "POST",
          headers: { "idempotency-key": key },
          body: JSON.stringify({ order_id, cents, reason: "late" })
        })
      const first = yield* refund("key-one", "O-1045", 2740)
      assert.strictEqual(first.status, 201)
      assert.strictEqual((yield* refund("key-one", "O-1045", 2740)).text, first.text)
      assert.strictEqual((yield* refund("key-one", "O-1046", 3990)).status, 422)
      assert.strictEqual((yield* refund("key-two", "O-1045", 2740)).status, 409)
      assert.strictEqual((yield* refund("key-three", "O-1046", 1)).status, 422)
      const { text } = yield* get(`${service}/refunds?key=key-one`)
      assert.deepStrictEqual(JSON.parse(text), { refunds: [JSON.parse(first.text)] })
    })
  )
})

describe("the gateway", () => {
  it.live("truncates an answer to its limit, although the HTTP response looks complete", () =>
    Effect.gen(function* () {
      const service = yield* OrderService.start
      const gateway = yield* Gateway.start(service, 4_096)
      const complete = yield* get(`${service}/orders?customer=C-9921`)
      const cut = yield* get(`${gateway}/orders?customer=C-9921`)
      assert.deepStrictEqual(
        [cut.status, cut.headers.get("content-type"), cut.headers.get("content-length"), cut.text],
        [200, "application/json", "4096", complete.text.slice(0, 4_096)]
      )
      assert.throws(() => JSON.parse(cut.text) as unknown, SyntaxError)
    })
  )

  it.live("passes on shorter answers, statuses, bodies and keys", () =>
    Effect.gen(function* () {
      const gateway = yield* Gateway.start(yield* OrderService.start, 4_096)
      const missing = yield* get(`${gateway}/orders/O-9999`)
      assert.strictEqual(missing.status, 404)
      assert.deepStrictEqual(JSON.parse(missing.text), {
        error: { code: "not_found", message: "There is no order O-9999." }
      })
      const refund = yield* get(`${gateway}/refunds`, {
        method: "POST",
        headers: { "idempotency-key": "key-one" },
        body: JSON.stringify({ order_id: "O-1045", cents: 2740, reason: "late" })
      })
      assert.strictEqual(refund.status, 201)
    })
  )
})

describe("the tools", () => {
  it.live("keep eleven orders of a truncated answer and continue to all 47", () =>
    Effect.gen(function* () {
      const found: Array<string> = []
      let args: Parameters<typeof SearchOrders.call>[0] | undefined = { customer_id: "C-9921" }
      const pages: Array<number> = []
      while (args !== undefined) {
        const page: { readonly orders: ReadonlyArray<{ readonly id: string }>; readonly next?: typeof args } =
          yield* Effect.catchTag(SearchOrders.call(args), "PartialData", ({ data, next }) =>
            Effect.succeed({ orders: data.orders, next })
          )
        pages.push(page.orders.length)
        found.push(...page.orders.map(({ id }) => id))
        args = page.next
      }
      assert.deepStrictEqual(pages, [11, 11, 11, 11, 3])
      assert.lengthOf(new Set(found), 47)
    }).pipe(Effect.provide([tools(4_096), Guard.layerMemory]))
  )

  it.live("refuse an answer without a complete row", () =>
    Effect.gen(function* () {
      const failure = yield* Effect.flip(SearchOrders.call({ customer_id: "C-9921" }))
      assert.deepStrictEqual([failure._tag, failure.code], ["SchemaMismatch", "truncated_response"])
    }).pipe(Effect.provide([tools(200), Guard.layerMemory]))
  )

  it.live("refund small amounts immediately, and larger amounts only if a person approves", () => {
    const small = { order_id: "O-1045", cents: 2740, reason: "late" } as const
    const large = { order_id: "O-1043", cents: 11_490, reason: "damaged" } as const
    return Effect.gen(function* () {
      assert.strictEqual((yield* RefundOrder.call(small)).refund_id, "R-1")
      assert.strictEqual((yield* Effect.flip(RefundOrder.call(large))).code, "approval_denied")
      assert.strictEqual((yield* RefundOrder.call(large)).refund_id, "R-2")
      const { asked } = yield* EscalationScripted.EscalationTranscript
      assert.deepStrictEqual(
        asked.map(({ sentence }) => sentence),
        ["Refund 114.90 EUR for order O-1043?", "Refund 114.90 EUR for order O-1043?"]
      )
    }).pipe(Effect.provide([tools(4_096), Guard.layerMemoryWith(EscalationScripted.layer(["deny", "approve"]))]))
  })

  it("have closed schemas with a description of every field", () => {
    const Field = Schema.Struct({ description: Schema.String })
    for (const tool of backend({}).tools.tools.values()) {
      const { additionalProperties, properties } = tool.jsonSchema
      assert.strictEqual(additionalProperties, false)
      for (const field of Object.values(properties as object)) assert.isTrue(Schema.is(Field)(field))
      assert.match(tool.description, /Read-only|Writes/)
      assert.include(tool.description, "Not for")
    }
  })
})

describe("the backend", () => {
  const run = (model: string, options: Backend.Settings = {}) => {
    const { layer, models = {}, prompt, tools } = backend(options)
    const asked = models[model]
    assert.isDefined(asked)
    return Agent.run({ prompt, tools }).pipe(
      Effect.provide([layer, asked, Guard.layerMemory]),
      Effect.provide(FetchHttpClient.layer)
    )
  }

  it.live("ends the run of a deaf model as LoopDetected after one attempt", () =>
    Effect.gen(function* () {
      const { _tag, usage } = yield* run("deaf")
      assert.deepStrictEqual([_tag, usage.attempts], ["LoopDetected", 1])
    })
  )

  it.live("lets the stubborn and the obedient model answer", () =>
    Effect.gen(function* () {
      for (const model of ["stubborn", "obedient"]) {
        const end = yield* run(model)
        assert.strictEqual(
          end._tag === "Answered" ? end.text : end._tag,
          "All 47 orders were read; 5 have not arrived: " +
            "O-1047 (placed), O-1046 (packed), O-1044 (shipped), O-1021 (shipped), O-1009 (packed)."
        )
        assert.deepStrictEqual([end.usage.calls, end.usage.attempts], [5, 5])
      }
    })
  )

  it.live("needs fewer calls with a gateway whose limit is higher", () =>
    Effect.gen(function* () {
      const { _tag, usage } = yield* run("stubborn", { gatewayLimit: 65_536 })
      assert.deepStrictEqual([_tag, usage.calls], ["Answered", 2])
    })
  )
})
