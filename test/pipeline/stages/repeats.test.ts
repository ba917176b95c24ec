import { Guard } from "#src/guard/Guard"
import * as EscalationScripted from "#layers/EscalationScripted"
import { EscalationTranscript } from "#layers/EscalationScripted"
import * as CallLogMemory from "#layers/CallLogMemory"
import * as Failure from "#domain/failure/Failure"
import { done, unknown } from "#domain/failure/StatedEffect"
import { volatile } from "#domain/schema/VolatileField"
import * as GuardedTool from "#src/tool/GuardedTool"
import * as Toolbox from "#src/tool/Toolbox"
import { CallLog } from "#services/CallLog"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Option, Schema } from "effect"
import { TestClock } from "effect/testing"
import { ask, asked, response, settled, start, tool, within } from "../support.ts"

const scripted = (...script: ReadonlyArray<EscalationScripted.ScriptedAnswer>) =>
  Guard.layerMemoryWith(EscalationScripted.layer(script))
const questions = Effect.map(EscalationTranscript, ({ asked }) => asked.map(({ reason }) => reason))

const write = (definition: object = {}, ...answers: ReadonlyArray<unknown>) =>
  tool("add_item", { access: "write", ...definition }, ...answers)

type Fixture = ReturnType<typeof tool>

/** Makes a model's call once per round. Returns the status or code of each envelope, with its marks. */
const repeat = (times: number, { tool }: Fixture, args = '{"q":"a"}') =>
  Effect.forEach(
    Array.from({ length: times }, (_, n) => n + 1),
    (round) =>
      Effect.map(ask([tool], tool.toolName, args, { round, callId: `c${round}` }), ({ envelope }) =>
        [
          envelope.status === "success" ? "success" : envelope.error.code,
          ...(envelope.executed === false ? ["not executed"] : []),
          ...(envelope.unchanged === true ? ["unchanged"] : [])
        ].join(" ")
      )
  )

