/** Every promise has a guard that breaks it, and `checkTool` says so: a check that cannot fail would prove nothing. */
import { changed, Permanent, Transient } from "#domain/failure/Failure"
import { failed } from "#domain/call/Outcome"
import type { Rendered } from "#domain/envelope/Envelope"
import type { ModelStage } from "#pipeline/call/ModelStage"
import type { Stage } from "#pipeline/call/Stage"
import { Escalation } from "#services/Escalation"
import { checkTool, type PromiseName } from "#kit/fuzz/CheckTool"
import * as Generate from "#kit/fuzz/cases/Generate"
import { play } from "#kit/fuzz/play/Play"
import * as Pools from "#kit/fuzz/cases/Pools"
import * as Promises from "#kit/fuzz/promises/Promises"
import * as Subject from "#kit/fuzz/cases/Subject"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { RefundOrder, SearchOrders } from "../../../examples/orders/Tools.ts"
import type { Tool } from "../../pipeline/support.ts"
import { instead, type MakeGuard, without } from "./guards.ts"
import { tools } from "./tools.ts"

const named = (name: string): Tool => tools.find(({ toolName }) => toolName === name) as Tool

/** A stage that changes what comes out of the rest of the pipeline. */
const outcome = (name: string, change: (outcome: any, call: any) => any): Stage => ({
  name,
  make: Effect.succeed(() => (next) => (call) => Effect.map(next(call), (made) => change(made, call)))
})

const render = (change: (text: string) => string): ModelStage => ({
  name: "render",
  make: Effect.succeed(
    () => (reading) => ({ text: change(JSON.stringify(reading.outcome)), shows: "error" }) satisfies Rendered as never
  )
})

/** Tries a failed attempt again, whatever it may have done. */
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

/** Reads arguments as careless programs do: by merging them into an object. */
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

/** Tells a person of every failure, with its cause. */
const telling: Stage<Escalation> = {
  name: "escalate",
  make: Effect.map(
    Escalation,
    (escalation) => () => (next) => (call) =>
      Effect.tap(next(call), (made) =>
        made._tag === "Success"
          ? Effect.void
          : escalation.inform({
              level: "inform",
              reason: "",
              tool: call.name,
              sentence: String(made.failure.cause),
              arguments: undefined,
              binding: "",
              turn: call.turn,
              traceId: call.traceId
            })
      )
  )
}

const isA = (made: any, tag: string): boolean => made._tag === "Failure" && made.failure._tag === tag

/** The same failure as another class. */
const told = (Class: any, { failure: { _tag, ...fields } }: any) => failed(new Class(fields))

/** Runs whatever comes twice. */
const doubling: Stage = {
  name: "concurrency",
  make: Effect.succeed(() => (next) => (call) => Effect.andThen(next(call), next(call)))
}

const hanging: Stage = { name: "escalate", make: Effect.succeed(() => () => () => Effect.never) }

/** Which guard breaks which promise of which tool, and how that is told. */
const mutations: ReadonlyArray<
  readonly [what: string, tool: Tool, guard: MakeGuard, promise: PromiseName, detail: RegExp]
