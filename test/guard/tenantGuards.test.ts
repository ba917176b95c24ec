/** Tests that tenants with separate guards share neither circuits nor slots, and tenants of one guard circuits [8.3]. */
import * as CircuitsMemory from "#layers/CircuitsMemory"
import * as RetryQuotaMemory from "#layers/RetryQuotaMemory"
import { Guard } from "#src/guard/Guard"
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Layer } from "effect"
import { ask, response, start, tool } from "../pipeline/support.ts"

/** The guard of one tenant, as SECURITY.md describes it. */
const guardOfTenant = () =>
  Guard.layerMemoryWith(Layer.fresh(Layer.merge(CircuitsMemory.layer, RetryQuotaMemory.layer)))

const turnOf = (tenant: string) => ({ tenant, conversation: "c", turn: "1" })

describe("a guard for each tenant", () => {
  const failing = () => tool("search", { retry: { attempts: 1 } }, () => Effect.succeed(response(500, "{}")))
  const callsOf =
    (tenant: string, called: ReturnType<typeof failing>) =>
    (guard: Layer.Layer<any>, q: string): Effect.Effect<string> =>
      ask([called.tool], "search", { q }).pipe(
        (call) => Guard.turn(call, turnOf(tenant)),
        Effect.map(({ envelope }) => envelope.error.code),
        Effect.provide(Layer.merge(guard, called.layer) as Layer.Layer<any>)
      ) as Effect.Effect<string>

  for (const [what, isShared] of [
    ["one guard: a tenant whose calls fail opens the circuit for the other", true],
    ["a guard for each: a tenant whose calls fail does not open the circuit of the other", false]
  ] as const) {
    it.effect(`8.3, 4.11 ${what}`, () =>
      Effect.gen(function* () {
        const called = failing()
        const first = Layer.succeedContext(yield* Layer.build(guardOfTenant()))
        const second = isShared ? first : Layer.succeedContext(yield* Layer.build(guardOfTenant()))
        for (let n = 0; n < 20; n += 1) yield* callsOf("acme", called)(first, `q ${n}`)
        assert.strictEqual(yield* callsOf("acme", called)(first, "last"), "circuit_open")
        const code = yield* callsOf("other", called)(second, "q")
        assert.strictEqual(code === "circuit_open", isShared)
      }).pipe(Effect.scoped)
    )
  }

  it.effect("8.3, 4.9 a tenant that holds all slots of its guard does not hold those of another guard", () =>
    Effect.gen(function* () {
      const gate = Deferred.makeUnsafe<void>()
      const started: Array<string> = []
      const search = tool("search", { concurrency: 1 }, ({ q }: { readonly q: string }) =>
        Effect.as(
          Effect.andThen(
            Effect.sync(() => started.push(q)),
            Deferred.await(gate)
          ),
          { n: 1 }
        )
      )
      const call = (guard: Layer.Layer<any>, tenant: string) =>
        start(
          Guard.turn(ask([search.tool], "search", { q: tenant }), turnOf(tenant)).pipe(
            Effect.provide(Layer.merge(guard, search.layer) as Layer.Layer<any>)
          ) as Effect.Effect<unknown>
        )
      const first = Layer.succeedContext(yield* Layer.build(guardOfTenant()))
      const second = Layer.succeedContext(yield* Layer.build(guardOfTenant()))
      yield* call(first, "acme")
      yield* call(second, "other")
      assert.deepStrictEqual(started, ["acme", "other"])
      yield* Deferred.succeed(gate, undefined)
    }).pipe(Effect.scoped)
  )
})
