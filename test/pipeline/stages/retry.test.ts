import type { FailedOutcome } from "#domain/call/Outcome"
import { Failure, Transient } from "#domain/failure/Failure"
import { Guard } from "#src/guard/Guard"
import * as TurnMemoryMemory from "#layers/TurnMemoryMemory"
import * as EscalationScripted from "#layers/EscalationScripted"
import { type CallEvent, CallObserver } from "#services/CallObserver"
import * as RetryPolicy from "#domain/tool/RetryPolicy"
import { retry } from "#pipeline/stages/retry"
import * as GuardedTool from "#src/tool/GuardedTool"
import { assert, describe, it } from "@effect/vitest"
import { Duration, Effect, Fiber, Random, Schema, Tracer } from "effect"
import { TestClock } from "effect/testing"
import {
  alone,
  ask,
  asked as modelled,
  complete,
  define,
  failureOf,
  response,
  settled,
  start,
  tool,
  within
} from "../support.ts"

const down = (extra: object = {}) =>
  Effect.fail(Object.assign(new Error("connect ECONNREFUSED"), { code: "ECONNREFUSED", ...extra }))

const asked = (retryAfter: Duration.Input) =>
  Effect.fail(
    new Transient({
      tool: "x",
      code: "rate_limited",
      detail: "slow down",
      hint: "",
      sideEffect: "none",
      traceId: "",
      retryAfter: Duration.fromInputUnsafe(retryAfter)
    })
  )

const times = (calls: ReadonlyArray<{ readonly at: number }>) => calls.map(({ at }) => at)

describe("retry: which failures", () => {
  it.effect("2.9 a read has four attempts, with waits of 1 s, 2 s and 4 s", () => {
    const search = tool("search", { retry: { jitter: "none" } }, down())
    return Effect.gen(function* () {
      assert.deepStrictEqual(yield* complete(settled(search.tool.call({ q: "a" }))), [
        "Transient",
        "connection_failed",
        "none"
      ])
      assert.deepStrictEqual(times(search.calls), [0, 1_000, 3_000, 7_000])
    }).pipe(within([search.layer]))
  })

  for (const [what, access, answer, code] of [
    ["a refused connection", "write", down(), "connection_failed"],
    ["a 429", "write", response(429, ""), "rate_limited"],
    ["a 503 with Retry-After", "write", response(503, "", { "retry-after": "1" }), "unavailable"],
    [
      "an error with `nothingDone`",
      "write",
      Effect.fail(GuardedTool.nothingDone(Object.assign(new Error("x"), { code: "ETIMEDOUT" }))),
      "timeout"
    ],
    ["a refused connection of a destructive tool", "destructive", down(), "connection_failed"]
  ] as const) {
    for (const by of ["program", "model"] as const) {
      it.effect(`2.9 a write without a key has four attempts after ${what}, if a ${by} calls it`, () => {
        const write = tool("write_it", { access, approval: "auto" }, answer)
        return Effect.gen(function* () {
          const called = by === "program" ? settled(write.tool.call({ q: "a" })) : modelled(write.tool, { q: "a" })
          assert.deepStrictEqual(yield* complete(called), ["Transient", code, "none"])
          assert.strictEqual(write.runs(), 4)
        }).pipe(within([write.layer]))
      })
    }
  }

  it.effect("2.9 a write without a key is not repeated after an attempt that may have acted", () => {
    const write = tool("write_it", { access: "write" }, down(), response(503, ""), { n: 1 })
    return Effect.gen(function* () {
      assert.deepStrictEqual(yield* complete(settled(write.tool.call({ q: "a" }))), [
        "HumanReview",
        "outcome_unknown",
        "unknown"
      ])
      assert.strictEqual(write.runs(), 2)
    }).pipe(within([write.layer]))
  })

  it.effect("2.9 a write with idempotency has four attempts", () => {
    const write = tool("write_it", { access: "write", idempotency: "derived" }, down())
    return Effect.gen(function* () {
      yield* complete(settled(write.tool.call({ q: "a" })))
      assert.strictEqual(write.runs(), 4)
    }).pipe(within([write.layer]))
  })

  for (const [name, answer] of [
    ["a permanent failure", Effect.fail(Object.assign(new Error("denied"), { code: "EACCES" }))],
    ["an answer that violates the contract", '{"n":"x"}'],
    ["a defect", Effect.die(new Error("boom"))],
    ["a full disk", Effect.fail(Object.assign(new Error("no space"), { code: "ENOSPC" }))]
  ] as const) {
    it.effect(`4.11 ${name} is not retried`, () => {
      const search = tool("search", {}, answer)
      return Effect.gen(function* () {
        yield* complete(settled(search.tool.call({ q: "a" })))
        assert.strictEqual(search.runs(), 1)
      }).pipe(within([search.layer]))
    })
  }

  it.effect("4.11 a success ends the retries, and so does a failure of another class", () => {
    const search = tool("search", {}, down(), { n: 1 })
    const mixed = tool("mixed", {}, down(), '{"n":"x"}')
    return Effect.gen(function* () {
      assert.deepStrictEqual(yield* complete(settled(search.tool.call({ q: "a" }))), { n: 1 })
      assert.deepStrictEqual(yield* complete(settled(mixed.tool.call({ q: "a" }))), [
        "SchemaMismatch",
        "invalid_result",
        "none"
      ])
      assert.deepStrictEqual([search.runs(), mixed.runs()], [2, 2])
    }).pipe(within([search.layer, mixed.layer]))
  })
})

