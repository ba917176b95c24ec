/**
 * Tests, with a layer of Budgets, that a write whose effect is unknown is looked up before it is made again [8.1].
 */
import * as TurnMemoryMemory from "#layers/TurnMemoryMemory"
import { Budgets } from "#services/Budgets"
import { CurrentTurn } from "#services/CurrentTurn"
import type { DatabaseUnavailable } from "#services/DatabaseUnavailable"
import { Guard } from "#src/guard/Guard"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Option, Schema } from "effect"
import { ask, response, tool } from "../pipeline/support.ts"
import { turn } from "./values.ts"

const down = Effect.fail(new Error("down"))
const absent = { found: [] }

/** Returns a write without a key, whose first attempt is answered with 500, and its lookup, whose first attempt fails. */
const world = (looked: unknown) => {
  const success = Schema.Struct({ found: Schema.Array(Schema.Int) })
  const lookup = tool("find_it", { success, retry: { attempts: 1 } }, down, looked)
  const reconcile = {
    tool: lookup.tool,
    arguments: () => ({ q: "a" }),
    found: ({ found }: typeof success.Type) => Option.map(Option.fromUndefinedOr(found[0]), (n) => ({ n }))
  }
  const write = tool("write_it", { access: "write", reconcile }, response(500, "oops"), { n: 2 })
  return { lookup, write }
}

export const writeLookupContract = (name: string, layer: Layer.Layer<Budgets, DatabaseUnavailable>): void => {
  describe(`a write whose effect is unknown (${name})`, () => {
    for (const [what, looked, expected, runs] of [
      ["fails again", down, "outcome_unknown", 1],
      ["finds the effect", { found: [3] }, { n: 3 }, 1],
      ["finds nothing", absent, { n: 2 }, 2]
    ] as const) {
      for (const place of ["this process", "another process"]) {
        it.effect(
          `8.1 makes ${runs === 1 ? "one attempt" : "two attempts"} if it is repeated by ${place}, and the lookup ${what}`,
          () =>
            Effect.gen(function* () {
              const { lookup, write } = world(looked)
              const budgets = Layer.succeed(Budgets, yield* Budgets)
              /** A process with its own memory of the turn. */
              const process = () =>
                Layer.build(
                  Layer.merge(
                    Guard.layerMemoryWith(Layer.merge(Layer.fresh(TurnMemoryMemory.layer), budgets)),
                    Layer.merge(write.layer, lookup.layer)
                  )
                )
              const first = yield* process()
              const second = place === "this process" ? first : yield* process()
              const call = (callId: string) =>
                Effect.provideService(ask([write.tool], "write_it", '{"q":"a"}', { callId }), CurrentTurn, {
                  ...turn,
                  turn: `${what}, ${place}`
                })
              const before = yield* Effect.provide(call("c1"), first)
              assert.strictEqual(before.envelope.error.code, "outcome_unknown")
              const { envelope } = yield* Effect.provide(call("c2"), second)
              assert.deepStrictEqual(envelope.error?.code ?? envelope.data, expected)
              assert.strictEqual(write.runs(), runs)
            }).pipe(Effect.scoped, Effect.provide(layer)) as Effect.Effect<void>
        )
      }
    }
  })
}
