/** Runner processes of the tests, and one that decides. Whatever is left is killed at the end of the scope. */
import { Effect } from "effect"
import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { createServer, type AddressInfo } from "node:net"
import type { Readable } from "node:stream"
import { fileURLToPath } from "node:url"
import * as Ledger from "./Ledger.ts"

const script = (name: string) => fileURLToPath(new URL(name, import.meta.url))

/** Waits for a word; what stands before it is the process's log. */
const said = async (output: Readable, word: string): Promise<void> => {
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

/** A process that has said its first line. */
const started = (name: string, options: object) =>
  Effect.acquireRelease(
    Effect.promise(async () => {
      const child = spawn(process.execPath, [script(name), JSON.stringify(options)], {
        stdio: ["pipe", "pipe", "inherit"]
      })
      await Promise.race([said(child.stdout, "ready"), once(child, "exit")])
      if (child.exitCode !== null && child.exitCode !== 0) throw new Error(`${name} ended with ${child.exitCode}`)
      return child
    }),
    (child) => kill(child)
  )

/** As the machine would: at once, without a last word. */
export const kill = (child: ChildProcess): Effect.Effect<void> =>
  Effect.promise(async () => {
    if (child.exitCode !== null || child.signalCode !== null) return
    const gone = once(child, "exit")
    child.kill("SIGKILL")
    await gone
  })

/** A runner that takes runs. */
export const runner = (database: string, ledger: Ledger.Ledger) =>
  Effect.flatMap(Effect.promise(freePort), (port) => started("runner.ts", { database, ledger: ledger.url, port }))

/** A process that decides a question, and ends. */
export const decider = (database: string, token: string) =>
  Effect.flatMap(started("decider.ts", { database, token }), (child) =>
    Effect.promise(async () => {
      if (child.exitCode === null) await once(child, "exit")
      return child.exitCode
    })
  )

export const ledger = Effect.acquireRelease(Effect.promise(Ledger.start), (it) => Effect.sync(it.close))
