/** The runner processes of the example. */
import { Effect, type Scope } from "effect"
import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { type AddressInfo, createServer } from "node:net"
import type { Readable } from "node:stream"
import { fileURLToPath } from "node:url"

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

/** Kills a runner as a power cut would, and waits until it is gone. */
export const kill = (child: ChildProcess): Effect.Effect<void> =>
  Effect.promise(async () => {
    if (child.exitCode !== null || child.signalCode !== null) return
    const gone = once(child, "exit")
    child.kill("SIGKILL")
    await gone
  })

/** Starts a runner; it is killed at the latest when the scope closes. */
export const start = (database: string, bank: string): Effect.Effect<ChildProcess, Error, Scope.Scope> =>
  Effect.flatMap(Effect.promise(freePort), (port) =>
    Effect.gen(function* () {
      const script = fileURLToPath(new URL("runner.ts", import.meta.url))
      const child = yield* Effect.acquireRelease(
        Effect.sync(() =>
          spawn(process.execPath, [script, database, bank, `${port}`], { stdio: ["pipe", "pipe", "inherit"] })
        ),
        kill
      )
      yield* Effect.promise(() => Promise.race([said(child.stdout, "ready"), once(child, "exit")]))
      return child.exitCode === null ? child : yield* Effect.fail(new Error("A runner ended when it started."))
    })
  )
