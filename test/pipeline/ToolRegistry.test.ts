/** [2.10] Tests how a guard numbers, refuses and admits tools with the same id, and which policy they get. */
import * as BudgetsMemory from "#layers/BudgetsMemory"
import { Compiled, compiledOf } from "#pipeline/call/CompiledTool"
import { unknownTool } from "#pipeline/call/UnknownTool"
import * as ToolRegistry from "#pipeline/ToolRegistry"
import { Budgets } from "#services/Budgets"
import { Circuits } from "#services/Circuits"
import { IdempotencyKeys } from "#services/IdempotencyKeys"
import { ToolPolicy } from "#services/Policies"
import * as GuardedTool from "#src/tool/GuardedTool"
import { assert, describe, it } from "@effect/vitest"
import { Cause, Effect, Exit, Layer, Schema } from "effect"
import { define, type Tool } from "./support.ts"

/** Creates a new class with the id `find_it`. */
const reader = () => define("find_it")
const writer = () => define("find_it", { access: "write" })
const dynamic = (access: "read" | "write") =>
  GuardedTool.dynamic("find_it", { access, handler: () => Effect.succeed(1) }) as Tool

/** A store that does not say whether other processes share it. */
const circuits = Layer.succeed(Circuits, { execute: () => Effect.die("not expected") })

/** A store whose state is in this process. */
const own = Layer.succeed(Circuits, { isShared: false, execute: () => Effect.die("not expected") })

const sentence = (effect: Effect.Effect<unknown>) =>
  Effect.map(Effect.exit(effect), (exit) => (Exit.isFailure(exit) ? String(Cause.squash(exit.cause)) : "admitted"))

/** Returns scope and refusal of tools that a guard with these stores prepares in this order. */
const prepared = (tools: ReadonlyArray<Tool>, stores: Layer.Layer<never> = Layer.empty) =>
  Effect.map(ToolRegistry.make, ({ prepare }) =>
    tools.map((one) => {
      const { refusal, scope } = prepare(one)
      return [scope, refusal === undefined ? "called" : refusal.replace(/ \(\S+:\d+\)/g, "")]
    })
  ).pipe(Effect.provide(stores))

const shared = circuits as unknown as Layer.Layer<never>
const unshared = own as unknown as Layer.Layer<never>

const refusal =
  'Not called: GuardedToolService and GuardedToolService have the same id "find_it", and other processes may share Circuits. ' +
  "Give one of the two its own `id`, and create each class once."

describe("the scope of a tool", () => {
  for (const [what, tools, stores, expected] of [
    [
      "is its id for the first class, and a numbered id for others",
      [reader(), writer(), reader()],
      unshared,
      ["find_it", "find_it#2", "find_it#3"]
    ],
    [
      "of the classes is the same when they are prepared again",
      (([a, b]) => [a, b, a, b])([reader(), writer()] as const),
      unshared,
      ["find_it", "find_it#2", "find_it", "find_it#2"]
    ],
    [
      "is one for all dynamic tools with an id",
      [dynamic("read"), dynamic("write"), dynamic("read")],
      shared,
      ["find_it", "find_it", "find_it"]
    ],
    ["of reads is separate in shared stores too", [reader(), reader()], shared, ["find_it", "find_it#2"]]
  ] as const) {
    it.effect(`2.10 ${what}`, () =>
      Effect.gen(function* () {
        assert.deepStrictEqual(
          yield* prepared(tools, stores),
          expected.map((scope) => [scope, "called"])
        )
      })
    )
  }
})

