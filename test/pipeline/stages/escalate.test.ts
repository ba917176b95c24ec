import * as EscalationScripted from "#layers/EscalationScripted"
import { EscalationTranscript } from "#layers/EscalationScripted"
import type { EscalationEvent } from "#domain/tool/EscalationPolicy"
import * as Failure from "#domain/failure/Failure"
import { failed, success } from "#domain/call/Outcome"
import { escalate } from "#pipeline/stages/escalate"
import { Escalation } from "#services/Escalation"
import { EscalationPolicy } from "#services/Policies"
import { Guard } from "#src/guard/Guard"
import * as GuardedTool from "#src/tool/GuardedTool"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Layer, Schema } from "effect"
import { TestClock } from "effect/testing"
import {
  alone,
  ask,
  asked,
  brief,
  callOf,
  complete,
  define,
  failureOf,
  outside,
  response,
  settled,
  start,
  tool,
  turn,
  within
} from "../support.ts"

const scripted = (...script: ReadonlyArray<EscalationScripted.ScriptedAnswer>) =>
  Guard.layerMemoryWith(EscalationScripted.layer(script))

const informed = Effect.map(EscalationTranscript, ({ informed }) => informed)

const errno = (code: string) => Effect.fail(Object.assign(new Error(code), { code }))

describe("escalate: a tool that only its server calls destructive", () => {
  it.effect(
    "10.2, 3.3 wrong arguments are not confirmed, unlike those of a tool that its owner calls destructive",
    () => {
      const levels = (accessBy: "owner" | "server") => {
        const answers = { status: 422 }
        const act = GuardedTool.dynamic("act", {
          access: "destructive",
          accessBy,
          handler: () => Effect.fail(answers)
        })
        return Effect.gen(function* () {
          const failure = yield* failureOf(act.call({ q: "a" }))
          return [failure._tag, (yield* informed).map(({ level }) => level)]
        }).pipe(outside([], scripted("approve")))
      }
      return Effect.gen(function* () {
        assert.deepStrictEqual(yield* levels("owner"), ["ToolArgError", ["confirm"]])
        assert.deepStrictEqual(yield* levels("server"), ["ToolArgError", []])
      })
    }
  )
})

