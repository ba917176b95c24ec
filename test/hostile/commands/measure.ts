/** Measures the CPU seconds and the maximum memory of a command, and the CPU seconds of only reading its files. */
import { spawn } from "node:child_process"
import { readFileSync, rmSync } from "node:fs"
import { join } from "node:path"
import { endOf, endWithTest } from "../../support/children.ts"
import { root } from "../../support/sources.ts"

/** The resources that a process used. */
export interface Usage {
  readonly cpu: number
  readonly megabytes: number
}

/** The result of a command. */
export interface Measurement extends Usage {
  /** The exit code; null if the command was killed. */
  readonly code: number | null
  /** Its output. */
  readonly output: string
}

/**
 * The bounds that tests assert: twice the intended 5 seconds, and 700 MB instead of 500, because the same work takes
 * more CPU time on a busy machine. `npm run bench:hostile` prints the measured values.
 */
export const bounds: Usage = { cpu: 10, megabytes: 700 }

/** After this time a command is killed, in milliseconds. */
const patience = 120_000

export const usage = join(root, "test/hostile/commands/usage.ts")

/** Returns the usage that a process wrote to its file when it exited. A killed process writes none. */
export const usageOf = (file: string): Usage => {
  try {
    const used = JSON.parse(readFileSync(file, "utf8")) as Usage
    rmSync(file)
    return used
  } catch {
    return { cpu: Infinity, megabytes: Infinity }
  }
}

/** Runs a Node program until it exits. */
export const run = async (program: string, args: ReadonlyArray<string>, folder: string): Promise<Measurement> => {
  const file = join(folder, "usage.json")
  const child = endWithTest(
    spawn(process.execPath, ["--import", usage, program, ...args], {
      cwd: folder,
      env: { ...process.env, HOSTILE_USAGE: file },
      stdio: ["ignore", "pipe", "pipe"]
    })
  )
  const killing = setTimeout(() => child.kill("SIGKILL"), patience)
  const { code, stderr, stdout } = await endOf(child)
  clearTimeout(killing)
  return { code, output: `${stdout}\n${stderr}`, ...usageOf(file) }
}

/** Returns the CPU seconds of reading, inflating and parsing files. */
export const reading = async (files: ReadonlyArray<string>, folder: string): Promise<number> =>
  files.length === 0 ? 0 : (await run(join(import.meta.dirname, "reading.ts"), files, folder)).cpu