> = [
  ["nothing is redacted", SearchOrders, without("redact"), "secrets", /^A model reads a secret \(@token@\)/],
  ["a person is told all", SearchOrders, instead("escalate", telling), "secrets", /^A person is told a secret/],
  ["no key is made", named("write_derived"), without("idempotency"), "effects", /run without its key/],
  ["no key is claimed", named("write_derived"), without("claim"), "effects", /^One action had 2 effects/],
  ["writes are tried again", named("write_derived"), instead("retry", eager), "effects", /^One action had 2 effects/],
  ["tools are run twice", named("write_plain"), instead("concurrency", doubling), "effects", /^One call had 2 effects/],
  ["nobody is asked", named("delete_plain"), without("approve"), "effects", /the person who had to agree/],
  [
    "what is unknown is told as not done",
    named("write_plain"),
    instead(
      "reconcile",
      outcome("reconcile", (made) =>
        made._tag === "Failure" ? failed(changed(made.failure, { sideEffect: "none" })) : made
      )
    ),
    "effects",
    /and it was done/
  ],
  ["attempts have no end", SearchOrders, without("timeout"), "results", /^The call call_\d was never answered/],
  ["a stage never answers", SearchOrders, instead("escalate", hanging), "results", /never answered/],
  ["results are not decoded", RefundOrder, without("decodeResult"), "channel", /no result of the tool/],
  [
    "a stage dies",
    SearchOrders,
    instead(
      "record",
      outcome("record", () => {
        throw new Error("the stage breaks")
      })
    ),
    "channel",
    /ended with a defect: Error: the stage breaks/
  ],
  ["a text changes all objects", SearchOrders, instead("parse", merging), "channel", /prototype of all objects/],
  [
    "errors are told at length",
    SearchOrders,
    instead(
      "render",
      render((text) => JSON.stringify({ status: "error", error: { code: "x", message: text.repeat(9), hint: "h" } }))
    ),
    "envelope",
    /at most 600 are allowed/
  ],
  [
    "a failure looks like a success",
    SearchOrders,
    instead(
      "render",
      render(() => `{"status":"success","data":"ok"}`)
    ),
    "envelope",
    /is a success, and the call failed/
  ],
  [
    "results are given whole",
    named("read_anything"),
    instead(
      "render",
      render((text) => JSON.stringify({ status: "success", data: JSON.parse(text).value ?? null }))
    ),
    "envelope",
    /bytes; a model gets at most/
  ],
  ["nothing is rendered", SearchOrders, without("render"), "envelope", /no JSON object/],
  ["calls have no deadline", named("read_short_of_time"), without("deadline"), "time", /its deadline is 7000 ms/],
  ["nothing is recalled", SearchOrders, without("recall"), "attempts", /had failed for good/],
  ["nothing is counted", SearchOrders, without("budget"), "attempts", /the budget is 3/],
  ["nothing is tried again", SearchOrders, without("retry"), "attempts", /was not tried again/],
  ["no circuit opens", named("read_frail"), without("circuit"), "attempts", /left alone after 2/],
  ["loops go on", named("read_plain"), without("loop"), "attempts", /for the same result/],
  [
    "invalid arguments reach the tool",
    SearchOrders,
    without("decodeArguments"),
    "class",
    /that its contract refuses, and the tool was run/
  ],
  [
    "what passes is told as permanent",
    SearchOrders,
    instead(
      "escalate",
      outcome("escalate", (made) => (isA(made, "Transient") ? told(Permanent, made) : made))
    ),
    "class",
    /Permanent .* it must be Transient/
  ],
  [
    "what is broken is told as passing",
    SearchOrders,
    instead(
      "escalate",
      outcome("escalate", (made) => (isA(made, "SchemaMismatch") ? told(Transient, made) : made))
    ),
    "class",
    /Transient .* it must be SchemaMismatch/
  ],
  [
    "results are not checked",
    named("read_pages"),
    without("check"),
    "class",
    /it must be (PartialData|SemanticGarbage)/
  ]
]

/** The first case in which a guard breaks a promise in this way. */
const found = (tool: Tool, guard: MakeGuard, promise: PromiseName, detail: RegExp): Effect.Effect<string, unknown> =>
  Effect.gen(function* () {
    const subject = Subject.make(tool)
    const pools = yield* Pools.make(subject, 1, {})
    const from = Generate.ingredients(subject, pools, { hasOwn: false })
    for (let index = 0; index < 4_000; index++) {
      const fuzzCase = Generate.make(from, 1, index)
      const played = yield* play({ subject, pools, guard, own: undefined }, fuzzCase)
      const broken = Promises.broken(subject, fuzzCase, played)
      if (broken?.promise === promise && detail.test(broken.detail)) return "found"
    }
    return "never"
  })

describe("checkTool", () => {
  for (const [what, tool, guard, promise, detail] of mutations) {
    it.effect(`13.6 sees a guard in which ${what} (${promise})`, () =>
      Effect.gen(function* () {
        const error = yield* Effect.flip(checkTool(tool, { guard, runs: 4_000 }))
        assert.strictEqual(error._tag, "FuzzFailure")
        assert.strictEqual(yield* found(tool, guard, promise, detail), "found")
      })
    )
  }
})
