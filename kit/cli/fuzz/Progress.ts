/** Shows the progress of a long run on one line of a terminal. */

/** The number of cases after which the clock is read again. */
const casesPerCheck = 50
const intervalMillis = 200

interface Progress {
  readonly at: (tool: string, done: number, all: number) => void
  /** Clears the line. */
  readonly end: () => void
}

/** Creates a progress line on standard error, which stays empty if standard error is not a terminal. */
export const make = (): Progress => {
  if (process.stderr.isTTY !== true) return { at: () => {}, end: () => {} }
  let last = 0
  return {
    at: (tool, done, all) => {
      if (done % casesPerCheck !== 0) return
      const now = performance.now()
      if (now - last < intervalMillis) return
      last = now
      process.stderr.write(`\r\u001b[K${tool}: ${done} of ${all} cases`)
    },
    end: () => {
      if (last > 0) process.stderr.write("\r\u001b[K")
    }
  }
}
