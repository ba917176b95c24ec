/**
 * [2.10] Tests that two tool classes with the same name are two services, whose calls share no implementation and no
 * state.
 */
import { assert, describe, it, vi } from "@effect/vitest"
import { Effect, Layer, Schema } from "effect"
import { Tool as AiTool, LanguageModel, Toolkit } from "effect/ai"
import * as ApprovalsMemory from "#layers/ApprovalsMemory"
import * as CallLogMemory from "#layers/CallLogMemory"
import * as EscalationScripted from "#layers/EscalationScripted"
import * as IdempotencyKeysMemory from "#layers/IdempotencyKeysMemory"
import * as ScriptedModel from "#layers/ScriptedModel"
import { Guard } from "#src/guard/Guard"
import * as GuardedTool from "#src/tool/GuardedTool"
import * as Toolbox from "#src/tool/Toolbox"
import { Approvals } from "#services/Approvals"
import { Budgets } from "#services/Budgets"
import { CallLog } from "#services/CallLog"
import { Circuits } from "#services/Circuits"
import { Escalation } from "#services/Escalation"
import { IdempotencyKeys } from "#services/IdempotencyKeys"
import { RetryQuota } from "#services/RetryQuota"
import { TurnMemory } from "#services/TurnMemory"
import { ask, asked, brief, define, failureOf, settled, tool, turn, within } from "../pipeline/support.ts"
import { sharedStores } from "./sharedStores.ts"

const base = {
  description: "Deletes a record. Destructive.",
  access: "destructive",
  parameters: Schema.Struct({ id: Schema.String }),
  success: Schema.Struct({ at: Schema.String })
} as const

class Sandbox extends GuardedTool.Service<Sandbox>()("delete_record", { ...base, approval: "auto" }) {}
class Production extends GuardedTool.Service<Production>()("delete_record", { ...base, approval: "confirm" }) {}

/** Returns the layers of both classes, and the records that each handler deletes. */
const recording = () => {
  const deleted = { sandbox: [] as Array<string>, production: [] as Array<string> }
  const handler =
    (at: keyof typeof deleted) =>
    ({ id }: { readonly id: string }) =>
      Effect.sync(() => {
        deleted[at].push(id)
        return { at }
      })
  return { deleted, sandbox: Sandbox.layer(handler("sandbox")), production: Production.layer(handler("production")) }
}

const answer = (box: Toolbox.Toolbox<GuardedTool.AnyTool>) =>
  Effect.map(box.answer({ name: "delete_record", arguments: '{"id":"42"}', callId: "" }), ({ text }) =>
    JSON.parse(text)
  )

