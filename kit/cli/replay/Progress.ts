/** Shows the progress of reading long files on one line of a terminal. */

const intervalMillis = 100
const megabyte = 1_000_000

interface Progress {
  readonly at: (bytes: number, total: number | undefined, calls: number) => void
  /** Clears the line. */
  readonly end: () => void
}

/** Creates a progress line on standard error, which stays empty if standard error is not a terminal. */
export const make = (): Progress => {
  if (process.stderr.isTTY !== true) return { at: () => {}, end: () => {} }
  let last = 0
  return {
    at: (bytes, total, calls) => {
      const now = performance.now()
      if (now - last < intervalMillis) return
      last = now
      const done = total === undefined ? "" : `${Math.floor((100 * bytes) / Math.max(1, total))} %, `
      process.stderr.write(`\r\u001b[K${done}${(bytes / megabyte).toFixed(0)} MB, ${calls} calls`)
    },
    end: () => {
      if (last > 0) process.stderr.write("\r\u001b[K")
    }
  }
}
