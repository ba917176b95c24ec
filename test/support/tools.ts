/** Runs command-line tools as processes, on the Node that runs the tests. */
import { join } from "node:path"
import { type ProcessExit, run } from "./children.ts"
import { root } from "./sources.ts"

/** Runs a script with this Node. Default working directory: the root of the project. */
export const node = (args: ReadonlyArray<string>, options: { readonly cwd?: string } = {}): Promise<ProcessExit> =>
  run(process.execPath, args, options)

/** Runs the npm on the path. */
export const npm = (args: ReadonlyArray<string>, cwd: string): Promise<ProcessExit> =>
  run("npm", args, { cwd, shell: process.platform === "win32" })

/**
 * Runs the TypeScript compiler. Each error is one line, with indented continuation lines. Test programs are small, so one
 * checker is cheaper than several, each of which would check the shared types again.
 */
export const tsc = (args: ReadonlyArray<string>, cwd: string = root): Promise<ProcessExit> =>
  node([join(root, "node_modules/typescript/bin/tsc"), "--pretty", "false", "--checkers", "1", ...args], { cwd })
