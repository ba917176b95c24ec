/**
 * Limits the handlers of one tool that run at the same time, by a semaphore.
 *
 * A slot is held until the handler has ended, even if the guard has stopped waiting for the handler. The semaphore is
 * synchronous: a handler starts in the same step in which it takes its slot, so it cannot be interrupted in between.
 * Waiting handlers start in order, in a loop. A handler that ends synchronously returns its slot to this loop, so that
 * the depth of the stack does not depend on the number of waiting handlers.
 */
export interface Slots {
  /** Takes a slot if one is free and no handler waits for it; returns false otherwise. */
  readonly tryTake: () => boolean
  /** Takes a slot when one becomes free, then calls `start`. The returned function cancels the wait. */
  readonly take: (start: () => void) => () => void
  readonly release: () => void
}

export const make = (limit: number): Slots => {
  let running = 0
  let isStarting = false
  const waiting = new Set<() => void>()
  // one iterator for all waits, because a new iterator would first have to skip all deleted entries
  let queue = waiting.values()
  const next = (): (() => void) | undefined => {
    if (waiting.size === 0) return undefined
    const first = queue.next().value ?? (queue = waiting.values()).next().value
    if (first !== undefined) waiting.delete(first)
    return first
  }
  const startWaiting = (): void => {
    while (running < limit) {
      const start = next()
      if (start === undefined) return
      running += 1
      start()
    }
  }
  return {
    tryTake: () => {
      if (running >= limit || waiting.size > 0) return false
      running += 1
      return true
    },
    take: (start) => {
      // two waits may pass the same function, and a set holds a function only once
      const entry = () => start()
      waiting.add(entry)
      return () => {
        waiting.delete(entry)
      }
    },
    release: () => {
      running -= 1
      if (isStarting) return
      isStarting = true
      try {
        startWaiting()
      } finally {
        isStarting = false
      }
    }
  }
}
