/**
 * The shadow guard: records the decisions of the guard without enforcing them [13.1].
 *
 * **When to use**
 *
 * Use it before a rollout, instead of the guard's layer: `Effect.provide(Shadow.layerWith(CallLogSql.layer))`. The
 * records show which calls would have been refused, recalled or stopped; `toolguard replay` and `explain` read them.
 *
 * **Details**
 *
 * - A call is made once, without the guard, and its answer goes to the model or program unchanged. A model also reads
 *   an answer that violates `success`. A program gets the typed failure, because it relies on the type.
 * - Then the complete pipeline judges the call with that answer: the same stages and rules, with a separate memory.
 * - The record contains the outcome that the caller got. If the guard would have changed it, the record has the stage
 *   `shadow` with the decision `not enforced`, and the failure that the guard would have returned in `notEnforced`.
 * - No person is asked, and every approval counts as granted. The only notices are about tools whose answers often
 *   violate their schema [15.1]. There are no retries and no fallbacks.
 * - A tool that enforces in a share of conversations is judged as one that enforces in all of them.
 * - Redaction and the size limits of results apply, and a write whose answer states a failure is not a success.
 *
 * **Gotchas**
 *
 * A call of an unknown tool or with unreadable arguments is refused, because no handler can run.
 */
import * as UnenforcedFailure from "#domain/call/UnenforcedFailure"
import type { Outcome } from "#domain/call/Outcome"
import type { ToolReference } from "#domain/tool/ToolDefinition"
import type { Answer } from "#pipeline/call/Answer"
import { classify } from "#pipeline/stages/classify"
import { Compiled, type CompiledTool, compiledOf } from "#pipeline/call/CompiledTool"
import { decide, now } from "#pipeline/call/Call"
import { decodeArguments } from "#pipeline/stages/decodeArguments"
import { decodeResult } from "#pipeline/stages/decodeResult"
import { locate } from "#pipeline/stages/locate"
import { parse } from "#pipeline/stages/parse"
import { parseResult } from "#pipeline/stages/parseResult"
import * as ContractAlarm from "#pipeline/record/ContractAlarm"
import * as Pipeline from "#pipeline/Pipeline"
import { interrupted } from "#pipeline/call/Refusal"
import { run } from "#pipeline/stages/run"
import type { Stage } from "#pipeline/call/Stage"
import { CallLog } from "#services/CallLog"
import { Escalation } from "#services/Escalation"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { Scope } from "effect/Scope"
import { Guard, capturedKeys, givenOrMemory } from "./Guard.ts"
import { sharedBy } from "./SharedLayer.ts"

/** The call without the guard: its outcome, the answer of the handler, and when and how long they ran. */
interface HandlerRun {
  calledAt: number
  outcome: Outcome | undefined
  answer: Answer | undefined
  startedAt: number
  durationMillis: number
}

const noRun = (): HandlerRun => ({
  calledAt: 0,
  outcome: undefined,
  answer: undefined,
  startedAt: 0,
  durationMillis: 0
})

const CurrentRun = Context.Reference<HandlerRun>("effect-toolguard/Shadow/Run", {
  defaultValue: noRun
})

/** Records when the call starts, and its outcome. */
const recordOutcome: Stage = {
  name: "recordOutcome",
  make: Effect.succeed(() => (next) => (call) => {
    const handlerRun = Context.get(call.context, CurrentRun)
    handlerRun.calledAt = now(call)
    return Effect.map(next(call), (outcome) => (handlerRun.outcome = outcome))
  })
}

/** Records when the handler starts. */
const recordStart: Stage = {
  name: "recordStart",
  make: Effect.succeed(() => (next) => (call) => {
    Context.get(call.context, CurrentRun).startedAt = now(call)
    return next(call)
  })
}

/** Records the answer of the handler, and how long it ran. */
const recordAnswer: Stage = {
  name: "recordAnswer",
  make: Effect.succeed(() => (next) => (call) => {
    const handlerRun = Context.get(call.context, CurrentRun)
    handlerRun.answer = call.answer
    handlerRun.durationMillis = now(call) - handlerRun.startedAt
    return next(call)
  })
}

/** Passes the outcome that the caller got to the other stages, and records how the guard would have changed it. */
const compare: Stage = {
  name: "shadow",
  make: Effect.succeed(() => (next) => (call) => {
    const { answer, calledAt, durationMillis, outcome, startedAt } = Context.get(call.context, CurrentRun)
    if (outcome === undefined) return next(call)
    const { trace } = call
    const ended = outcome._tag === "Failure" ? outcome.failure : undefined
    const isRun = answer !== undefined && answer._tag !== "Busy"
    const attempt = { startedAt, durationMillis, outcome: ended?._tag ?? "Success" }
    const attempts = isRun ? [ended === undefined ? attempt : { ...attempt, code: ended.code }] : []
    trace.unguarded = { outcome, attempts, startedAt: calledAt }
    return Effect.map(next(call), (judged) => {
      const failure = judged._tag === "Failure" ? judged.failure : undefined
      if (failure?.code !== ended?.code || (isRun && trace.attempts.length === 0)) {
        if (failure !== undefined) trace.notEnforced.push(UnenforcedFailure.of(failure))
        decide(call, "shadow", "not enforced", "the call was made regardless")
      }
      return judged
    })
  })
}

/** Replaces the handler with its recorded answer. A handler without an answer was interrupted. */
const replayAnswer: Stage = {
  name: "run",
  make: Effect.succeed(() => (next) => (call) => {
    const { answer, durationMillis, startedAt } = Context.get(call.context, CurrentRun)
    call.slots?.release()
    if (answer === undefined) {
      call.trace.isStarted = true
      return Effect.succeed(interrupted(call))
    }
    if (answer._tag !== "Busy") call.trace.attempts.push({ startedAt, durationMillis, outcome: "Success" })
    return next({ ...call, answer })
  })
}

