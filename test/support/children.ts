/** Starts processes for tests. Each is killed at the end of its test, whether the test passes, fails or times out. */
import { type ChildProcess, spawn } from "node:child_process"
import { onTestFinished, TestRunner } from "vitest"
import { root } from "./sources.ts"

/** How a process ended, and what it printed. `code` is null if a signal ended it. */
export interface ProcessExit {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

export interface Options {
  /** Default: the root of the project. */
  readonly cwd?: string
  readonly env?: NodeJS.ProcessEnv
  readonly shell?: boolean
}

/** Kills a process at the end of the current test. A process that a hook starts must be ended by a hook. */
export const endWithTest = <Child extends ChildProcess>(child: Child): Child => {
  if (TestRunner.getCurrentTest() !== undefined) onTestFinished(() => void child.kill("SIGKILL"))
  return child
}

/**
 * Waits for the end of a process. Rejects if the test times out or is cancelled first, so that the rest of the test does not
 * run.
 */
export const endOf = (child: ChildProcess): Promise<ProcessExit> =>
  new Promise((resolve, reject) => {
    const out: Array<Buffer> = []
    const err: Array<Buffer> = []
    child.stdout?.on("data", (chunk: Buffer | string) => out.push(Buffer.from(chunk)))
    child.stderr?.on("data", (chunk: Buffer | string) => err.push(Buffer.from(chunk)))
    child.on("error", reject)
    child.on("close", (code) =>
      resolve({ code, stdout: Buffer.concat(out).toString(), stderr: Buffer.concat(err).toString() })
    )
    const signal = TestRunner.getCurrentTest()?.context.signal
    signal?.addEventListener("abort", () => reject(signal.reason), { once: true })
  })

/** Runs a program and waits for its end. */
export const run = (command: string, args: ReadonlyArray<string>, options: Options = {}): Promise<ProcessExit> =>
  endOf(endWithTest(spawn(command, args, { cwd: root, ...options, stdio: ["ignore", "pipe", "pipe"] })))

/** Computes a value once, in the first test that needs it. Unlike in a hook, a process that `make` starts ends with that test. */
export const once = <A>(make: () => Promise<A>): (() => Promise<A>) => {
  let result: Promise<A> | undefined
  return () => (result ??= make())
}
