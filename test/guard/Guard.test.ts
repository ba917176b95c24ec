/** Tests the guard as a service: its stages, custom stages, typed calls, envelopes, turns and state. */
import type * as Failure from "#domain/failure/Failure"
import { type Outcome } from "#domain/call/Outcome"
import * as Pipeline from "#pipeline/Pipeline"
import type { ModelStage } from "#pipeline/call/ModelStage"
import { refuse } from "#pipeline/call/Refusal"
import type { Stage } from "#pipeline/call/Stage"
import { Guard, newTurn } from "#src/guard/Guard"
import * as GuardedTool from "#src/tool/GuardedTool"
import { CallLog } from "#services/CallLog"
import { CurrentTurn } from "#services/CurrentTurn"
import { IdempotencyKeys, IdempotencyKeysUnavailable } from "#services/IdempotencyKeys"
import { TurnMemory } from "#services/TurnMemory"
import { assert, describe, it } from "@effect/vitest"
import { Context, Effect, Exit, Fiber, Layer, Schema } from "effect"
import { readFileSync } from "node:fs"
import {
  ask,
  asked,
  complete,
  define,
  outside,
  response,
  settled,
  start,
  tool,
  turn,
  within
} from "../pipeline/support.ts"

const stageNames =
  "record escalate drain locate parse authorize halt decodeArguments authorizeArguments provenance fallback loop settle recall " +
  "idempotency approve claim deadline retry haltAttempt budget quota circuit concurrency timeout run parseResult decodeResult " +
  "check classify reconcile"

describe("Guard: the pipeline", () => {
  it("4 the stages are in this order", () => {
    assert.deepStrictEqual(
      Pipeline.stages.map(({ name }) => name),
      stageNames.split(" ")
    )
    assert.deepStrictEqual(
      Pipeline.modelStages.map(({ name }) => name),
      ["redact", "limit", "render"]
    )
  })

  it("4 the table of the README names each stage, in this order", () => {
    const readme = readFileSync(new URL("../../README.md", import.meta.url), "utf8")
    const table = readme.slice(readme.indexOf("| stage | "), readme.indexOf("The order of the stages"))
    assert.deepStrictEqual(
      [...table.matchAll(/^\| ([a-zA-Z, ]+) \|/gm)].flatMap(([, names = ""]) => names.split(", ")),
      ["stage", ...[...Pipeline.stages, ...Pipeline.modelStages].map(({ name }) => name)]
    )
  })

  it.effect("4 the guard lists its stages", () =>
    Effect.gen(function* () {
      const { stages } = yield* Guard
      assert.deepStrictEqual(stages, [...stageNames.split(" "), "redact", "limit", "render"])
    }).pipe(Effect.provide(Guard.layerMemory))
  )

  it("4 changing a list by an unknown name throws an error that lists the stages", () => {
    const stage: Stage = { name: "mine", make: Effect.succeed(() => (next) => next) }
    for (const change of [
      Pipeline.remove("nope"),
      Pipeline.replace("nope", stage),
      Pipeline.insertBefore("nope", stage)
    ]) {
      assert.throws(() => change(Pipeline.stages), RangeError, /No stage is named "nope". Stages: record, escalate, /)
    }
  })

  it("4 changing a list by name leaves the original unchanged", () => {
    const mine: Stage = { name: "mine", make: Effect.succeed(() => (next) => next) }
    const names = (list: ReadonlyArray<{ readonly name: string }>) => list.map(({ name }) => name).join(" ")
    assert.strictEqual(
      names(Pipeline.insertBefore("parse", mine)(Pipeline.stages)),
      stageNames.replace("parse", "mine parse")
    )
    assert.strictEqual(names(Pipeline.replace("parse", mine)(Pipeline.stages)), stageNames.replace("parse", "mine"))
    assert.strictEqual(names(Pipeline.remove("parse")(Pipeline.stages)), stageNames.replace("parse ", ""))
    assert.strictEqual(names(Pipeline.remove("record")(Pipeline.stages)), stageNames.replace("record ", ""))
    assert.strictEqual(names(Pipeline.stages), stageNames)
  })
})

