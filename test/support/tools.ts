/** Runs the project's own command line tools as child processes, on the Node that runs the tests. */
import { spawn } from "node:child_process"
import { join } from "node:path"
import { root } from "./sources.ts"

/** How a child process ended. `code` is -1 where a signal killed it. */
export interface Ended {
  readonly code: number
  readonly stdout: string
  readonly stderr: string
}

/** Runs a script with this Node and collects what it prints. The working directory is the project's, if none is given. */
export const node = (
  args: ReadonlyArray<string>,
  options: { readonly cwd?: string; readonly env?: NodeJS.ProcessEnv } = {}
): Promise<Ended> =>
  new Promise((resolve, reject) => {
    const child = spawn(process.execPath, args, {
      cwd: options.cwd ?? root,
      env: options.env ?? process.env,
      stdio: ["ignore", "pipe", "pipe"]
    })
    const out: Array<Buffer> = []
    const err: Array<Buffer> = []
    child.stdout.on("data", (chunk: Buffer) => out.push(chunk))
    child.stderr.on("data", (chunk: Buffer) => err.push(chunk))
    child.on("error", reject)
    child.on("close", (code) =>
      resolve({ code: code ?? -1, stdout: Buffer.concat(out).toString(), stderr: Buffer.concat(err).toString() })
    )
  })

/** Runs TypeScript's compiler. Errors are one line each, with continuation lines indented. */
export const tsc = (args: ReadonlyArray<string>, cwd: string = root): Promise<Ended> =>
  node([join(root, "node_modules/typescript/bin/tsc"), "--pretty", "false", ...args], { cwd })