describe("retry: when", () => {
  for (const jitter of ["equal", "full", "decorrelated", "none"] as const) {
    it.effect(`4.11 the seed determines when attempts start with jitter ${jitter}`, () => {
      const search = tool("search", { retry: { attempts: 5, base: "1 second", cap: "3 seconds", jitter } }, down())
      return Effect.gen(function* () {
        yield* complete(Random.withSeed(settled(search.tool.call({ q: "a" })), 7))
        const randoms = yield* Random.withSeed(Effect.all(Array.from({ length: 4 }, () => Random.next)), 7)
        const policy = { attempts: 5, baseMillis: 1_000, capMillis: 3_000, jitter }
        let at = 0
        let previous: number | undefined
        const expected = randoms.map((random, i) => {
          previous = RetryPolicy.delayMillis(policy, i + 1, random, previous)
          return (at += previous)
        })
        for (const [i, time] of [0, ...expected].entries()) assert.approximately(search.calls[i]!.at, time, 4)
        assert.strictEqual(search.runs(), 5)
      }).pipe(within([search.layer]))
    })
  }

  it.effect("4.11 the server's Retry-After is the floor of the next delay", () => {
    const search = tool("search", { retry: { jitter: "none" } }, asked("7 seconds"), asked("1 millis"), { n: 1 })
    return Effect.gen(function* () {
      assert.deepStrictEqual(yield* complete(settled(search.tool.call({ q: "a" }))), { n: 1 })
      assert.deepStrictEqual(times(search.calls), [0, 7_000, 9_000])
    }).pipe(within([search.layer]))
  })

  it.effect("4.11 a Retry-After beyond the cap ends the retries, and the model reads it", () => {
    const search = tool("search", {}, asked("21 seconds"))
    return Effect.gen(function* () {
      const { attempts, envelope } = yield* complete(ask([search.tool], "search", '{"q":"a"}'))
      assert.strictEqual(attempts, 1)
      // with jitter of at most a tenth
      assert.isAtLeast(envelope.error.retry_after_ms, 21_000)
      assert.isAtMost(envelope.error.retry_after_ms, 23_100)
      assert.deepStrictEqual(times(search.calls), [0])
    }).pipe(within([search.layer]))
  })

  it.effect("4.11 a wait that would end after the deadline is not started", () => {
    const search = tool("search", { deadline: "10 seconds" }, asked("10001 millis"), { n: 1 })
    const fits = tool("fits", { deadline: "10 seconds" }, asked("10 seconds"), { n: 1 })
    return Effect.gen(function* () {
      const fiber = yield* start(settled(search.tool.call({ q: "a" })))
      yield* Effect.yieldNow
      assert.deepStrictEqual(yield* Fiber.join(fiber), ["Transient", "rate_limited", "none"])
      // a wait that ends exactly at the deadline is allowed, and an immediate answer counts
      assert.deepStrictEqual(yield* complete(settled(fits.tool.call({ q: "a" }))), { n: 1 })
    }).pipe(within([search.layer, fits.layer]))
  })

  it.effect("4.11 interruption ends a wait", () => {
    const search = tool("search", { retry: { base: "10 seconds" } }, down())
    return Effect.gen(function* () {
      const fiber = yield* start(search.tool.call({ q: "a" }))
      yield* TestClock.adjust("1 second")
      yield* Fiber.interrupt(fiber)
      yield* TestClock.adjust("1 minute")
      assert.strictEqual(search.runs(), 1)
    }).pipe(within([search.layer]))
  })
})

