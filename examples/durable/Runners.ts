/** Starts and kills the runner processes of the example. */
import { Effect, type Scope } from "effect"
import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { type AddressInfo, createServer } from "node:net"
import type { Readable } from "node:stream"
import { fileURLToPath } from "node:url"

/** Waits until a process prints a word. */
const printed = async (output: Readable, word: string): Promise<void> => {
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
  const { port } = server.address() as AddressInfo // a listening TCP server has an AddressInfo
  server.close()
  return port
}

/** Kills a runner without cleanup, as a power failure would, and waits until it has exited. */
export const kill = (child: ChildProcess): Effect.Effect<void> =>
  Effect.promise(async () => {
    if (child.exitCode !== null || child.signalCode !== null) return
    const exit = once(child, "exit")
    child.kill("SIGKILL")
    await exit
  })

/** Starts a runner. Closing the scope kills it. */
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
      yield* Effect.promise(() => Promise.race([printed(child.stdout, "ready"), once(child, "exit")]))
      return child.exitCode === null ? child : yield* Effect.fail(new Error("A runner exited before it was ready."))
    })
  )