describe("two classes with the same name", () => {
  for (const order of ["sandbox first", "production first"] as const) {
    it.effect(`2.10 each toolbox runs its own tool with its own approval: ${order}`, () => {
      const { deleted, production, sandbox } = recording()
      const layers =
        order === "sandbox first" ? Layer.mergeAll(sandbox, production) : Layer.mergeAll(production, sandbox)
      return Effect.gen(function* () {
        assert.deepStrictEqual((yield* answer(Toolbox.make(Sandbox))).data, { at: "sandbox" })
        assert.deepStrictEqual(deleted, { sandbox: ["42"], production: [] })
        assert.strictEqual((yield* answer(Toolbox.make(Production))).error.code, "no_person")
        assert.deepStrictEqual(deleted, { sandbox: ["42"], production: [] })
        assert.deepStrictEqual(yield* Sandbox.call({ id: "43" }), { at: "sandbox" })
        assert.deepStrictEqual(deleted, { sandbox: ["42", "43"], production: [] })
      }).pipe(Guard.turn, Effect.provide([layers, Guard.layerMemory]))
    })
  }

  it.effect("2.10 two guards over the same keys in this process keep classes with the same id apart", () => {
    const keyed = { access: "write", idempotency: "derived" }
    const [sandbox, production] = [tool("pay_it", keyed, { n: 1 }), tool("pay_it", keyed, { n: 2 })]
    const pay = ({ tool }: typeof sandbox) =>
      Effect.flatMap(IdempotencyKeys, (keys) => {
        const guard = Guard.layer.pipe(
          Layer.provide(Layer.succeed(IdempotencyKeys, keys)),
          Layer.provide(Guard.memory),
          Layer.fresh
        )
        return Guard.turn(tool.call({ q: "a" }), turn).pipe(Effect.provide(guard))
      })
    return Effect.gen(function* () {
      assert.deepStrictEqual(yield* pay(sandbox), { n: 1 })
      assert.deepStrictEqual(yield* pay(production), { n: 2 })
      assert.deepStrictEqual([sandbox.runs(), production.runs()], [1, 1])
    }).pipe(Effect.provide([sandbox.layer, production.layer, IdempotencyKeysMemory.layer])) as Effect.Effect<void>
  })

  it.effect("2.10 a fallback and a lookup run the class that the definition names", () => {
    const other = tool("search_it", {}, { n: 1 })
    const own = tool("search_it", {}, { n: 2 })
    const first = tool(
      "find_it",
      { fallbacks: [{ tool: own.tool, arguments: (args: object) => args }] },
      Effect.fail("gone")
    )
    const write = tool(
      "write_it",
      {
        access: "write",
        reconcile: { tool: own.tool, arguments: () => ({ q: "w" }), found: ({ n }: { n: number }) => [n] as never }
      },
      { n: 3 }
    )
    return Effect.gen(function* () {
      assert.deepStrictEqual(yield* settled(first.tool.call({ q: "a" })), { n: 2 })
      assert.deepStrictEqual([own.runs(), other.runs()], [1, 0])
      assert.deepStrictEqual(yield* settled(write.tool.call({ q: "a" })), { n: 3 })
    }).pipe(within([first.layer, write.layer, own.layer, other.layer]))
  })

  it.effect("2.10 a host runs the tools of the toolbox whose toolkit it uses", () => {
    const search = tool("search", {}, { n: 1 })
    const other = tool("search", {}, { n: 2 })
    const boxes = [Toolbox.make(search.tool), Toolbox.make(other.tool)] as const
    const handlers = Layer.mergeAll(boxes[0].handlers, boxes[1].handlers).pipe(
      Layer.provideMerge(Guard.layerMemory),
      Layer.provide([search.layer, other.layer])
    )
    const generate = (toolkit: Toolkit.Toolkit<any>) =>
      Effect.map(
        LanguageModel.generateText({ prompt: "search", toolkit }).pipe(
          Guard.turn,
          Effect.provide(ScriptedModel.layer([ScriptedModel.call("search", { q: "a" })]))
        ),
        ({ toolResults }) => (toolResults[0]?.result as { data: unknown } | undefined)?.data
      )
    return Effect.gen(function* () {
      assert.deepStrictEqual(yield* generate(boxes[0].toolkit), { n: 1 })
      assert.deepStrictEqual(yield* generate(boxes[1].toolkit), { n: 2 })
    }).pipe(Effect.provide(handlers as Layer.Layer<any>)) as Effect.Effect<void>
  })

  it("2.10 classes of two copies of the library are different services", async () => {
    vi.resetModules()
    const copy = await import("#src/tool/GuardedTool")
    assert.notStrictEqual(copy.Service, GuardedTool.Service)
    class Copied extends copy.Service<Copied>()("delete_record", { ...base, approval: "auto" }) {}
    assert.strictEqual(new Set([Sandbox.key, Production.key, Copied.key]).size, 3)
  })
})

describe("a layer of another class", () => {
  const missing = (effect: Effect.Effect<unknown, unknown, any>) =>
    Effect.map(failureOf(effect), (failure) => [...brief(failure), failure.detail])
  const detail = "No layer provides delete_record: provide Sandbox.layer(…)."

  it.effect("2.10 does not provide the tool, so the call fails and names the tool and the missing layer", () => {
    const { deleted, production } = recording()
    return Effect.gen(function* () {
      const expected = ["Permanent", "misconfigured", "none", detail]
      assert.deepStrictEqual(yield* missing(Sandbox.call({ id: "1" })), expected)
      assert.deepStrictEqual(yield* missing(Sandbox.pipe(GuardedTool.timeout("1 second")).call({ id: "2" })), expected)
      const { error } = yield* answer(Toolbox.make(Sandbox) as never)
      assert.deepStrictEqual([error.code, error.message, error.side_effect], ["misconfigured", detail, "none"])
      assert.deepStrictEqual(deleted, { sandbox: [], production: [] })
    }).pipe(within([production]))
  })

  it.effect("2.10 does not provide the tool if it is passed to `layerLazy`", () => {
    const { deleted, production } = recording()
    return Effect.gen(function* () {
      assert.deepStrictEqual(yield* missing(Sandbox.call({ id: "1" })), [
        "Permanent",
        "misconfigured",
        "none",
        "The layer in the layerLazy of delete_record provides another tool: pass the layer of the same class."
      ])
      assert.deepStrictEqual(deleted, { sandbox: [], production: [] })
    }).pipe(within([Sandbox.layerLazy(production as never)]))
  })

  it.effect("2.10 the failure of a tool whose toolkit has no handlers names the missing handlers", () => {
    const Find = AiTool.make("find_it", { parameters: Schema.Struct({}), success: Schema.String })
    const box = GuardedTool.fromToolkit(Toolkit.make(Find), { find_it: { access: "read" } })
    return Effect.gen(function* () {
      const [, code, , detail] = yield* missing(box.call("find_it", {}))
      assert.deepStrictEqual(
        [code, detail],
        ["misconfigured", "No layer provides find_it: provide the handlers of its toolkit, `toolkit.toLayer({ … })`."]
      )
    }).pipe(within([]))
  })
})