describe("a model's write that succeeded", () => {
  it.effect("4.6 is not made again: the model reads the first result, and one sentence that says so", () => {
    const add = write({}, { n: 1 }, { n: 2 })
    return Effect.gen(function* () {
      yield* ask([add.tool], "add_item", '{"q":"a"}', { callId: "c1" })
      const { attempts, envelope, record } = yield* ask([add.tool], "add_item", '{ "q" : "a" }', { callId: "c2" })
      assert.deepStrictEqual(envelope, {
        status: "success",
        data: { n: 1 },
        unchanged: true,
        executed: false,
        notice:
          "add_item was done before with these arguments in this turn. It was not done again; this is its first result."
      })
      assert.deepStrictEqual([attempts, add.runs()], [0, 1])
      assert.deepInclude(record?.outcome, { _tag: "Success", executed: false })
      assert.strictEqual(record?.sideEffect, "none")
      assert.deepStrictEqual(
        record?.decisions.map(({ decision, stage }) => [stage, decision]),
        [["recall", "not made again"]]
      )
    }).pipe(within([add.layer], Guard.layerMemoryWith(CallLogMemory.layerWith({ keep: "full" }))))
  })

  it.effect("16 seventeen identical calls make one attempt, whatever calls without progress come between them", () => {
    const add = write({}, { n: 1 })
    const look = tool("look", {}, { n: 1 }, { n: 2 })
    return Effect.gen(function* () {
      for (let n = 0; n < 17; n++) {
        yield* ask([add.tool], "add_item", n % 2 === 0 ? { q: "a" } : ' {"q":"\\u0061"} ', {
          callId: `c${n}`,
          round: n
        })
        if (n % 3 === 0) yield* asked(look.tool, { q: String(n) })
      }
      assert.strictEqual(add.runs(), 1)
    }).pipe(within([add.layer, look.layer]))
  })

  it.effect("4.6 is not made again after another write, but is made with other arguments", () => {
    const add = write({}, { n: 1 })
    const other = tool("edit_it", { access: "write" }, { n: 9 })
    return Effect.gen(function* () {
      assert.deepStrictEqual(yield* repeat(1, add), ["success"])
      assert.deepStrictEqual(yield* repeat(1, other), ["success"])
      assert.deepStrictEqual(yield* repeat(1, add), ["success not executed"])
      assert.deepStrictEqual(yield* repeat(1, add, '{"q":"b"}'), ["success"])
      assert.strictEqual(add.runs(), 2)
    }).pipe(within([add.layer, other.layer]))
  })

  it.effect("4.6 two tools with equal arguments are two writes", () => {
    const add = write({}, { n: 1 })
    const remove = tool("remove_item", { access: "write" }, { n: 1 })
    return Effect.gen(function* () {
      assert.deepStrictEqual([...(yield* repeat(1, add)), ...(yield* repeat(1, remove))], ["success", "success"])
    }).pipe(within([add.layer, remove.layer]))
  })

  it.effect("4.6 is made again after a new message of the user", () => {
    const add = write({}, { n: 1 })
    return Effect.gen(function* () {
      for (const name of ["1", "2"]) {
        assert.deepStrictEqual(yield* Guard.turn(repeat(2, add), { conversation: "c", turn: name }), [
          "success",
          "success not executed unchanged"
        ])
      }
      assert.strictEqual(add.runs(), 2)
    }).pipe(within([add.layer]))
  })

  it.effect("4.6 is made again with a new key that a person confirms", () => {
    const add = write({ idempotency: "key" }, { n: 1 }, { n: 2 })
    const keyed = (key: string) => ask([add.tool], "add_item", { q: "a", idempotency_key: key })
    return Effect.gen(function* () {
      yield* keyed("0123456789abcdef")
      const other = yield* keyed("another key of the model")
      assert.deepStrictEqual([other.envelope.data, add.runs()], [{ n: 2 }, 2])
      assert.strictEqual((yield* questions).length, 1)
    }).pipe(within([add.layer], scripted("approve")))
  })

  it.effect("4.6, 8.2 is not made again with the same key, and the answer is also marked as a replay", () => {
    const add = write({ idempotency: "key" }, { n: 1 }, { n: 2 })
    const keyed = ask([add.tool], "add_item", { q: "a", idempotency_key: "0123456789abcdef" })
    return Effect.gen(function* () {
      const { envelope } = yield* Effect.andThen(keyed, keyed)
      assert.deepStrictEqual([envelope.executed, envelope._idempotent, add.runs()], [false, true, 1])
    }).pipe(within([add.layer]))
  })

  it.effect("4.6 no person is asked to approve a call that will not run", () => {
    const drop = tool("drop_it", { access: "destructive" }, { n: 1 })
    return Effect.gen(function* () {
      assert.deepStrictEqual(yield* repeat(2, drop), ["success", "success not executed unchanged"])
      assert.strictEqual((yield* questions).length, 1)
    }).pipe(within([drop.layer], scripted("approve", "approve")))
  })

  it.effect("4.6 is made once if several identical calls run at the same time, however large its budget is", () => {
    const add = write({ budget: 20 }, Effect.delay(Effect.succeed({ n: 1 }), "1 second"), { n: 2 })
    return Effect.gen(function* () {
      const fibers = yield* Effect.forEach([1, 2, 3], () => start(asked(add.tool, { q: "a" })))
      yield* TestClock.adjust("1 second")
      const running = ["Transient", "in_progress", "none"]
      assert.deepStrictEqual(yield* Fiber.joinAll(fibers), [{ n: 1 }, running, running])
      assert.strictEqual(add.runs(), 1)
    }).pipe(within([add.layer]))
  })

  it.effect("4.6 an interrupted write that never started may be made", () => {
    const add = write({ concurrency: 1 }, Effect.delay(Effect.succeed({ n: 1 }), "1 second"))
    return Effect.gen(function* () {
      const first = yield* start(asked(add.tool, { q: "a" }))
      const waiting = yield* start(asked(add.tool, { q: "b" }))
      yield* Fiber.interrupt(waiting)
      yield* TestClock.adjust("1 second")
      yield* Fiber.join(first)
      const again = yield* start(asked(add.tool, { q: "b" }))
      yield* TestClock.adjust("1 second")
      assert.deepStrictEqual(yield* Fiber.join(again), { n: 1 })
    }).pipe(within([add.layer]))
  })

  it.effect("4.6 is not made again if its result would differ only in volatile fields", () => {
    const success = Schema.Struct({ n: Schema.Int, at: volatile(Schema.Int) })
    const add = write({ success }, { n: 1, at: 1 }, { n: 1, at: 2 })
    return Effect.gen(function* () {
      assert.deepStrictEqual(yield* repeat(2, add), ["success", "success not executed unchanged"])
      assert.strictEqual(add.runs(), 1)
    }).pipe(within([add.layer]))
  })

  it.effect("4.6 if the result is too large to hold, the call is refused and not made again", () => {
    const success = Schema.Struct({ text: Schema.String })
    const add = write({ success }, { text: "x".repeat(300_000) })
    return Effect.gen(function* () {
      yield* ask([add.tool], "add_item", '{"q":"a"}')
      const { envelope } = yield* ask([add.tool], "add_item", '{"q":"a"}')
      assert.deepInclude(envelope.error, {
        code: "retry_budget_exceeded",
        next_step: "stop",
        side_effect: "committed",
        retryable: false
      })
      assert.include(envelope.error.message, "It was not made again.")
      assert.strictEqual(add.runs(), 1)
    }).pipe(within([add.layer]))
  })

  const text = "x".repeat(300_000)
  const declared = Schema.Struct({ ok: Schema.optionalKey(Schema.Boolean), text: Schema.String })
  for (const [name, answer] of [
    ["states a failure", { ok: false, text }],
    ["was only accepted (202)", response(202, JSON.stringify({ text }))]
  ] as const) {
    it.effect(`4.6 if a result that is too large to hold ${name}, the refusal says that the effect is unknown`, () => {
      const add = write({ success: declared }, answer)
      return Effect.gen(function* () {
        yield* ask([add.tool], "add_item", '{"q":"a"}')
        const { envelope } = yield* ask([add.tool], "add_item", '{"q":"a"}')
        assert.deepInclude(envelope.error, {
          code: "retry_budget_exceeded",
          side_effect: "unknown",
          retryable: false
        })
        assert.include(envelope.error.message, "This call was made before in this turn")
        assert.notInclude(JSON.stringify(envelope), "The action was done")
        assert.strictEqual(add.runs(), 1)
      }).pipe(within([add.layer]))
    })
  }

  it.effect("4.6 a write that failed has no mark of a repetition when it is called again", () => {
    const add = write({ circuit: false }, response(503, "", { "retry-after": "30" }), { n: 1 })
    return Effect.gen(function* () {
      yield* asked(add.tool, { q: "a" })
      assert.deepStrictEqual(add.runs(), 1)
      yield* TestClock.adjust("33 seconds")
      const { envelope } = yield* ask([add.tool], "add_item", '{"q":"a"}')
      assert.deepStrictEqual([envelope.data, envelope.executed, add.runs()], [{ n: 1 }, undefined, 2])
    }).pipe(within([add.layer]))
  })
})

