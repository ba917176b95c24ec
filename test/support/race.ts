/** Races between real processes: all are connected before any of them starts. */
import { spawn } from "node:child_process"

/**
 * Runs one process for each list of arguments. Each says `ready` on a line of its own and starts when it reads a line;
 * what it then writes is JSON, and what it came to.
 */
export const race = async <A>(script: string, all: ReadonlyArray<ReadonlyArray<string>>): Promise<ReadonlyArray<A>> => {
  const racers = all.map((args) => {
    const child = spawn(process.execPath, [script, ...args], { stdio: "pipe" })
    let text = ""
    let complaint = ""
    child.stderr.on("data", (chunk: Buffer) => (complaint += chunk.toString()))
    const ready = new Promise<void>((resolve) => {
      child.stdout.on("data", (chunk: Buffer) => {
        text += chunk.toString()
        if (text.includes("\n")) resolve()
      })
    })
    const ended = new Promise<A>((resolve, reject) => {
      child.on("error", reject)
      child.on("close", (code) =>
        code === 0
          ? resolve(JSON.parse(text.slice("ready\n".length)) as A)
          : reject(new Error(`a racer ended with ${code}: ${complaint}`))
      )
    })
    return { ready: Promise.race([ready, ended]), go: () => child.stdin.end("go\n"), ended }
  })
  await Promise.all(racers.map(({ ready }) => ready))
  for (const { go } of racers) go()
  return Promise.all(racers.map(({ ended }) => ended))
}
