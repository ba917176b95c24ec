/** Bundles a program into one file, for tests that start it often, because a bundle starts faster. */
import { renameSync } from "node:fs"
import { basename, join } from "node:path"
import { rolldown } from "rolldown"
import { root } from "./sources.ts"

/** Bundles a program with everything that it imports, and returns the path of the file. */
export const bundle = async (program: string): Promise<string> => {
  const file = join(root, "node_modules/.cache/programs", `${basename(program, ".ts")}.mjs`)
  // another process may be reading the file, or writing it too
  const own = `${file}.${process.pid}`
  await using build = await rolldown({ input: program, platform: "node", cwd: root })
  await build.write({ file: own, format: "esm", codeSplitting: false })
  renameSync(own, file)
  return file
}