describe("seventeen identical calls, regardless of the model's other calls", () => {
  const other = () => tool("other", {}, ...Array.from({ length: 20 }, (_, n) => ({ n })))
  const texts = ['{"q":"a","r":"b"}', ' { "r" : "b", "q" : "\\u0061" } ']
  const parameters = Schema.Struct({ q: Schema.String, r: Schema.optionalKey(Schema.String) })

  /** Makes 17 calls with varying ids and key orders, each followed by a read. Returns the number of attempts after each call. */
  const seventeen = (target: Fixture, pause?: string) =>
    Effect.gen(function* () {
      const between = other()
      const runs: Array<number> = []
      yield* Effect.gen(function* () {
        for (let n = 0; n < 17; n++) {
          const fiber = yield* start(
            ask([target.tool], target.tool.toolName, texts[n % 2], { callId: `c${n}`, round: 2 * n + 1 })
          )
          if (pause !== undefined) yield* TestClock.adjust(pause as "1 minute")
          yield* Fiber.join(fiber)
          yield* ask([between.tool], "other", { q: String(n) }, { callId: `o${n}`, round: 2 * n + 2 })
          runs.push(target.runs())
        }
      }).pipe(within([target.layer, between.layer], scripted()))
      return runs
    })

  for (const [what, definition, answer, attempts] of [
    ["a call that fails for good", {}, '{"n":', 1],
    ["a write that must not be repeated", { access: "write" }, { n: 1 }, 1],
    ["a read whose result does not change", {}, { n: 1 }, 2],
    ["a read that answers pending", { success: Schema.Struct({ status: Schema.String }) }, { status: "pending" }, 2]
  ] as const) {
    it.effect(`16 ${what} makes ${attempts === 1 ? "one attempt" : "two attempts"}`, () =>
      Effect.gen(function* () {
        assert.strictEqual((yield* seventeen(tool("target", { parameters, ...definition }, answer))).at(-1), attempts)
      })
    )
  }

  it.effect("16 a transient failure makes at most `retry.attempts` attempts at a time", () =>
    Effect.gen(function* () {
      const refused = Effect.fail(Object.assign(new Error("refused"), { code: "ECONNREFUSED" }))
      const target = tool("target", { parameters, circuit: false, retry: { attempts: 2 } }, refused)
      const runs = yield* seventeen(target, "1 minute")
      const each = runs.map((total, n) => total - (runs[n - 1] ?? 0))
      assert.isAtMost(Math.max(...each), 2)
      assert.strictEqual(each[0], 2)
    })
  )

  it.effect("16 identical calls at the same time make one attempt", () => {
    const add = write({}, Effect.delay(Effect.succeed({ n: 1 }), "1 second"))
    return Effect.gen(function* () {
      const fibers = yield* Effect.forEach(Array.from({ length: 17 }), () => start(asked(add.tool, { q: "a" })))
      yield* TestClock.adjust("1 second")
      yield* Fiber.joinAll(fibers)
      assert.strictEqual(add.runs(), 1)
    }).pipe(within([add.layer]))
  })
})