describe("retry: the stage alone", () => {
  const transient = (over: object = {}) => ({
    _tag: "Failure" as const,
    failure: new Transient({
      tool: "search",
      code: "unavailable",
      detail: "down",
      hint: "",
      sideEffect: "none",
      traceId: ""
    }),
    ...over
  })

  it.effect("4.11 a failure marked final is not retried", () =>
    Effect.gen(function* () {
      const stage = yield* alone(retry, define("search"), () => Effect.succeed(transient({ isFinal: true })))
      yield* stage.run()
      assert.strictEqual(stage.passed.length, 1)
    }).pipe(Effect.provide(TurnMemoryMemory.layer))
  )

  it.effect("4.11 each attempt has its number and the failure of the previous attempt", () =>
    Effect.gen(function* () {
      const stage = yield* alone(retry, define("search"), () => Effect.succeed(transient()))
      yield* complete(stage.run())
      assert.deepStrictEqual(
        stage.passed.map(({ attempt, lastFailure }) => [attempt, lastFailure?.code]),
        [
          [1, undefined],
          [2, "unavailable"],
          [3, "unavailable"],
          [4, "unavailable"]
        ]
      )
    }).pipe(Effect.provide(TurnMemoryMemory.layer))
  )

  it.effect("4.17 the trace notes after how many attempts the stage gave up", () =>
    Effect.gen(function* () {
      const stage = yield* alone(retry, define("search"), () => Effect.succeed(transient()))
      yield* complete(stage.run())
      assert.deepStrictEqual(stage.passed[0]?.trace.decisions, [
        { stage: "retry", decision: "gave up", reason: "after 4 attempts: unavailable" }
      ])
    }).pipe(Effect.provide(TurnMemoryMemory.layer))
  )
})

describe("retry: the observer", () => {
  it.effect("11.2 is notified when an attempt starts, when it ends, and when a retry is scheduled", () => {
    const search = tool("search", { retry: { jitter: "none" } }, down(), { n: 1 })
    return Effect.gen(function* () {
      const events: Array<CallEvent> = []
      yield* complete(
        Effect.provideService(
          ask([search.tool], "search", '{"q":"a"}'),
          CallObserver,
          (event) => void events.push(event)
        )
      )
      const call = { callId: "call", tool: "search" }
      assert.deepStrictEqual(events, [
        { _tag: "AttemptStarted", ...call, attempt: 1 },
        {
          _tag: "AttemptEnded",
          ...call,
          attempt: 1,
          outcome: "Transient",
          code: "connection_failed",
          durationMillis: 0
        },
        { _tag: "RetryScheduled", ...call, attempt: 2, delayMillis: 1_000 },
        { _tag: "AttemptStarted", ...call, attempt: 2 },
        { _tag: "AttemptEnded", ...call, attempt: 2, outcome: "Success", code: undefined, durationMillis: 0 }
      ])
    }).pipe(within([search.layer]))
  })
})

describe("retry: a policy for one use of a tool", () => {
  it.effect("2.9 a retry policy that is piped to a tool applies, and raises the budget", () => {
    const search = tool("search", {}, down())
    const eager = GuardedTool.retry({ attempts: 5, jitter: "none" })(search.tool)
    return Effect.gen(function* () {
      assert.deepStrictEqual(yield* complete(settled(eager.call({ q: "a" }))), [
        "Transient",
        "connection_failed",
        "none"
      ])
      assert.deepStrictEqual(times(search.calls), [0, 1_000, 3_000, 7_000, 15_000])
      assert.strictEqual(eager.toolName, "search")
    }).pipe(within([search.layer]))
  })
})