describe("Guard: custom stages", () => {
  it.effect("4 an inserted stage sees calls and outcomes, and is created once with its services", () => {
    class Counter extends Context.Service<Counter, { count: number }>()("Counter") {}
    let built = 0
    const counting: Stage<Counter> = {
      name: "count",
      make: Effect.map(Counter, (counter) => {
        built += 1
        return () => (next) => (call) => {
          counter.count += 1
          return next(call)
        }
      })
    }
    const counter = { count: 0 }
    const guard = Guard.layerOf(Pipeline.insertBefore("run", counting)(Pipeline.stages)).pipe(
      Layer.provide(Layer.succeed(Counter, counter)),
      Layer.provide(Guard.memory)
    )
    const search = tool(
      "search",
      { retry: { jitter: "none" } },
      Effect.fail(Object.assign(new Error("x"), { code: "ECONNREFUSED" })),
      { n: 1 }
    )
    return Effect.gen(function* () {
      assert.deepStrictEqual(yield* complete(settled(search.tool.call({ q: "a" }))), { n: 1 })
      assert.deepStrictEqual([built, counter.count], [1, 2])
      assert.include((yield* Guard).stages.join(" "), "timeout count run")
    }).pipe(within([search.layer], guard))
  })

  it.effect("4 a replacement runs instead of the stage", () => {
    const closed: Stage = {
      name: "authorize",
      make: Effect.succeed(() => () => (call) => Effect.succeed(refuse(call, "unauthorized", { detail: "Closed." })))
    }
    const guard = Guard.layerOf(Pipeline.replace("authorize", closed)(Pipeline.stages)).pipe(
      Layer.provide(Guard.memory)
    )
    const search = tool("search", {}, { n: 1 })
    return Effect.gen(function* () {
      assert.deepStrictEqual(yield* settled(search.tool.call({ q: "a" })), ["Permanent", "unauthorized", "none"])
      assert.strictEqual(search.runs(), 0)
    }).pipe(within([search.layer], guard))
  })

  it.effect("4 a removed stage does not run", () => {
    const guard = Guard.layerOf(Pipeline.remove("recall")(Pipeline.remove("loop")(Pipeline.stages))).pipe(
      Layer.provide(Guard.memory)
    )
    const search = tool("search", {}, '{"n":"x"}')
    return Effect.gen(function* () {
      for (let n = 0; n < 3; n++) yield* settled(search.tool.call({ q: "a" }))
      assert.strictEqual(search.runs(), 3)
    }).pipe(within([search.layer], guard))
  })

  for (const [what, stage] of [
    ["dies", () => () => Effect.die(new Error("boom"))],
    [
      "throws",
      () => () => {
        throw new Error("boom")
      }
    ],
    ["interrupts itself", () => () => Effect.interrupt]
  ] as const) {
    it.effect(`5.4 a stage that ${what} yields an envelope and a record, and releases the key`, () => {
      let isBroken = true
      const broken: Stage = {
        name: "broken",
        make: Effect.succeed(() => (next) => (call) => (isBroken ? (stage()() as Effect.Effect<Outcome>) : next(call)))
      }
      const guard = Guard.layerOf(Pipeline.insertBefore("deadline", broken)(Pipeline.stages)).pipe(
        Layer.provideMerge(Guard.memory)
      )
      const write = tool("write_it", { access: "write", idempotency: "derived" }, { n: 1 })
      return Effect.gen(function* () {
        const { envelope } = yield* ask([write.tool], "write_it", '{"q":"a"}')
        assert.deepStrictEqual([envelope.error.code, envelope.error.side_effect], ["tool_crashed", "none"])
        isBroken = false
        const again = yield* start(ask([write.tool], "write_it", '{"q":"b"}'))
        assert.deepStrictEqual((yield* Fiber.join(again)).envelope.data, { n: 1 })
        const same = yield* start(Guard.turn(settled(write.tool.call({ q: "a" })), { ...turn, conversation: "other" }))
        assert.deepStrictEqual(yield* Fiber.join(same), { n: 1 })
        assert.strictEqual((yield* (yield* CallLog).records).length, 3)
      }).pipe(within([write.layer], guard))
    })
  }

  it.effect("4 model stages can be added", () => {
    const upperCase: ModelStage = {
      name: "upperCase",
      make: Effect.succeed(() => (reading) => ({ ...reading, text: reading.text.toUpperCase() }))
    }
    const guard = Guard.layerOf(Pipeline.stages, [...Pipeline.modelStages, upperCase]).pipe(Layer.provide(Guard.memory))
    const search = tool("search", {}, { n: 1 })
    return Effect.gen(function* () {
      const box = yield* ask([search.tool], "search", '{"q":"a"}')
      assert.strictEqual(box.text, '{"STATUS":"SUCCESS","DATA":{"N":1}}')
    }).pipe(within([search.layer], guard))
  })

  it.effect("4 a call through a pipeline without classify fails with the reason", () => {
    const guard = Guard.layerOf(Pipeline.remove("classify")(Pipeline.stages)).pipe(Layer.provideMerge(Guard.memory))
    const search = tool("search", {}, { n: 1 })
    return Effect.gen(function* () {
      assert.deepStrictEqual(yield* settled(search.tool.call({ q: "a" })), ["Permanent", "tool_crashed", "none"])
      const [record] = yield* (yield* CallLog).records
      // the type of the outcome does not say that it is a failure
      assert.match(
        String((record!.outcome as any).failure.cause),
        /No stage produced an outcome: `classify` is missing/
      )
    }).pipe(within([search.layer], guard))
  })
})