describe("a second class with an id", () => {
  const outcomes = (tools: ReadonlyArray<Tool>, stores: Layer.Layer<never>) =>
    Effect.map(prepared(tools, stores), (all) => all.map(([, outcome]) => outcome))

  for (const [what, tools, expected] of [
    ["is refused in shared stores if it writes", [reader(), writer()], ["called", refusal]],
    ["is refused in shared stores if the first one writes", [writer(), reader()], ["called", refusal]],
    ["is refused if any earlier class writes", [reader(), writer(), reader()], ["called", refusal, refusal]]
  ] as const) {
    it.effect(`2.10 ${what}`, () =>
      Effect.gen(function* () {
        assert.deepStrictEqual(yield* outcomes(tools, shared), [...expected])
        assert.deepStrictEqual(
          yield* outcomes(tools, unshared),
          tools.map(() => "called")
        )
      })
    )
  }

  it.effect("2.10 is refused if a dynamic tool with the id writes, although another one reads", () =>
    Effect.gen(function* () {
      const clash = refusal.replace("GuardedToolService", "the dynamic tool find_it")
      const all = yield* outcomes([dynamic("read"), dynamic("write"), dynamic("read"), reader()], shared)
      assert.deepStrictEqual(all, ["called", "called", "called", clash])
    })
  )

  it.effect("2.10 is described with all shared stores, its class and its line", () =>
    Effect.gen(function* () {
      class Find extends GuardedTool.Service<Find>()("find_it", {
        description: "Finds. Writes.",
        access: "write",
        parameters: Schema.Struct({}),
        success: Schema.Struct({})
      }) {}
      const { admit } = yield* ToolRegistry.make
      assert.strictEqual(yield* sentence(admit([reader()])), "admitted")
      assert.match(
        yield* sentence(admit([Find as unknown as Tool])),
        /^RangeError: GuardedToolService \(\S+:\d+\) and Find \(\S+ToolRegistry\.test\.ts:\d+\) have the same id "find_it", and other processes may share Budgets, Circuits\./
      )
    }).pipe(
      Effect.provide(
        Layer.merge(
          circuits,
          Layer.effect(
            Budgets,
            Effect.map(Budgets, ({ isShared: _, ...budgets }) => budgets)
          ).pipe(Layer.provide(BudgetsMemory.layer))
        )
      )
    )
  )
})

describe("tools that a guard admits", () => {
  const admitted = (tools: ReadonlyArray<Tool>, journal?: ToolRegistry.Journal) =>
    Effect.flatMap(ToolRegistry.make, ({ admit }) => sentence(admit(tools, journal)))
  const clash = /^RangeError: .* have the same id "find_it", and other processes may share (.*)\. Give/
  const storesOf = (text: string) => clash.exec(text)?.[1] ?? text

  for (const [what, stores, journal, expected] of [
    ["clash in a shared store", shared, undefined, "Circuits"],
    ["clash in a shared store and a shared journal", shared, { name: "Checkpoints" }, "Circuits, Checkpoints"],
    [
      "clash in a shared store, beside a journal of the process",
      shared,
      { name: "Checkpoints", isShared: false },
      "Circuits"
    ],
    ["clash in a shared journal", unshared, { name: "Checkpoints", isShared: true }, "Checkpoints"],
    ["do not clash in a process", unshared, { name: "Checkpoints", isShared: false }, "admitted"],
    ["do not clash in a process without a journal", unshared, undefined, "admitted"]
  ] as const) {
    it.effect(`2.10 ${what}`, () =>
      Effect.gen(function* () {
        assert.strictEqual(storesOf(yield* admitted([reader(), writer()], journal)), expected)
      }).pipe(Effect.provide(stores))
    )
  }

  it.effect("2.10 include the fallbacks and lookups that they use, and the fallbacks of these", () =>
    Effect.gen(function* () {
      const fallback = define("plan_it", {
        access: "write",
        fallbacks: [{ tool: writer(), arguments: () => ({ q: "a" }) }]
      })
      const deep = define("try_it", { access: "write", fallbacks: [{ tool: fallback, arguments: () => ({ q: "a" }) }] })
      const lookup = define("book_it", {
        access: "write",
        reconcile: { tool: reader(), arguments: () => ({ q: "a" }), found: () => undefined }
      })
      const other = define("other_it", { access: "write" })
      const results: Array<string> = []
      for (const tool of [deep, lookup, other]) results.push(storesOf(yield* admitted([writer(), tool])))
      assert.deepStrictEqual(results, ["Circuits", "Circuits", "admitted"])
    }).pipe(Effect.provide(shared))
  )

  it.effect("2.10 are shared by guards with one object for their keys, and by no others", () =>
    Effect.gen(function* () {
      const keys = { isShared: false } as unknown as IdempotencyKeys["Service"]
      const others = { isShared: false } as unknown as IdempotencyKeys["Service"]
      const [first, second, third] = [reader(), reader(), reader()]
      const scopeOf = (tool: Tool, service?: IdempotencyKeys["Service"]) =>
        Effect.map(
          prepared([tool], service === undefined ? Layer.empty : (Layer.succeed(IdempotencyKeys, service) as never)),
          ([one]) => one?.[0]
        )
      assert.deepStrictEqual(
        [
          yield* scopeOf(first, keys),
          yield* scopeOf(second, keys),
          yield* scopeOf(third, others),
          yield* scopeOf(third),
          yield* scopeOf(second)
        ],
        ["find_it", "find_it#2", "find_it", "find_it", "find_it"]
      )
    })
  )
})