describe("escalate: the default policy", () => {
  const rows: ReadonlyArray<
    readonly [what: string, definition: object, answer: unknown, args: object, level: string, code: string]
  > = [
    ["an exhausted resource blocks the run", {}, errno("ENOSPC"), { q: "a" }, "block", "disk_full"],
    ["a transient failure after all attempts informs a person", {}, response(503), { q: "a" }, "inform", "unavailable"],
    [
      "a permanent failure of a critical tool informs a person",
      { critical: true },
      errno("EACCES"),
      { q: "a" },
      "inform",
      "misconfigured"
    ],
    [
      "a person is informed of a defect of a handler",
      {},
      Effect.die(new Error("oops")),
      { q: "a" },
      "inform",
      "tool_crashed"
    ],
    [
      "wrong arguments for a destructive tool are confirmed",
      { access: "destructive", approval: "auto" },
      { n: 1 },
      { q: 7 },
      "confirm",
      "invalid_arguments"
    ]
  ]
  for (const [what, definition, answer, args, level, code] of rows) {
    it.effect(`4.13 ${what}`, () => {
      const fixture = tool("do_it", definition, answer)
      return Effect.gen(function* () {
        const { decisions, outcome, traceId } = yield* complete(ask([fixture.tool], "do_it", args))
        assert.deepStrictEqual(outcome._tag === "Failure" && [outcome.failure.code, outcome.level], [code, level])
        assert.deepStrictEqual(decisions.at(-1), { stage: "escalate", decision: level, reason: code })
        assert.deepStrictEqual(
          (yield* informed).map((request) => [request.level, request.reason, request.tool, request.traceId]),
          [[level, code, "do_it", traceId]]
        )
      }).pipe(within([fixture.layer], scripted()))
    })
  }

  const quiet: ReadonlyArray<readonly [what: string, definition: object, answer: unknown, args: object]> = [
    ["a success", {}, { n: 1 }, { q: "a" }],
    ["a transient failure of a tool without retries", { retry: { attempts: 1 } }, response(503), { q: "a" }],
    ["a permanent failure of a tool that is not critical", {}, errno("EACCES"), { q: "a" }],
    ["wrong arguments for a read", { critical: true }, { n: 1 }, { q: 7 }],
    ["a broken answer", { critical: true }, '{"n":"one"}', { q: "a" }]
  ]
  for (const [what, definition, answer, args] of quiet) {
    it.effect(`4.13 no person is notified of ${what}`, () => {
      const fixture = tool("do_it", definition, answer)
      return Effect.gen(function* () {
        const { decisions, outcome } = yield* complete(ask([fixture.tool], "do_it", args))
        assert.isUndefined(outcome._tag === "Failure" ? outcome.level : undefined)
        assert.isFalse(decisions.some(({ stage }) => stage === "escalate"))
        assert.deepStrictEqual(yield* informed, [])
      }).pipe(within([fixture.layer], scripted()))
    })
  }

  it.effect("4.13 a recalled failure is not reported again", () => {
    const fixture = tool("do_it", { critical: true }, Effect.die(new Error("oops")))
    return Effect.gen(function* () {
      yield* asked(fixture.tool, { q: "a" })
      yield* asked(fixture.tool, { q: "a" })
      assert.deepStrictEqual([(yield* informed).length, fixture.runs()], [1, 1])
    }).pipe(within([fixture.layer], scripted()))
  })

  it.effect(
    "4.13 no person is notified if a fallback tool answers; both failures are reported if the fallback tool fails",
    () => {
      const good = tool("search_cache", {}, { n: 2 })
      const full = tool("search_full", {}, errno("ENOSPC"))
      const crash = Effect.die(new Error("oops"))
      const by = (other: typeof good) => [{ tool: other.tool, arguments: (args: unknown) => args }]
      const one = tool("search_one", { critical: true, fallbacks: by(good) }, crash)
      const two = tool("search_two", { fallbacks: by(full) }, crash)
      return Effect.gen(function* () {
        assert.deepStrictEqual(yield* settled(one.tool.call({ q: "a" })), { n: 2 })
        assert.deepStrictEqual(yield* informed, [])
        yield* settled(two.tool.call({ q: "a" }))
        assert.deepStrictEqual(
          (yield* informed).map(({ level, reason, tool }) => [level, reason, tool]),
          [
            ["block", "disk_full", "search_full"],
            ["inform", "tool_crashed", "search_two"]
          ]
        )
      }).pipe(within([one.layer, two.layer, good.layer, full.layer], scripted()))
    }
  )

  const timedOut = { access: "write", timeout: "1 second", deadline: "1 second" }

  it.effect("10.5 a person is notified of an unknown outcome once, at the level inform", () => {
    const fixture = tool("do_it", timedOut, Effect.never)
    return Effect.gen(function* () {
      const { decisions, outcome } = yield* complete(ask([fixture.tool], "do_it", { q: "a" }))
      assert.deepStrictEqual(outcome._tag === "Failure" && [outcome.failure.code, outcome.level], [
        "outcome_unknown",
        "inform"
      ])
      assert.deepStrictEqual(decisions.at(-1), { stage: "escalate", decision: "inform", reason: "outcome_unknown" })
      assert.deepStrictEqual(
        (yield* informed).map(({ level, reason, tool }) => [level, reason, tool]),
        [["inform", "outcome_unknown", "do_it"]]
      )
    }).pipe(within([fixture.layer], scripted()))
  })

  it.effect("10.5 a policy cannot silence an unknown outcome, but can raise its level", () => {
    const fixture = tool("do_it", timedOut, Effect.never, Effect.never)
    const levelWith = (level: "auto" | "block", q: string) =>
      complete(
        Effect.provideService(ask([fixture.tool], "do_it", { q }), EscalationPolicy, (event) =>
          event._tag === "CallFailed" ? level : "auto"
        )
      ).pipe(Effect.map(({ outcome }) => (outcome._tag === "Failure" ? outcome.level : undefined)))
    return Effect.gen(function* () {
      assert.deepStrictEqual([yield* levelWith("auto", "a"), yield* levelWith("block", "b")], ["inform", "block"])
      assert.lengthOf(yield* informed, 2)
    }).pipe(within([fixture.layer], scripted()))
  })

  it.effect("10.5 a person is notified once of the unknown outcome of a fallback tool", () => {
    const other = tool("do_other", timedOut, Effect.never)
    const one = tool(
      "do_it",
      { access: "write", fallbacks: [{ tool: other.tool, arguments: (args: unknown) => args }] },
      errno("ECONNREFUSED")
    )
    return Effect.gen(function* () {
      const { outcome } = yield* complete(ask([one.tool], "do_it", { q: "a" }))
      assert.deepStrictEqual(outcome._tag === "Failure" && [outcome.failure.code, outcome.level], [
        "outcome_unknown",
        "inform"
      ])
      assert.deepStrictEqual(
        (yield* informed).map(({ reason, tool }) => [reason, tool]),
        [["outcome_unknown", "do_other"]]
      )
    }).pipe(within([one.layer, other.layer], scripted()))
  })

  it.effect("10.5 a person is notified of an interrupted write, unless a journal records it", () => {
    const write = tool("do_it", { access: "write" }, Effect.never, Effect.never)
    const read = tool("read_it", {}, Effect.never)
    return Effect.gen(function* () {
      for (const [name, more] of [
        ["do_it", {}],
        ["do_it", { journal: "new" }],
        ["read_it", {}]
      ] as const) {
        const calling = yield* start(ask([write.tool, read.tool], name, { q: JSON.stringify(more) }, more))
        yield* TestClock.adjust("1 second")
        yield* Fiber.interrupt(calling)
      }
      assert.deepStrictEqual([write.runs(), read.runs()], [2, 1])
      assert.deepStrictEqual(
        (yield* informed).map(({ level, reason, tool }) => [level, reason, tool]),
        [["inform", "outcome_unknown", "do_it"]]
      )
    }).pipe(within([write.layer, read.layer], scripted()))
  })

  it.effect("4.13 a notice names conversation and turn, and contains no secret and no arguments", () => {
    const secret = ["glpat-", "4fXcD9kLmN2pQr7sTuVw"].join("")
    const fixture = tool("do_it", { critical: true, success: Schema.Struct({ n: Schema.Int }) }, () =>
      Effect.fail(
        new Failure.Permanent({
          tool: "do_it",
          code: "refused",
          detail: `The token ${secret} was refused.`,
          hint: "Ask the user.",
          sideEffect: "none",
          traceId: ""
        })
      )
    )
    return Effect.gen(function* () {
      const { traceId } = yield* failureOf(fixture.tool.call({ q: "a" }))
      assert.deepStrictEqual(yield* informed, [
        {
          level: "inform",
          reason: "refused",
          tool: "do_it",
          sentence:
            'do_it failed. The upstream permanently refuses the operation. Details: "The token [redacted] was refused.".',
          guidance: {
            did: "Nothing was changed. The failure was returned, and work continues.",
            choices: "No answer is needed. To stop further calls: toolguard halt do_it",
            otherwise: "Work continues."
          },
          arguments: undefined,
          binding: JSON.stringify([JSON.stringify(["tenant", "conversation", "turn"]), "do_it", "refused"]),
          turn,
          traceId
        }
      ])
    }).pipe(within([fixture.layer], scripted()))
  })

  it.effect("4.13 outside a turn a person is notified of each call separately", () => {
    const fixture = tool("do_it", {}, Effect.die(new Error("oops")))
    return Effect.gen(function* () {
      yield* settled(fixture.tool.call({ q: "a" }))
      yield* settled(fixture.tool.call({ q: "a" }))
      const [first, second] = yield* informed
      assert.deepStrictEqual([first?.turn, second?.turn], [undefined, undefined])
      assert.notStrictEqual(first?.binding, second?.binding)
    }).pipe(outside([fixture.layer], scripted()))
  })
})