describe("the state of two classes with the same id, in memory", () => {
  it.effect("2.10 a failure of one class is not recalled for the other class", () => {
    const broken = tool("search", {}, Effect.fail(Object.assign(new Error("gone"), { status: 404 })))
    const search = tool("search", {}, { n: 1 })
    return Effect.gen(function* () {
      yield* asked(broken.tool, { q: "a" })
      assert.deepStrictEqual(yield* asked(search.tool, { q: "a" }), { n: 1 })
      const { envelope } = yield* ask([search.tool], "search", { q: "a" })
      yield* asked(broken.tool, { q: "a" })
      assert.deepStrictEqual([envelope.data, search.runs(), broken.runs()], [{ n: 1 }, 2, 1])
    }).pipe(within([broken.layer, search.layer]))
  })

  it.effect("2.10 each class runs its own write for the same arguments", () => {
    const definition = { access: "write", idempotency: "derived" }
    const one = tool("write_it", definition, { n: 1 })
    const two = tool("write_it", definition, { n: 2 })
    return Effect.gen(function* () {
      assert.deepStrictEqual(yield* settled(one.tool.call({ q: "a" })), { n: 1 })
      assert.deepStrictEqual(yield* settled(two.tool.call({ q: "a" })), { n: 2 })
      assert.deepStrictEqual(yield* settled(one.tool.call({ q: "a" })), { n: 1 })
      assert.deepStrictEqual([one.runs(), two.runs()], [1, 1])
      const keys = [one, two].map(({ calls }) => calls[0]?.context.idempotencyKey)
      assert.notStrictEqual(keys[0], keys[1])
    }).pipe(within([one.layer, two.layer]))
  })

  it.effect("2.10 an approval request of one class does not apply to the other class", () => {
    const one = tool("drop_it", { access: "destructive" }, { n: 1 })
    const two = tool("drop_it", { access: "destructive" }, { n: 2 })
    return Effect.gen(function* () {
      yield* settled(one.tool.call({ q: "a" }))
      yield* settled(two.tool.call({ q: "a" }))
      const { asked } = yield* EscalationScripted.EscalationTranscript
      assert.strictEqual(new Set(asked.map(({ binding }) => binding)).size, 2)
      assert.deepStrictEqual([one.runs(), two.runs()], [0, 0])
    }).pipe(within([one.layer, two.layer], Guard.layerMemoryWith(EscalationScripted.layer(["deny", "pending"]))))
  })

  it.effect("2.10 a circuit and the earlier results of checks belong to one class", () => {
    const failing = tool(
      "search",
      { retry: { attempts: 1 }, circuit: { minimum: 1 } },
      Effect.fail(Object.assign(new Error("down"), { status: 503 }))
    )
    const previous: Array<number> = []
    const checks = {
      seen: (_: unknown, context: { readonly previous: ReadonlyArray<unknown> }) => {
        previous.push(context.previous.length)
        return { _tag: "Ok" }
      }
    }
    const checked = tool("search", { checks, circuit: { minimum: 1 } }, { n: 1 }, { n: 2 })
    const alike = tool("search", { checks }, { n: 3 })
    return Effect.gen(function* () {
      yield* settled(failing.tool.call({ q: "a" }))
      assert.deepStrictEqual(yield* settled(failing.tool.call({ q: "b" })), ["Transient", "circuit_open", "none"])
      assert.deepStrictEqual(yield* settled(checked.tool.call({ q: "b" })), { n: 1 })
      assert.deepStrictEqual(yield* settled(alike.tool.call({ q: "b" })), { n: 3 })
      assert.deepStrictEqual(yield* settled(checked.tool.call({ q: "c" })), { n: 2 })
      assert.deepStrictEqual(previous, [0, 0, 1])
    }).pipe(within([failing.layer, checked.layer, alike.layer]))
  })

  it.effect("2.10 a tool whose policy is overridden keeps its state", () => {
    const write = tool("write_it", { access: "write", idempotency: "derived" }, { n: 1 }, { n: 2 })
    return Effect.gen(function* () {
      yield* settled(write.tool.call({ q: "a" }))
      const quick = write.tool.pipe(GuardedTool.timeout("1 second"))
      assert.deepStrictEqual(yield* settled(quick.call({ q: "a" })), { n: 1 })
      assert.strictEqual(write.runs(), 1)
    }).pipe(within([write.layer]))
  })
})

