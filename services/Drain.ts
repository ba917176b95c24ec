/**
 * Lets a process finish its calls in progress before it stops: new calls and new runs are refused, and running calls
 * and runs may end within a grace time.
 *
 * **Details**
 *
 * - The drain is a policy with a default, so it never appears in requirements. Without a drain, an interruption ends
 *   running calls immediately.
 * - `GracefulShutdown` creates a drain and provides it to a program or to a layer.
 * - A refused call fails with Transient `shutting_down`; nothing was done. Calls that a running handler or the guard
 *   makes within a call in progress are not refused.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Policy from "./Policy.ts"

/** The drain of a process. */
export interface ProcessDrain {
  /** True as soon as the process has started to drain. It never becomes false again. */
  readonly isDraining: () => boolean
  /** True as soon as the grace time is over. No handler starts afterwards. */
  readonly isGraceOver: () => boolean
  /**
   * Calls `notify` when draining starts, or immediately if draining has started. The returned function removes `notify`.
   */
  readonly onStart: (notify: () => void) => () => void
  /**
   * Runs an effect as work in progress: `drain` waits for it within the grace time, and then interrupts the fiber that
   * runs it. Logs show the name.
   */
  readonly track: <A, E, R>(work: Effect.Effect<A, E, R>, name?: string) => Effect.Effect<A, E, R>
  /**
   * Starts to drain, and waits until no work is in progress. Work that exceeds the grace time is interrupted, and
   * abandoned if it ignores the interruption. Later uses wait for the first one, even if its caller was interrupted.
   */
  readonly drain: Effect.Effect<void>
}

/** Combines two drains: draining starts when either starts. */
const both = (self: ProcessDrain, that: ProcessDrain): ProcessDrain => ({
  isDraining: () => self.isDraining() || that.isDraining(),
  isGraceOver: () => self.isGraceOver() || that.isGraceOver(),
  onStart: (notify) => {
    let isNotified = false
    const once = () => {
      if (isNotified) return
      isNotified = true
      notify()
    }
    const cancels = [self.onStart(once), that.onStart(once)]
    return () => cancels.forEach((cancel) => cancel())
  },
  track: (work, name) => self.track(that.track(work, name), name),
  drain: Effect.asVoid(Effect.all([self.drain, that.drain], { concurrency: "unbounded" }))
})

/** The drain of the running fiber; undefined if nothing provides one. */
export const Drain: Policy.Policy<ProcessDrain | undefined> = Policy.make<ProcessDrain | undefined>(
  "effect-toolguard/Drain",
  {
    defaultValue: () => undefined,
    combine: (guard, caller) => {
      if (guard === undefined || guard === caller) return caller
      return caller === undefined ? guard : both(guard, caller)
    }
  }
)

/** True within a handler, whose calls belong to a call in progress. */
export const IsWithinCall = Context.Reference<boolean>("effect-toolguard/IsWithinCall", { defaultValue: () => false })

/** Waits until draining starts. */
export const started = ({ onStart }: ProcessDrain): Effect.Effect<void> =>
  Effect.callback<void>((resume) => {
    const cancel = onStart(() => resume(Effect.void))
    return Effect.sync(cancel)
  })