describe("escalate: a custom policy", () => {
  it.effect("4.13 receives the failed call and decides its level", () => {
    const events: Array<EscalationEvent> = []
    const fixture = tool(
      "write_it",
      { access: "write", critical: true, idempotency: "derived" },
      Effect.die(new Error("oops"))
    )
    const policy = (event: EscalationEvent) => {
      events.push(event)
      return event._tag === "CallFailed" ? "block" : "auto"
    }
    return Effect.gen(function* () {
      const { outcome } = yield* Effect.provideService(
        ask([fixture.tool], "write_it", { q: "a" }),
        EscalationPolicy,
        policy
      )
      assert.strictEqual(outcome._tag === "Failure" ? outcome.level : undefined, "block")
      assert.deepStrictEqual(events, [
        { _tag: "CallRequested", tool: "write_it", access: "write", critical: true },
        {
          _tag: "CallFailed",
          tool: "write_it",
          access: "write",
          critical: true,
          failure: "HumanReview",
          code: "outcome_unknown",
          attempts: 1,
          defect: true
        },
        {
          _tag: "CallFailed",
          tool: "write_it",
          access: "write",
          critical: true,
          failure: "Permanent",
          code: "tool_crashed",
          attempts: 1,
          defect: true
        }
      ])
    }).pipe(within([fixture.layer], scripted()))
  })

  it.effect("4.13 can be a layer that is passed to `Guard.layerMemoryWith`", () => {
    const fixture = tool("do_it", {}, errno("EACCES"))
    const guard = Guard.layerMemoryWith(
      Layer.merge(
        EscalationScripted.layer([]),
        Layer.succeed(EscalationPolicy, (event) => (event._tag === "CallFailed" ? "inform" : "auto"))
      )
    )
    return Effect.gen(function* () {
      yield* settled(fixture.tool.call({ q: "a" }))
      assert.lengthOf(yield* informed, 1)
    }).pipe(within([fixture.layer], guard))
  })

  it.effect("4.13 that returns auto does not notify a person", () => {
    const fixture = tool("do_it", {}, Effect.die(new Error("oops")))
    return Effect.gen(function* () {
      yield* Effect.provideService(settled(fixture.tool.call({ q: "a" })), EscalationPolicy, () => "auto")
      assert.deepStrictEqual(yield* informed, [])
    }).pipe(within([fixture.layer], scripted()))
  })

  it.effect("4.13 that throws does not change the failure, and counts as confirm", () => {
    const fixture = tool("do_it", {}, errno("EACCES"))
    const policy = (event: EscalationEvent) => {
      if (event._tag === "CallFailed") throw new Error("no such row")
      return "auto" as const
    }
    return Effect.gen(function* () {
      const { envelope, outcome } = yield* Effect.provideService(
        ask([fixture.tool], "do_it", { q: "a" }),
        EscalationPolicy,
        policy
      )
      assert.deepStrictEqual(
        [envelope.error.code, outcome._tag === "Failure" ? outcome.level : undefined],
        ["misconfigured", "confirm"]
      )
    }).pipe(within([fixture.layer], scripted()))
  })
})