/** The stages of a call without a guard. */
const bareStages = [
  recordOutcome,
  locate,
  parse,
  decodeArguments,
  recordStart,
  run,
  recordAnswer,
  parseResult,
  decodeResult,
  classify
] as const

const judgingStages = Pipeline.insertBefore("escalate", compare)(Pipeline.replace("run", replayAnswer)(Pipeline.stages))

/** The maximum time for a judgement, during which the caller waits although the call has completed. */
const maxJudgement = "5 seconds"

type Tools = ReadonlyMap<string, ToolReference>

/**
 * Returns functions that change the definition of one tool or of all tools, after the policies of the guard and of the
 * call. Each changed tool is cached.
 */
const changing = (adjust: NonNullable<CompiledTool["adjust"]>) => {
  const changedTools = new WeakMap<ToolReference, ToolReference>()
  const boxes = new WeakMap<Tools, Tools>()
  const one = (tool: ToolReference): ToolReference => {
    const known = changedTools.get(tool)
    if (known !== undefined) return known
    const compiled = compiledOf(tool)
    const changed = {
      toolName: tool.toolName,
      [Compiled]: { ...compiled, definition: adjust(compiled.definition), adjust }
    }
    changedTools.set(tool, changed)
    return changed
  }
  const all = (tools: Tools): Tools => {
    const known = boxes.get(tools)
    if (known !== undefined) return known
    const changed = new Map([...tools].map(([name, tool]) => [name, one(tool)]))
    boxes.set(tools, changed)
    return changed
  }
  return { one, all }
}

const make = (bare: Guard["Service"], judging: Guard["Service"]): Guard["Service"] => {
  const advised = changing((definition) => ({ ...definition, enforce: "advise" }))
  const judged = changing((definition) => ({
    ...definition,
    retry: { ...definition.retry, attempts: 1 },
    enforce: typeof definition.enforce === "string" ? definition.enforce : "enforce",
    fallbacks: [],
    reconcile: undefined
  }))
  /** Runs the call, then judges it. A judgement that fails or takes too long has no effect. */
  const shadowed = <A, E>(call: Effect.Effect<A, E>, judgement: Effect.Effect<unknown, unknown>): Effect.Effect<A, E> =>
    Effect.suspend(() => {
      const cell = noRun()
      const inTime = Effect.timeoutOption(Effect.interruptible(withoutSleeps(judgement)), maxJudgement)
      const after = Effect.catchCause(inTime, () => Effect.void)
      return Effect.provideService(Effect.ensuring(call, after), CurrentRun, cell)
    })
  return {
    stages: judging.stages,
    call: (tool, args) => shadowed(bare.call(advised.one(tool), args), judging.call(judged.one(tool), args)),
    answer: (tools, call) => shadowed(bare.answer(advised.all(tools), call), judging.answer(judged.all(tools), call))
  }
}

/** Runs an effect on the same clock without sleeping. */
const withoutSleeps = <A, E>(effect: Effect.Effect<A, E>): Effect.Effect<A, E> =>
  Effect.flatMap(Clock.Clock, (clock) => {
    const instant: Clock.Clock = Object.assign(Object.create(clock), { sleep: () => Effect.void })
    return Effect.provideService(effect, Clock.Clock, instant)
  })

const noLog = Layer.succeed(CallLog, {
  keep: "none",
  append: () => {},
  records: Effect.succeed([]),
  recordsOf: () => Effect.succeed([]),
  appendLate: () => {},
  lateOutcomes: Effect.succeed([])
})

/** Approves everything except loops, and informs a person only about tools whose schemas seem too strict. */
const agreeing = Layer.effect(
  Escalation,
  Effect.map(Escalation, ({ inform }): Escalation["Service"] => ({
    isShared: false,
    inform: (request) => (request.reason === ContractAlarm.reason ? inform(request) : Effect.void),
    ask: ({ reason }) =>
      Effect.succeed(reason === "loop_detected" ? { _tag: "NoPerson" } : { _tag: "Approved", by: "shadow" })
  }))
)

type Services = Layer.Success<typeof Guard.memory>

const shadow: Layer.Layer<Guard, never, Services> = sharedBy(capturedKeys, () => Layer.effectContext(build))

const build: Effect.Effect<Context.Context<Guard>, never, Services | Scope> = Effect.gen(function* () {
  const services = Layer.succeedContext(yield* Effect.context<Services>())
  const bare = Guard.layerOf(bareStages).pipe(Layer.provide(Layer.provideMerge(noLog, services)))
  const judging = Guard.layerOf(judgingStages, []).pipe(Layer.provide(Layer.provideMerge(agreeing, services)))
  const calling = yield* Layer.build(Layer.fresh(bare))
  const judge = yield* Layer.build(Layer.fresh(judging))
  return Context.add(calling, Guard, make(Context.get(calling, Guard), Context.get(judge, Guard)))
})

/** Returns the shadow guard with some services replaced, such as the call log, an `Authorizer` or a `Redactor`. */
export const layerWith = <Provided, E, R>(services: Layer.Layer<Provided, E, R>): Layer.Layer<Guard | Provided, E, R> =>
  // TypeScript cannot compute `Exclude` over type parameters
  sharedBy(capturedKeys, () => shadow.pipe(Layer.provideMerge(services), Layer.provide(givenOrMemory))) as Layer.Layer<
    Guard | Provided,
    E,
    R
  >

/** The shadow guard with all state in this process. To keep its records, provide a call log with `layerWith`. */
export const layerMemory: Layer.Layer<Guard> = layerWith(Layer.empty)
