/**
 * The world of one case: a tool that answers as the case says, and a count of what it has done.
 *
 * An upstream that honours keys does a keyed action once; every other one does it each time that it is asked.
 */
import * as CallKey from "effect-toolguard/internal/domain/call/CallKey"
import type { HandlerContext, Implementation } from "effect-toolguard/internal/pipeline/call/CompiledTool"
import * as Effect from "effect/Effect"
import type * as Exit from "effect/Exit"
import type { FuzzAnswer, FuzzCase } from "#kit/fuzz/cases/FuzzCase"
import { given } from "#kit/fuzz/cases/Given"
import * as Meaning from "#kit/fuzz/cases/Meaning"
import type { Subject } from "#kit/fuzz/cases/Subject"

/** One execution of the tool. */
export interface Execution {
  readonly callId: string
  /** The arguments that make the action what it is. */
  readonly action: string
  readonly arguments: unknown
  readonly idempotencyKey: string
  readonly answer: FuzzAnswer
  readonly startedAt: number
  /** When it answered; absent where it did not, or was left behind. */
  endedAt?: number
  /** What the tool's own handler came to. */
  exit?: Exit.Exit<unknown, unknown>
}

/** One effect of a write. */
export interface Effected {
  /** Which execution did it, by its place among them. */
  readonly execution: number
  readonly callId: string
  readonly action: string
  readonly idempotencyKey: string
}

export interface World {
  readonly executions: Array<Execution>
  readonly effects: Array<Effected>
  /** Handlers of the tool's own that run, in real time. */
  running: number
  /** Hears that one of them has ended. */
  wake: (() => void) | undefined
}

export const make = (): World => ({ executions: [], effects: [], running: 0, wake: undefined })

/** Waits until a handler of the tool's own has ended. */
export const ended = (world: World): Effect.Effect<void> =>
  Effect.callback((resume) => {
    world.wake = () => resume(Effect.void)
    return Effect.sync(() => {
      world.wake = undefined
    })
  })

/** What makes an action what it is: all its arguments, or those that the tool declares. */
export const actionOf = ({ contract, definition }: Subject, args: unknown): string => {
  const encoded = contract.encode(args)
  const { fields } = definition.idempotency
  if (fields === undefined || typeof encoded !== "object" || encoded === null) return CallKey.canonical(encoded)
  return CallKey.canonical(Object.fromEntries(Object.entries(encoded).filter(([name]) => fields.includes(name))))
}

/** Notes an effect, unless the upstream knows its key. */
const effect = (world: World, { definition }: Subject, effected: Effected): void => {
  const isKeyed = definition.idempotency.upstreamHonoursKey && effected.idempotencyKey !== ""
  const isKnown = ({ idempotencyKey }: Effected) => idempotencyKey === effected.idempotencyKey
  if (!isKeyed || !world.effects.some(isKnown)) world.effects.push(effected)
}

/** Whether an execution with this answer has its effect. */
const isDone = (subject: Subject, answer: FuzzAnswer, args: unknown): boolean => {
  if (answer._tag === "Handler") return true
  if (answer._tag === "Crash" && answer.crash === "throws") return false
  const { evidence } = Meaning.ofAnswer(subject, answer, { arguments: args, at: 0 })
  return evidence === "committed" || (evidence !== "none" && answer.done === true)
}

const none: FuzzAnswer = { _tag: "Crash", crash: "dies" }

/** The tool's handler. `own`: the tool's own one. `now`: milliseconds of the case. */
export const handler =
  (
    subject: Subject,
    { answers }: FuzzCase,
    world: World,
    now: () => number,
    own: Implementation["handler"] | undefined
  ): Implementation["handler"] =>
  (args: unknown, context: HandlerContext) => {
    const answer = answers[Math.min(world.executions.length, answers.length - 1)] ?? none
    const { callId, idempotencyKey } = context
    const action = actionOf(subject, args)
    const execution: Execution = { callId, action, arguments: args, idempotencyKey, answer, startedAt: now() }
    const place = world.executions.push(execution) - 1
    if (answer._tag === "Crash" && answer.crash === "throws") throw new TypeError("it throws")
    const isDoing = !subject.isRead && isDone(subject, answer, args)
    const act = Effect.sync(() => {
      if (isDoing) effect(world, subject, { execution: place, callId, action, idempotencyKey })
    })
    const wait = answer.after === undefined ? Effect.void : Effect.sleep(answer.after)
    const ended = Effect.sync(() => {
      execution.endedAt = now()
    })
    const answering =
      answer._tag === "Handler" ? noted(world, execution, own?.(args, context) ?? Effect.never) : given(subject, answer)
    return answer.stubborn === true
      ? Effect.uninterruptible(Effect.andThen(wait, act)).pipe(Effect.andThen(ended), Effect.andThen(answering))
      : Effect.andThen(act, wait).pipe(Effect.andThen(ended), Effect.andThen(answering))
  }

/** The tool's own handler, counted while it runs. */
const noted = (
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
