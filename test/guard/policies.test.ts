/** Tests each policy at each place that reads the policy, given to the guard's layer, around a call, or both. */
import type { Evidence } from "#domain/classification/Evidence"
import type { FailureCode } from "#domain/failure/FailureCode"
import type { Level } from "#domain/tool/EscalationPolicy"
import { weaken } from "#domain/tool/PolicyWeakening"
import * as Pipeline from "#pipeline/Pipeline"
import { both, type CallEvent, CallObserver } from "#services/CallObserver"
import { Drain, type ProcessDrain } from "#services/Drain"
import {
  ArtifactLifetime,
  ClassificationRules,
  EscalationPolicy,
  PartLimits,
  ToolPolicy,
  all
} from "#services/Policies"
import { ResultLimit } from "#services/ResultLimit"
import { Guard, GuardedTurn } from "#src/guard/Guard"
import * as GuardedTool from "#src/tool/GuardedTool"
import { ReadResult } from "#src/tool/ReadResult"
import * as Shadow from "#src/guard/Shadow"
import * as Approval from "#domain/tool/Approval"
import * as CallLogMemory from "#layers/CallLogMemory"
import * as EscalationScripted from "#layers/EscalationScripted"
import { Authorizer, deny } from "#services/Authorizer"
import { CallLog } from "#services/CallLog"
import { assert, describe, it } from "@effect/vitest"
import { Context, Duration, Effect, Layer, Schema } from "effect"
import { AiError } from "effect/ai"
import { join } from "node:path"
import { TestClock } from "effect/testing"
import { call, playIn } from "../agent/support.ts"
import { ask, asked, complete, outside, settled, tool, turn, within } from "../pipeline/support.ts"
import { paths, root, sources } from "../support/sources.ts"

/** Ways to give a policy to the layer of a guard. */
const ways: Readonly<Record<string, (policy: Layer.Layer<never>) => Layer.Layer<Guard>>> = {
  "Guard.layer, Layer.provide": (policy) => Guard.layer.pipe(Layer.provide([Guard.memory, policy])),
  "Guard.layer, Layer.provide twice": (policy) => Guard.layer.pipe(Layer.provide(policy), Layer.provide(Guard.memory)),
  "Guard.layer, Layer.provideMerge": (policy) =>
    Guard.layer.pipe(Layer.provideMerge(policy), Layer.provide(Guard.memory)),
  "Guard.layerMemory, Layer.provide": (policy) => Guard.layerMemory.pipe(Layer.provide(policy)),
  "Guard.layerMemory, Layer.provideMerge": (policy) => Guard.layerMemory.pipe(Layer.provideMerge(policy)),
  "Guard.layerMemoryWith": (policy) => Guard.layerMemoryWith(policy),
  "Guard.layerMemoryWith, Layer.provide": (policy) => Guard.layerMemoryWith(Layer.empty).pipe(Layer.provide(policy)),
  "Guard.layerOf, Layer.provide": (policy) => Guard.layerOf(Pipeline.stages).pipe(Layer.provide([Guard.memory, policy]))
}

/** Ways that give the policy to the calls of the program instead, where an inner value replaces the policy. */
const waysAround: typeof ways = {
  "Layer.merge": (policy) => Layer.merge(Guard.layerMemory, policy)
}

/** A place that reads a policy, with a call whose result depends on the policy's value. */
interface Probe<A> {
  readonly place: string
  readonly policy: Context.Reference<A>
  readonly guard: A
  readonly caller: A
  /** The results of the call if the policy is given by neither, by the guard, by the caller, or by both. */
  readonly shows: readonly [none: unknown, guard: unknown, caller: unknown, both: unknown]
  /** The caller's value as a deliberate loosening; undefined if the policy cannot be loosened. */
  readonly weakened?: readonly [caller: A, shows: unknown]
  readonly layers?: ReadonlyArray<Layer.Layer<any>>
  readonly call: Effect.Effect<unknown, unknown, any>
}

/** Creates the drain of a process that is shutting down, or is not. */
const drainOf = (isDraining: boolean): ProcessDrain => ({
  isDraining: () => isDraining,
  isGraceOver: () => false,
  onStart: () => () => {},
  track: (work) => work,
  drain: Effect.void
})

