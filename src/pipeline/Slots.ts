/**
 * How many handlers of one tool run at once, and who waits.
 *
 * A slot is held until the handler has really ended, also where the guard left it behind. Synchronous on purpose: a
 * handler starts in the same step in which it takes its slot, so that no interruption can fall between.
 */
export interface Slots {
  /** Runs `start` now or when a slot is free; the function that comes back takes it out of the queue. */
  readonly take: (start: () => void) => () => void
  readonly release: () => void
}

export const make = (limit: number): Slots => {
  let running = 0
  const waiting = new Set<() => void>()
  return {
    take: (start) => {
      if (running < limit) {
        running += 1
        start()
        return () => {}
      }
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
