/** Runs command line tools as processes, on the Node that runs the tests. */
import { join } from "node:path"
import { type Ended, run } from "./children.ts"
import { root } from "./sources.ts"

/** Runs a script with this Node. The working directory is the project's, if none is given. */
export const node = (args: ReadonlyArray<string>, options: { readonly cwd?: string } = {}): Promise<Ended> =>
  run(process.execPath, args, options)

/** Runs the npm on the path. */
export const npm = (args: ReadonlyArray<string>, cwd: string): Promise<Ended> =>
  run("npm", args, { cwd, shell: process.platform === "win32" })

/** Runs TypeScript's compiler. Errors are one line each, with continuation lines indented. */
export const tsc = (args: ReadonlyArray<string>, cwd: string = root): Promise<Ended> =>
  node([join(root, "node_modules/typescript/bin/tsc"), "--pretty", "false", ...args], { cwd })
