/** Writes the CPU seconds and maximum memory of this process to the file that `HOSTILE_USAGE` names when it exits. */
import { writeFileSync } from "node:fs"
import { peakMegabytes } from "../../support/peakMemory.ts"

process.on("exit", () => {
  const { systemCPUTime, userCPUTime } = process.resourceUsage()
  const file = process.env["HOSTILE_USAGE"]
  if (file !== undefined)
    writeFileSync(file, JSON.stringify({ cpu: (userCPUTime + systemCPUTime) / 1e6, megabytes: peakMegabytes() }))
})
