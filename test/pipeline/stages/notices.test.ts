/** Tests which failures the stage `escalate` reports to a person, with what, and which it leaves to another place. */
import * as Incident from "#domain/approval/Incident"
import { failed, type FailedOutcome, type Outcome, success } from "#domain/call/Outcome"
import * as Failure from "#domain/failure/Failure"
import type { Level, EscalationEvent } from "#domain/tool/EscalationPolicy"
import * as GuardPolicies from "#pipeline/call/GuardPolicies"
import * as Trace from "#pipeline/call/Trace"
import { escalate } from "#pipeline/stages/escalate"
import { Escalation, type EscalationRequest } from "#services/Escalation"
import { EscalationPolicy } from "#services/Policies"
import { UnknownOutcomes } from "#services/UnknownOutcomes"
import { Guard } from "#src/guard/Guard"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { alone, define, type Tool, turn } from "../support.ts"

const write = define("write_it", { access: "write" })

const failure = (
  tag: "Permanent" | "HumanReview",
  code: string,
  sideEffect: Failure.SideEffect = "none",
  tool = "write_it"
): FailedOutcome => failed(Failure.make(tag, code, { detail: "It broke.", hint: "h", sideEffect, tool, traceId: "i" }))

const permanent = failure("Permanent", "odd")
const unknown = failure("HumanReview", "outcome_unknown", "unknown")

/** Runs the stage for an outcome of a tool under a policy. Returns the outcome, and what people and stores were told. */
const made = (
  outcome: Outcome,
  {
    decided = [],
    level = () => "inform",
    over = {},
    tool = write,
    traced = {}
  }: {
    readonly tool?: Tool
    readonly level?: (event: EscalationEvent) => Level
    readonly over?: object
    readonly traced?: Partial<Trace.Trace>
    readonly decided?: Trace.Trace["decisions"]
  } = {}
) => {
  const told: Array<EscalationRequest> = []
  const stored: Array<object> = []
  const events: Array<EscalationEvent> = []
  const services = Layer.mergeAll(
    Layer.succeed(Escalation, {
      inform: (request) => Effect.sync(() => void told.push(request)),
      ask: () => Effect.die("not expected")
    }),
    // only this member is called
    Layer.succeed(UnknownOutcomes, {
      add: (outcome: object) =>
        Effect.sync(() => {
          stored.push(outcome)
          return { id: "outcome-1" }
        })
    } as never)
  )
  const policy = (event: EscalationEvent): Level => {
    events.push(event)
    return level(event)
  }
  return Effect.gen(function* () {
    const guardPolicies = yield* Effect.provideService(GuardPolicies.capture, EscalationPolicy, policy)
    const trace = Object.assign(Trace.make(undefined), traced)
    trace.decisions.push(...decided)
    const stage = yield* alone(escalate, tool, () => Effect.succeed(outcome))
    const result = yield* stage.run({ trace, guardPolicies, ...over })
    return { result, told, stored, events, trace }
  }).pipe(Effect.provide(Layer.merge(Guard.memory, services)))
}

describe("escalate: which failures are reported", () => {
  for (const [what, outcome, over, traced, isTold] of [
    ["a failure is reported", permanent, {}, {}, true],
    ["a success is not reported", success({ n: 1 }), {}, {}, false],
    ["a recalled failure was reported before", { ...permanent, recalled: true }, {}, {}, false],
    ["a shared read reports it elsewhere", permanent, {}, { isShared: true }, false],
    ["a fallback has reported its failure", { ...permanent, usedFallback: "f", level: "inform" }, {}, {}, false],
    ["a failure of a fallback without a level is reported", { ...permanent, usedFallback: "f" }, {}, {}, true],
    ["a level without a fallback is reported", { ...permanent, level: "inform" }, {}, {}, true],
    ["an outcome that a person left open is not reported again", unknown, {}, { isLeftOpen: true }, false],
    ["a loop that asks is told nothing below `confirm`", permanent, { loopAsks: true }, {}, true]
  ] as const) {
    it.effect(`4.13 ${what}`, () =>
      Effect.gen(function* () {
        assert.strictEqual((yield* made(outcome, { over, traced })).told.length, isTold ? 1 : 0)
      })
    )
  }

  for (const [what, outcome, over, isTold] of [
    ["the loop asks about it", permanent, { loopAsks: true }, false],
    ["no loop asks", permanent, { loopAsks: false }, true],
    ["it ends the run anyway", unknown, { loopAsks: true }, true],
    ["a fallback did nothing", permanent, { loopAsks: true, purpose: "fallback" }, true],
    [
      "a fallback may have acted",
      failure("Permanent", "odd", "unknown"),
      { loopAsks: true, purpose: "fallback" },
      false
    ]
  ] as const) {
    it.effect(`4.13 a failure of level confirm is ${isTold ? "reported" : "left to the loop"} if ${what}`, () =>
      Effect.gen(function* () {
        const { told } = yield* made(outcome, { over, level: () => "confirm" })
        assert.strictEqual(told.length, isTold ? 1 : 0)
      })
    )
  }

  it.effect("3.5 a declared refusal is no incident", () =>
    Effect.gen(function* () {
      const details = { detail: "d", hint: "h", tool: "write_it", traceId: "i", sideEffect: "none" } as const
      const refusal = failed(Failure.make("Permanent", "sold_out", { ...details, refusal: { _tag: "SoldOut" } }))
      const { result, told } = yield* made(refusal)
      assert.deepStrictEqual([result, told], [refusal, []])
    })
  )

  it.effect("4.13 an unknown outcome is reported even if the policy says `auto`, and at the level of its failure", () =>
    Effect.gen(function* () {
      const levelOf = (outcome: Outcome, level: (event: EscalationEvent) => Level) =>
        Effect.map(made(outcome, { level }), ({ result }) => (result._tag === "Failure" ? result.level : undefined))
      assert.isUndefined(yield* levelOf(permanent, () => "auto"))
      assert.strictEqual(yield* levelOf(unknown, () => "auto"), "inform")
      const original = { ...unknown, original: permanent.failure }
      const severe = (event: EscalationEvent): Level =>
        event._tag === "CallFailed" && event.code === "odd" ? "block" : "auto"
      assert.strictEqual(yield* levelOf(original, severe), "block")
      assert.strictEqual(yield* levelOf(unknown, severe), "inform")
    })
  )
})

