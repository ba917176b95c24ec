/** Reads how much memory this process has used at most. */
import { existsSync, readFileSync } from "node:fs"

/**
 * Returns the largest resident set of this process, in MB of 1,048,576 bytes.
 *
 * It is read from `/proc` where that exists: on Linux, `maxRSS` of a new process begins with the memory of the process
 * that started it.
 */
export const peakMegabytes = (): number => {
  const status = existsSync("/proc/self/status") ? readFileSync("/proc/self/status", "utf8") : ""
  const [, kilobytes] = /^VmHWM:\s+(\d+) kB$/mu.exec(status) ?? []
  return (kilobytes === undefined ? process.resourceUsage().maxRSS : Number(kilobytes)) / 1024
}
