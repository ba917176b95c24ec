/**
 * Runs a case through a guard: makes its calls, simulates the tool's answers, and records the observations.
 *
 * **Details**
 *
 * - Each case has a separate guard, turn and clock, so cases are independent of each other.
 * - While the tool's own handler runs, the virtual clock is stopped. The handler has the timeout of an attempt, in real
 *   time.
 */
import { declaredBy } from "effect-toolguard/internal/pipeline/call/TypedFailure"
import * as RefusedCall from "./RefusedCall.ts"
import * as CallKey from "effect-toolguard/internal/domain/call/CallKey"
import type { Turn } from "effect-toolguard/internal/domain/turn/Turn"
import type { Implementation } from "effect-toolguard/internal/pipeline/call/CompiledTool"
import { Escalation, type EscalationAnswer, type EscalationRequest } from "effect-toolguard/services/Escalation"
import { Unguessable } from "effect-toolguard/services/Unguessable"
import * as UnguessableSeeded from "effect-toolguard/layers/UnguessableSeeded"
import { Guard, type ModelAnswer } from "effect-toolguard/internal/guard/Guard"
import type { AnyTool } from "effect-toolguard/internal/tool/ToolClass"
import * as Toolbox from "effect-toolguard/internal/tool/Toolbox"
import type * as Prompt from "effect/ai/Prompt"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as Random from "effect/Random"
import * as Scheduler from "effect/Scheduler"
import * as CallArguments from "effect-toolguard/internal/domain/transcript/CallArguments"
import type { FuzzCase } from "#kit/fuzz/cases/FuzzCase"
import { expanded } from "#kit/fuzz/cases/ScriptedAnswer"
import * as AgentLoop from "./AgentLoop.ts"
import { parsed } from "./ArgumentValidity.ts"
import * as RelatedTools from "./RelatedTools.ts"
import { idOf, type Observation, type ObservedCall, type StartCall } from "./Observation.ts"
import type { Pools } from "#kit/fuzz/cases/Pools"
import type { Subject } from "#kit/fuzz/cases/Subject"
import * as VirtualTime from "./VirtualTime.ts"
import * as World from "./World.ts"

/** Everything that the cases of a check share. */
export interface SharedWorld {
  readonly subject: Subject
  readonly pools: Pools
  /** Builds the guard of a case. `person` is the simulated approver. */
  readonly guard: (person: Layer.Layer<Escalation>) => Layer.Layer<Guard>
  /** The tool's own implementation, if cases may run it. */
  readonly implementation: Implementation | undefined
}

/** The turn of all calls of a case. */
const turn: Turn = { conversation: "fuzz", turn: "1", tenant: "default" }

/**
 * The number of characters of each call's arguments that the user's messages contain, so that their ids count as seen.
 */
const messageLength = 10_000

/** The maximum duration of a case in milliseconds of virtual time. */
const maxMillis = 86_400_000

/** Runs a case to its end, and returns the observations. */
export const simulate = (setting: SharedWorld, fuzzCase: FuzzCase): Effect.Effect<Observation> =>
  Effect.suspend(() => {
    const time = VirtualTime.make()
    const world = World.make()
    const fallbacks: Array<RelatedTools.FallbackExecution> = []
    const escalated: Array<string> = []
    const calls: Array<ObservedCall> = []
    const ownHandler = setting.implementation === undefined ? undefined : inRealTime(setting.implementation)
    const handler = World.handler(setting.subject, fuzzCase, world, time.now, ownHandler)
    const layers = Layer.mergeAll(
      setting.guard(personOf(fuzzCase, escalated)),
      // the handler's types are known at run time only, and the layer has no requirements
      setting.subject.tool.layerTest(handler as never) as Layer.Layer<never>,
      ...RelatedTools.layers(setting.subject, setting.pools, world, fallbacks)
    )
    const tools = toolboxOf(setting.subject.tool)
    const startCall: StartCall = (call, id) => {
      const observed: ObservedCall = { call, id, startedAt: time.now(), from: world.executions.length }
      calls.push(observed)
      return (ended) => Object.assign(observed, { endedAt: time.now(), to: world.executions.length, ...ended })
    }
    const texts = fuzzCase.calls.map(({ arguments: args }) =>
      CallArguments.textOf(expanded(args)).slice(0, messageLength)
    )
    const program =
      fuzzCase.caller === "loop"
        ? AgentLoop.run(tools, setting.subject.name, fuzzCase, turn, texts, startCall)
        : Guard.turn(makeCalls(setting.subject, tools, fuzzCase, startCall), { ...turn, texts })
    const context = Context.empty().pipe(
      Context.add(Clock.Clock, time.clock),
      Context.add(Scheduler.Scheduler, time.scheduler),
      Context.add(Unguessable, UnguessableSeeded.make(1)),
      Context.add(Logger.CurrentLoggers, new Set<Logger.Logger<unknown, unknown>>())
    )
    const fiber = Effect.runForkWith(context)(
      // the layers satisfy all requirements, and the `void` of a program without a transcript is `undefined`
      // @effect-diagnostics-next-line strictEffectProvide:off -- each case has separate layers
      Random.withSeed(program, 1).pipe(Effect.provide(layers)) as Effect.Effect<Prompt.Prompt | undefined>
    )
    return Effect.map(drive(fiber, time, world, setting.subject.definition.attemptMillis), (transcript) => ({
      calls,
      world,
      fallbacks,
      escalated,
      ...(transcript === undefined ? {} : { transcript })
    }))
  })

