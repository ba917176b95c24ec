/**
 * Tests that seventeen immediate calls that answer `pending` make one attempt if a model makes them.
 *
 * The tests are `it.live`, because clients and servers need real timers. The clock does not advance, so that the calls
 * are immediate on a busy machine too.
 */
import { assert, describe, it } from "@effect/vitest"
import { Clock, Effect, Fiber, Layer, Schema } from "effect"
import { Chat, LanguageModel, McpProtocol, McpSchema, type McpServer, McpTest } from "effect/ai"
import { FetchHttpClient } from "effect/http"
import * as EscalationScripted from "#layers/EscalationScripted"
import * as ScriptedModel from "#layers/ScriptedModel"
import * as Agent from "#src/agent/Agent"
import { Guard } from "#src/guard/Guard"
import * as GuardedModel from "#src/host/GuardedModel"
import * as McpServe from "#src/mcp/serve/McpServe"
import * as GuardedTool from "#src/tool/GuardedTool"
import { documentOf, answer, imported, named } from "../openapi/importing.ts"
import { box, post, serving } from "../openapi/support.ts"
import { ask, settled, tool } from "../pipeline/support.ts"

type Access = "read" | "write"

const pending = { status: "pending" }
const success = Schema.Struct({ status: Schema.String })
const order = (access: Access) => tool("get_order", { access, success }, pending)
const slowOrder = (access: Access = "read") =>
  tool("get_order", { access, success }, Effect.delay(Effect.succeed(pending), "20 millis"))
const args = { q: "a" }
const { call } = ScriptedModel
const calls = Array.from({ length: 17 }, (_, index) => call("get_order", args, `c${index}`))
const each = Array.from({ length: 17 }, (_, index) => index)

/** Serves the tool over MCP, and returns a client of one session. */
const connect = (own: ReturnType<typeof tool>) =>
  McpTest.makeClient(
    McpServe.layer(box([own.tool])).pipe(Layer.provide(Layer.merge(own.layer, Guard.layerMemory))) as Layer.Layer<
      never,
      never,
      McpServer.McpServer
    >,
    { protocols: [McpProtocol.v2025_11_25], clientCapabilities: new McpSchema.ClientCapabilities({}) }
  )

/** Runs an effect with a clock whose time does not advance, but whose timers are real. */
const atOnce = <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.flatMap(Clock.Clock, (clock) => {
    const [millis, nanos] = [clock.currentTimeMillisUnsafe(), clock.currentTimeNanosUnsafe()]
    const monotonic = clock.monotonicTimeNanosUnsafe()
    return Effect.provideService(effect, Clock.Clock, {
      currentTimeMillisUnsafe: () => millis,
      currentTimeMillis: Effect.succeed(millis),
      currentTimeNanosUnsafe: () => nanos,
      currentTimeNanos: Effect.succeed(nanos),
      monotonicTimeNanosUnsafe: () => monotonic,
      monotonicTimeNanos: Effect.succeed(monotonic),
      sleep: (duration) => clock.sleep(duration)
    })
  })

