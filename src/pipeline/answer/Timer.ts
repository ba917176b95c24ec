/**
 * Calls a function after a delay on the caller's clock.
 *
 * **Details**
 *
 * - With the real clock this is a plain timer: `Effect.timeout` costs several times as much. With any other clock the
 *   delay is an effect that uses that clock, so that tests control the time.
 * - Most timers never fire. All timers of one iteration of the event loop are started at its end, so a call that
 *   settles within that iteration costs no timer.
 */
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type { Call } from "#pipeline/call/Call"

const realClock = Context.get(Context.empty(), Clock.Clock)

/** The longest delay of a platform timer, in milliseconds. */
const maxMillis = 2_147_483_647

interface PendingTimer {
  act: (() => void) | undefined
  readonly millis: number
  timer: ReturnType<typeof setTimeout> | undefined
}

let pending: Array<PendingTimer> = []
let isArming = false

const armAll = (): void => {
  const due = pending
  pending = []
  isArming = false
  for (const one of due) {
    const { act, millis } = one
    // @effect-diagnostics-next-line globalTimers:off -- this is the real clock, and `Effect.timeout` costs several times as much
    if (act !== undefined) one.timer = setTimeout(act, millis)
  }
}

/** Calls `act` after `millis`; the returned function cancels the timer. A timer of more than 24 days never fires. */
export const after = (call: Call, millis: number, act: () => void): (() => void) => {
  if (millis > maxMillis) return () => {}
  if (call.clock !== realClock) {
    const fiber = Effect.runForkWith(call.context)(Effect.andThen(Effect.sleep(millis), Effect.sync(act)))
    return () => fiber.interruptUnsafe()
  }
  const one: PendingTimer = { act, millis, timer: undefined }
  pending.push(one)
  if (!isArming) {
    isArming = true
    setImmediate(armAll)
  }
  return () => {
    one.act = undefined
    if (one.timer !== undefined) clearTimeout(one.timer)
    else if (pending[pending.length - 1] === one) pending.pop()
  }
}
