/**
 * Simulates the world of one case: a handler that returns the answers of the case, and records executions and effects.
 *
 * An upstream that honours idempotency keys performs an action with a key once. Any other upstream performs the action
 * at every execution.
 */
import * as RefusedCall from "./RefusedCall.ts"
import * as CallKey from "effect-toolguard/internal/domain/call/CallKey"
import type { HandlerContext, Implementation } from "effect-toolguard/internal/pipeline/call/CompiledTool"
import * as Effect from "effect/Effect"
import type * as Exit from "effect/Exit"
import type { FuzzAnswer, FuzzCase } from "#kit/fuzz/cases/FuzzCase"
import { effectOf } from "#kit/fuzz/cases/ScriptedAnswer"
import * as Expectation from "#kit/fuzz/cases/Expectation"
import type { Subject } from "#kit/fuzz/cases/Subject"

/** An execution of the tool. */
export interface Execution {
  readonly callId: string
  /** The canonical text of the arguments that identify the action. */
  readonly action: string
  readonly arguments: unknown
  readonly idempotencyKey: string
  readonly answer: FuzzAnswer
  readonly startedAt: number
  /** The time of the answer. Absent if the execution did not answer or was abandoned. */
  endedAt?: number
  /** The exit of the tool's own handler. */
  exit?: Exit.Exit<unknown, unknown>
}

/** An effect of a write. */
export interface WriteEffect {
  /** The index of the execution that had the effect. */
  readonly execution: number
  readonly callId: string
  readonly action: string
  readonly idempotencyKey: string
}

/** The executions of the tool in a case, and their effects. */
export interface World {
  readonly executions: Array<Execution>
  readonly effects: Array<WriteEffect>
  /** The number of executions of the tool's own handler that are running in real time. */
  running: number
  /** Called when an execution of the tool's own handler ends. */
  wake: (() => void) | undefined
}

/** Creates the world of a new case. */
export const make = (): World => ({ executions: [], effects: [], running: 0, wake: undefined })

/** Waits until an execution of the tool's own handler ends. */
export const handlerEnd = (world: World): Effect.Effect<void> =>
  Effect.callback((resume) => {
    world.wake = () => resume(Effect.void)
    return Effect.sync(() => {
      world.wake = undefined
    })
  })

/**
 * Returns the identity of an action: the canonical text of its arguments, or only of the arguments in
 * `idempotency.fields`.
 */
export const actionOf = ({ contract, definition }: Subject, args: unknown): string => {
  const encoded = contract.encode(args)
  const { fields } = definition.idempotency
  if (fields === undefined || typeof encoded !== "object" || encoded === null) return CallKey.canonical(encoded)
  return CallKey.canonical(Object.fromEntries(Object.entries(encoded).filter(([name]) => fields.includes(name))))
}

/** Records an effect, unless the upstream honours keys and has already seen the effect's key. */
const recordEffect = (world: World, { definition }: Subject, effect: WriteEffect): void => {
  const isKeyed = definition.idempotency.upstreamHonoursKey && effect.idempotencyKey !== ""
  const isKnown = ({ idempotencyKey }: WriteEffect) => idempotencyKey === effect.idempotencyKey
  if (!isKeyed || !world.effects.some(isKnown)) world.effects.push(effect)
}

/** Removes the effect of an execution that ended with a declared refusal, because a refusal means that nothing was done. */
const withdrawEffect = (
  world: World,
  { definition }: Subject,
  index: number,
  exit: Exit.Exit<unknown, unknown>
): void => {
  if (RefusedCall.declaredIn(definition.refusals, exit) === undefined) return
  const at = world.effects.findIndex(({ execution }) => execution === index)
  if (at >= 0) world.effects.splice(at, 1)
}

/** True if the effect of an execution with this answer happens. */
const hasEffect = (subject: Subject, answer: FuzzAnswer, args: unknown): boolean => {
  if (answer._tag === "Handler") return true
  if (answer._tag === "Crash" && answer.crash === "throws") return false
  const { evidence } = Expectation.ofAnswer(subject, answer, { arguments: args, at: 0 })
  return evidence === "committed" || (evidence !== "none" && answer.done === true)
}

/** The answer of a case without answers. */
const defaultAnswer: FuzzAnswer = { _tag: "Crash", crash: "dies" }

/** Returns the simulated handler. `ownHandler` runs for the answer `Handler`; `now` is in milliseconds of the case. */
export const handler =
  (
    subject: Subject,
    { answers }: FuzzCase,
    world: World,
    now: () => number,
    ownHandler: Implementation["handler"] | undefined
  ): Implementation["handler"] =>
  (args: unknown, context: HandlerContext) => {
    const answer = answers[Math.min(world.executions.length, answers.length - 1)] ?? defaultAnswer
    const { callId, idempotencyKey } = context
    const action = actionOf(subject, args)
    const execution: Execution = { callId, action, arguments: args, idempotencyKey, answer, startedAt: now() }
    const index = world.executions.push(execution) - 1
    if (answer._tag === "Crash" && answer.crash === "throws") throw new TypeError("it throws")
    const hasWriteEffect = !subject.isRead && hasEffect(subject, answer, args)
    const act = Effect.sync(() => {
      if (hasWriteEffect) recordEffect(world, subject, { execution: index, callId, action, idempotencyKey })
    })
    const wait = answer.after === undefined ? Effect.void : Effect.sleep(answer.after)
    const recordEnd = Effect.sync(() => {
      execution.endedAt = now()
    })
    const answering =
      answer._tag === "Handler"
        ? Effect.onExit(runObserved(world, execution, ownHandler?.(args, context) ?? Effect.never), (exit) =>
            Effect.sync(() => withdrawEffect(world, subject, index, exit))
          )
        : effectOf(subject, answer)
    return answer.stubborn === true
      ? Effect.uninterruptible(Effect.andThen(wait, act)).pipe(Effect.andThen(recordEnd), Effect.andThen(answering))
      : Effect.andThen(act, wait).pipe(Effect.andThen(recordEnd), Effect.andThen(answering))
  }

/** Runs the tool's own handler, counts it while it runs, and records its exit. */
const runObserved = (
  world: World,
  execution: Execution,
  run: Effect.Effect<unknown, unknown>
): Effect.Effect<unknown, unknown> =>
  Effect.suspend(() => {
    world.running += 1
    return Effect.onExit(run, (exit) =>
      Effect.sync(() => {
        world.running -= 1
        execution.exit = exit
        world.wake?.()
      })
    )
  })
