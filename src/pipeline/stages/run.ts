/**
 * [4.9] Executes the handler once: within its slot and its time, interruptible, and left behind if it ignores that.
 *
 * **Details**
 *
 * - The handler gets a fiber of its own (the only fork of a call), unless it answers at once. At the limit the fiber is
 *   interrupted and no longer waited for; its slot stays taken until it has really ended. What it came to goes to the
 *   log, and nowhere else.
 * - Bodies of HTTP responses and byte streams are read here, up to a bound, so that reading counts as part of the
 *   attempt.
 *
 * **Gotchas**
 *
 * Code that blocks the thread cannot be interrupted by anything.
 */
import { isWithParts, type WithParts } from "#domain/parts/Part"
import { CallLog } from "#services/CallLog"
import { Redactor } from "#services/Redactor"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type * as Fiber from "effect/Fiber"
import * as Scope from "effect/Scope"
import type { Answer } from "#pipeline/call/Answer"
import { read } from "#pipeline/answer/AnswerReader"
import { now, type Call } from "#pipeline/call/Call"
import type { Implementation, ResultCodec } from "#pipeline/call/CompiledTool"
import * as Late from "./LateHandler.ts"
import type { Slots } from "#pipeline/call/Slots"
import type { Stage } from "#pipeline/call/Stage"
import { after } from "#pipeline/answer/Timer"

/** Most bytes that are read of one answer (SPEC 2.9: 10 MB). */
export const maxBytes = 10_000_000

export const run: Stage<CallLog | Redactor> = {
  name: "run",
  make: Effect.gen(function* () {
    const log = yield* CallLog
    const redactor = yield* Redactor
    const note: NoteLate = (call, left, exit) => {
      try {
        log.appendLate(Late.outcomeOf(call, left, exit, redactor))
      } catch {
        // a log that cannot be written changes nothing
      }
    }
    return (tool) => (next) => (call) => {
      const implementation = tool.implementation(call.context)
      if (implementation === undefined) {
        return Effect.die(new Error(`No layer provides the tool ${tool.definition.name}.`))
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

/** Hears how a handler ended that had been left behind. */
type NoteLate = (call: Call, left: Late.Left, exit: Exit.Exit<unknown, unknown>) => void

const execute = (
  call: Call,
  implementation: Implementation,
  kind: ResultCodec["text"],
  noteLate: NoteLate
): Effect.Effect<Answer> =>
  Effect.callback<Answer>((resume) => {
    let fiber: Fiber.Fiber<Answer, unknown> | undefined
    let left: Late.Left | undefined
    let isOver = false
    let stopTimer: () => void = () => {}
    const settle = (answer: Answer) => {
      if (isOver) return
      isOver = true
      stopTimer()
      resume(Effect.succeed(answer))
    }
    const start = (limit: number) => {
      let isLate = false
      call.trace.isStarted = true
      call.trace.running += 1
      call.trace.observe?.({ _tag: "AttemptStarted", callId: call.callId, tool: call.name, attempt: call.attempt })
      const ended = (exit: Exit.Exit<Answer, unknown>) => {
        call.trace.running -= 1
        call.slots?.release()
        if (left !== undefined) noteLate(call, left, exit)
        else if (!isLate) settle(Exit.isSuccess(exit) ? exit.value : { _tag: "Failed", cause: exit.cause })
      }
      const answer = handle(call, implementation, kind)
      // what is there already needs no fiber, scope and timer; an effect that is an exit has its types
      if (Exit.isExit(answer)) return ended(answer as Exit.Exit<Answer, unknown>)
      const scope = Scope.makeUnsafe()
      const context = Context.add(implementation.contextFor(call.context), Scope.Scope, scope)
      fiber = Effect.runForkWith(context)(answer)
      fiber.addObserver((exit) => {
        closeScope(scope, exit)
        ended(exit)
      })
      if (isOver) return
      stopTimer = after(call, limit, () => {
        isLate = true
        if (fiber !== undefined) left = Late.leave(call, fiber) // first, so that whoever goes on knows whether it still runs
        settle({ _tag: "TimedOut", millis: limit })
      })
    }
    let leave: () => void = () => {}
    const wait = (slots: Slots) => {
      const left = () => Math.max(0, call.deadlineAt - now(call))
      leave = slots.take(() => {
        stopTimer()
        if (now(call) <= call.deadlineAt) return start(Math.min(call.limitMillis, left()))
        slots.release()
        settle({ _tag: "Busy" })
      })
      stopTimer = after(call, left(), () => {
        leave()
        settle({ _tag: "Busy" })
      })
    }
    if (call.slots === undefined || call.slots.tryTake()) start(call.limitMillis)
    else wait(call.slots)
    return Effect.sync(() => {
      isOver = true
      stopTimer()
      leave()
      if (fiber !== undefined) left ??= Late.leave(call, fiber)
    })
  })

/** The answer with what the handler put beside it. One that is broken has nothing beside it. */
const readWith = ({ answer, parts }: WithParts<unknown>, kind: ResultCodec["text"]): Effect.Effect<Answer, unknown> =>
  Effect.mapEager(read(answer, kind, maxBytes), (read) =>
    read._tag === "Value" || read._tag === "Text" || read._tag === "Response" ? { ...read, parts } : read
  )

/** What the handler answers. One that throws before it gives an effect has died. */
const handle = (call: Call, { handler }: Implementation, kind: ResultCodec["text"]): Effect.Effect<Answer, unknown> => {
  const { attempt, callId, idempotencyKey } = call
  try {
    return Effect.flatMapEager(handler(call.arguments, { callId, attempt, idempotencyKey }), (value) =>
      isWithParts(value) ? readWith(value, kind) : read(value, kind, maxBytes)
    )
  } catch (error) {
    return Effect.die(error)
  }
}

const closeScope = (scope: Scope.Scope, exit: Exit.Exit<unknown, unknown>): void => {
  const closing = Scope.closeUnsafe(scope as Scope.Closeable, exit)
  if (closing !== undefined) Effect.runFork(closing)
}
