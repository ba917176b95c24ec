/** Reads the project's own files. Paths are relative to the root and use `/`. */
import { globSync, readFileSync } from "node:fs"
import { join, resolve, sep } from "node:path"

/** The folder of package.json. */
export const root = resolve(import.meta.dirname, "../..")

/** Returns the sorted paths that match the globs, without `node_modules` and folders whose name begins with a dot. */
export const paths = (...globs: ReadonlyArray<string>): ReadonlyArray<string> =>
  globSync([...globs], { cwd: root })
    .map((path) => path.split(sep).join("/"))
    .filter((path) => !/(^|\/)(node_modules|\.[^/]+)\//.test(path))
    .sort()

export const read = (path: string): string => readFileSync(join(root, path), "utf8")

/** Returns the texts of the matching files, by path. */
export const sources = (...globs: ReadonlyArray<string>): ReadonlyMap<string, string> =>
  new Map(paths(...globs).map((path) => [path, read(path)]))
