/** Tests `idempotency: "derived"` of a guard, a toolbox, a use site and the code around a call. */
import type { SharedPolicy } from "#domain/tool/PolicyInput"
import { ToolPolicy } from "#services/Policies"
import { Guard } from "#src/guard/Guard"
import * as GuardedTool from "#src/tool/GuardedTool"
import * as Toolbox from "#src/tool/Toolbox"
import { assert, describe, it } from "@effect/vitest"
import { Cause, Effect, Exit, Layer } from "effect"
import { brief, complete, define, handled, outside, type Tool, tool, turn, within } from "../pipeline/support.ts"

const boxOf: (...tools: ReadonlyArray<Tool>) => Toolbox.Toolbox<Tool> = Toolbox.make

const sources = ["guard", "toolbox", "useSite", "call"] as const
type Source = (typeof sources)[number]
const shown = { guard: "guard", toolbox: "toolbox", useSite: "use site", call: "use site" } as const

const derived: SharedPolicy = { idempotency: "derived" }

const lost = Effect.fail(Object.assign(new Error("read ECONNRESET"), { code: "ECONNRESET" }))
const refused = Effect.fail(Object.assign(new Error("connect ECONNREFUSED"), { code: "ECONNREFUSED" }))

/**
 * Returns a toolbox and a guard with the policy of a source, and a function that provides the policy around a call.
 */
const given = (one: Tool, source: Source | undefined, policy: SharedPolicy = derived) => {
  const of = (wanted: Source): SharedPolicy => (source === wanted ? policy : {})
  const { retry: _, ...useSite } = of("useSite")
  return {
    box: Toolbox.policy(of("toolbox"))(boxOf(one.pipe(GuardedTool.policy(useSite)))),
    guard: Guard.layerMemory.pipe(Layer.provide(Layer.succeed(ToolPolicy, of("guard")))),
    around: <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.provideService(effect, ToolPolicy, of("call"))
  }
}

/** Makes the same call in two turns, under one key of a client. Returns the outcomes, and the keys of the attempts. */
const twice = (definition: object, source: Source | undefined, ...answers: ReadonlyArray<unknown>) => {
  const write = tool("write_it", { access: "write", ...definition }, ...answers)
  const { around, box, guard } = given(write.tool, source)
  const call = { name: "write_it", arguments: '{"q":"a"}', callId: "c", idempotencyKey: "order-7-refund-key" }
  const made = (name: string) =>
    Effect.map(complete(Guard.turn(around(box.answer(call)), { ...turn, turn: name })), ({ outcome }) =>
      outcome._tag === "Success" ? [outcome.value, outcome.idempotent ?? false] : brief(outcome.failure)
    )
  return Effect.gen(function* () {
    const outcomes = [yield* made("one"), yield* made("two")]
    return { outcomes, keys: write.calls.map(({ context }) => context.idempotencyKey) }
  }).pipe(outside([write.layer], guard))
}

/** Makes the same call of a program twice in one turn. Returns how often the tool ran. */
const runsOf = (definition: object, source: Source | undefined) => {
  const write = tool("write_it", { access: "write", budget: 9, ...definition }, { n: 1 }, { n: 2 })
  const { around, box, guard } = given(write.tool, source)
  const call = around(box.call("write_it", { q: "a" }))
  return Effect.as(Effect.andThen(call, call), write).pipe(
    Effect.map(({ runs }) => runs()),
    within([write.layer], guard)
  )
}

/** Returns values and origins of fields, as `describe` shows them. */
const described = (one: Tool, source: Source | undefined, policy?: SharedPolicy) => {
  const { around, box, guard } = given(one, source, policy)
  return Effect.map(around(Toolbox.describe(box)), ([description]) =>
    ["idempotency.mode", "budget"].map((name) => {
      const found = description?.fields.find(({ field }) => field === name)
      return [found?.value, found?.origin]
    })
  ).pipe(Effect.provide(guard))
}

const writeOf = (definition: object = {}) => define("write_it", { access: "write", ...definition })

