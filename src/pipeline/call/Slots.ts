/**
 * Limits the handlers of one tool that run at the same time, by a semaphore.
 *
 * **Details**
 *
 * - A slot is held until the handler has ended, even if the guard has stopped waiting for the handler.
 * - Tenants whose handlers wait take turns, and the handlers of one tenant start in order: a tenant with many waiting
 *   handlers gets the same share of the slots as a tenant with few.
 * - The semaphore is synchronous: a handler starts in the same step in which it takes its slot, so it cannot be
 *   interrupted in between.
 * - Waiting handlers start in a loop. A handler that ends synchronously returns its slot to this loop, so that the depth
 *   of the stack does not depend on the number of waiting handlers.
 */
export interface Slots {
  /** Takes a slot if one is free and no handler waits for it; returns false otherwise. */
  readonly tryTake: () => boolean
  /** Takes a slot when one becomes free and it is the tenant's turn, then calls `start`. The returned function cancels the wait. */
  readonly take: (tenant: string, start: () => void) => () => void
  readonly release: () => void
}

/** The waiting handlers of one tenant, oldest first. */
interface Queue {
  readonly tenant: string
  readonly waiting: Set<() => void>
  /** Removes the oldest handler and returns it. A queue with no handler is not used again. */
  readonly next: () => (() => void) | undefined
}

const emptyQueue = (tenant: string): Queue => {
  const waiting = new Set<() => void>()
  // one iterator for all waits, because a new iterator would first have to skip all deleted entries
  const entries = waiting.values()
  return {
    tenant,
    waiting,
    next: () => {
      const first = entries.next().value
      if (first !== undefined) waiting.delete(first)
      return first
    }
  }
}

export const make = (limit: number): Slots => {
  let running = 0
  let isStarting = false
  /** The tenants with waiting handlers. The first tenant is next. */
  const queues = new Map<string, Queue>()
  let turns = queues.values()
  const next = (): (() => void) | undefined => {
    const queue = turns.next().value
    if (queue === undefined) {
      // an iterator that has ended does not see later tenants
      turns = queues.values()
      return undefined
    }
    const first = queue.next()
    // a tenant that waits for more slots goes to the end
    queues.delete(queue.tenant)
    if (queue.waiting.size > 0) queues.set(queue.tenant, queue)
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
      if (running >= limit || queues.size > 0) return false
      running += 1
      return true
    },
    take: (tenant, start) => {
      const queue = queues.get(tenant) ?? emptyQueue(tenant)
      queues.set(tenant, queue)
      // two waits may pass the same function, and a set holds a function only once
      const entry = () => start()
      queue.waiting.add(entry)
      return () => {
        if (queue.waiting.delete(entry) && queue.waiting.size === 0) queues.delete(tenant)
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