/** Returns a policy that gives one event a level, and every other event `auto`. */
const at = (tag: string, level: Level) => (event: { readonly _tag: string }) => (event._tag === tag ? level : "auto")

const write = tool("send_it", { access: "write" }, { n: 1 })
const willing = tool("mark_it", { access: "write", approval: "auto" }, { n: 1 })
const failing = tool("fail_it", { retry: { attempts: 1 } }, Effect.fail(new Error("tape robot is odd")))
const search = tool("search", {}, { n: 1 })
const refused = tool("refuse_it", {}, Effect.fail(Object.assign(new Error("down"), { code: "ECONNREFUSED" })))
const long = tool("list_rows", { success: Schema.Struct({ text: Schema.String }) }, { text: "x".repeat(20_000) })
const short = tool("list_few", { success: Schema.Struct({ text: Schema.String }) }, { text: "x".repeat(500) })
const drawn = tool("draw_it", {}, GuardedTool.withParts({ n: 1 }, [{ type: "text", text: "x".repeat(100) }]))

/** Calls a tool, and returns `runs` or the code of the failure. */
const outcomeOf = (fixture: typeof write) =>
  Effect.map(asked(fixture.tool, { q: "a" }), (value) => (Array.isArray(value) ? value[1] : "runs"))

const down = AiError.make({
  module: "Test",
  method: "generateText",
  reason: new AiError.InternalProviderError({ description: "down" })
})

const answerOf = (fixture: typeof write, ...more: ReadonlyArray<GuardedTool.AnyTool>) =>
  ask([fixture.tool, ...more], fixture.tool.toolName, { q: "a" })

/** Returns true if a stored value can still be read ten minutes later. */
const isThere = (url: unknown) =>
  Effect.gen(function* () {
    yield* TestClock.adjust("10 minutes")
    return (yield* (yield* GuardedTurn).readKept(turn, String(url))) !== undefined
  })

const heard: Array<string> = []
const hear =
  (name: string) =>
  ({ _tag }: CallEvent) => {
    if (_tag === "AttemptStarted") heard.push(name)
  }

const rule = (code: FailureCode, says = "robot") => ({
  name: code,
  match: ({ error }: Evidence) => (String(error).includes(says) ? ({ tag: "Transient", code } as const) : undefined)
})

/** Returns the probes of an event at which the stricter of two policies decides. */
const escalation = (
  place: string,
  event: string,
  [asks, passes]: readonly [unknown, unknown],
  { byDefault = passes, ...rest }: Pick<Probe<any>, "call" | "layers"> & { readonly byDefault?: unknown }
): ReadonlyArray<Probe<any>> => [
  {
    ...rest,
    place: `${place}, the guard is stricter`,
    policy: EscalationPolicy,
    guard: at(event, "block"),
    caller: at(event, "auto"),
    shows: [byDefault, asks, passes, asks],
    weakened: [weaken(at(event, "auto")), passes]
  },
  {
    ...rest,
    place: `${place}, the caller is stricter`,
    policy: EscalationPolicy,
    guard: at(event, "auto"),
    caller: at(event, "block"),
    shows: [byDefault, passes, asks, asks],
    weakened: [weaken(at(event, "block")), asks]
  }
]

