/**
 * Plays a case through the guard: makes its calls, lets the tool answer, and notes all that happened.
 *
 * **Details**
 *
 * - Each case has a guard, a turn and a clock of its own, so that a case depends on no other.
 * - While a handler of the tool's own runs, the clock stands: it has the attempt's time in real time.
 */
import * as CallKey from "effect-toolguard/internal/domain/call/CallKey"
import type { Turn } from "effect-toolguard/internal/domain/turn/Turn"
import type { Implementation } from "effect-toolguard/internal/pipeline/call/CompiledTool"
import { Escalation, type EscalationAnswer, type EscalationRequest } from "effect-toolguard/services/Escalation"
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
import { expanded } from "#kit/fuzz/cases/Given"
import * as LoopPlay from "./LoopPlay.ts"
import { valueOf } from "./Sent.ts"
import * as Others from "./Others.ts"
import { type Began, idOf, type Played, type PlayedCall } from "./Played.ts"
import type { Pools } from "#kit/fuzz/cases/Pools"
import type { Subject } from "#kit/fuzz/cases/Subject"
import * as VirtualTime from "./VirtualTime.ts"
import * as World from "./World.ts"

/** What a case is played in. */
export interface Setting {
  readonly subject: Subject
  readonly pools: Pools
  /** Makes the guard, given the person of the case. */
  readonly guard: (person: Layer.Layer<Escalation>) => Layer.Layer<Guard>
  /** The tool's own implementation, where it is to be run. */
  readonly own: Implementation | undefined
}

/** The turn that all calls of a case belong to. */
const turn: Turn = { conversation: "fuzz", turn: "1", tenant: "default" }

/** How much of the arguments stands in what the user said, so that ids in them count as seen. */
const mostSaid = 10_000

/** Nothing that is still asleep after so long is waited for. */
const longest = 86_400_000

export const play = (setting: Setting, fuzzCase: FuzzCase): Effect.Effect<Played> =>
  Effect.suspend(() => {
    const time = VirtualTime.make()
    const world = World.make()
    const alternatives: Array<Others.Alternative> = []
    const told: Array<string> = []
    const calls: Array<PlayedCall> = []
    const own = setting.own === undefined ? undefined : inRealTime(setting.own)
    const handler = World.handler(setting.subject, fuzzCase, world, time.now, own)
    const layers = Layer.mergeAll(
      setting.guard(personOf(fuzzCase, told)),
      setting.subject.tool.layerTest(handler as never) as Layer.Layer<never>,
      ...Others.layers(setting.subject, setting.pools, world, alternatives)
    )
    const tools = boxOf(setting.subject.tool)
    const began: Began = (call, id) => {
      const played: PlayedCall = { call, id, startedAt: time.now(), from: world.executions.length }
      calls.push(played)
      return (ended) => Object.assign(played, { endedAt: time.now(), to: world.executions.length, ...ended })
    }
    const texts = fuzzCase.calls.map(({ arguments: args }) => CallArguments.textOf(expanded(args)).slice(0, mostSaid))
    const program =
      fuzzCase.caller === "loop"
        ? LoopPlay.run(tools, setting.subject.name, fuzzCase, turn, texts, began)
        : Guard.turn(made(setting.subject, tools, fuzzCase, began), { ...turn, texts })
    const context = Context.empty().pipe(
      Context.add(Clock.Clock, time.clock),
      Context.add(Scheduler.Scheduler, time.scheduler),
      Context.add(Logger.CurrentLoggers, new Set<Logger.Logger<unknown, unknown>>())
    )
    const fiber = Effect.runForkWith(context)(
      // @effect-diagnostics-next-line strictEffectProvide:off -- each case has layers of its own
      Random.withSeed(program, 1).pipe(Effect.provide(layers)) as Effect.Effect<Prompt.Prompt | undefined>
    )
    return Effect.map(drive(fiber, time, world, setting.subject.definition.attemptMillis), (transcript) => ({
      calls,
      world,
      alternatives,
      told,
      ...(transcript === undefined ? {} : { transcript }),
      isOver: calls.every(({ endedAt }) => endedAt !== undefined)
    }))
  })