describe("a prepared tool", () => {
  it.effect("2.11 has the policy of the guard, and its layer's name for messages", () =>
    Effect.gen(function* () {
      class Find extends GuardedTool.Service<Find>()("find_it", {
        description: "Finds. Read-only.",
        access: "read",
        parameters: Schema.Struct({}),
        success: Schema.Struct({})
      }) {}
      const { prepare } = yield* ToolRegistry.make
      const { definition, provider } = prepare(Find as unknown as Tool)
      assert.deepStrictEqual([definition.concurrency, provider], [3, "Find.layer(…)"])
      assert.strictEqual(compiledOf(Find as unknown as Tool).definition.concurrency, 16)
      const imported = { ...compiledOf(Find as unknown as Tool), provider: "McpTools.layer(…)" }
      const named = { toolName: "find_it", [Compiled]: imported } as unknown as Tool
      assert.strictEqual(prepare(named).provider, "McpTools.layer(…)")
    }).pipe(Effect.provideService(ToolPolicy, { concurrency: 3 }))
  )

  for (const [what, policy] of [
    ["contradicts itself", { timeout: "1 minute", deadline: "1 second" }],
    ["allows more attempts than its budget", { budget: 2, retry: { attempts: 3 } }],
    ["has an unknown field", { timeOut: "1 second" }]
  ] as const) {
    it.effect(`2.11 is not made by a guard whose policy ${what}`, () =>
      Effect.gen(function* () {
        const made = Effect.provideService(ToolRegistry.make, ToolPolicy, policy as object)
        assert.match(yield* sentence(made), /^RangeError: ToolPolicy/)
      })
    )
  }

  it("2.11 is refused if a policy contradicts its fields, and an unknown tool has no policy", () => {
    const slow = compiledOf(define("find_it", { timeout: "10 seconds" }))
    const changed = ToolRegistry.withPolicy("call", { deadline: "1 second" }, slow)
    assert.match(String(changed.refusal), /^Not called: find_it.*deadline/)
    assert.strictEqual(ToolRegistry.withPolicy("call", undefined, slow), slow)
    assert.strictEqual(ToolRegistry.withPolicy("call", { concurrency: 3 }, unknownTool()), unknownTool())
  })
})

describe("the title of a tool", () => {
  it("2.10 is its class with file and line, or the name of a dynamic tool", () => {
    class Find extends GuardedTool.Service<Find>()("find_it", {
      description: "Finds. Read-only.",
      access: "read",
      parameters: Schema.Struct({}),
      success: Schema.Struct({})
    }) {}
    const { toolName } = Find
    const compiled = compiledOf(Find as unknown as Tool)
    const titled = (name: unknown, site = compiled.site) =>
      ToolRegistry.titleOf({
        toolName,
        ...(name === undefined ? {} : { name }),
        [Compiled]: { ...compiled, site }
      } as unknown as Tool)
    assert.match(ToolRegistry.titleOf(Find as unknown as Tool), /^Find \(\S+ToolRegistry\.test\.ts:\d+\)$/)
    assert.strictEqual(ToolRegistry.titleOf(dynamic("read")), "the dynamic tool find_it")
    const nowhere = () => undefined
    assert.deepStrictEqual(
      ["Find", "", 7, undefined].map((name) => titled(name, nowhere)),
      ["Find", "its class", "its class", "its class"]
    )
  })
})