const probes: ReadonlyArray<Probe<any>> = [
  ...escalation("approve", "CallRequested", ["no_person", "runs"], {
    layers: [write.layer],
    call: outcomeOf(write)
  }),
  ...escalation("approve, a tool with the level auto", "CallRequested", ["no_person", "runs"], {
    layers: [willing.layer],
    call: outcomeOf(willing)
  }),
  ...escalation("escalate", "CallFailed", ["block", undefined], {
    layers: [failing.layer],
    call: Effect.map(answerOf(failing), ({ outcome }) => outcome._tag === "Failure" && outcome.level)
  }),
  ...escalation("loop", "LoopDetected", ["loop_detected", "runs"], {
    byDefault: "loop_detected",
    layers: [search.layer],
    call: Effect.andThen(Effect.andThen(outcomeOf(search), outcomeOf(search)), outcomeOf(search))
  }),
  ...escalation("the end of a round", "LoopDetected", ["LoopDetected", "Answered"], {
    byDefault: "LoopDetected",
    layers: [search.layer],
    call: Effect.map(
      playIn({
        script: [...Array.from({ length: 3 }, () => call("search", { q: "a" })), "done"],
        tools: [search]
      }),
      ({ end }) => end._tag
    )
  }),
  ...escalation("the end of a model's retries", "ProviderExhausted", [1, 0], {
    byDefault: 1,
    call: Effect.map(
      playIn({ script: [down] }),
      ({ events }) => events.filter(({ _tag }) => _tag === "Escalated").length
    )
  }),
  {
    place: "classify",
    policy: ClassificationRules,
    guard: [rule("busy")],
    caller: [rule("rate_limited")],
    shows: ["tool_failed", "busy", "rate_limited", "rate_limited"],
    layers: [failing.layer],
    call: outcomeOf(failing)
  },
  {
    place: "classify, rules for different errors",
    policy: ClassificationRules,
    guard: [rule("busy")],
    caller: [rule("rate_limited", "elevator")],
    shows: ["tool_failed", "busy", "tool_failed", "busy"],
    layers: [failing.layer],
    call: outcomeOf(failing)
  },
  {
    place: "limit, results",
    policy: ResultLimit,
    guard: 50_000,
    caller: 1_000,
    shows: ["preview", "data", "preview", "preview"],
    layers: [long.layer],
    call: Effect.map(answerOf(long), ({ envelope }) => (envelope.data === undefined ? "preview" : "data"))
  },
  {
    place: "limit, results under 10 KB",
    policy: ResultLimit,
    guard: 100,
    caller: 1_000,
    shows: ["data", "preview", "data", "data"],
    layers: [short.layer],
    call: Effect.map(answerOf(short), ({ envelope }) => (envelope.data === undefined ? "preview" : "data"))
  },
  {
    place: "parse",
    policy: ToolPolicy,
    guard: { limits: { argumentBytes: 8 } },
    caller: { limits: { argumentBytes: 9 } },
    shows: ["success", "arguments_too_large", "success", "success"],
    layers: [search.layer],
    call: Effect.map(
      ask([search.tool], "search", '{"q":"a"}'),
      ({ envelope }) => envelope.error?.code ?? envelope.status
    )
  },
  {
    place: "retry",
    policy: ToolPolicy,
    guard: { retry: { attempts: 2, base: "1 millis", jitter: "none" } },
    caller: { retry: { attempts: 1 } },
    shows: [4, 2, 1, 1],
    layers: [refused.layer],
    call: Effect.map(complete(ask([refused.tool], "refuse_it", { q: "a" })), ({ attempts }) => attempts)
  },
  {
    place: "limit, parts",
    policy: PartLimits,
    guard: { textBytes: 10, fileBytes: 10 },
    caller: { textBytes: 1_000, fileBytes: 10 },
    shows: [1, 0, 1, 1],
    layers: [drawn.layer],
    call: Effect.map(answerOf(drawn), ({ parts }) => parts?.length ?? 0)
  },
  {
    place: "limit, links",
    policy: ArtifactLifetime,
    guard: Duration.minutes(5),
    caller: Duration.hours(1),
    shows: [true, false, true, true],
    layers: [long.layer],
    call: Effect.flatMap(answerOf(long, ReadResult), ({ envelope }) => isThere(envelope.resource_url))
  },
  {
    place: "links of a run",
    policy: ArtifactLifetime,
    guard: Duration.minutes(5),
    caller: Duration.hours(1),
    shows: [true, false, true, true],
    call: Effect.flatMap(
      Effect.flatMap(GuardedTurn, (guard) => guard.keep(turn, { n: 1 })),
      isThere
    )
  },
  {
    place: "the events of a call",
    policy: CallObserver,
    guard: hear("guard"),
    caller: hear("caller"),
    shows: [[], ["guard"], ["caller"], ["guard", "caller"]],
    layers: [search.layer],
    call: Effect.suspend(() => {
      heard.length = 0
      return Effect.map(outcomeOf(search), () => [...heard])
    })
  },
  {
    place: "drain",
    policy: Drain,
    guard: drainOf(true),
    caller: drainOf(false),
    shows: ["runs", "shutting_down", "runs", "shutting_down"],
    layers: [search.layer],
    call: outcomeOf(search)
  }
]

