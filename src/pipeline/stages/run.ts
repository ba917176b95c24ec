/**
 * [4.9] Executes the handler once, within its slot and its time limit.
 *
 * **Details**
 *
 * - The handler runs in a separate fiber, unless it completes synchronously. At the limit, the fiber is interrupted, and
 *   the guard stops waiting for the fiber.
 * - Bodies of HTTP responses and byte streams are read here, up to a limit, so that reading counts as part of the
 *   attempt.
 *
 * **Gotchas**
 *
 * - A handler that ignores its timeout or interruption keeps running in the background, possibly forever. It keeps its
 *   slot, and its outcome is only written to the log.
 * - Nothing can interrupt code that blocks the thread.
 */
import { tenantOf } from "#domain/approval/ApprovalRequest"
import { isWithParts, type WithParts } from "#domain/parts/Part"
import { CallLog } from "#services/CallLog"
import { IsWithinCall } from "#services/Drain"
import { Redactor } from "#services/Redactor"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type * as Fiber from "effect/Fiber"
import * as Scope from "effect/Scope"
import type { Answer } from "#pipeline/call/Answer"
import { read } from "#pipeline/answer/AnswerReader"
import { decide, now, type Call } from "#pipeline/call/Call"
import type { HandlerContext, Implementation, ResultCodec } from "#pipeline/call/CompiledTool"
import { drainOf, isNewWhileDraining } from "#pipeline/call/DrainedCall"
import * as Ownership from "#pipeline/call/Ownership"
import { refuse } from "#pipeline/call/Refusal"
import * as LateHandler from "./LateHandler.ts"
import type { Slots } from "#pipeline/call/Slots"
import type { Stage } from "#pipeline/call/Stage"
import { after } from "#pipeline/answer/Timer"

export const run: Stage<CallLog | Redactor> = {
  name: "run",
  question: "does a layer provide the tool",
  make: Effect.gen(function* () {
    const log = yield* CallLog
    const redactor = yield* Redactor
    const note: NoteLate = (call, late, exit) => {
      try {
        log.appendLate(LateHandler.outcomeOf(call, late, exit, redactor))
      } catch {
        // a log that cannot be written does not change the call
      }
    }
    return (tool) => (next) => (call) => {
      const implementation = tool.implementation(call.context)
      if (implementation === undefined) {
        const detail = `No layer provides ${call.name}: provide ${tool.provider}.`
        decide(call, "run", "refused", "no layer provides the tool")
        return Effect.as(Effect.logError(detail), refuse(call, "misconfigured", { detail }))
      }
      const startedAt = call.attempt === 1 ? call.startedAt : now(call)
      return Effect.flatMap(execute(call, implementation, tool.result.text, note), (answer) => {
        if (answer._tag !== "Busy") {
          call.trace.attempts.push({ startedAt, durationMillis: now(call) - startedAt, outcome: "Success" })
        }
        return next({ ...call, answer })
      })
    }
  })
}

/** Records how a handler ended after the guard had stopped waiting for it. */
type NoteLate = (call: Call, late: LateHandler.LateHandler, exit: Exit.Exit<unknown, unknown>) => void

