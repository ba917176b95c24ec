/** Tests which side effect the calls of a turn report if their attempts prove different side effects. */
import * as UnknownOutcomesMemory from "#layers/UnknownOutcomesMemory"
import { UnknownOutcomes } from "#services/UnknownOutcomes"
import { Guard } from "#src/guard/Guard"
import * as GuardedTool from "#src/tool/GuardedTool"
import { refuse } from "#pipeline/call/Refusal"
import { recall } from "#pipeline/stages/recall"
import * as TurnMemoryMemory from "#layers/TurnMemoryMemory"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Option, Schema } from "effect"
import { alone, ask, brief, complete, response, tool, within } from "./support.ts"

/** The side effect that one attempt proves, and its answer. */
const attempts = {
  "500": ["unknown", response(500, "oops")],
  "404": ["none", response(404, "")],
  "503 with Retry-After": ["none", response(503, "", { "retry-after": "1" })],
  nothingDone: ["none", Effect.fail(GuardedTool.nothingDone(new Error("ECONNRESET")))],
  "nothingDone, transient": ["none", Effect.fail(GuardedTool.nothingDone({ status: 502, message: "x" }))],
  reset: ["unknown", Effect.fail(Object.assign(new Error("x"), { code: "ECONNRESET" }))],
  done: ["committed", Effect.fail(GuardedTool.done({ status: 502, message: "x" }))]
} as const
type Attempt = keyof typeof attempts
const names = Object.keys(attempts) as ReadonlyArray<Attempt>

/** Defines a lookup that gives each answer in turn. */
const lookupWith = (...answers: ReadonlyArray<unknown>) =>
  tool("find_it", { success: Schema.Struct({ found: Schema.Array(Schema.Int) }), retry: { attempts: 1 } }, ...answers)
const down = Effect.fail(new Error("down"))
const absent = { found: [] }
const reconciledBy = (lookup: ReturnType<typeof lookupWith>) => ({
  tool: lookup.tool,
  arguments: () => ({ q: "a" }),
  found: ({ found }: { readonly found: ReadonlyArray<number> }) =>
    Option.map(Option.fromUndefinedOr(found[0]), (n) => ({ n }))
})
const policies = () => {
  const lookup = lookupWith(down)
  const reconcile = reconciledBy(lookup)
  const honoured = { idempotency: { mode: "derived" as const, upstreamHonoursKey: true }, retry: { jitter: "none" } }
  return [
    ["none", {}, []],
    ["repeats allowed", { idempotency: "none", repeats: "allowed" }, []],
    ["an honoured key", honoured, []],
    ["a lookup that fails", { reconcile }, [lookup.layer]],
    ["an honoured key and a lookup that fails", { ...honoured, reconcile }, [lookup.layer]]
  ] as const
}

describe("the attempts of identical calls in a turn", () => {
  for (const [name, policy, layers] of policies()) {
    for (const first of names) {
      for (const second of names) {
        it.effect(
          `3.3 a write with the policy "${name}" reports the most severe effect so far after ${first}, then ${second}`,
          () => {
            const write = tool("write_it", { access: "write", ...policy }, attempts[first][1], attempts[second][1])
            const effects = [attempts[first][0], attempts[second][0], attempts[second][0], attempts[second][0]]
            return Effect.gen(function* () {
              for (const round of [1, 2, 3]) {
                const { outcome } = yield* complete(ask([write.tool], "write_it", '{"q":"a"}', { round }))
                const made = new Set<string>(effects.slice(0, write.runs()))
                const mostSevere = made.has("committed") ? "committed" : made.has("unknown") ? "unknown" : "none"
                if (outcome._tag === "Success") assert.fail("succeeded")
                else
                  assert.strictEqual(
                    outcome.failure.sideEffect,
                    mostSevere,
                    brief(outcome.failure).join() + write.runs()
                  )
              }
            }).pipe(within([write.layer, ...layers]))
          }
        )
      }
    }
  }
})

/** Makes a model's call. Returns `brief` of its failure, or its status. */
const made = (tool: GuardedTool.AnyTool) =>
  Effect.map(complete(ask([tool], tool.toolName, '{"q":"a"}')), ({ envelope, outcome }) =>
    outcome._tag === "Failure" ? brief(outcome.failure).join(" ") : (envelope.status as string)
  )
const named = { name: "write_it", traceId: "trace" }
const unknown = "HumanReview outcome_unknown unknown"