describe("policies", () => {
  for (const { call, caller, guard, layers = [], place, policy, shows, weakened } of probes) {
    const [none, byGuard, byCaller, byBoth] = shows
    const isShown = (layer: Layer.Layer<any>, around: ReadonlyArray<unknown>, expected: unknown) =>
      Effect.gen(function* () {
        const calling = around.reduce<typeof call>((it, value) => Effect.provideService(it, policy, value), call)
        assert.deepStrictEqual(yield* calling, expected)
      }).pipe(within(layers, layer))

    describe(`${policy.key.replace(/^.*\//u, "")}: ${place}`, () => {
      it.effect("2.11 has its default if neither the guard nor the caller provides it", () =>
        isShown(Guard.layerMemory, [], none)
      )
      it.effect("2.11 applies if the caller provides it", () => isShown(Guard.layerMemory, [caller], byCaller))
      for (const [way, give] of Object.entries(ways)) {
        it.effect(`2.11 applies if it is given to the guard: ${way}`, () =>
          isShown(give(Layer.succeed(policy, guard)), [], byGuard)
        )
      }
      for (const [way, give] of Object.entries(waysAround)) {
        it.effect(`2.11 applies if it is given to the calls of the program: ${way}`, () =>
          isShown(give(Layer.succeed(policy, guard)), [], byGuard)
        )
      }
      for (const [way, give] of Object.entries(ways)) {
        const given = give(Layer.succeed(policy, guard))
        it.effect(`2.11 combines the values of guard and caller: ${way}`, () => isShown(given, [caller], byBoth))
        if (weakened !== undefined) {
          it.effect(`2.11 can be weakened by the caller: ${way}`, () => isShown(given, [weakened[0]], weakened[1]))
        }
      }
    })
  }

  it("2.11 are all tested, and every other reference of services is listed as an exception", async () => {
    const references = new Set<string>()
    for (const path of paths("services/*.ts")) {
      const module = (await import(join(root, path))) as Readonly<Record<string, unknown>>
      for (const value of Object.values(module)) {
        if (Context.isKey(value) && Context.isReference(value)) references.add(value.key)
      }
    }
    const tested = new Set(probes.map(({ policy }) => policy.key))
    assert.deepStrictEqual([...tested].sort(), all.map(({ key }) => key).sort())
    assert.deepStrictEqual([...references].filter((key) => !tested.has(key)).sort(), [
      "effect-toolguard/AtRest", // belongs to the stores
      "effect-toolguard/CurrentDurableWait", // identifies the wait of the running call
      "effect-toolguard/CurrentRun", // identifies the run of the running fiber
      "effect-toolguard/CurrentTurn", // identifies the turn of the running fiber
      "effect-toolguard/DatabasePlace", // names the database of a connection, for messages
      "effect-toolguard/DurableRuns", // belongs to the engine of durable runs
      "effect-toolguard/IsWithinCall", // marks the calls of a running handler
      "effect-toolguard/ModelObserver", // belongs to the layer of a model
      "effect-toolguard/RequestObserver", // is provided by the guard around each question
      "effect-toolguard/RunnerShutdown", // belongs to the engine of durable runs
      "effect-toolguard/StatementTracing", // belongs to the stores
      "effect-toolguard/StepStore", // belongs to the engine of durable runs
      "effect-toolguard/TracedOrigins", // belongs to the layers that send requests, and decides no call
      "effect-toolguard/Unguessable" // has one production source, and decides no call
    ])
  })

  it("2.11 are never read from the context of the call alone", () => {
    const names = all.map(({ key }) => key.slice(key.lastIndexOf("/") + 1)).join("|")
    assert.include(names, "EscalationPolicy|")
    const reads = new RegExp(
      `Context\\.get\\([^()]*,\\s*(${names})\\)|(flatMap|map)\\((${names}),|yield\\* (${names})\\b`,
      "u"
    )
    const readers = [...sources("src/pipeline/**/*.ts", "src/guard/*.ts")].filter(([, text]) => reads.test(text))
    assert.deepStrictEqual(
      readers.map(([path]) => path),
      []
    )
  })
})