describe.each(["read", "write"] as const)("seventeen immediate calls of a %s that answers pending", (access) => {
  it.live("4.7 of a program are all made", () => {
    const own = order(access)
    return Effect.gen(function* () {
      yield* Effect.forEach(each, () => settled(own.tool.call(args)))
      assert.strictEqual(own.runs(), 17)
    }).pipe(Guard.turn, Effect.provide(Layer.merge(own.layer, Guard.layerMemory)))
  })

  for (const [what, script] of [
    ["in seventeen rounds", calls],
    ["in one response", [calls, "Done."]]
  ] as const) {
    it.live(`7.2, 16 of a run, ${what}, make one attempt`, () => {
      const own = order(access)
      return Effect.gen(function* () {
        yield* Agent.run({ prompt: "Hello", tools: box([own.tool]) })
        assert.strictEqual(own.runs(), 1)
      }).pipe(Effect.provide([own.layer, Guard.layerMemory, ScriptedModel.layer([...script])]), atOnce)
    })
  }

  it.live("7.2, 16 of effect/ai's loop, in seventeen rounds, make one attempt", () => {
    const own = order(access)
    const tools = box([own.tool])
    return Effect.gen(function* () {
      const chat = yield* Chat.empty
      yield* Effect.forEach(each, () => chat.generateText({ prompt: [], toolkit: tools.toolkit as any }))
      assert.strictEqual(own.runs(), 1)
    }).pipe(
      Guard.turn,
      Effect.provide([
        tools.handlers.pipe(Layer.provide(own.layer), Layer.provideMerge(Guard.layerMemory)),
        ScriptedModel.layer(calls)
      ]),
      atOnce
    ) as Effect.Effect<void>
  })

  for (const [what, model] of [
    ["effect/ai's loop", (layer: Layer.Layer<LanguageModel.LanguageModel>) => layer],
    [
      "a GuardedModel",
      (layer: Layer.Layer<LanguageModel.LanguageModel>) => GuardedModel.layer.pipe(Layer.provide(layer))
    ]
  ] as const) {
    it.live(`7.2, 16 of ${what}, in one response, make one attempt`, () => {
      const own = slowOrder(access)
      const tools = box([own.tool])
      return Effect.gen(function* () {
        const { toolResults } = (yield* LanguageModel.generateText({
          prompt: "Hello",
          toolkit: tools.toolkit as any
        })) as unknown as { readonly toolResults: ReadonlyArray<{ readonly result: any }> }
        // a shared read answers each call; a write answers one, and the others are not made
        const pendingResults = toolResults.filter(({ result }) => result.data?.status === "pending")
        assert.isAtLeast(pendingResults.length, access === "read" ? 17 : 1)
        assert.strictEqual(own.runs(), 1)
      }).pipe(
        Guard.turn,
        Effect.provide(
          model(ScriptedModel.layer([calls])).pipe(
            Layer.merge(tools.handlers.pipe(Layer.provide(own.layer))),
            Layer.provideMerge(Guard.layerMemory)
          )
        ),
        atOnce
      ) as unknown as Effect.Effect<void>
    })
  }

  for (const concurrency of [1, 17]) {
    it.live(
      `7.2, 16 of a session over MCP, ${concurrency === 1 ? "in order" : "concurrently"}, make one attempt`,
      () => {
        const own = slowOrder(access)
        return Effect.gen(function* () {
          const client = yield* connect(own)
          yield* Effect.forEach(each, () => client.callTool({ name: "get_order", arguments: args } as never), {
            concurrency
          })
          assert.strictEqual(own.runs(), 1)
        }).pipe(Effect.scoped, atOnce)
      }
    )

    it.live(`7.2, 16 of a turn over HTTP, ${concurrency === 1 ? "in order" : "concurrently"}, make one attempt`, () => {
      const own = slowOrder(access)
      return Effect.gen(function* () {
        const url = yield* serving(box([own.tool]), own.layer)
        const headers = { "toolguard-conversation": "c", "toolguard-turn": "t" }
        yield* Effect.forEach(each, () => post(`${url}/tools/get_order`, args, headers), { concurrency })
        assert.strictEqual(own.runs(), 1)
      }).pipe(Effect.scoped, atOnce)
    })
  }

  it.live("7.2, 16 of an operation of an OpenAPI document send one request", () => {
    let requests = 0
    const operation = {
      operationId: "get_order",
      responses: { 200: { description: "ok", content: { "application/json": { schema: {} } } } }
    }
    // a write of a document may be repeated by default
    const policy = () => (access === "read" ? {} : { repeats: "once" as const })
    const document = documentOf({ "/order": { [access === "read" ? "get" : "post"]: operation } })
    const order = named(imported(document, { policy }), "get_order")
    const fetch = Layer.succeed(FetchHttpClient.Fetch, async () => {
      requests += 1
      return Response.json(pending)
    })
    return Effect.gen(function* () {
      yield* Effect.forEach(each, () => answer(order, {}))
      assert.strictEqual(requests, 1)
    }).pipe(
      Guard.turn,
      Effect.provide(Layer.merge(Guard.layerMemory, Layer.provide(FetchHttpClient.layer, fetch))),
      atOnce
    )
  })

  it.live("7.2, 16 of a tool whose answer is the result of an MCP tool make one attempt", () => {
    let runs = 0
    const remote = GuardedTool.dynamic("get_order", {
      description: "Reads or places an order.",
      access,
      parameters: { type: "object", properties: { q: { type: "string" } } },
      handler: () =>
        Effect.sync(() => {
          runs += 1
          return { content: [{ type: "text", text: "pending" }] }
        })
    } as never)
    return Effect.gen(function* () {
      for (const round of each) yield* ask([remote as never], "get_order", args, { round: round + 1 })
      assert.strictEqual(runs, 1)
    }).pipe(Guard.turn, Effect.provide(Guard.layerMemory), atOnce)
  })
})