describe("a model's write whose repeats are allowed", () => {
  it.effect("4.6 is made up to ten times, then not made again, and then a person is asked", () => {
    const add = write({ repeats: "allowed" }, { n: 1 }, { n: 2 })
    return Effect.gen(function* () {
      const answers = yield* repeat(13, add)
      assert.deepStrictEqual(answers, [
        ...Array(10).fill("success"),
        "success not executed unchanged",
        "loop_detected",
        "loop_detected"
      ])
      assert.strictEqual(add.runs(), 10)
      assert.deepStrictEqual(yield* questions, ["loop_detected"])
    }).pipe(within([add.layer], scripted("deny")))
  })

  it.effect("7.3 is made ten more times if a person lets it continue", () => {
    const add = write({ repeats: "allowed" }, { n: 1 })
    return Effect.gen(function* () {
      const answers = yield* repeat(22, add)
      assert.deepStrictEqual(answers.slice(10), [
        "success not executed unchanged",
        ...Array(10).fill("success"),
        "success not executed unchanged"
      ])
      assert.strictEqual(add.runs(), 20)
    }).pipe(within([add.layer], scripted("approve")))
  })

  it.effect(
    "4.6 is made ten times if more identical calls run at the same time, and the other calls are refused",
    () => {
      const add = write({ repeats: "allowed" }, Effect.delay(Effect.succeed({ n: 1 }), "1 second"))
      return Effect.gen(function* () {
        const fibers = yield* Effect.forEach(Array.from({ length: 12 }), () => start(asked(add.tool, { q: "a" })))
        yield* TestClock.adjust("1 second")
        const outcomes = yield* Fiber.joinAll(fibers)
        assert.strictEqual(outcomes.filter((outcome) => Array.isArray(outcome)).length, 2)
        assert.strictEqual(add.runs(), 10)
      }).pipe(within([add.layer]))
    }
  )

  it.effect("4.7 spends its budget on failures, so a call that comes too early after a failure is not made", () => {
    const add = write({ repeats: "allowed", circuit: false }, response(503, "", { "retry-after": "30" }))
    return Effect.gen(function* () {
      assert.deepStrictEqual(yield* repeat(3, add), ["unavailable", "retry_budget_exceeded", "retry_budget_exceeded"])
      assert.strictEqual(add.runs(), 1)
    }).pipe(within([add.layer]))
  })

  it.effect("4.7 gets back, after a success, the units that failures have spent", () => {
    const busy = response(503, "", { "retry-after": "30" })
    const add = write({ repeats: "allowed", budget: 2, circuit: false }, busy, { n: 1 }, busy, { n: 2 })
    return Effect.gen(function* () {
      const codes: Array<string> = []
      for (let n = 0; n < 4; n++) {
        codes.push(...(yield* repeat(1, add)))
        if (n % 2 === 0) yield* TestClock.adjust("33 seconds")
      }
      assert.deepStrictEqual(codes, ["unavailable", "success", "unavailable", "success"])
    }).pipe(within([add.layer]))
  })

  it.effect("3.3 is not made again after an interruption, because its effect is unknown", () => {
    const add = write({ repeats: "allowed" }, Effect.never, { n: 1 })
    return Effect.gen(function* () {
      const fiber = yield* start(asked(add.tool, { q: "a" }))
      yield* Fiber.interrupt(fiber)
      assert.deepStrictEqual(yield* repeat(1, add), ["retry_budget_exceeded"])
      assert.strictEqual(add.runs(), 1)
    }).pipe(within([add.layer]))
  })

  it.effect("4.7 has a separate derived key for each call", () => {
    const add = write({ repeats: "allowed", idempotency: "derived" }, { n: 1 })
    return Effect.gen(function* () {
      assert.deepStrictEqual(yield* repeat(2, add), ["success", "success"])
      yield* settled(add.tool.call({ q: "a" }))
      assert.strictEqual(new Set(add.calls.map(({ context }) => context.idempotencyKey)).size, 3)
    }).pipe(within([add.layer]))
  })

  it.effect("4.6 is progress for a read, which may be repeated between its calls", () => {
    const press = tool("press_key", { access: "write", idempotency: "none" }, { n: 1 })
    const look = tool("look", {}, { n: 1 })
    return Effect.gen(function* () {
      for (let n = 0; n < 6; n++) {
        assert.deepStrictEqual([...(yield* repeat(1, press)), ...(yield* repeat(1, look))], ["success", "success"])
      }
    }).pipe(within([press.layer, look.layer]))
  })
})