describe("two classes with the same id, with a shared store", () => {
  class Charge extends GuardedTool.Service<Charge>()("charge_card", {
    ...base,
    description: "Charges. Writes.",
    access: "write",
    idempotency: "derived"
  }) {}
  class Refund extends GuardedTool.Service<Refund>()("charge_card", {
    ...base,
    description: "Refunds. Writes.",
    access: "write",
    idempotency: "derived"
  }) {}
  class Look extends GuardedTool.Service<Look>()("charge_card", { ...base, description: "Reads.", access: "read" }) {}
  const handler = (runs: Array<string>, at: string) => () => Effect.sync(() => (runs.push(at), { at }))

  it.effect(
    "2.10 are refused if either writes; the handler does not run, and the failure names both and the remedy",
    () => {
      const runs: Array<string> = []
      const { asked, guard } = sharedStores()
      return Effect.gen(function* () {
        assert.deepStrictEqual(yield* Charge.call({ id: "1" }), { at: "charge" })
        assert.deepStrictEqual([...asked], ['key charge_card {"id":"1"}', "quota charge_card", "circuit charge_card"])
        const failure = yield* failureOf(Refund.call({ id: "1" }))
        assert.deepStrictEqual(brief(failure), ["Permanent", "misconfigured", "none"])
        assert.strictEqual(
          failure.detail.replaceAll(/\(\S+\/(Identity\.test\.ts):\d+\)/gu, "($1)"),
          'Not called: Charge (Identity.test.ts) and Refund (Identity.test.ts) have the same id "charge_card", and other ' +
            "processes may share Circuits, IdempotencyKeys, RetryQuota. Give one of the two its own `id`, and create each class once."
        )
        const { envelope } = yield* ask([Refund], "charge_card", { id: "1" })
        assert.notInclude(envelope.error.message, "/test/tool/")
        assert.deepStrictEqual(yield* settled(Look.call({ id: "1" })), ["Permanent", "misconfigured", "none"])
        assert.deepStrictEqual([runs, asked.size], [["charge"], 3])
        // the first class still runs, even with another policy
        assert.deepStrictEqual(yield* Charge.pipe(GuardedTool.timeout("1 second")).call({ id: "2" }), { at: "charge" })
        const records = yield* (yield* CallLog).records
        assert.deepStrictEqual(
          records.map(({ decisions }) => decisions.map(({ stage }) => stage)),
          [[], ["locate"], ["locate"], ["locate"], []]
        )
      }).pipe(
        within(
          [
            Charge.layer(handler(runs, "charge")),
            Refund.layer(handler(runs, "refund")),
            Look.layer(handler(runs, "look"))
          ],
          guard
        )
      )
    }
  )

  it.effect("2.10 run if both read, or if one has a separate id", () => {
    class Other extends GuardedTool.Service<Other>()("charge_card", {
      ...base,
      description: "Reads.",
      access: "read"
    }) {}
    class Own extends GuardedTool.Service<Own>()("charge_card", {
      ...base,
      description: "Refunds. Writes.",
      access: "write",
      idempotency: "derived",
      id: "production/charge_card"
    }) {}
    const runs: Array<string> = []
    const { asked, guard } = sharedStores()
    return Effect.gen(function* () {
      assert.deepStrictEqual(yield* Look.call({ id: "1" }), { at: "look" })
      assert.deepStrictEqual(yield* Other.call({ id: "1" }), { at: "other" })
      assert.deepStrictEqual(yield* Own.call({ id: "1" }), { at: "own" })
      assert.deepStrictEqual(runs, ["look", "other", "own"])
      assert.includeMembers(
        [...asked],
        ['key production/charge_card {"id":"1"}', "circuit production/charge_card", "quota production/charge_card"]
      )
    }).pipe(
      within(
        [Look.layer(handler(runs, "look")), Other.layer(handler(runs, "other")), Own.layer(handler(runs, "own"))],
        guard
      )
    )
  })

  it.effect("2.10 a store that does not say whether it is shared counts as shared", () => {
    const custom = Layer.succeed(RetryQuota, { called: () => {}, take: () => Effect.succeed(true) })
    const one = tool("write_it", { access: "write" }, { n: 1 })
    const two = tool("write_it", { access: "write" }, { n: 2 })
    return Effect.gen(function* () {
      assert.deepStrictEqual(yield* settled(one.tool.call({ q: "a" })), { n: 1 })
      assert.deepStrictEqual(yield* settled(two.tool.call({ q: "a" })), ["Permanent", "misconfigured", "none"])
    }).pipe(within([one.layer, two.layer], Guard.layerMemoryWith(custom)))
  })
})