describe("policies of two guards", () => {
  const strict = Layer.succeed(EscalationPolicy, at("CallRequested", "block"))

  class First extends Context.Service<First, Guard["Service"]>()("test/First") {}
  class Second extends Context.Service<Second, Guard["Service"]>()("test/Second") {}
  const first = Layer.effect(First, Guard)
  const second = Layer.effect(Second, Guard)

  const pairs: Readonly<Record<string, readonly [Layer.Layer<Guard>, Layer.Layer<Guard>]>> = {
    "Guard.layerMemory": [Guard.layerMemory, Guard.layerMemory.pipe(Layer.provide(strict))],
    "Guard.layer": [
      Guard.layer.pipe(Layer.provide(Guard.memory)),
      Guard.layer.pipe(Layer.provide([Guard.memory, strict]))
    ],
    "Guard.layerMemoryWith": [Guard.layerMemoryWith(Layer.empty), Guard.layerMemoryWith(strict)]
  }
  for (const [name, [lax, stern]] of Object.entries(pairs)) {
    it.effect(
      `2.11 are separate for two guards of one program: ${name}`,
      () =>
        Effect.gen(function* () {
          const code = (guard: Guard["Service"]) => settled(guard.call(write.tool as never, { q: "a" }))
          const [free, bound] = [yield* First, yield* Second]
          assert.deepStrictEqual(yield* code(free), { n: 1 })
          assert.deepStrictEqual(yield* code(bound), ["HumanReview", "no_person", "none"])
        }).pipe(
          Effect.provide(Layer.mergeAll(first.pipe(Layer.provide(lax)), second.pipe(Layer.provide(stern)), write.layer))
        ) as Effect.Effect<void>
    )
  }

  it.effect("2.11 two users that provide the same policies and services share one guard", () =>
    Effect.gen(function* () {
      assert.strictEqual(yield* First, yield* Second)
    }).pipe(
      Effect.provide(
        Layer.mergeAll(
          first.pipe(Layer.provide(Guard.layerMemory.pipe(Layer.provide(strict)))),
          second.pipe(Layer.provide(Guard.layerMemory.pipe(Layer.provide(strict))))
        )
      )
    )
  )

  it.effect("2.11 two users that provide different services have separate guards", () => {
    const denying = (reason: string) =>
      Layer.succeed(Authorizer, {
        authorize: () => Effect.succeed(deny(reason)),
        authorizeArguments: () => Effect.succeed(deny(reason)),
        allowsAll: false
      })
    return Effect.gen(function* () {
      const detail = (guard: Guard["Service"]) =>
        Effect.map(Effect.flip(guard.call(search.tool as never, { q: "a" })), (failure) =>
          "detail" in failure ? failure.detail : ""
        )
      assert.include(yield* detail(yield* First), "no one")
      assert.include(yield* detail(yield* Second), "not today")
    }).pipe(
      Effect.provide(
        Layer.mergeAll(
          first.pipe(Layer.provide(Guard.layerMemoryWith(denying("no one")))),
          second.pipe(Layer.provide(Guard.layerMemoryWith(denying("not today")))),
          search.layer
        )
      )
    ) as Effect.Effect<void>
  })
})

