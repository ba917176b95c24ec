/** Builds the packages, and measures programs that use them in child processes. */
import { spawn } from "node:child_process"
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { root } from "../support/sources.ts"
import { node } from "../support/tools.ts"

/** Creates a folder with both built packages and links to their dependencies. `remove` deletes it. */
export const installBuilt = async (): Promise<{ readonly folder: string; readonly remove: () => void }> => {
  const folder = mkdtempSync(join(tmpdir(), "toolguard-start-"))
  const { code, stderr, stdout } = await node(["scripts/build.ts", join(folder, "built")])
  if (code !== 0) throw new Error(`The build failed:\n${stdout}${stderr}`)
  const modules = join(folder, "node_modules")
  mkdirSync(modules)
  cpSync(join(folder, "built/library"), join(modules, "effect-toolguard"), { recursive: true })
  cpSync(join(folder, "built/kit"), join(modules, "toolguard"), { recursive: true })
  for (const name of ["effect", "@effect", "gpt-tokenizer"])
    symlinkSync(join(root, "node_modules", name), join(modules, name), "junction")
  writeFileSync(join(folder, "package.json"), `{ "type": "module" }`)
  return { folder, remove: () => rmSync(folder, { recursive: true, force: true }) }
}

const report = <A>(probe: string, folder: string, args: ReadonlyArray<string>): Promise<A> =>
  new Promise((resolve, reject) => {
    // the compile cache of Node is not used, because users start with an empty cache
    const { NODE_COMPILE_CACHE: _, ...env } = process.env
    const child = spawn(process.execPath, ["--import", probe, ...args], {
      cwd: folder,
      env,
      stdio: ["ignore", "ignore", "pipe", "pipe"]
    })
    let text = ""
    let errors = ""
    child.stdio[3]?.on("data", (chunk: Buffer) => (text += chunk.toString()))
    child.stdio[2]?.on("data", (chunk: Buffer) => (errors += chunk.toString()))
    child.on("error", reject)
    child.on("close", (code) =>
      code === 0 ? resolve(JSON.parse(text) as A) : reject(new Error(`node ${args.join(" ")}: ${errors}`))
    )
  })

// the probe is JavaScript in a data URL, because stripping the types of a file would take longer than the start
const cpuProbe = `data:text/javascript,${encodeURIComponent(`
  import { writeSync } from "node:fs"
  process.on("exit", () => writeSync(3, JSON.stringify(process.cpuUsage())))
`)}`

/** Returns the milliseconds of user and system CPU time that a start takes. */
export const cpuMillis = async (folder: string, args: ReadonlyArray<string>): Promise<number> => {
  const { system, user } = await report<NodeJS.CpuUsage>(cpuProbe, folder, args)
  return (system + user) / 1000
}

/** The number and size of the modules that a start loads, without Node's built-in modules. */
export interface LoadedModules {
  readonly modules: number
  readonly kilobytes: number
}

/** Starts a program and measures the modules that it loads. */
export const loaded = (folder: string, args: ReadonlyArray<string>): Promise<LoadedModules> =>
  report(join(root, "test/start/moduleProbe.ts"), folder, args)