const boxOf = (tool: AnyTool): Toolbox.Toolbox<AnyTool> =>
  (Toolbox.make as (...tools: ReadonlyArray<AnyTool>) => Toolbox.Toolbox<AnyTool>)(tool)

const made = (
  { name, tool }: Subject,
  tools: Toolbox.Toolbox<AnyTool>,
  { calls, caller, together }: FuzzCase,
  began: Began
): Effect.Effect<void, never, Guard> =>
  Effect.forEach(
    calls,
    (call, index) =>
      Effect.suspend((): Effect.Effect<void, never, Guard> => {
        const id = idOf(call, index)
        const end = began(call, id)
        const args = expanded(call.arguments)
        if (caller === "program") {
          return Effect.map(Effect.exit(tool.call(valueOf(args)) as Effect.Effect<unknown, unknown, Guard>), (exit) =>
            end({ exit })
          )
        }
        const asked = { name: call.name ?? name, arguments: args, callId: id, round: 1, isCut: call.isCut === true }
        return Effect.map(Effect.exit(tools.answer(asked) as Effect.Effect<ModelAnswer, never, Guard>), (exit) =>
          end(Exit.isSuccess(exit) ? { answer: exit.value } : { exit })
        )
      }),
    { concurrency: together === true ? "unbounded" : 1, discard: true }
  )

/** The person of a case, who notes what is told and asked. */
const personOf = ({ person = "approves" }: FuzzCase, told: Array<string>): Layer.Layer<Escalation> => {
  const answers: Record<typeof person, EscalationAnswer> = {
    approves: { _tag: "Approved", by: "a person" },
    denies: { _tag: "Denied", by: "a person", reason: "" },
    absent: { _tag: "NoPerson" }
  }
  const note = ({ arguments: args, sentence }: EscalationRequest) => told.push(sentence, CallKey.canonical(args))
  return Layer.succeed(Escalation, {
    inform: (request) => Effect.sync(() => void note(request)),
    ask: (request) => Effect.sync(() => (note(request), answers[person]))
  })
}

const hostClock = Context.get(Context.empty(), Clock.Clock)
const hostScheduler = Context.get(Context.empty(), Scheduler.Scheduler)

/** The handler of an implementation, in the time and on the thread of the host. */
const inRealTime =
  ({ contextFor, handler }: Implementation): Implementation["handler"] =>
  (args, context) =>
    Effect.updateContext(
      Effect.suspend(() => handler(args, context)),
      (caller: Context.Context<never>) =>
        contextFor(caller).pipe(Context.add(Clock.Clock, hostClock), Context.add(Scheduler.Scheduler, hostScheduler))
    )

/** Runs a case to its end, leaping over the time in which nothing happens. */
const drive = (
  fiber: Fiber.Fiber<Prompt.Prompt | undefined>,
  time: VirtualTime.VirtualTime,
  world: World.World,
  attemptMillis: number
): Effect.Effect<Prompt.Prompt | undefined> =>
  Effect.suspend(() => {
    let isGoing = time.settle()
    while (isGoing && world.running === 0) isGoing = time.leap(longest) && time.settle()
    if (isGoing) {
      return Effect.flatMap(handlerEnded(world, attemptMillis), (hasEnded) =>
        hasEnded || time.leap(longest) ? drive(fiber, time, world, attemptMillis) : stopped(fiber, time)
      )
    }
    return stopped(fiber, time)
  })

const stopped = (
  fiber: Fiber.Fiber<Prompt.Prompt | undefined>,
  time: VirtualTime.VirtualTime
): Effect.Effect<Prompt.Prompt | undefined> =>
  Effect.sync(() => {
    const exit = fiber.pollUnsafe()
    fiber.interruptUnsafe()
    time.settle()
    return exit !== undefined && Exit.isSuccess(exit) ? exit.value : undefined
  })

/** Waits in real time until a handler of the tool's own has ended, at most so long. */
const handlerEnded = (world: World.World, millis: number): Effect.Effect<boolean> =>
  Effect.raceFirst(
    // whoever waits for the handler goes on first
    Effect.andThen(World.ended(world), Effect.as(Effect.yieldNow, true)),
    Effect.as(Effect.sleep(millis), false)
  ).pipe(Effect.provideService(Clock.Clock, hostClock))