describe("escalate: what a person reads", () => {
  it.effect("10.2 the policy is told the tool, the failure, the attempts and a defect", () =>
    Effect.gen(function* () {
      const { events } = yield* made(permanent, { decided: [{ stage: "run", decision: "defect", reason: "r" }] })
      assert.deepStrictEqual(events, [
        {
          _tag: "CallFailed",
          tool: "write_it",
          access: "write",
          critical: false,
          failure: "Permanent",
          code: "odd",
          attempts: 0,
          defect: true
        }
      ])
      const plain = yield* made(permanent)
      assert.deepInclude(plain.events[0], { defect: false })
    })
  )

  it.effect("4.13 a notice names the tool by its id, and another tool as the failure names it", () =>
    Effect.gen(function* () {
      const tool = define("write_it", { access: "write", id: "billing.write" })
      const [own] = (yield* made(permanent, { tool })).told
      const [other] = (yield* made(failure("Permanent", "odd", "none", "inner"), { tool })).told
      assert.deepStrictEqual([own?.tool, other?.tool], ["billing.write", "inner"])
    })
  )

  it.effect("4.13 the guidance says whether work continues, and is severe from the level confirm", () =>
    Effect.gen(function* () {
      for (const [level, isSevere] of [
        ["inform", false],
        ["confirm", true],
        ["block", true]
      ] as const) {
        const [request] = (yield* made(permanent, { level: () => level })).told
        const expected = Incident.continued({ tool: "write_it", failure: permanent.failure }, isSevere)
        assert.deepStrictEqual([request?.level, request?.guidance], [level, expected])
        assert.notProperty(request, "outcomeId")
      }
    })
  )

  it.effect("10.5 the notice of an unknown outcome names what a person can settle, in its run", () =>
    Effect.gen(function* () {
      for (const [over, place] of [
        [{}, { isInRun: false, isOpen: false }],
        [{ journal: "new" }, { isInRun: false, isOpen: true }],
        [{ loopAsks: true }, { isInRun: true, isOpen: false }]
      ] as const) {
        const [request] = (yield* made(unknown, { over, traced: { unknownOutcome: "o-7" } })).told
        assert.deepStrictEqual(request?.guidance, Incident.unknown("o-7", place))
        assert.strictEqual(request?.outcomeId, "o-7")
      }
    })
  )

  it.effect("4.13 the same failure of a turn has one binding, and outside a turn each call has its own", () =>
    Effect.gen(function* () {
      const bindingOf = (over: object) => Effect.map(made(permanent, { over }), ({ told }) => told[0]?.binding)
      assert.strictEqual(yield* bindingOf({}), yield* bindingOf({ traceId: "other" }))
      assert.notStrictEqual(yield* bindingOf({}), yield* bindingOf({ turn: { ...turn, turn: "later" } }))
      const outside = { turn: undefined }
      assert.notStrictEqual(yield* bindingOf(outside), yield* bindingOf({ ...outside, traceId: "other" }))
    })
  )
})

describe("escalate: a call of a changed tool", () => {
  const decision = (stage: string, name: string) => [{ stage, decision: name, reason: "r" }]

  it.effect("10.5 its unknown outcome is stored, so that the notice can name it", () =>
    Effect.gen(function* () {
      for (const over of [{}, { turn: undefined }]) {
        const { stored, told, trace } = yield* made(unknown, { over, decided: decision("locate", "unknown") })
        assert.deepStrictEqual([stored.length, told[0]?.outcomeId], [1, "outcome-1"])
        assert.strictEqual(trace.unknownOutcome, "outcome-1")
      }
    })
  )

  it.effect("10.5 the outcome of any other call is stored by another stage", () =>
    Effect.gen(function* () {
      for (const decided of [[], decision("claim", "unknown"), decision("locate", "refused")])
        assert.deepStrictEqual((yield* made(unknown, { decided })).stored, [])
    })
  )
})
