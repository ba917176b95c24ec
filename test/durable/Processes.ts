/** Starts runners, and a process that decides a question. The processes are killed at the end of the scope. */
import { Effect } from "effect"
import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { createServer, type AddressInfo } from "node:net"
import type { Readable } from "node:stream"
import { bundle } from "../support/bundle.ts"
import * as Ledger from "./Ledger.ts"
import type { RunnerOptions } from "./World.ts"

/** Waits until a process has printed a word, and ignores other output before the word. */
export const waitFor = async (output: Readable, word: string): Promise<void> => {
  let text = ""
  for await (const chunk of output.iterator({ destroyOnReturn: false })) {
    text += String(chunk)
    if (text.includes(word)) break
  }
  output.resume()
}

const freePort = async (): Promise<number> => {
  const server = createServer().listen(0, "127.0.0.1")
  await once(server, "listening")
  const { port } = server.address() as AddressInfo
  server.close()
  return port
}

/** Starts a process and waits until it is ready. */
const start = (name: string, options: object, program = bundle(`test/durable/${name}`)) =>
  Effect.acquireRelease(
    Effect.promise(async () => {
      const child = spawn(process.execPath, [await program, JSON.stringify(options)], {
        stdio: ["pipe", "pipe", "inherit"]
      })
      await Promise.race([waitFor(child.stdout, "ready"), once(child, "exit")])
      if (child.exitCode !== null && child.exitCode !== 0) throw new Error(`${name} exited with ${child.exitCode}`)
      return child
    }),
    (child) => kill(child)
  )

/** Kills a process immediately, without a chance to clean up, and waits for its exit. */
export const kill = (child: ChildProcess): Effect.Effect<void> =>
  Effect.promise(async () => {
    if (child.exitCode !== null || child.signalCode !== null) return
    const exited = once(child, "exit")
    child.kill("SIGKILL")
    await exited
  })

type Options = Pick<RunnerOptions, "hasDefaultTimes" | "drains" | "hasActivities">

/** Starts a process that executes runs. `program` is another bundle of `runner.ts`. */
export const runner = (database: string, ledger: Ledger.Ledger, options: Options = {}, program?: string) =>
  Effect.flatMap(Effect.promise(freePort), (port) =>
    start(
      "runner.ts",
      { database, ledger: ledger.url, port, ...options },
      program === undefined ? undefined : Promise.resolve(program)
    )
  )

/** Starts a process that decides a question, and returns its exit code. */
export const decider = (database: string, token: string) =>
  Effect.flatMap(start("decider.ts", { database, token }), (child) =>
    Effect.promise(async () => {
      if (child.exitCode === null) await once(child, "exit")
      return child.exitCode
    })
  )

export const ledger = Effect.acquireRelease(Effect.promise(Ledger.start), (it) => Effect.sync(it.close))