describe("a model's write whose upstream answered with an error, so its effect is unknown", () => {
  const broken = () => Effect.fail(new Error("The printer is on fire"))
  const look = () => tool("look", {}, { n: 1 }, { n: 2 }, { n: 3 })
  const refused = ["Permanent", "tool_failed", "unknown"]

  it.effect(
    "3.3, 4.6 is not made again after a read if the model repeated it before the read: the loop detector stops it",
    () => {
      const add = write({ repeats: "allowed" }, broken)
      const read = look()
      return Effect.gen(function* () {
        const runs: Array<number> = []
        for (const step of [add, add, read, add, read, add]) {
          yield* step === read
            ? asked(read.tool, { q: "b" })
            : Effect.map(asked(add.tool, { q: "a" }), (outcome) =>
                assert.include([refused[1], "loop_detected"], (outcome as ReadonlyArray<string>)[1])
              )
          runs.push(add.runs())
        }
        assert.deepStrictEqual(runs, [1, 1, 1, 1, 1, 1])
      }).pipe(within([add.layer, read.layer], scripted()))
    }
  )

  it.effect("3.3, 4.6 is made once more, after a successful read, if its repeats are allowed", () => {
    const add = write({ repeats: "allowed" }, broken)
    const read = look()
    return Effect.gen(function* () {
      yield* asked(read.tool, { q: "before" })
      assert.deepStrictEqual(yield* asked(add.tool, { q: "a" }), refused)
      yield* asked(read.tool, { q: "after" })
      assert.deepStrictEqual(yield* asked(add.tool, { q: "a" }), refused)
      assert.strictEqual(add.runs(), 2)
      yield* asked(read.tool, { q: "again" })
      yield* asked(add.tool, { q: "a" })
      assert.strictEqual(add.runs(), 2)
    }).pipe(within([add.layer, read.layer], scripted("approve")))
  })

  it.effect("4.6 is settled by a success of the second call", () => {
    const add = write({ repeats: "allowed" }, broken(), { n: 1 })
    const read = look()
    return Effect.gen(function* () {
      yield* asked(add.tool, { q: "a" })
      yield* asked(read.tool, { q: "b" })
      assert.deepStrictEqual(yield* repeat(3, add), ["success", "success", "success"])
    }).pipe(within([add.layer, read.layer]))
  })

  for (const [what, definition, between] of [
    ["a write that must not be repeated", {}, "read"],
    ["without a read", { repeats: "allowed" }, "none"],
    ["after another write", { repeats: "allowed" }, "write"],
    ["after a failed read", { repeats: "allowed" }, "failed read"],
    ["after a program's read", { repeats: "allowed" }, "program"]
  ] as const) {
    it.effect(`3.3, 4.6 is refused for the turn: ${what}`, () => {
      const add = write(definition, broken)
      const read = look()
      const other = tool("other", { access: "write" }, { n: 1 })
      const bad = tool("bad", {}, '{"n":')
      return Effect.gen(function* () {
        yield* asked(add.tool, { q: "a" })
        if (between === "read") yield* asked(read.tool, { q: "b" })
        if (between === "write") yield* asked(other.tool, { q: "b" })
        if (between === "failed read") yield* asked(bad.tool, { q: "b" })
        if (between === "program") yield* settled(read.tool.call({ q: "b" }))
        assert.deepStrictEqual(yield* asked(add.tool, { q: "a" }), refused)
        assert.strictEqual(add.runs(), 1)
      }).pipe(within([add.layer, read.layer, other.layer, bad.layer]))
    })
  }
})