describe("policies within a call", () => {
  const log = CallLogMemory.layer
  const strict = Layer.succeed(EscalationPolicy, at("CallRequested", "block"))

  it.effect("2.11 a tool's `approval` weakens the guard's policy only with `weaken`", () => {
    const weak = tool("mark_it", { access: "write", approval: weaken(() => Approval.auto) }, { n: 1 })
    const plain = tool("note_it", { access: "write", approval: () => Approval.auto }, { n: 1 })
    return Effect.gen(function* () {
      assert.deepStrictEqual([yield* outcomeOf(weak), yield* outcomeOf(plain)], ["runs", "no_person"])
    }).pipe(within([weak.layer, plain.layer], Guard.layerMemoryWith(strict)))
  })

  it.effect("2.11 a person reads the tool's description if a stricter policy overrides the tool's approval", () => {
    const plain = tool("note_it", { access: "write", approval: () => Approval.auto }, { n: 1 })
    return Effect.gen(function* () {
      yield* outcomeOf(plain)
      const { asked } = yield* EscalationScripted.EscalationTranscript
      assert.deepStrictEqual(
        asked.map(({ level, sentence }) => [level, sentence]),
        [["block", "note_it: Searches. Read-only."]]
      )
    }).pipe(within([plain.layer], Guard.layerMemoryWith(Layer.merge(strict, EscalationScripted.layer(["deny"])))))
  })

  it.effect("2.11 the guard's policy and the caller's loosening apply to the calls of a handler", () => {
    const outer = tool("outer_it", {}, () => Effect.map(outcomeOf(write), (it) => ({ n: it === "runs" ? 1 : 0 })))
    const only = Layer.succeed(EscalationPolicy, (event) =>
      event._tag === "CallRequested" && event.access === "write" ? "block" : "auto"
    )
    return Effect.gen(function* () {
      assert.deepStrictEqual(yield* settled(outer.tool.call({ q: "a" })), { n: 0 })
      const weakened = Effect.provideService(
        settled(outer.tool.call({ q: "b" })),
        EscalationPolicy,
        weaken(() => "auto")
      )
      assert.deepStrictEqual(yield* weakened, { n: 1 })
    }).pipe(within([outer.layer, write.layer], Guard.layerMemory.pipe(Layer.provide(only))))
  })

  it.effect("2.11 the guard's policy applies to the call of a fallback", () => {
    const tried = tool(
      "try_it",
      { access: "write", fallbacks: [{ tool: write.tool, arguments: (args: unknown) => args }] },
      Effect.fail(new Error("EACCES: permission denied"))
    )
    const only = Layer.succeed(EscalationPolicy, (event) =>
      event._tag === "CallRequested" && event.tool === "send_it" ? "block" : "auto"
    )
    return Effect.gen(function* () {
      const before = write.runs()
      yield* outcomeOf(tried)
      assert.strictEqual(write.runs(), before)
    }).pipe(within([tried.layer, write.layer], Guard.layerMemory.pipe(Layer.provide(only))))
  })

  for (const [way, shadow] of Object.entries({
    "Shadow.layerWith": (policy: Layer.Layer<never>) => Shadow.layerWith(Layer.merge(log, policy)),
    "Layer.provide": (policy: Layer.Layer<never>) => Shadow.layerWith(log).pipe(Layer.provide(policy))
  })) {
    it.effect(`2.11 a shadow guard decides by its policies: ${way}`, () =>
      Effect.gen(function* () {
        assert.deepStrictEqual(yield* settled(failing.tool.call({ q: "a" })), ["Transient", "busy", "none"])
        const records = yield* Effect.flatMap(CallLog, (it) => it.records)
        assert.deepStrictEqual(
          records.flatMap(({ decisions }) => decisions.filter(({ stage }) => stage === "escalate")).length,
          1
        )
      }).pipe(
        outside(
          [failing.layer, log],
          shadow(
            Layer.merge(
              Layer.succeed(ClassificationRules, [rule("busy")]),
              Layer.succeed(EscalationPolicy, at("CallFailed", "block"))
            )
          )
        )
      )
    )
  }

  it.effect("2.11 if one of two policies throws, the call needs a person", () =>
    Effect.gen(function* () {
      const broken = Effect.provideService(outcomeOf(write), EscalationPolicy, () => {
        throw new Error("boom")
      })
      assert.strictEqual(yield* broken, "no_person")
    }).pipe(within([write.layer], Guard.layerMemoryWith(Layer.succeed(EscalationPolicy, at("CallFailed", "auto")))))
  )

  it.effect("2.11 an observer that guard and caller both provide receives each event once", () => {
    const [guard, caller] = [hear("guard"), hear("caller")]
    return Effect.gen(function* () {
      heard.length = 0
      yield* Effect.provideService(outcomeOf(search), CallObserver, both(guard, caller))
      assert.deepStrictEqual(heard, ["guard", "caller"])
    }).pipe(within([search.layer], Guard.layerMemoryWith(Layer.succeed(CallObserver, guard))))
  })
})
