/** Tests the policies that owners state for imported operations. */
import { compiledOf } from "#pipeline/call/CompiledTool"
import { Guard } from "#src/guard/Guard"
import type * as Import from "#src/openapi/Import"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { FetchHttpClient } from "effect/http"
import { answer, documentOf, imported, named } from "./importing.ts"

const ok = { responses: { 200: { description: "ok", content: { "application/json": { schema: {} } } } } }
const header = { name: "Idempotency-Key", in: "header", schema: { type: "string" } }
const document = documentOf({
  "/job": { get: { ...ok, operationId: "get_job" }, post: { ...ok, operationId: "start_job" } },
  "/keyed": { post: { ...ok, operationId: "pay_bill", parameters: [header] } }
})

/** Returns the definition of a tool with a policy. */
const definition = (name: string, policy: ReturnType<NonNullable<Import.ImportOptions["policy"]>>) =>
  compiledOf(named(imported(document, { policy: () => policy }), name)).definition

/** Provides a guard and an upstream that answers each request with the next body. */
const upstream = (...bodies: ReadonlyArray<object>) => {
  let requests = 0
  const layer = Layer.succeed(FetchHttpClient.Fetch, async () => {
    requests += 1
    return Response.json(bodies[Math.min(requests, bodies.length) - 1])
  })
  return {
    requests: () => requests,
    layer: Layer.merge(Guard.layerMemory, Layer.provide(FetchHttpClient.layer, layer))
  }
}

describe("the policy of an imported tool", () => {
  it("2.12 states access, idempotency, approval and budget, which take precedence over the document", () => {
    const { access, approval, budget, critical, idempotency } = definition("start_job", {
      access: "destructive",
      approval: "auto",
      budget: 7,
      critical: true,
      idempotency: "derived"
    })
    assert.deepStrictEqual([access, approval, budget, critical], ["destructive", "auto", 7, true])
    assert.deepInclude(idempotency, { mode: "derived", upstreamHonoursKey: false })
    assert.deepInclude(definition("pay_bill", {}).idempotency, { mode: "derived", upstreamHonoursKey: true })
    assert.deepInclude(definition("pay_bill", { idempotency: "none" }).idempotency, { mode: "none" })
  })

  it("2.12 is refused with the tool's name if its settings contradict each other, or contradict the option `access`", () => {
    const contradictory = () => definition("get_job", { access: "read", idempotency: "derived" })
    assert.throws(contradictory, /get_job: `idempotency` is derived, but `access` is read/)
    const twice = () => imported(document, { access: () => "read", policy: () => ({ access: "write" }) })
    assert.throws(twice, /get_job: the option `access` returns read, but `policy` states write; remove one of them\./)
    assert.throws(() => definition("get_job", { acces: "read" } as object), /`acces` is not a setting/)
  })

  it.live("4.6 makes identical writes again, unless a key or `repeats` makes them one action", () =>
    Effect.gen(function* () {
      for (const [name, policy, requests] of [
        ["start_job", {}, 5],
        ["start_job", { repeats: "once" }, 1],
        ["start_job", { idempotency: "derived" }, 1],
        ["pay_bill", {}, 1]
      ] as const) {
        const server = upstream({ id: 1 })
        const tool = named(imported(document, { policy: () => policy }), name)
        yield* Effect.forEach([1, 2, 3, 4, 5], () => answer(tool, {})).pipe(Guard.turn, Effect.provide(server.layer))
        assert.strictEqual(server.requests(), requests, `${name} ${JSON.stringify(policy)}`)
      }
    })
  )

  it.live("7.2 polls until the awaited result", () => {
    const poll = { interval: "1 millis", deadline: "1 minute", until: { path: "state", in: ["done"] } } as const
    const { layer, requests } = upstream({ state: "new" }, { state: "new" }, { state: "new" }, { state: "done" })
    const tool = named(imported(document, { policy: () => ({ poll }) }), "get_job")
    return Effect.gen(function* () {
      const states = yield* Effect.forEach([1, 2, 3, 4, 5], () =>
        Effect.map(answer(tool, {}), ({ data, error }) => data?.state ?? error.code)
      ).pipe(Guard.turn)
      assert.deepStrictEqual([states, requests()], [["new", "new", "new", "done", "done"], 5])
    }).pipe(Effect.provide(layer))
  })
})