const toolboxOf = (tool: AnyTool): Toolbox.Toolbox<AnyTool> =>
  // the name of the tool is known at run time only
  (Toolbox.make as (...tools: ReadonlyArray<AnyTool>) => Toolbox.Toolbox<AnyTool>)(tool)

/** Makes the calls of a case that does not use the agent loop. */
const makeCalls = (
  { definition, name, tool }: Subject,
  tools: Toolbox.Toolbox<AnyTool>,
  { calls, caller, together }: FuzzCase,
  startCall: StartCall
): Effect.Effect<void, never, Guard> => {
  const refusals = declaredBy(definition)
  return Effect.forEach(
    calls,
    (call, index) =>
      Effect.suspend((): Effect.Effect<void, never, Guard> => {
        const id = idOf(call, index)
        const end = startCall(call, id)
        const args = expanded(call.arguments)
        // the casts state that a call requires only the guard, because the layers provide the tool
        if (caller === "program") {
          return Effect.map(Effect.exit(tool.call(parsed(args)) as Effect.Effect<unknown, unknown, Guard>), (exit) =>
            end({ exit: RefusedCall.failureOf(refusals, exit) })
          )
        }
        const request = { name: call.name ?? name, arguments: args, callId: id, round: 1, isCut: call.isCut === true }
        return Effect.map(Effect.exit(tools.answer(request) as Effect.Effect<ModelAnswer, never, Guard>), (exit) =>
          end(Exit.isSuccess(exit) ? { answer: exit.value } : { exit })
        )
      }),
    { concurrency: together === true ? "unbounded" : 1, discard: true }
  )
}

/** Creates the simulated approver of a case, which records everything it is shown. */
const personOf = ({ person = "approves" }: FuzzCase, escalated: Array<string>): Layer.Layer<Escalation> => {
  const answers: Record<typeof person, EscalationAnswer> = {
    approves: { _tag: "Approved", by: "a person" },
    denies: { _tag: "Denied", by: "a person", reason: "" },
    absent: { _tag: "NoPerson" }
  }
  const record = ({ arguments: args, sentence }: EscalationRequest) => escalated.push(sentence, CallKey.canonical(args))
  return Layer.succeed(Escalation, {
    isShared: false,
    inform: (request) => Effect.sync(() => void record(request)),
    ask: (request) => Effect.sync(() => (record(request), answers[person]))
  })
}

const hostClock = Context.get(Context.empty(), Clock.Clock)
const hostScheduler = Context.get(Context.empty(), Scheduler.Scheduler)

/** Runs the handler of an implementation with the real clock and scheduler. */
const inRealTime =
  ({ contextFor, handler }: Implementation): Implementation["handler"] =>
  (args, context) =>
    Effect.updateContext(
      Effect.suspend(() => handler(args, context)),
      (caller: Context.Context<never>) =>
        contextFor(caller).pipe(Context.add(Clock.Clock, hostClock), Context.add(Scheduler.Scheduler, hostScheduler))
    )

/** Runs a case to its end. Skips the time during which all tasks sleep. */
const drive = (
  fiber: Fiber.Fiber<Prompt.Prompt | undefined>,
  time: VirtualTime.VirtualTime,
  world: World.World,
  attemptMillis: number
): Effect.Effect<Prompt.Prompt | undefined> =>
  Effect.suspend(() => {
    let isRunning = time.settle()
    while (isRunning && world.running === 0) isRunning = time.advance(maxMillis) && time.settle()
    if (isRunning) {
      return Effect.flatMap(handlerEnded(world, attemptMillis), (hasEnded) =>
        hasEnded || time.advance(maxMillis) ? drive(fiber, time, world, attemptMillis) : stop(fiber, time)
      )
    }
    return stop(fiber, time)
  })

/** Interrupts the remaining tasks of a case, and returns its result if it has one. */
const stop = (
  fiber: Fiber.Fiber<Prompt.Prompt | undefined>,
  time: VirtualTime.VirtualTime
): Effect.Effect<Prompt.Prompt | undefined> =>
  Effect.sync(() => {
    const exit = fiber.pollUnsafe()
    fiber.interruptUnsafe()
    time.settle()
    return exit !== undefined && Exit.isSuccess(exit) ? exit.value : undefined
  })

/**
 * Waits at most `millis` in real time for an execution of the tool's own handler to end. Returns whether an execution
 * has ended.
 */
const handlerEnded = (world: World.World, millis: number): Effect.Effect<boolean> =>
  Effect.raceFirst(
    // yields first to the fiber that awaits the handler
    Effect.andThen(World.handlerEnd(world), Effect.as(Effect.yieldNow, true)),
    Effect.as(Effect.sleep(millis), false)
  ).pipe(Effect.provideService(Clock.Clock, hostClock))
