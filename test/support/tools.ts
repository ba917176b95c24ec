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

/** Runs a program. The working directory is the project's, if none is given. */
export const run = (
  command: string,
  args: ReadonlyArray<string>,
  options: { readonly cwd?: string; readonly shell?: boolean }
): Promise<Ended> =>
  new Promise((resolve, reject) => {
    const child = spawn(command, args, { cwd: root, ...options, stdio: ["ignore", "pipe", "pipe"] })
    const out: Array<Buffer> = []
    const err: Array<Buffer> = []
    child.stdout.on("data", (chunk: Buffer) => out.push(chunk))
    child.stderr.on("data", (chunk: Buffer) => err.push(chunk))
    child.on("error", reject)
    child.on("close", (code) =>
      resolve({ code: code ?? -1, stdout: Buffer.concat(out).toString(), stderr: Buffer.concat(err).toString() })
    )
  })

/** Runs a script with this Node. The working directory is the project's, if none is given. */
export const node = (args: ReadonlyArray<string>, options: { readonly cwd?: string } = {}): Promise<Ended> =>
  run(process.execPath, args, options)

/** Runs the npm on the path. */
export const npm = (args: ReadonlyArray<string>, cwd: string): Promise<Ended> =>
  run("npm", args, { cwd, shell: process.platform === "win32" })

/** Runs TypeScript's compiler. Errors are one line each, with continuation lines indented. */
export const tsc = (args: ReadonlyArray<string>, cwd: string = root): Promise<Ended> =>
  node([join(root, "node_modules/typescript/bin/tsc"), "--pretty", "false", ...args], { cwd })