const execute = (
  call: Call,
  implementation: Implementation,
  kind: ResultCodec["text"],
  noteLate: NoteLate
): Effect.Effect<Answer> =>
  Effect.callback<Answer>((resume) => {
    let fiber: Fiber.Fiber<Answer, unknown> | undefined
    let late: LateHandler.LateHandler | undefined
    let isOver = false
    let stopTimer: () => void = () => {}
    const controller = new AbortController()
    const { signal } = controller
    const settle = (answer: Answer) => {
      if (isOver) return
      isOver = true
      stopTimer()
      resume(Effect.succeed(answer))
    }
    const start = (limit: number) => {
      let isTimedOut = false
      call.trace.isStarted = true
      call.trace.running += 1
      call.trace.observe?.({ _tag: "AttemptStarted", callId: call.callId, tool: call.name, attempt: call.attempt })
      const ended = (exit: Exit.Exit<Answer, unknown>) => {
        call.trace.running -= 1
        call.slots?.release()
        if (late !== undefined) noteLate(call, late, exit)
        else if (!isTimedOut) settle(Exit.isSuccess(exit) ? exit.value : { _tag: "Failed", cause: exit.cause })
      }
      const isLeft = () => isOver || isTimedOut
      const ensureLease = Ownership.check({ call, endsAt: now(call) + limit, isLeft })
      const answer = handle(call, implementation, kind, { ensureLease, signal })
      // a completed answer needs no fiber, scope or timer; an exit has the types of its effect
      if (Exit.isExit(answer)) return ended(answer as Exit.Exit<Answer, unknown>)
      const scope = Scope.makeUnsafe()
      const scoped = Context.add(implementation.contextFor(call.context), Scope.Scope, scope)
      const context = call.drain === undefined ? scoped : Context.add(scoped, IsWithinCall, true)
      fiber = Effect.runForkWith(context)(answer)
      fiber.addObserver((exit) => {
        closeScope(scope, exit)
        ended(exit)
      })
      if (isOver) return
      stopTimer = after(call, limit, () => {
        isTimedOut = true
        if (fiber !== undefined) late = LateHandler.abandon(call, fiber) // `ended` reads it
        controller.abort()
        settle({ _tag: "TimedOut", millis: limit })
      })
    }
    let cancelWait: () => void = () => {}
    const wait = (slots: Slots) => {
      const remaining = () => Math.max(0, call.deadlineAt - now(call))
      let stopWatch: () => void = () => {}
      const cancelSlot = slots.take(tenantOf(call), () => {
        stopTimer()
        stopWatch()
        // an interrupted handler has released the slot, and this call is interrupted next
        if (call.drain !== undefined && call.drain.isGraceOver()) return slots.release()
        if (now(call) <= call.deadlineAt) return start(Math.min(call.limitMillis, remaining()))
        slots.release()
        settle({ _tag: "Busy" })
      })
      cancelWait = () => {
        cancelSlot()
        stopWatch()
      }
      const giveUp = (busy: Extract<Answer, { readonly _tag: "Busy" }>) => {
        cancelWait()
        settle(busy)
      }
      stopTimer = after(call, remaining(), () => giveUp({ _tag: "Busy" }))
      const drain = drainOf(call)
      if (drain !== undefined) stopWatch = drain.onStart(() => giveUp({ _tag: "Busy", isDraining: true }))
    }
    // accepted before the process began to shut down; a retry was decided by its own stage
    if (call.attempt === 1 && isNewWhileDraining(call)) settle({ _tag: "Busy", isDraining: true })
    else if (call.slots === undefined || call.slots.tryTake()) start(call.limitMillis)
    else wait(call.slots)
    return Effect.sync(() => {
      isOver = true
      stopTimer()
      cancelWait()
      if (fiber !== undefined) late ??= LateHandler.abandon(call, fiber)
      controller.abort()
    })
  })

/** Reads the answer with the parts that the handler returned alongside it. A broken answer has no parts. */
const readWith = (
  { answer, parts }: WithParts<unknown>,
  kind: ResultCodec["text"],
  maxBytes: number
): Effect.Effect<Answer, unknown> =>
  Effect.mapEager(read(answer, kind, maxBytes), (read) =>
    read._tag === "Value" || read._tag === "Text" || read._tag === "Response" ? { ...read, parts } : read
  )

/** The means by which a handler learns that its attempt must no longer act. */
interface AttemptControl {
  readonly ensureLease: HandlerContext["ensureLease"]
  readonly signal: AbortSignal
}

/** Runs the handler. If the handler throws instead of returning an effect, the exception is a defect. */
const handle = (
  call: Call,
  { handler }: Implementation,
  kind: ResultCodec["text"],
  { ensureLease, signal }: AttemptControl
): Effect.Effect<Answer, unknown> => {
  const { attempt, callId, claim, idempotencyKey, tool, turn } = call
  const { maxBytes } = tool.definition.resultLimits
  const context: HandlerContext = {
    callId,
    attempt,
    idempotencyKey,
    fencingToken: claim?.fencingToken,
    ensureLease,
    tenant: tenantOf(call),
    principal: turn?.principal,
    signal
  }
  try {
    return Effect.flatMapEager(handler(call.arguments, context), (value) =>
      isWithParts(value) ? readWith(value, kind, maxBytes) : read(value, kind, maxBytes)
    )
  } catch (error) {
    return Effect.die(error)
  }
}

const closeScope = (scope: Scope.Scope, exit: Exit.Exit<unknown, unknown>): void => {
  const closing = Scope.closeUnsafe(scope as Scope.Closeable, exit)
  if (closing !== undefined) Effect.runFork(closing)
}
