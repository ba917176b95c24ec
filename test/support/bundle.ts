/**
 * Bundles a program, for tests that start it often: Node takes about 0.4 ms to load a module, and a program has about a
 * thousand.
 */
import { createHash } from "node:crypto"
import { existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { rolldown } from "rolldown"
import { root } from "./sources.ts"

const cache = join(root, "node_modules/.cache/programs")

/** Returns the path of a module in the folder of its bundle. */
export const bundledPath = (module: string): string => module.replace(/\.ts$/, ".js")

const make = async (program: string, threads: ReadonlyArray<string>): Promise<string> => {
  const modules = [program, ...threads]
  await using build = await rolldown({
    input: Object.fromEntries(modules.map((module) => [bundledPath(module).slice(0, -".js".length), module])),
    platform: "node",
    cwd: root
  })
  const { output } = await build.generate({
    format: "esm",
    entryFileNames: "[name].js",
    chunkFileNames: "chunks/[name]-[hash].js"
  })
  const files = [
    { name: "package.json", text: `{ "type": "module" }\n` },
    ...output.map((file) => ({ name: file.fileName, text: file.type === "chunk" ? file.code : String(file.source) }))
  ]
  const folder = join(cache, createHash("sha256").update(JSON.stringify(files)).digest("hex").slice(0, 16))
  if (!existsSync(folder)) {
    // another process may be writing the same folder: the first rename wins
    const own = `${folder}.${process.pid}`
    for (const { name, text } of files) {
      mkdirSync(dirname(join(own, name)), { recursive: true })
      writeFileSync(join(own, name), text)
    }
    try {
      renameSync(own, folder)
    } catch (error) {
      rmSync(own, { recursive: true })
      if (!existsSync(folder)) throw error
    }
  }
  return join(folder, bundledPath(program))
}

const made = new Map<string, Promise<string>>()

/**
 * Bundles a program with everything that it imports, and returns the path of the file to run. Paths are relative to the root.
 * `threads` are modules that the program starts as threads, by their path in a build.
 *
 * **Gotchas**
 *
 * The bundle has its own copy of the library: a program that loads a module which imports the library must run from its sources.
 */
export const bundle = (program: string, threads: ReadonlyArray<string> = []): Promise<string> => {
  const key = [program, ...threads].join(" ")
  const existing = made.get(key)
  if (existing !== undefined) return existing
  const making = make(program, threads)
  made.set(key, making)
  return making
}