describe("the stores in memory", () => {
  for (const service of [Approvals, Budgets, Circuits, Escalation, IdempotencyKeys, RetryQuota, TurnMemory] as const) {
    it.effect(`2.10 state that they are not shared: ${service.key}`, () =>
      Effect.gen(function* () {
        const store: { readonly isShared?: boolean } = yield* service
        assert.isFalse(store.isShared)
      }).pipe(Effect.provide([Guard.memory, ApprovalsMemory.layer]))
    )
  }
})

describe("dynamic tools", () => {
  const dynamic = (n: number, more: object = {}) =>
    GuardedTool.dynamic("write_it", { access: "write", handler: () => Effect.succeed({ n }), ...more })

  it.effect("2.10 each value runs its own handler, and a layer replaces the handler of one value", () => {
    const [one, two] = [dynamic(1), dynamic(2)]
    return Effect.gen(function* () {
      assert.deepStrictEqual(yield* settled(one.call({ q: "a" })), { n: 3 })
      assert.deepStrictEqual(yield* settled(two.call({ q: "b" })), { n: 2 })
    }).pipe(within([one.layerTest(() => Effect.succeed({ n: 3 }))]))
  })

  it.effect("2.10 a tool that is created again has the same state in a shared store", () => {
    const { asked, guard } = sharedStores()
    const definition = { idempotency: "derived" }
    const first = dynamic(1, definition)
    return Effect.gen(function* () {
      assert.deepStrictEqual(yield* settled(first.call({ q: "a" })), { n: 1 })
      assert.deepStrictEqual(yield* settled(dynamic(2, definition).call({ q: "a" })), { n: 1 })
      assert.deepStrictEqual(yield* settled(dynamic(2, { ...definition, id: "other" }).call({ q: "a" })), { n: 2 })
      assert.includeMembers([...asked], ['key write_it {"q":"a"}', 'key other {"q":"a"}'])
    }).pipe(within([], guard))
  })
})

describe("the id of a tool", () => {
  it("2.10 is the name by default, and is refused if it has invalid characters or a wrong length", () => {
    assert.deepStrictEqual([Sandbox.toolId, Sandbox.toolName], ["delete_record", "delete_record"])
    assert.strictEqual(define("search", { id: "sandbox/search" }).toolId, "sandbox/search")
    for (const id of ["", "two words", "a#2", "x".repeat(129)]) {
      assert.throws(() => define("search", { id }), RangeError, "search: the `id` of a tool has 1 to 128 letters")
    }
  })

  it("2.10 is refused in a toolbox if another tool has it", () => {
    const make = Toolbox.make as (...tools: ReadonlyArray<GuardedTool.AnyTool>) => unknown
    assert.throws(
      () => make(define("search_it"), define("find_it", { id: "search_it" })),
      RangeError,
      'The tools "search_it" and "find_it" have the id "search_it": give one its own `id`.'
    )
  })

  it.effect("2.10 appears in questions to people and in the record", () => {
    const drop = tool("drop_it", { access: "destructive", id: "production/drop_it" }, { n: 1 })
    return Effect.gen(function* () {
      yield* settled(drop.tool.call({ q: "a" }))
      const { asked } = yield* EscalationScripted.EscalationTranscript
      assert.deepStrictEqual(
        asked.map((request) => request.tool),
        ["production/drop_it"]
      )
      const [record] = yield* (yield* CallLog).records
      assert.deepStrictEqual([record?.tool, record?.toolId], ["drop_it", "production/drop_it"])
    }).pipe(
      within(
        [drop.layer],
        Guard.layerMemoryWith(Layer.merge(CallLogMemory.layer, EscalationScripted.layer(["approve"])))
      )
    )
  })
})