describe("Guard: typed calls and envelopes", () => {
  it.effect("5.4 a program receives the failure unchanged, and the model its envelope", () => {
    const secret = "postgres://admin:hunter2-hunter2@db.internal/orders"
    const error = new Error(`cannot connect to ${secret}\n    at connect (/srv/app/src/db.ts:3:1)`)
    const search = tool("search", { retry: { attempts: 1 } }, Effect.fail(error))
    return Effect.gen(function* () {
      const failure = yield* Effect.flip(search.tool.call({ q: "a" }))
      assert.strictEqual(failure.cause, error)
      const { envelope, text } = yield* ask([search.tool], "search", '{"q":"b"}')
      assert.deepStrictEqual([envelope.error.error_class, envelope.error.code], ["transient", failure.code])
      for (const forbidden of ["hunter2", "/srv/app", "db.ts", "    at ", "cause"]) assert.notInclude(text, forbidden)
    }).pipe(within([search.layer]))
  })

  it.effect("4.15 a secret in a result reaches the program, but not the model", () => {
    const token = "glpat-4fXcD9kLmN2pQr7sTuVw"
    const search = tool("search", { success: Schema.Struct({ note: Schema.String }) }, { note: `use ${token}` })
    return Effect.gen(function* () {
      assert.deepStrictEqual(yield* search.tool.call({ q: "a" }), { note: `use ${token}` })
      const { envelope, outcome } = yield* ask([search.tool], "search", '{"q":"b"}')
      assert.deepStrictEqual(envelope.data, { note: "use [redacted]" })
      assert.deepStrictEqual(outcome._tag === "Success" && outcome.value, { note: `use ${token}` })
    }).pipe(within([search.layer]))
  })

  it.effect("4.14 the model reads a preview of a result over 10 KB, and the program receives the whole result", () => {
    const rows = Array.from({ length: 2_000 }, (_, n) => ({ id: `row-${n}` }))
    const search = tool("search", { success: Schema.Array(Schema.Struct({ id: Schema.String })) }, rows)
    return Effect.gen(function* () {
      assert.strictEqual((yield* search.tool.call({ q: "a" })).length, 2_000)
      const { envelope, text } = yield* ask([search.tool], "search", '{"q":"b"}')
      assert.strictEqual(envelope.preview.bytes, JSON.stringify(rows).length)
      assert.isAtMost(text.length, 10_400)
      assert.isTrue(envelope.preview.first.length > 100)
    }).pipe(within([search.layer]))
  })

  it.effect("3.2 a tool's codec encodes its failures as JSON, and decodes them again", () => {
    const dated = define("search", {
      success: Schema.Struct({ at: Schema.Date }),
      checks: { more: () => ({ _tag: "Partial", next: { q: "2" } }) }
    })
    const at = new Date(0)
    // the casts are needed because `define` does not type its tools
    return Effect.gen(function* () {
      const failure = (yield* Effect.flip(dated.call({ q: "a" }))) as Failure.PartialData
      const codec = Schema.toCodecJson(dated.failureSchema as Schema.Codec<unknown, unknown>)
      const text = JSON.stringify(Schema.encodeSync(codec)(failure))
      assert.include(text, "1970-01-01T00:00:00.000Z")
      const back = Schema.decodeSync(codec)(JSON.parse(text)) as Failure.PartialData
      assert.strictEqual(back.constructor, failure.constructor)
      assert.deepStrictEqual([back.data, back.next, back.code], [{ at }, { q: "2" }, "incomplete_result"])
    }).pipe(within([dated.layerTest((() => Effect.succeed({ at })) as never) as Layer.Layer<any>]))
  })

  it.effect("4.15 trace ids are unique across calls and guards", () => {
    const search = tool("search", { retry: { attempts: 1 } }, Effect.fail(new Error("x")))
    const ids = Effect.forEach(["a", "b"], (q) =>
      Effect.map(Effect.flip(search.tool.call({ q })), ({ traceId }) => traceId)
    ).pipe(within([search.layer]))
    return Effect.gen(function* () {
      const all = [...(yield* ids), ...(yield* ids)]
      assert.strictEqual(new Set(all).size, 4)
      for (const id of all) assert.match(id, /^tr_[0-9a-f]+_\d+$/)
    })
  })
})

