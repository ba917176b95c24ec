/**
 * Finds exports that no other file imports. The dead-code tool does not find them: the kit can reach every module of the
 * library, so the tool treats each module as an entry.
 *
 * A namespace import (`import * as X`) uses the members that its file accesses (`X.member`), and all of them if the file uses
 * `X` in any other way.
 */
import { posix } from "node:path"
import { parsed } from "./parseCache.ts"

const aliases: ReadonlyArray<readonly [prefix: string, folder: string]> = [
  ["#domain/", "src/domain/"],
  ["#pipeline/", "src/pipeline/"],
  ["#services/", "services/"],
  ["#layers/", "layers/"],
  ["#src/", "src/"],
  ["#kit/", "kit/"],
  ["effect-toolguard/internal/layers/", "layers/internal/"],
  ["effect-toolguard/internal/", "src/"],
  ["effect-toolguard/layers/", "layers/"],
  ["effect-toolguard/services/", "services/"]
]

const resolve = (from: string, specifier: string): string | undefined => {
  if (specifier.startsWith(".")) return posix.join(posix.dirname(from), specifier)
  const alias = aliases.find(([prefix]) => specifier.startsWith(prefix))
  return alias && `${alias[1]}${specifier.slice(alias[0].length)}.ts`
}

/** True if a module's exports are for users, as in the entries, the public layers and the services. */
const isPublic = (path: string): boolean =>
  /^(services\/|layers\/[^/]+\.ts$|src\/[^/]+\.ts$|kit\/testing\.ts$)/.test(path)

const isProduct = (path: string): boolean => /^(src|services|layers|kit)\//.test(path)

/** Returns a source without its imports and comments, in which a name can occur without being used. */
const bodyOf = (path: string, source: string): string => {
  const { comments, module } = parsed(path, source)
  const omitted = [...comments, ...module.staticImports].sort((a, b) => a.start - b.start)
  let body = ""
  let from = 0
  for (const { end, start } of omitted) {
    if (start > from) body += source.slice(from, start)
    from = Math.max(from, end)
  }
  return body + source.slice(from)
}

/** Returns the exports of other files that a file uses, as `path name` or `path *`, and the names that it exports. */
const read = (path: string, source: string) => {
  const uses: Array<string> = []
  const exported: Array<string> = []
  const { module } = parsed(path, source)
  const body = bodyOf(path, source)
  for (const { entries, moduleRequest } of module.staticImports) {
    const target = resolve(path, moduleRequest.value)
    if (target === undefined) continue
    for (const { importName, localName } of entries) {
      if (importName.kind === "Name") uses.push(`${target} ${importName.name}`)
      if (importName.kind !== "NamespaceObject") continue
      const name = localName.value
      for (const [, member = ""] of body.matchAll(new RegExp(`\\b${name}\\.(\\w+)`, "gu")))
        uses.push(`${target} ${member}`)
      if (new RegExp(`(?<![.\\w"'/-])${name}(?![.\\w:"'/-])`, "u").test(body)) uses.push(`${target} *`)
    }
  }
  for (const { entries, start } of module.staticExports) {
    for (const { exportName, importName, moduleRequest } of entries) {
      // `import { a } from "./A.ts"; export { a }` has the position of its import
      if (moduleRequest !== null && source.startsWith("export", start)) {
        const target = resolve(path, moduleRequest.value)
        if (target !== undefined) uses.push(`${target} ${importName.kind === "Name" ? importName.name : "*"}`)
      } else if (exportName.name !== null) exported.push(exportName.name)
    }
  }
  for (const [, specifier = ""] of body.matchAll(/\bimport\(\s*"([^"]+)"\s*\)/gu)) {
    const target = resolve(path, specifier)
    if (target !== undefined) uses.push(`${target} *`)
  }
  return { uses, exported: [...new Set(exported)] }
}

/** Returns the exports of product files that no other file uses, as `path name`. */
export const unusedExports = (sources: ReadonlyMap<string, string>): ReadonlyArray<string> => {
  const files = [...sources].map(([path, source]) => ({ path, ...read(path, source) }))
  const used = new Set(files.flatMap(({ uses }) => uses))
  return files.flatMap(({ exported, path }) =>
    isProduct(path) && !isPublic(path) && !used.has(`${path} *`)
      ? exported.filter((name) => !used.has(`${path} ${name}`)).map((name) => `${path} ${name}`)
      : []
  )
}