describe("a write whose effect an earlier call left unknown", () => {
  for (const [what, second, looked, expected] of [
    ["a lookup finds nothing", response(404, ""), absent, "Permanent not_found none"],
    ["a lookup finds the effect", response(404, ""), { found: [3] }, "success"],
    ["the lookup fails", response(404, ""), down, unknown],
    ["the write succeeds", { n: 2 }, absent, "success"]
  ] as const) {
    it.effect(`3.3 if the write is called again and ${what}, the outcome is ${expected}`, () => {
      const lookup = lookupWith(down, looked)
      const reconcile = reconciledBy(lookup)
      const write = tool("write_it", { access: "write", reconcile }, response(500, "oops"), second)
      return Effect.gen(function* () {
        assert.deepStrictEqual([yield* made(write.tool), yield* made(write.tool)], [unknown, expected])
      }).pipe(within([write.layer, lookup.layer]))
    })
  }

  it.effect("3.3 once a lookup has found nothing, later failures keep their own effects", () => {
    const lookup = lookupWith(down, absent)
    const policy = { access: "write", reconcile: reconciledBy(lookup), retry: { attempts: 1 } }
    const write = tool("write_it", policy, response(500, "oops"), response(503, "", { "retry-after": "1" }))
    return Effect.gen(function* () {
      const answers = [yield* made(write.tool), yield* made(write.tool), yield* made(write.tool)]
      assert.deepStrictEqual(answers, [unknown, ...Array(2).fill("Transient unavailable none")])
      assert.deepStrictEqual([write.runs(), lookup.runs()], [3, 2])
    }).pipe(within([write.layer, lookup.layer]))
  })

  it.effect(
    "3.3 the effect is unknown if a lookup finds nothing while the handler of the earlier call still runs",
    () => {
      const lookup = lookupWith(absent)
      const policy = { access: "write", reconcile: reconciledBy(lookup), retry: { attempts: 1 }, timeout: "1 second" }
      const endless = Effect.uninterruptible(Effect.as(Effect.sleep("1 day"), { n: 1 }))
      const write = tool("write_it", policy, endless, response(404, ""))
      return Effect.gen(function* () {
        assert.deepStrictEqual([yield* made(write.tool), yield* made(write.tool)], [unknown, unknown])
        assert.strictEqual(write.runs(), 1)
      }).pipe(within([write.layer, lookup.layer]))
    }
  )

  it.effect("3.3 the effect is none if a retry did nothing and a lookup then finds nothing", () => {
    const lookup = lookupWith(down, absent)
    const policy = {
      access: "write",
      idempotency: { mode: "derived", upstreamHonoursKey: true },
      reconcile: reconciledBy(lookup)
    }
    const write = tool("write_it", policy, response(500, "oops"), response(404, ""))
    return Effect.gen(function* () {
      assert.strictEqual(yield* made(write.tool), "Permanent not_found none")
      assert.strictEqual(write.runs(), 2)
    }).pipe(within([write.layer, lookup.layer]))
  })

  it.effect("3.3, 4.12 if the write is called again and its lookup fails, no fallback is tried", () => {
    const lookup = lookupWith(down)
    const other = tool("other", { access: "write" }, { n: 9 })
    const fallbacks = [{ tool: other.tool, arguments: (args: unknown) => args }]
    const policy = { access: "write", reconcile: reconciledBy(lookup), fallbacks }
    const write = tool("write_it", policy, response(500, "oops"), response(404, ""))
    return Effect.gen(function* () {
      assert.deepStrictEqual([yield* made(write.tool), yield* made(write.tool)], [unknown, unknown])
      assert.deepStrictEqual([write.runs(), other.runs()], [1, 0])
    }).pipe(within([write.layer, lookup.layer, other.layer]))
  })

  it.effect(
    "3.3, 10.5 after a person found that it was not done, the failure of the next attempt keeps its own effect",
    () => {
      const write = tool("write_it", { access: "write" }, response(500, "oops"), response(404, ""))
      return Effect.gen(function* () {
        assert.strictEqual(yield* made(write.tool), unknown)
        const outcomes = yield* UnknownOutcomes
        const [open] = yield* outcomes.open({ limit: 1 })
        yield* outcomes.settle(open!.id, { finding: "not_done", by: "ana", reason: "" })
        assert.deepStrictEqual(
          [yield* made(write.tool), yield* made(write.tool)],
          ["Permanent not_found none", "Permanent not_found none"]
        )
      }).pipe(within([write.layer], Guard.layerMemoryWith(Layer.fresh(UnknownOutcomesMemory.layer))))
    }
  )

  for (const [code, expected] of [
    ["key_conflict", unknown],
    ["in_progress", "Transient in_progress none"],
    ["approval_denied", "HumanReview approval_denied none"]
  ] as const) {
    it.effect(`3.3 a later call that is refused with ${code} before any attempt reports ${expected}`, () => {
      const { tool: write } = tool("write_it", { access: "write" })
      const outcomes = [refuse(named, "outcome_unknown", { detail: "", sideEffect: "unknown" })]
      return Effect.gen(function* () {
        const { run } = yield* alone(recall, write, () =>
          Effect.sync(() => outcomes.pop() ?? refuse(named, code, { detail: "" }))
        )
        yield* run()
        const outcome = yield* run()
        assert.strictEqual(outcome._tag === "Failure" ? brief(outcome.failure).join(" ") : "", expected)
      }).pipe(Effect.provide(TurnMemoryMemory.layer))
    })
  }
})