describe("Guard: turns", () => {
  it.effect("4.7 Guard.turn provides a turn, and removes its memory when the effect fails", () => {
    const search = tool("search", { budget: 1, retry: { attempts: 1 } }, '{"n":"x"}')
    return Effect.gen(function* () {
      const memory = yield* TurnMemory
      const failures = memory.modifyTurn(turn, (history) => [JSON.stringify(history.failures), history])
      const empty = yield* failures
      const exit = yield* Effect.exit(Guard.turn(search.tool.call({ q: "a" }), turn))
      assert.isTrue(Exit.isFailure(exit))
      assert.strictEqual(yield* failures, empty)
    }).pipe(outside([search.layer], Guard.layer.pipe(Layer.provideMerge(Guard.memory))))
  })

  it.effect("4.7 missing ids are generated, and provided ids are kept", () =>
    Effect.gen(function* () {
      const one = yield* newTurn()
      const two = yield* newTurn()
      assert.notStrictEqual(one.conversation, two.conversation)
      assert.match(one.turn, /^[0-9a-f]{32}$/)
      assert.strictEqual(one.tenant, "default")
      assert.isFalse("principal" in one)
      assert.deepStrictEqual(yield* newTurn({ ...turn, principal: "ada" }), { ...turn, principal: "ada" })
    })
  )

  it.effect("4.7 a handler sees the turn of its call", () => {
    const search = tool(
      "search",
      { success: Schema.String },
      Effect.map(CurrentTurn, (it) => it?.turn ?? "none")
    )
    return Effect.gen(function* () {
      assert.strictEqual(yield* search.tool.call({ q: "a" }), "none")
      assert.strictEqual(yield* Guard.turn(search.tool.call({ q: "a" }), turn), "turn")
    }).pipe(outside([search.layer]))
  })

  it.effect("4.7 concurrent turns do not mix", () => {
    const search = tool(
      "search",
      { budget: 1, retry: { attempts: 1 } },
      Effect.delay(Effect.succeed({ n: 1 }), "1 second")
    )
    return Effect.gen(function* () {
      const all = yield* complete(
        Effect.forEach(
          ["1", "2", "3"],
          (name) => Guard.turn(settled(search.tool.call({ q: "a" })), { ...turn, turn: name, conversation: name }),
          {
            concurrency: "unbounded"
          }
        )
      )
      assert.deepStrictEqual(all, [{ n: 1 }, { n: 1 }, { n: 1 }])
      assert.strictEqual(search.runs(), 3)
    }).pipe(outside([search.layer]))
  })
})

describe("Guard: state", () => {
  it.effect("2.1 two guards do not share state", () => {
    const search = tool(
      "search",
      { retry: { attempts: 1 }, circuit: { minimum: 1 } },
      '{"n":"x"}',
      Effect.fail(Object.assign(new Error("x"), { code: "ECONNREFUSED" })),
      { n: 3 },
      { n: 4 }
    )
    const write = tool("write_it", { access: "write", idempotency: "derived" }, { n: 1 }, { n: 2 })
    const once = Effect.gen(function* () {
      const outcomes = []
      outcomes.push(yield* settled(search.tool.call({ q: "a" })), yield* settled(search.tool.call({ q: "b" })))
      outcomes.push(yield* settled(write.tool.call({ q: "a" })))
      return outcomes
    })
    const run = within([search.layer, write.layer])
    return Effect.gen(function* () {
      const first = yield* run(once)
      assert.deepStrictEqual(first[2], { n: 1 })
      // the second guard has no recalled failures, no open circuit and no key
      assert.deepStrictEqual(yield* run(once), [{ n: 3 }, { n: 4 }, { n: 2 }])
    })
  })

  it.effect(
    "2.1 a tool whose policy is overridden shares its layer and its recalled failures with the original",
    () => {
      const search = tool("search", {}, '{"n":"x"}')
      const quick = GuardedTool.timeout("1 second")(search.tool)
      return Effect.gen(function* () {
        yield* asked(search.tool, { q: "a" })
        assert.deepStrictEqual(yield* asked(quick, { q: "a" }), ["SchemaMismatch", "invalid_result", "none"])
        assert.strictEqual(search.runs(), 1)
      }).pipe(within([search.layer]))
    }
  )
})

describe("Guard: a store of keys that does not respond", () => {
  it.effect("8.2 does not affect reads without a key", () => {
    const read = tool("search", {}, response(200, '{"n":1}'))
    const down = Effect.fail(new IdempotencyKeysUnavailable({ cause: new Error("down") }))
    const keys = Layer.succeed(IdempotencyKeys, {
      find: () => down,
      claim: () => down,
      renew: () => down,
      complete: () => down,
      release: () => down,
      leave: () => Effect.void
    })
    return Effect.gen(function* () {
      assert.deepStrictEqual(yield* settled(read.tool.call({ q: "a" })), { n: 1 })
    }).pipe(within([read.layer], Guard.layerMemoryWith(keys)))
  })
})