describe("retry: the number of attempts", () => {
  const unavailable = response(503, "")

  it.effect(
    "4.11 a failure after four attempts says so in its detail, its field, the envelope, the record and the span",
    () => {
      const search = tool("search", { retry: { jitter: "none" } }, unavailable)
      const spans: Array<Tracer.NativeSpan> = []
      const tracer = Tracer.make({
        span: (options) => {
          const span = new Tracer.NativeSpan(options)
          spans.push(span)
          return span
        }
      })
      return Effect.gen(function* () {
        const { envelope, outcome, record } = yield* complete(
          Effect.provideService(ask([search.tool], "search", { q: "a" }), Tracer.Tracer, tracer)
        )
        const failure = (outcome as FailedOutcome).failure
        assert.strictEqual(failure.detail, "Failed after 4 attempts: HTTP status 503")
        assert.deepStrictEqual(
          [
            failure.attempts,
            envelope.error.attempts,
            record?.attempts.length,
            spans[0]?.attributes.get("effect_toolguard.attempts")
          ],
          [4, 4, 4, 4]
        )
        assert.strictEqual(envelope.error.message, failure.detail)
        assert.isAtMost(JSON.stringify(envelope.error).length, 600)
      }).pipe(within([search.layer]))
    }
  )

  it.effect("10.2 the notice to a person says after how many attempts a call failed", () => {
    const search = tool("search", { retry: { jitter: "none" } }, unavailable)
    return Effect.gen(function* () {
      yield* complete(ask([search.tool], "search", { q: "a" }))
      const { informed } = yield* EscalationScripted.EscalationTranscript
      assert.include(informed[0]?.sentence, "search failed after 4 attempts.")
      assert.notInclude(informed[0]?.sentence, "Failed after")
    }).pipe(within([search.layer], Guard.layerMemoryWith(EscalationScripted.layer([]))))
  })

  it.effect("4.11 a failure after one attempt, and a call without an attempt, state no number", () => {
    const busy = response(503, "", { "retry-after": "60" })
    const search = tool("search", { retry: { attempts: 1 }, budget: 1 }, busy)
    return Effect.gen(function* () {
      for (const code of ["unavailable", "retry_budget_exceeded"]) {
        const { envelope, outcome } = yield* ask([search.tool], "search", { q: "a" })
        assert.strictEqual(envelope.error.code, code)
        assert.notProperty(envelope.error, "attempts")
        assert.isUndefined((outcome as FailedOutcome).failure.attempts)
        assert.notInclude(envelope.error.message, "Failed after")
      }
    }).pipe(within([search.layer]))
  })

  it.effect("4.11 a handler's failure from another guarded call does not keep its number of attempts", () => {
    const inner = tool("inner", { retry: { jitter: "none" } }, unavailable)
    const outer = tool("outer", { deadline: "1 minute", timeout: "1 minute", retry: { attempts: 1 } }, () =>
      inner.tool.call({ q: "a" })
    )
    return Effect.gen(function* () {
      const failure = yield* complete(failureOf(outer.tool.call({ q: "a" })))
      assert.isUndefined(failure.attempts)
      assert.strictEqual(failure.detail, "Failed after 4 attempts: HTTP status 503")
    }).pipe(within([inner.layer, outer.layer]))
  })

  it.effect("3.3 an unknown outcome after several attempts states their number", () => {
    const write = tool(
      "write_it",
      { access: "write", idempotency: { mode: "derived", upstreamHonoursKey: true } },
      unavailable
    )
    return Effect.gen(function* () {
      const failure = yield* complete(failureOf(write.tool.call({ q: "a" })))
      assert.deepStrictEqual([failure.code, failure.attempts], ["outcome_unknown", 4])
      assert.include(failure.detail, "Failed after 4 attempts: ")
    }).pipe(within([write.layer]))
  })

  it("3.2 a failure of an older record has no number of attempts, and a failure of a new record keeps it", () => {
    const codec = Schema.toCodecJson(Failure)
    const failed = new Transient({
      tool: "search",
      code: "unavailable",
      detail: "Failed after 4 attempts: down",
      hint: "",
      sideEffect: "none",
      traceId: "t",
      attempts: 4
    })
    const written = Schema.encodeUnknownSync(codec)(failed) as { readonly attempts?: number }
    const read = Schema.decodeUnknownSync(codec)(JSON.parse(JSON.stringify(written)))
    assert.deepStrictEqual([read._tag, read.attempts], ["Transient", 4])
    const { attempts: _, ...older } = written
    assert.isUndefined(Schema.decodeUnknownSync(codec)(older).attempts)
  })
})
