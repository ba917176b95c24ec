/** Tests that the guard in memory uses the services that its users provide [2.11]. */
import { Authorizer } from "#services/Authorizer"
import { Guard } from "#src/guard/Guard"
import { assert, describe, it } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import { Artifacts } from "#services/Artifacts"
import { Budgets } from "#services/Budgets"
import { CallLog } from "#services/CallLog"
import { Circuits } from "#services/Circuits"
import { Digest } from "#services/Digest"
import { Escalation } from "#services/Escalation"
import { Halts } from "#services/Halts"
import { IdempotencyKeys } from "#services/IdempotencyKeys"
import { Redactor } from "#services/Redactor"
import { RetryQuota } from "#services/RetryQuota"
import { TurnMemory } from "#services/TurnMemory"
import { UnknownOutcomes } from "#services/UnknownOutcomes"
import { response, tool } from "../pipeline/support.ts"

const services = [
  Artifacts,
  Authorizer,
  Budgets,
  CallLog,
  Circuits,
  Digest,
  Escalation,
  Halts,
  IdempotencyKeys,
  Redactor,
  RetryQuota,
  TurnMemory,
  UnknownOutcomes
] as const

/** Provides the service in memory, and calls `use` when the guard reads a member of it. */
const watched = (key: (typeof services)[number], use: () => void) =>
  Layer.effectContext(
    Effect.map(Effect.context<Layer.Success<typeof Guard.memory>>(), (context) => {
      const service: object = Context.get(context, key as typeof Authorizer) // `key` may be any of the services
      const watching = new Proxy(service, {
        get: (target, name) => {
          use()
          return Reflect.get(target, name) as unknown
        }
      })
      return Context.make(key as Context.Key<any, object>, watching)
    })
  ).pipe(Layer.provide(Guard.memory))

const ways = {
  "provided to layerMemory": (layer: Layer.Layer<any>) => Guard.layerMemory.pipe(Layer.provide(layer)),
  "provided to layerMemory and kept": (layer: Layer.Layer<any>) => Guard.layerMemory.pipe(Layer.provideMerge(layer)),
  "provided to layerMemoryWith": (layer: Layer.Layer<any>) =>
    Guard.layerMemoryWith(Layer.empty).pipe(Layer.provide(layer)),
  "given to layerMemoryWith": (layer: Layer.Layer<any>) => Guard.layerMemoryWith(layer)
}

// the answer does not say whether anything was done, so every service is used
const write = tool("write", { access: "write", idempotency: "derived" }, response(500, "{}"))

const called = (guard: Layer.Layer<any>) =>
  Guard.turn(write.tool.call({ q: "a" })).pipe(
    Effect.provide(Layer.fresh(Layer.merge(guard, write.layer))),
    Effect.exit
  )

for (const [way, guardWith] of Object.entries(ways)) {
  describe(`a service ${way}`, () => {
    for (const key of services) {
      it.effect(`2.11 replaces the service in memory: ${key.key}`, () =>
        Effect.gen(function* () {
          let isUsed = false
          yield* called(guardWith(watched(key, () => void (isUsed = true))))
          assert.isTrue(isUsed)
        })
      )
    }
  })
}

describe("services given to layerMemoryWith and provided to it", () => {
  it.effect("2.11 the given service takes precedence", () =>
    Effect.gen(function* () {
      const used: Array<string> = []
      const watching = (name: string) => watched(Authorizer, () => void used.push(name))
      yield* called(Guard.layerMemoryWith(watching("given")).pipe(Layer.provide(watching("provided"))))
      assert.deepStrictEqual([...new Set(used)], ["given"])
    })
  )
})
