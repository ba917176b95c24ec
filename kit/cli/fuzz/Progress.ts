/** How far a long run has come: one line on a terminal, nothing elsewhere. */

/** Cases between two looks at the clock. */
const every = 50
const millis = 200

interface Progress {
  readonly at: (tool: string, done: number, all: number) => void
  /** Takes the line away. */
  readonly end: () => void
}

/** On standard error, where that is a terminal. */
export const make = (): Progress => {
  if (process.stderr.isTTY !== true) return { at: () => {}, end: () => {} }
  let last = 0
  return {
    at: (tool, done, all) => {
      if (done % every !== 0) return
      const now = performance.now()
      if (now - last < millis) return
      last = now
      process.stderr.write(`\r\u001b[K${tool}: ${done} of ${all} cases`)
    },
    end: () => {
      if (last > 0) process.stderr.write("\r\u001b[K")
    }
  }
}
