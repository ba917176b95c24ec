/** Processes that tests start. They end with the test, whether it passes, fails or reaches its time limit. */
import { type ChildProcess, spawn } from "node:child_process"
import { onTestFinished, TestRunner } from "vitest"
import { root } from "./sources.ts"

/** How a process ended. `code` is null if a signal ended it. */
export interface Ended {
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

/** Kills a process at the end of the test that runs now. What a hook starts has to be ended by a hook. */
export const endWithTest = <Child extends ChildProcess>(child: Child): Child => {
  if (TestRunner.getCurrentTest() !== undefined) onTestFinished(() => void child.kill("SIGKILL"))
  return child
}

/** The end of a process. Rejects if the test ended first: nothing more of a test that is over should run. */
export const endOf = (child: ChildProcess): Promise<Ended> =>
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

/** Runs a program to its end. */
export const run = (command: string, args: ReadonlyArray<string>, options: Options = {}): Promise<Ended> =>
  endOf(endWithTest(spawn(command, args, { cwd: root, ...options, stdio: ["ignore", "pipe", "pipe"] })))

/** Does something once, in the first test that asks for it: there, unlike in a hook, it ends with its test. */
export const once = <A>(make: () => Promise<A>): (() => Promise<A>) => {
  let made: Promise<A> | undefined
  return () => (made ??= make())
}
