/** The project's own TypeScript files, as a map from path (with `/`, relative to the root) to text. */
import { globSync, readFileSync } from "node:fs"
import { join, resolve, sep } from "node:path"

/** The folder of package.json. */
export const root = resolve(import.meta.dirname, "../..")

/** Paths that match the globs, sorted, without `node_modules` and folders that begin with a dot. */
export const paths = (...globs: ReadonlyArray<string>): ReadonlyArray<string> =>
  globSync([...globs], { cwd: root })
    .map((path) => path.split(sep).join("/"))
    .filter((path) => !/(^|\/)(node_modules|\.[^/]+)\//.test(path))
    .sort()

export const read = (path: string): string => readFileSync(join(root, path), "utf8")

/** Text by path. */
export const sources = (...globs: ReadonlyArray<string>): ReadonlyMap<string, string> =>
  new Map(paths(...globs).map((path) => [path, read(path)]))
