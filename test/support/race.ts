/** Runs races between processes. All processes are ready before any of them starts. */
import { spawn } from "node:child_process"
import { bundle } from "./bundle.ts"
import { endOf, endWithTest } from "./children.ts"

/**
 * Runs one process of a program, whose path is relative to the root, for each list of arguments. Each process prints the line `ready`, starts when it reads a line, and then prints
 * its result as JSON.
 */
export const race = async <A>(
  program: string,
  all: ReadonlyArray<ReadonlyArray<string>>
): Promise<ReadonlyArray<A>> => {
  const script = await bundle(program)
  const racers = all.map((args) => {
    const child = endWithTest(spawn(process.execPath, [script, ...args], { stdio: "pipe" }))
    const ready = new Promise<void>((resolve) => {
      let text = ""
      child.stdout.on("data", (chunk: Buffer) => {
        text += chunk.toString()
        if (text.includes("\n")) resolve()
      })
    })
    const ended = endOf(child).then(({ code, stderr, stdout }): A => {
      if (code !== 0) throw new Error(`A process of the race exited with ${code}: ${stderr}`)
      return JSON.parse(stdout.slice("ready\n".length))
    })
    return { ready: Promise.race([ready, ended]), go: () => child.stdin.end("go\n"), ended }
  })
  await Promise.all(racers.map(({ ready }) => ready))
  for (const { go } of racers) go()
  return Promise.all(racers.map(({ ended }) => ended))
}