describe("idempotency for several tools", () => {
  for (const source of sources) {
    it.effect(`2.11 of the ${source} makes an action of a write once under a key, as the definition does`, () =>
      Effect.gen(function* () {
        for (const access of ["write", "destructive"]) {
          const definition = { access, approval: "auto" }
          const own = yield* twice({ ...definition, idempotency: "derived" }, undefined, { n: 1 }, { n: 2 })
          assert.deepStrictEqual(own.outcomes, [
            [{ n: 1 }, false],
            [{ n: 1 }, true]
          ])
          assert.deepStrictEqual(yield* twice(definition, source, { n: 1 }, { n: 2 }), own)
        }
        assert.strictEqual(yield* runsOf({}, undefined), 2)
        assert.strictEqual(yield* runsOf({}, source), 1)
      })
    )

    it.effect(`8.1 of the ${source} does not repeat an action with an unknown outcome, as the definition does`, () =>
      Effect.gen(function* () {
        const own = yield* twice({ idempotency: "derived" }, undefined, lost, { n: 2 })
        assert.strictEqual(own.keys.length, 1)
        assert.deepStrictEqual(own.outcomes[1], ["HumanReview", "outcome_unknown", "unknown"])
        assert.deepStrictEqual(yield* twice({}, source, lost, { n: 2 }), own)
      })
    )

    it.effect(`8.1 of the ${source} retries an attempt that did nothing under the same key`, () =>
      Effect.gen(function* () {
        const { keys, outcomes } = yield* twice({}, source, refused, { n: 1 })
        assert.deepStrictEqual(outcomes[1], [{ n: 1 }, true])
        assert.strictEqual(keys.length, 2)
        assert.strictEqual(keys[0], keys[1])
      })
    )

    it.effect(`2.11 of the ${source} does not change the mode that a definition states`, () =>
      Effect.gen(function* () {
        assert.strictEqual(yield* runsOf({ idempotency: "none" }, source), 2)
        for (const idempotency of ["none", "key"]) {
          const [mode] = yield* described(writeOf({ idempotency }), source)
          assert.deepStrictEqual(mode, [idempotency, "tool"])
        }
      })
    )

    it.effect(`2.12 of the ${source} is described with its origin, and raises the budget of a write`, () =>
      Effect.gen(function* () {
        assert.deepStrictEqual(yield* described(writeOf(), undefined), [
          ["none", "default"],
          [1, "default"]
        ])
        assert.deepStrictEqual(yield* described(writeOf(), source), [
          ["derived", shown[source]],
          [4, "default"]
        ])
      })
    )

    it.effect(`2.11 of the ${source} does not change a write that is polled`, () =>
      Effect.gen(function* () {
        const poll = { interval: "1 second", deadline: "1 minute", until: () => false }
        const [mode] = yield* described(writeOf({ poll }), source)
        assert.strictEqual(mode?.[0], "none")
      })
    )
  }

  for (const source of ["guard", "toolbox", "call"] as const) {
    it.effect(`2.8 a retry of the ${source} applies to the writes that its idempotency covers`, () =>
      Effect.gen(function* () {
        const retry = { attempts: 6 }
        const [, budget] = yield* described(writeOf(), source, { retry })
        assert.strictEqual(budget?.[0], 1)
        const [, keyed] = yield* described(writeOf(), source, { retry, idempotency: "derived" })
        assert.strictEqual(keyed?.[0], 6)
      })
    )

    it.effect(`2.11 of the ${source} does not change a read`, () =>
      Effect.gen(function* () {
        const [mode] = yield* described(define("search"), source)
        assert.strictEqual(mode?.[0], "none")
        assert.strictEqual(yield* runsOf({ access: "read" }, source), 2)
      })
    )
  }

  it("2.11 of a use site is refused for a read", () => {
    assert.throws(
      () => GuardedTool.policy(derived)(define("search")),
      RangeError,
      "search: `idempotency` is for writes, but `access` is read; remove one of them."
    )
  })

  it.effect("2.11 of the nearest source is described", () =>
    Effect.gen(function* () {
      const box = Toolbox.policy(derived)(boxOf(writeOf().pipe(GuardedTool.policy(derived))))
      const [description] = yield* Toolbox.describe(box)
      const mode = description?.fields.find(({ field }) => field === "idempotency.mode")
      assert.deepStrictEqual([mode?.value, mode?.origin], ["derived", "use site"])
    }).pipe(Effect.provide(Guard.layerMemory))
  )

  it.effect("2.11 around one call of a tool does not apply to the next call without it", () => {
    const write = tool("write_it", { access: "write", budget: 9 }, { n: 1 })
    const call = boxOf(write.tool).call("write_it", { q: "a" })
    return Effect.gen(function* () {
      yield* call.pipe(Effect.provideService(ToolPolicy, { critical: false }))
      yield* call.pipe(Effect.provideService(ToolPolicy, { critical: false, idempotency: "derived" }))
      yield* call.pipe(Effect.provideService(ToolPolicy, { idempotency: "derived" }))
      yield* call
      assert.deepStrictEqual(
        write.calls.map(({ context }) => context.idempotencyKey !== ""),
        [false, true, false]
      )
    }).pipe(within([write.layer]))
  })

  for (const idempotency of ["key", "none", { mode: "derived" }]) {
    const text = JSON.stringify(idempotency)
    it.effect(`2.11 ${text} is refused wherever it is shared, with the remedy`, () => {
      const policy = { idempotency } as unknown as SharedPolicy // an untyped program can give anything
      const message = `\`idempotency\` is ${text}; write "derived", or state another mode in the definition of the tool, because "key" adds a parameter to its contract.`
      const write = writeOf()
      assert.throws(() => GuardedTool.policy(policy)(write), RangeError, `write_it: ${message}`)
      assert.throws(() => Toolbox.policy(policy)(boxOf(write)), RangeError, `write_it: ${message}`)
      const layer = handled(write, () => Effect.succeed({ n: 1 }))
      return Effect.gen(function* () {
        const call = Effect.provideService(boxOf(write).call("write_it", { q: "a" }), ToolPolicy, policy)
        const failure = yield* Effect.flip(call.pipe(within([layer])))
        assert.deepStrictEqual([failure.code, failure.detail], ["misconfigured", `Not called: write_it: ${message}`])
        const guard = Guard.layerMemory.pipe(Layer.provide(Layer.succeed(ToolPolicy, policy)))
        const exit = yield* Effect.exit(Effect.void.pipe(Effect.provide(guard)))
        assert.isTrue(Exit.isFailure(exit) && String(Cause.squash(exit.cause)).includes(`ToolPolicy: ${message}`))
      })
    })
  }
})
