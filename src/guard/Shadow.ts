/**
 * The guard in shadow: it records what it would have done, and enforces nothing (SPEC 13.1).
 *
 * **When to use**
 *
 * Before a rollout, instead of the guard's layer: `Effect.provide(Shadow.layerWith(CallLogSql.layer))`. The records say
 * what would have been refused, recalled or stopped; `toolguard replay` and `explain` read them.
 *
 * **Details**
 *
 * - A call is made once, without the guard, and its answer goes to the model or program unchanged.
 * - Then the whole pipeline judges the call with that answer: the same stages and rules, with a separate memory.
 * - If the guard would have changed the outcome, the record says so: stage `shadow`, decision `not enforced`.
 * - No person is asked or notified, and every approval counts as granted. There are no retries and no fallbacks.
 *
 * **Gotchas**
 *
 * A call of an unknown tool, or with unreadable arguments, is refused: there is nothing that could be called.
 */
import { type CallRecord, plain } from "#domain/call/CallRecord"
import * as CallTally from "#domain/call/CallTally"
import type { ToolReference } from "#domain/tool/ToolDefinition"
import type { Answer } from "#pipeline/call/Answer"
import { classify } from "#pipeline/stages/classify"
import { Compiled, type CompiledTool, compiledOf } from "#pipeline/call/CompiledTool"
import { now } from "#pipeline/call/Call"
import { decodeArguments } from "#pipeline/stages/decodeArguments"
import { decodeResult } from "#pipeline/stages/decodeResult"
import { locate } from "#pipeline/stages/locate"
import { parse } from "#pipeline/stages/parse"
import { parseResult } from "#pipeline/stages/parseResult"
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
import { Guard } from "./Guard.ts"

/** The answer to the call that was made, and how long it took. */
interface MadeCall {
  answer: Answer | undefined
  startedAt: number
  durationMillis: number
}

const notMade = (): MadeCall => ({ answer: undefined, startedAt: 0, durationMillis: 0 })

const CurrentMade = Context.Reference<MadeCall>("effect-toolguard/Shadow/Made", {
  defaultValue: notMade
})

/** Notes when the handler is started. */
const noteStart: Stage = {
  name: "noteStart",
  make: Effect.succeed(() => (next) => (call) => {
    Context.get(call.context, CurrentMade).startedAt = now(call)
    return next(call)
  })
}

/** Notes what the handler returned, and how long it took. */
const noteAnswer: Stage = {
  name: "noteAnswer",
  make: Effect.succeed(() => (next) => (call) => {
    const made = Context.get(call.context, CurrentMade)
    made.answer = call.answer
    made.durationMillis = now(call) - made.startedAt
    return next(call)
  })
}