describe("escalate: a service that fails", () => {
  for (const [what, inform] of [
    ["dies", () => Effect.die(new Error("no connection"))],
    ["interrupts itself", () => Effect.interrupt],
    [
      "throws",
      () => {
        throw new Error("no connection")
      }
    ]
  ] as const) {
    it.effect(`4.13 does not change the outcome if it ${what}`, () => {
      const fixture = tool("do_it", {}, errno("ENOSPC"))
      const guard = Guard.layerMemoryWith(
        Layer.succeed(Escalation, { inform, ask: () => Effect.succeed({ _tag: "NoPerson" }) })
      )
      return Effect.gen(function* () {
        assert.deepStrictEqual(brief(yield* failureOf(fixture.tool.call({ q: "a" }))), [
          "Resource",
          "disk_full",
          "none"
        ])
      }).pipe(within([fixture.layer], guard))
    })
  }
})

describe("escalate: the stage alone", () => {
  it.effect("4.13 passes on a success unchanged", () =>
    Effect.gen(function* () {
      const outcome = success({ n: 1 })
      const stage = yield* alone(escalate, define("do_it"), () => Effect.succeed(outcome))
      assert.strictEqual(yield* stage.run(), outcome)
    }).pipe(Effect.provide(Layer.mergeAll(EscalationScripted.layer([]), Guard.memory)))
  )

  it.effect("4.13 informs a person of a transient failure after the third attempt, but not after the second", () =>
    Effect.gen(function* () {
      const transient = failed(
        new Failure.Transient({
          tool: "do_it",
          code: "unavailable",
          detail: "It is down.",
          hint: "Wait.",
          sideEffect: "none",
          traceId: "trace"
        })
      )
      const stage = yield* alone(escalate, define("do_it"), () => Effect.succeed(transient))
      const { trace } = yield* callOf(define("do_it"))
      const attempt = { startedAt: 0, durationMillis: 1, outcome: "Transient", code: "unavailable" }
      assert.strictEqual(yield* stage.run({ trace: { ...trace, attempts: [attempt, attempt] } }), transient)
      assert.deepStrictEqual(yield* stage.run({ trace: { ...trace, attempts: [attempt, attempt, attempt] } }), {
        ...transient,
        level: "inform"
      })
    }).pipe(Effect.provide(Layer.mergeAll(EscalationScripted.layer([]), Guard.memory)))
  )
})