describe("an immediate repeat by a typed caller of a tool that advises", () => {
  it.live(
    "2.2, 7.2 the caller does not get a pending result that the model read and that violates the contract",
    () => {
      const own = tool("get_order", { enforce: "advise" }, { status: "pending" })
      return Effect.gen(function* () {
        const first = yield* ask([own.tool], "get_order", args)
        const repeat = yield* ask([own.tool], "get_order", args, { isTyped: true })
        assert.deepStrictEqual([first.envelope.data, repeat.envelope.data], [pending, undefined])
        assert.deepStrictEqual([repeat.envelope.error.code, own.runs()], ["retry_budget_exceeded", 1])
      }).pipe(Guard.turn, Effect.provide(Layer.merge(own.layer, Guard.layerMemory)))
    }
  )
})

describe("identical reads at the same time", () => {
  it.live("9.3, 16 if the first read is interrupted, the next read is made, and the others share it", () => {
    const own = slowOrder()
    return Effect.gen(function* () {
      const read = ask([own.tool], "get_order", args)
      const first = yield* Effect.forkChild(read, { startImmediately: true })
      const others = yield* Effect.forkChild(Effect.all([read, read, read], { concurrency: 3 }), {
        startImmediately: true
      })
      yield* Fiber.interrupt(first)
      const answers = yield* Fiber.join(others)
      assert.deepStrictEqual(
        answers.map(({ envelope }) => envelope.data),
        [pending, pending, pending]
      )
      assert.strictEqual(own.runs(), 2)
    }).pipe(Guard.turn, Effect.provide(Layer.merge(own.layer, Guard.layerMemory)))
  })

  it.live("9.3, 16 if a write ends after the first read started, a later read does not join the first", () => {
    const own = slowOrder()
    const write = tool("pay_order", { access: "write" }, { n: 1 })
    return Effect.gen(function* () {
      const first = yield* Effect.forkChild(ask([own.tool], "get_order", args), { startImmediately: true })
      yield* ask([write.tool], "pay_order", args)
      yield* ask([own.tool], "get_order", args)
      yield* Fiber.join(first)
      assert.strictEqual(own.runs(), 2)
    }).pipe(Guard.turn, Effect.provide(Layer.mergeAll(own.layer, write.layer, Guard.layerMemory)))
  })

  for (const [what, writes] of [
    ["the first call of the turn", 0],
    ["a later call", 1]
  ] as const) {
    it.live(
      `9.3, 16 if a program writes after the first read started, as ${what}, a later read does not join the first`,
      () => {
        const own = slowOrder()
        const write = tool("pay_order", { access: "write" }, { n: 1 })
        return Effect.gen(function* () {
          for (let n = 0; n < writes; n++) yield* write.tool.call({ q: `before ${n}` })
          const first = yield* Effect.forkChild(ask([own.tool], "get_order", args), { startImmediately: true })
          yield* write.tool.call({ q: "after" })
          yield* ask([own.tool], "get_order", args)
          yield* Fiber.join(first)
          assert.strictEqual(own.runs(), 2)
        }).pipe(Guard.turn, Effect.provide(Layer.mergeAll(own.layer, write.layer, Guard.layerMemory)))
      }
    )
  }

  for (const order of [
    [true, false],
    [false, true]
  ] as const) {
    it.live(
      `2.2 after a tool that advises was called ${order.map((isTyped) => (isTyped ? "typed" : "untyped")).join(", then ")}, each caller gets its own result`,
      () => {
        const own = tool("get_order", { enforce: "advise" }, Effect.delay(Effect.succeed({ n: "x" }), "20 millis"))
        return Effect.gen(function* () {
          const answers = yield* Effect.all(
            order.map((isTyped) => ask([own.tool], "get_order", args, { isTyped })),
            { concurrency: 2 }
          )
          assert.deepStrictEqual(
            answers.map(({ envelope }) => envelope.status),
            order.map((isTyped) => (isTyped ? "error" : "success"))
          )
        }).pipe(Guard.turn, Effect.provide(Layer.merge(own.layer, Guard.layerMemory)))
      }
    )
  }

  it.live("9.3, 16 their failure is reported to a person once", () => {
    const own = tool("get_order", {}, Effect.delay(Effect.die(new Error("boom")), "20 millis"))
    return Effect.gen(function* () {
      const read = ask([own.tool], "get_order", args)
      const all = yield* Effect.all(Array(17).fill(read) as ReadonlyArray<typeof read>, { concurrency: 17 })
      assert.deepStrictEqual(
        all.map(({ envelope }) => envelope.error.code),
        Array(17).fill("tool_crashed")
      )
      const { informed } = yield* EscalationScripted.EscalationTranscript
      assert.deepStrictEqual([informed.length, own.runs()], [1, 1])
    }).pipe(Guard.turn, Effect.provide(Layer.merge(own.layer, Guard.layerMemoryWith(EscalationScripted.layer([])))))
  })
})
