/** How far a long reading has come: one line on a terminal, nothing elsewhere. */

const every = 100
const mega = 1_000_000

interface Progress {
  readonly at: (bytes: number, total: number | undefined, calls: number) => void
  /** Takes the line away. */
  readonly end: () => void
}

/** On standard error, where that is a terminal. */
export const make = (): Progress => {
  if (process.stderr.isTTY !== true) return { at: () => {}, end: () => {} }
  let last = 0
  return {
    at: (bytes, total, calls) => {
      const now = performance.now()
      if (now - last < every) return
      last = now
      const done = total === undefined ? "" : `${Math.floor((100 * bytes) / Math.max(1, total))} %, `
      process.stderr.write(`\r\u001b[K${done}${(bytes / mega).toFixed(0)} MB, ${calls} calls`)
    },
    end: () => {
      if (last > 0) process.stderr.write("\r\u001b[K")
    }
  }
}
