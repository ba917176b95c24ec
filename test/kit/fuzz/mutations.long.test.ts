/** Tests that `checkTool` detects a broken guard for every promise. */
import { changed, Permanent, Transient } from "#domain/failure/Failure"
import { failed } from "#domain/call/Outcome"
import type { RenderedEnvelope } from "#domain/envelope/Envelope"
import type { ModelStage } from "#pipeline/call/ModelStage"
import type { Stage } from "#pipeline/call/Stage"
import { Escalation } from "#services/Escalation"
import { checkTool, type PromiseName } from "#kit/fuzz/CheckTool"
import * as CaseGenerator from "#kit/fuzz/cases/CaseGenerator"
import { simulate } from "#kit/fuzz/simulation/Simulation"
import * as Pools from "#kit/fuzz/cases/Pools"
import * as Promises from "#kit/fuzz/promises/Promises"
import * as Subject from "#kit/fuzz/cases/Subject"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { RefundOrder, SearchOrders } from "../../../examples/orders/Tools.ts"
import type { Tool } from "../../pipeline/support.ts"
import { type MakeGuard, withReplaced, without } from "./guards.ts"
import { tools } from "./tools.ts"

const named = (name: string): Tool => tools.find(({ toolName }) => toolName === name) as Tool

/** Returns a stage that changes the outcome of the stages after it. */
const changingOutcome = (name: string, change: (outcome: any, call: any) => any): Stage => ({
  name,
  make: Effect.succeed(() => (next) => (call) => Effect.map(next(call), (outcome) => change(outcome, call)))
})

/** Returns a stage that renders the changed JSON of an outcome. */
const render = (change: (text: string) => string): ModelStage => ({
  name: "render",
  make: Effect.succeed(
    // the result type of a stage is generic
    () => (reading) =>
      ({ text: change(JSON.stringify(reading.outcome)), shows: "error" }) satisfies RenderedEnvelope as never
  )
})

/** Retries a transient failure without checking its side effect. */
const eager: Stage = {
  name: "retry",
  make: Effect.succeed(
    () => (next) => (call) =>
      Effect.flatMap(next(call), (first) =>
        first._tag === "Failure" && first.failure._tag === "Transient"
          ? next({ ...call, attempt: 2, lastFailure: first.failure })
          : Effect.succeed(first)
      )
  )
}

/** Merges arguments into an object field by field, which lets `__proto__` pollute prototypes. */
const merging: Stage = {
  name: "parse",
  make: Effect.succeed(() => (next) => (call) => {
    const merge = (into: any, from: any): any => {
      for (const key of Object.keys(from)) {
        if (typeof from[key] === "object" && from[key] !== null) merge((into[key] ??= {}), from[key])
        else into[key] = from[key]
      }
      return into
    }
    try {
      return next({ ...call, input: call.origin === "text" ? merge({}, JSON.parse(String(call.input))) : call.input })
    } catch {
      return next(call)
    }
  })
}

/** Informs a person of every failure, including its cause. */
const informing: Stage<Escalation> = {
  name: "escalate",
  make: Effect.map(
    Escalation,
    (escalation) => () => (next) => (call) =>
      Effect.tap(next(call), (outcome) =>
        outcome._tag === "Success"
          ? Effect.void
          : escalation.inform({
              level: "inform",
              reason: "",
              tool: call.name,
              sentence: String(outcome.failure.cause),
              arguments: undefined,
              binding: "",
              turn: call.turn,
              traceId: call.traceId
            })
      )
  )
}

const isA = (outcome: any, tag: string): boolean => outcome._tag === "Failure" && outcome.failure._tag === tag

/** Reports a failure as another class. */
const reclassified = (Class: any, { failure: { _tag, ...fields } }: any) => failed(new Class(fields))

/** Runs every call twice. */
const doubling: Stage = {
  name: "concurrency",
  make: Effect.succeed(() => (next) => (call) => Effect.andThen(next(call), next(call)))
}

/** Never returns. */
const hanging: Stage = { name: "escalate", make: Effect.succeed(() => () => () => Effect.never) }

/** Broken guards, each with the promise that it breaks for a tool, and the expected report. */
const mutations: ReadonlyArray<
  readonly [fault: string, tool: Tool, guard: MakeGuard, promise: PromiseName, detail: RegExp]