describe("repeats of a definition", () => {
  const find = tool("find_it", {}, { n: 1 })
  const reconcile = { tool: find.tool, arguments: ({ q }: { q: string }) => ({ q }), found: () => Option.none() }
  for (const [what, definition, runs] of [
    ["are once by default", {}, 1],
    ["are allowed if the definition states idempotency none", { idempotency: "none" }, 3],
    ["are once with a key", { idempotency: "derived" }, 1],
    ["are once with reconcile", { reconcile }, 1],
    ["are what the definition says", { repeats: "allowed" }, 3],
    ["are what the definition says, whatever its idempotency", { repeats: "once", idempotency: "none" }, 1]
  ] as const) {
    it.effect(`4.6 ${what}`, () => {
      const add = write(definition, { n: 1 })
      return Effect.gen(function* () {
        yield* repeat(3, add)
        assert.strictEqual(add.runs(), runs)
      }).pipe(within([add.layer, find.layer]))
    })
  }

  it.effect("2.11 can be overridden by a toolbox and at a use site", () => {
    const add = write({}, { n: 1 })
    return Effect.gen(function* () {
      const [inBox] = Toolbox.policy({ repeats: "allowed" })(Toolbox.make(add.tool)).tools.values()
      for (const changed of [inBox!, GuardedTool.policy({ repeats: "allowed" })(add.tool)]) {
        assert.deepStrictEqual(yield* Guard.turn(repeat(3, { ...add, tool: changed })), Array(3).fill("success"))
      }
    }).pipe(within([add.layer]))
  })

  it("4.6 refuse any other value when it is set", () =>
    assert.throws(() => write({ repeats: "twice" }), 'add_item: `repeats` is "twice"; write "once" or "allowed".'))
})

describe("a program's own call, and a call of a fallback", () => {
  it.effect("4.7 is made each time: recall, loop and budget neither judge nor count it", () => {
    const add = write({}, { n: 1 })
    const look = tool("look", {}, { n: 1 })
    const broken = tool("broken", {}, '{"n":')
    return Effect.gen(function* () {
      for (const fixture of [add, look, broken]) {
        for (let n = 0; n < 17; n++) yield* settled(fixture.tool.call({ q: "a" }))
        assert.strictEqual(fixture.runs(), 17)
      }
      // the model's own calls start at one
      assert.deepStrictEqual(yield* repeat(2, look), ["success", "success unchanged"])
      assert.deepStrictEqual(yield* repeat(1, add), ["success"])
    }).pipe(within([add.layer, look.layer, broken.layer]))
  })

  it.effect("4.7 is made each time inside a handler", () => {
    const add = write({}, { n: 1 })
    const order = tool("order_many", { access: "write" }, () =>
      Effect.as(Effect.all([1, 2, 3].map(() => add.tool.call({ q: "a" }))), { n: 3 })
    )
    return Effect.gen(function* () {
      assert.deepStrictEqual(yield* repeat(2, order), ["success", "success not executed unchanged"])
      assert.strictEqual(add.runs(), 3)
    }).pipe(Effect.provide(add.layer), within([order.layer, add.layer]))
  })

  it.effect("4.7 its write is progress for the model's calls", () => {
    const add = write({}, { n: 1 })
    const look = tool("look", {}, { n: 1 })
    const missing = tool("missing", {}, response(404, ""), { n: 1 })
    return Effect.gen(function* () {
      yield* repeat(2, look)
      yield* repeat(1, missing)
      yield* settled(add.tool.call({ q: "a" }))
      assert.deepStrictEqual(
        [...(yield* repeat(2, look)), ...(yield* repeat(1, missing))],
        ["success", "success unchanged", "success"]
      )
    }).pipe(within([add.layer, look.layer, missing.layer]))
  })

  it.effect("4.7 a key still replays", () => {
    const add = write({ idempotency: "derived" }, { n: 1 }, { n: 2 })
    return Effect.gen(function* () {
      const both = yield* Effect.all([settled(add.tool.call({ q: "a" })), settled(add.tool.call({ q: "a" }))])
      assert.deepStrictEqual([both, add.runs()], [[{ n: 1 }, { n: 1 }], 1])
    }).pipe(within([add.layer]))
  })

  it.effect("4.6, 4.12 a write that a fallback did is not made again, even if the tool works again", () => {
    const other = tool("other_item", { access: "write" }, { n: 9 })
    const refused = response(405, "")
    const add = write({ fallbacks: [{ tool: other.tool, arguments: () => ({ q: "a" }) }] }, refused, { n: 1 })
    return Effect.gen(function* () {
      const first = yield* ask([add.tool], "add_item", '{"q":"a"}')
      const second = yield* ask([add.tool], "add_item", '{"q":"a"}')
      assert.deepStrictEqual(
        [first, second].map(({ envelope }) => [envelope.data, envelope.used_fallback, envelope.executed]),
        [
          [{ n: 9 }, "other_item", undefined],
          [{ n: 9 }, "other_item", false]
        ]
      )
      assert.deepStrictEqual([add.runs(), other.runs()], [1, 1])
    }).pipe(within([add.layer, other.layer]))
  })

  it.effect("4.12 a fallback of a model's call is judged as the model's call", () => {
    const add = write({}, { n: 1 })
    const broken = tool(
      "broken",
      { access: "write", fallbacks: [{ tool: add.tool, arguments: () => ({ q: "a" }) }], retry: { attempts: 1 } },
      Effect.fail(Object.assign(new Error("gone"), { code: "ECONNREFUSED" }))
    )
    return Effect.gen(function* () {
      yield* ask([broken.tool], "broken", '{"q":"1"}')
      const second = yield* ask([broken.tool], "broken", '{"q":"2"}')
      assert.deepStrictEqual(
        [second.envelope.executed, second.envelope.used_fallback, add.runs()],
        [false, "add_item", 1]
      )
      const log = yield* CallLog
      assert.isTrue((yield* log.records).some(({ tool }) => tool === "add_item"))
    }).pipe(within([broken.layer, add.layer], Guard.layerMemoryWith(CallLogMemory.layer)))
  })
})