/** Replaces the handler: returns its answer again. A handler without an answer was interrupted. */
const replayAnswer: Stage = {
  name: "run",
  make: Effect.succeed(() => (next) => (call) => {
    const { answer, durationMillis, startedAt } = Context.get(call.context, CurrentMade)
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
  locate,
  parse,
  decodeArguments,
  noteStart,
  run,
  noteAnswer,
  parseResult,
  decodeResult,
  classify
] as const

const judgingStages = Pipeline.replace("run", replayAnswer)(Pipeline.stages)

/** Longest time for a judgement. The call is over by then, and its caller waits. */
const longestJudgement = "5 seconds"

type Tools = ReadonlyMap<string, ToolReference>

/** Changes tools, each once. */
const changing = (change: (tool: CompiledTool) => CompiledTool) => {
  const made = new WeakMap<ToolReference, ToolReference>()
  const boxes = new WeakMap<Tools, Tools>()
  const one = (tool: ToolReference): ToolReference => {
    const known = made.get(tool)
    if (known !== undefined) return known
    const changed = { toolName: tool.toolName, [Compiled]: change(compiledOf(tool)) }
    made.set(tool, changed)
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
  const advised = changing((tool) => ({ ...tool, definition: { ...tool.definition, enforce: "advise" } }))
  const judged = changing((tool) => {
    const { definition } = tool
    const retry = { ...definition.retry, attempts: 1 }
    return { ...tool, definition: { ...definition, retry, fallbacks: [], reconcile: undefined } }
  })
  /** Makes the call, then judges it. A judgement that breaks or takes too long changes nothing. */
  const shadowed = <A, E>(made: Effect.Effect<A, E>, judgement: Effect.Effect<unknown, unknown>): Effect.Effect<A, E> =>
    Effect.suspend(() => {
      const cell = notMade()
      const inTime = Effect.timeoutOption(Effect.interruptible(unwaiting(judgement)), longestJudgement)
      const after = Effect.catchCause(inTime, () => Effect.void)
      return Effect.provideService(Effect.ensuring(made, after), CurrentMade, cell)
    })
  return {
    stages: judging.stages,
    call: (tool, args) => shadowed(bare.call(advised.one(tool), args), judging.call(judged.one(tool), args)),
    answer: (tools, call) => shadowed(bare.answer(advised.all(tools), call), judging.answer(judged.all(tools), call))
  }
}

/** Runs an effect on the same clock, with all its sleeps skipped. */
const unwaiting = <A, E>(effect: Effect.Effect<A, E>): Effect.Effect<A, E> =>
  Effect.flatMap(Clock.Clock, (clock) => {
    const hasty: Clock.Clock = Object.assign(Object.create(clock), { sleep: () => Effect.void })
    return Effect.provideService(effect, Clock.Clock, hasty)
  })

/** Marks a record whose verdict was not enforced. */
const marked = (record: CallRecord): CallRecord => {
  const { refusal, saving } = CallTally.of(record)
  if (refusal === undefined && saving === undefined) return record
  const mark = { stage: "shadow", decision: "not enforced", reason: "the call was made regardless" }
  return { ...plain(record), decisions: [...record.decisions, mark] }
}

const silent = Layer.succeed(CallLog, {
  keep: "none",
  append: () => {},
  records: Effect.succeed([]),
  appendLate: () => {},
  lateOutcomes: Effect.succeed([])
})

const agreeing = Layer.succeed(Escalation, {
  inform: () => Effect.void,
  ask: ({ reason }) =>
    Effect.succeed(reason === "loop_detected" ? { _tag: "NoPerson" } : { _tag: "Approved", by: "shadow" })
})

const marks = Layer.effect(
  CallLog,
  Effect.map(CallLog, (log) => ({ ...log, append: (record: CallRecord) => log.append(marked(record)) }))
)

type Services = Layer.Success<typeof Guard.memory>

const shadow: Layer.Layer<Guard, never, Services> = Layer.effectContext(
  Effect.gen(function* () {
    const services = Layer.succeedContext(yield* Effect.context<Services>())
    const marking = marks.pipe(Layer.provide(services))
    const bare = Guard.layerOf(bareStages).pipe(Layer.provide(Layer.provideMerge(silent, services)))
    const judging = Guard.layerOf(judgingStages, []).pipe(
      Layer.provide(Layer.provideMerge(Layer.merge(agreeing, marking), services))
    )
    const made = yield* Layer.build(Layer.fresh(bare))
    const judge = yield* Layer.build(Layer.fresh(judging))
    return Context.add(made, Guard, make(Context.get(made, Guard), Context.get(judge, Guard)))
  })
)

/** The guard in shadow with some services replaced: above all the call log, also an `Authorizer` or a `Redactor`. */
export const layerWith = <Provided, E, R>(services: Layer.Layer<Provided, E, R>): Layer.Layer<Guard | Provided, E, R> =>
  // TypeScript cannot compute `Exclude` over type parameters
  shadow.pipe(Layer.provideMerge(services), Layer.provide(Guard.memory)) as Layer.Layer<Guard | Provided, E, R>

/** The guard in shadow with all state in this process. To keep its records, provide a call log with `layerWith`. */
export const layerMemory: Layer.Layer<Guard> = layerWith(Layer.empty)