> = [
  ["nothing is redacted", SearchOrders, without("redact"), "secrets", /^A model reads a secret \(@token@\)/],
  [
    "a person is shown causes",
    SearchOrders,
    withReplaced("escalate", informing),
    "secrets",
    /^A person is shown a secret/
  ],
  ["no key is derived", named("write_derived"), without("idempotency"), "effects", /ran without its idempotency key/],
  ["no key is claimed", named("write_derived"), without("claim"), "effects", /^One action had 2 effects/],
  [
    "uncertain writes are retried",
    named("write_derived"),
    withReplaced("retry", eager),
    "effects",
    /^One action had 2 effects/
  ],
  [
    "tools run twice",
    named("write_plain"),
    withReplaced("concurrency", doubling),
    "effects",
    /^One call had 2 effects/
  ],
  ["no approval is requested", named("delete_plain"), without("approve"), "effects", /the required approver/],
  [
    "an unknown side effect is reported as none",
    named("write_plain"),
    withReplaced(
      "reconcile",
      changingOutcome("reconcile", (outcome) =>
        outcome._tag === "Failure" ? failed(changed(outcome.failure, { sideEffect: "none" })) : outcome
      )
    ),
    "effects",
    /but the write happened/
  ],
  ["attempts have no timeout", SearchOrders, without("timeout"), "results", /^The call call_\d was never answered/],
  ["a stage never answers", SearchOrders, withReplaced("escalate", hanging), "results", /never answered/],
  ["results are not decoded", RefundOrder, without("decodeResult"), "channel", /not a result of the tool/],
  [
    "a stage dies",
    SearchOrders,
    withReplaced(
      "record",
      changingOutcome("record", () => {
        throw new Error("the stage breaks")
      })
    ),
    "channel",
    /ended with a defect: Error: the stage breaks/
  ],
  [
    "parsing pollutes prototypes",
    SearchOrders,
    withReplaced("parse", merging),
    "channel",
    /modified Object\.prototype/
  ],
  [
    "errors are too long",
    SearchOrders,
    withReplaced(
      "render",
      render((text) => JSON.stringify({ status: "error", error: { code: "x", message: text.repeat(9), hint: "h" } }))
    ),
    "envelope",
    /characters; the maximum is 600/
  ],
  [
    "a failure looks like a success",
    SearchOrders,
    withReplaced(
      "render",
      render(() => `{"status":"success","data":"ok"}`)
    ),
    "envelope",
    /is a success, but the call failed/
  ],
  [
    "results are not truncated",
    named("read_anything"),
    withReplaced(
      "render",
      render((text) => JSON.stringify({ status: "success", data: JSON.parse(text).value ?? null }))
    ),
    "envelope",
    /bytes; the maximum is/
  ],
  ["nothing is rendered", SearchOrders, without("render"), "envelope", /not a JSON object/],
  ["calls have no deadline", named("read_short_of_time"), without("deadline"), "time", /its deadline is 7000 ms/],
  ["nothing is recalled", SearchOrders, without("recall"), "attempts", /had a final failure/],
  ["attempts are not counted", SearchOrders, without("budget"), "attempts", /the budget is 4/],
  ["nothing is retried", SearchOrders, without("retry"), "attempts", /was not retried/],
  ["no circuit opens", named("read_frail"), without("circuit"), "attempts", /circuit opens after 2/],
  ["loops are not stopped", named("read_plain"), without("loop"), "attempts", /with the same result/],
  [
    "invalid arguments reach the tool",
    SearchOrders,
    without("decodeArguments"),
    "class",
    /that violate the contract, but the tool ran/
  ],
  [
    "transient failures are reported as permanent",
    SearchOrders,
    withReplaced(
      "escalate",
      changingOutcome("escalate", (outcome) => (isA(outcome, "Transient") ? reclassified(Permanent, outcome) : outcome))
    ),
    "class",
    /Permanent .* expected Transient/
  ],
  [
    "broken contracts are reported as transient",
    SearchOrders,
    withReplaced(
      "escalate",
      changingOutcome("escalate", (outcome) =>
        isA(outcome, "SchemaMismatch") ? reclassified(Transient, outcome) : outcome
      )
    ),
    "class",
    /Transient .* expected SchemaMismatch/
  ],
  ["results are not checked", named("read_pages"), without("check"), "class", /expected (PartialData|SemanticGarbage)/]
]

/** Searches for a case in which a guard breaks a promise with this report. */
const search = (tool: Tool, guard: MakeGuard, promise: PromiseName, detail: RegExp): Effect.Effect<string, unknown> =>
  Effect.gen(function* () {
    const subject = Subject.make(tool)
    const pools = yield* Pools.make(subject, 1, {})
    const ingredients = CaseGenerator.ingredientsOf(subject, pools, { hasHandler: false })
    for (let index = 0; index < 4_000; index++) {
      const fuzzCase = CaseGenerator.make(ingredients, 1, index)
      const observation = yield* simulate({ subject, pools, guard, implementation: undefined }, fuzzCase)
      const broken = Promises.broken(subject, fuzzCase, observation)
      if (broken?.promise === promise && detail.test(broken.detail)) return "found"
    }
    return "never"
  })

describe("checkTool", () => {
  for (const [fault, tool, guard, promise, detail] of mutations) {
    it.effect(`13.6 detects a guard in which ${fault} (${promise})`, () =>
      Effect.gen(function* () {
        const error = yield* Effect.flip(checkTool(tool, { guard, runs: 4_000 }))
        assert.strictEqual(error._tag, "FuzzFailure")
        assert.strictEqual(yield* search(tool, guard, promise, detail), "found")
      })
    )
  }
})
