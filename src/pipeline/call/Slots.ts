/**
 * A semaphore for the handlers of one tool.
 *
 * A slot is held until the handler has ended, even if the guard has stopped waiting for the handler. The semaphore is
 * synchronous: a handler starts in the same step in which it takes its slot, so it cannot be interrupted in between.
 */
export interface Slots {
  /** Takes a slot if one is free; returns false otherwise. */
  readonly tryTake: () => boolean
  /** Takes a slot when one becomes free, then calls `start`. The returned function cancels the wait. */
  readonly take: (start: () => void) => () => void
  readonly release: () => void
}

export const make = (limit: number): Slots => {
  let running = 0
  const waiting = new Set<() => void>()
  return {
    tryTake: () => {
      if (running >= limit) return false
      running += 1
      return true
    },
    take: (start) => {
      waiting.add(start)
      return () => {
        waiting.delete(start)
      }
    },
    release: () => {
      running -= 1
      const [first] = waiting
      if (first === undefined) return
      waiting.delete(first)
      running += 1
      first()
    }
  }
}
