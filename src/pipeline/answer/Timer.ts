/**
 * Calls a function after a time of the caller's clock.
 *
 * **Details**
 *
 * - Where the clock is the real one a plain timer is used; `Effect.timeout` costs several times as much. Otherwise the
 *   caller's Clock is, so that tests drive it.
 * - Most timers of quick calls never fire. They are armed only for what still runs when the event loop comes round, all
 *   together: a call that settles within the same turn of the loop costs no timer at all.
 */
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type { Call } from "#pipeline/call/Call"

const realClock = Context.get(Context.empty(), Clock.Clock)

/** Longest time that a timer of the platform can wait, in milliseconds. */
const longest = 2_147_483_647

interface Pending {
  act: (() => void) | undefined
  readonly millis: number
  timer: ReturnType<typeof setTimeout> | undefined
}

let pending: Array<Pending> = []
let isArming = false

const armAll = (): void => {
  const due = pending
  pending = []
  isArming = false
  for (const one of due) {
    const { act, millis } = one
    // @effect-diagnostics-next-line globalTimers:off -- a plain timer where the clock is the real one: `Effect.timeout` costs several times as much
    if (act !== undefined) one.timer = setTimeout(act, millis)
  }
}

/** Calls `act` after `millis`; what comes back cancels it. Times beyond 24 days never come. */
export const after = (call: Call, millis: number, act: () => void): (() => void) => {
  if (millis > longest) return () => {}
  if (call.clock !== realClock) {
    const fiber = Effect.runForkWith(call.context)(Effect.andThen(Effect.sleep(millis), Effect.sync(act)))
    return () => fiber.interruptUnsafe()
  }
  const one: Pending = { act, millis, timer: undefined }
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
