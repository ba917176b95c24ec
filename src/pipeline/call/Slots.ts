/**
 * How many handlers of one tool run at once, and who waits.
 *
 * A slot is held until the handler has really ended, also where the guard left it behind. Synchronous on purpose: a
 * handler starts in the same step in which it takes its slot, so that no interruption can fall between.
 */
export interface Slots {
  /** Takes a slot if one is free. */
  readonly tryTake: () => boolean
  /** Runs `start`, holding a slot, when one becomes free; the function that comes back takes it out of the queue. */
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
