/**
 * Creates the `AbortSignal` by which a handler learns that the guard no longer waits for it.
 *
 * The signal is created only when the handler reads it. Most handlers do not read it, because their effects are
 * interrupted.
 */

/** The signal of one attempt. */
export interface HandlerSignal {
  /** Returns the signal, and creates it on the first call. */
  readonly get: () => AbortSignal
  /** Aborts the signal. A signal that is read later is already aborted. */
  readonly abort: () => void
}

/** Creates the signal of one attempt. */
export const make = (): HandlerSignal => {
  let controller: AbortController | undefined
  let isAborted = false
  return {
    get: () => {
      if (controller === undefined) {
        controller = new AbortController()
        if (isAborted) controller.abort()
      }
      return controller.signal
    },
    abort: () => {
      isAborted = true
      controller?.abort()
    }
  }
}