describe("a session whose host sees no messages of the user", () => {
  const session = { conversation: "session", turn: "1", isSession: true }

  it.effect("7.1 the counts of a call lapse after 60 seconds without the call, and the read is made again", () => {
    const look = tool("look", {}, { n: 1 })
    return Effect.gen(function* () {
      const ladder = ["success", "success unchanged", "loop_detected"]
      assert.deepStrictEqual(yield* repeat(3, look), ladder)
      yield* TestClock.adjust("59 seconds")
      assert.deepStrictEqual(yield* repeat(1, look), ["loop_detected"])
      for (let n = 0; n < 5; n++) {
        yield* TestClock.adjust("60 seconds")
        assert.deepStrictEqual(yield* repeat(3, look), ladder)
      }
      assert.strictEqual(look.runs(), 12)
    }).pipe(within([look.layer], scripted(), session))
  })

  it.effect("7.1 other calls of the session do not keep a count from lapsing", () => {
    const look = tool("look", {}, { n: 1 })
    const other = tool("other", {}, { n: 1 }, { n: 2 })
    return Effect.gen(function* () {
      yield* repeat(2, look)
      yield* TestClock.adjust("40 seconds")
      yield* repeat(1, other)
      yield* TestClock.adjust("40 seconds")
      assert.deepStrictEqual(yield* repeat(2, look), ["success", "success unchanged"])
      assert.deepStrictEqual(yield* repeat(1, other), ["success"])
    }).pipe(within([look.layer, other.layer], scripted(), session))
  })

  it.effect("7.1 the time runs from the answer, and the counts of a call that is still running do not lapse", () => {
    const add = write({ timeout: "5 minutes" }, Effect.delay(Effect.succeed({ n: 1 }), "2 minutes"), { n: 2 })
    return Effect.gen(function* () {
      const first = yield* start(asked(add.tool, { q: "a" }))
      yield* TestClock.adjust("90 seconds")
      assert.deepStrictEqual(yield* asked(add.tool, { q: "a" }), ["Transient", "in_progress", "none"])
      yield* TestClock.adjust("30 seconds")
      assert.deepStrictEqual(yield* Fiber.join(first), { n: 1 })
      yield* TestClock.adjust("59 seconds")
      assert.deepStrictEqual((yield* ask([add.tool], "add_item", '{"q":"a"}')).envelope.executed, false)
      yield* TestClock.adjust("60 seconds")
      assert.deepStrictEqual(yield* asked(add.tool, { q: "a" }), { n: 2 })
      assert.strictEqual(add.runs(), 2)
    }).pipe(within([add.layer], scripted(), session))
  })

  it.effect("4.6, 7.1 ten repeats of a write are allowed again after 60 seconds", () => {
    const add = write({ repeats: "allowed" }, { n: 1 })
    return Effect.gen(function* () {
      for (let n = 1; n <= 2; n++) {
        assert.deepStrictEqual((yield* repeat(11, add)).at(-1), "success not executed unchanged")
        assert.strictEqual(add.runs(), 10 * n)
        yield* TestClock.adjust("60 seconds")
      }
    }).pipe(within([add.layer], scripted(), session))
  })

  it.effect("4.6, 7.1 a recalled failure lapses after 60 seconds without the call, and the call is made again", () => {
    const gone = Failure.ofCode("not_found", { tool: "look", detail: "Gone." })
    const look = tool("look", {}, Effect.fail(gone), Effect.fail(gone), { n: 1 })
    return Effect.gen(function* () {
      yield* repeat(2, look)
      assert.strictEqual(look.runs(), 1)
      yield* TestClock.adjust("59 seconds")
      yield* repeat(1, look)
      assert.strictEqual(look.runs(), 1)
      yield* TestClock.adjust("60 seconds")
      yield* repeat(2, look)
      assert.strictEqual(look.runs(), 2)
      yield* TestClock.adjust("60 seconds")
      assert.deepStrictEqual(yield* repeat(1, look), ["success"])
    }).pipe(within([look.layer], scripted(), session))
  })

  it.effect("4.6, 7.1 the failure of a write that was done, or may have been, does not lapse", () => {
    const failures = [
      done(Failure.ofCode("not_found", { tool: "add_item", detail: "Added; its answer is gone." })),
      unknown(Failure.ofCode("not_found", { tool: "add_item", detail: "The result is not known." }))
    ]
    return Effect.forEach(failures, (failure) => {
      const add = write({}, Effect.fail(failure))
      return Effect.gen(function* () {
        yield* repeat(1, add)
        yield* TestClock.adjust("10 minutes")
        yield* repeat(2, add)
        assert.strictEqual(add.runs(), 1)
      }).pipe(within([add.layer], scripted(), session))
    })
  })

  for (const [what, definition] of [
    ["may not be repeated", {}],
    ["may be repeated", { repeats: "allowed" }]
  ] as const) {
    it.effect(`3.3, 7.1 a write that ${what} and did not answer is not made again after 60 seconds`, () => {
      const add = write(definition, Effect.never, { n: 2 })
      return Effect.gen(function* () {
        for (let n = 0; n < 3; n++) {
          const call = yield* start(asked(add.tool, { q: "a" }))
          yield* TestClock.adjust("5 seconds")
          assert.deepStrictEqual(yield* Fiber.join(call), ["HumanReview", "outcome_unknown", "unknown"])
          yield* TestClock.adjust("61 seconds")
        }
        assert.strictEqual(add.runs(), 1)
      }).pipe(within([add.layer], scripted(), session))
    })
  }

  it.effect("3.3, 7.1 a write that its client cancelled is not made again after 60 seconds", () => {
    const add = write({}, Effect.never, { n: 2 })
    return Effect.gen(function* () {
      const call = yield* start(asked(add.tool, { q: "a" }))
      yield* Fiber.interrupt(call)
      yield* TestClock.adjust("61 seconds")
      assert.deepInclude((yield* asked(add.tool, { q: "a" })) as ReadonlyArray<unknown>, "unknown")
      assert.strictEqual(add.runs(), 1)
    }).pipe(within([add.layer], scripted(), session))
  })

  it.effect("7.1 calls counted after a lapse are not counted in another turn, whatever its id", () => {
    const look = tool("look", {}, { n: 1 })
    return Effect.gen(function* () {
      yield* repeat(3, look)
      yield* TestClock.adjust("60 seconds")
      yield* repeat(3, look)
      for (const turn of ["1 1", "11"])
        assert.deepStrictEqual(yield* Guard.turn(repeat(1, look), { conversation: "session", turn }), ["success"])
    }).pipe(within([look.layer], scripted(), session))
  })

  it.effect("7.1 no count lapses in a turn whose host sees the user's messages", () => {
    const look = tool("look", {}, { n: 1 })
    return Effect.gen(function* () {
      yield* repeat(2, look)
      yield* TestClock.adjust("10 minutes")
      assert.deepStrictEqual(yield* repeat(1, look), ["loop_detected"])
    }).pipe(within([look.layer], scripted()))
  })
})
