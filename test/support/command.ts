/**
 * The program of the command `toolguard`, for tests that start it as a process.
 *
 * Commands start from a bundle, which takes half the time of starting from a thousand modules. A module of tools must share
 * the library with the command, so the modules that tests name often are parts of the same bundle. A command that loads
 * another module runs from the sources.
 */
import { join, resolve } from "node:path"
import { bundle, bundledPath } from "./bundle.ts"
import { root } from "./sources.ts"

const main = "kit/cli/main.ts"

/** The modules of tools in the bundle, relative to the root. */
const modules: ReadonlyArray<string> = [
  "examples/live/Tools.ts",
  "examples/orders/main.ts",
  "examples/orders/Tools.ts",
  "test/kit/cli/replay/replayTools.ts",
  "test/kit/cli/replay/threads.ts",
  "test/mcp/approvingBackend.ts",
  "test/mcp/deskBackend.ts",
  "test/mcp/guardedBackend.ts"
]

/** The command as a bundle, for command lines without a module of tools. */
export const bundled = await bundle(main, ["kit/cli/worker.ts", ...modules])

/** The folder of the bundle, which has the files of the root as JavaScript. */
const folder = bundled.slice(0, -bundledPath(main).length)

const isModule = (arg: string): boolean => /\.[cm]?[jt]s$/u.test(arg)

/**
 * Returns the arguments of Node that run a command line in a folder. It names the modules of the bundle by their paths
 * there, and starts the sources if it names another module.
 */
export const commandLine = (args: ReadonlyArray<string>, cwd = root): ReadonlyArray<string> => {
  // the arguments after `--` are the command of a server
  const end = args.indexOf("--")
  const own = end === -1 ? args : args.slice(0, end)
  const inBundle = own.map((arg) => {
    const module = modules.find((one) => resolve(cwd, arg) === join(root, one))
    return module === undefined ? arg : join(folder, bundledPath(module))
  })
  if (inBundle.some((arg, index) => isModule(arg) && arg === own[index])) return [join(root, main), ...args]
  return [bundled, ...inBundle, ...args.slice(own.length)]
}

/** Replaces the paths of bundled modules in an output by the paths of their sources. */
export const withSourcePaths = (output: string): string =>
  modules.reduce((text, module) => text.replaceAll(join(folder, bundledPath(module)), module), output)

/** Returns the command of `toolguard mcp proxy` with the command of a server. */
export const proxied = (flags: ReadonlyArray<string>, server: ReadonlyArray<string>): ReadonlyArray<string> => [
  process.execPath,
  ...commandLine(["mcp", "proxy", ...flags, "--", ...server])
]
