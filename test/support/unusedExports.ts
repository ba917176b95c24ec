/**
 * Finds exports that no other file imports. The dead-code tool does not find them: the kit can reach every module of the
 * library, so the tool treats each module as an entry.
 *
 * A namespace import (`import * as X`) uses the members that its file accesses (`X.member`), and all of them if the file uses
 * `X` in any other way.
 */
import { posix } from "node:path"
import { parsed } from "./parsed.ts"

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

const nameOf = (node: { readonly type: string }): string =>
  "name" in node ? String(node.name) : "value" in node ? String(node.value) : ""

/** Returns the exports of other files that a file uses, as `path name` or `path *`, and the names that it exports. */
const read = (path: string, source: string) => {
  const uses: Array<string> = []
  const exported: Array<string> = []
  const { body } = parsed(path, source).program
  const rest = body
    .filter(({ type }) => type !== "ImportDeclaration")
    .map(({ end, start }) => source.slice(start, end))
    .join("\n")
  for (const node of body) {
    const target = "source" in node && node.source ? resolve(path, String(node.source.value)) : undefined
    if (node.type === "ImportDeclaration" && target !== undefined) {
      for (const specifier of node.specifiers) {
        if (specifier.type === "ImportSpecifier") uses.push(`${target} ${nameOf(specifier.imported)}`)
        if (specifier.type !== "ImportNamespaceSpecifier") continue
        const { name } = specifier.local
        for (const [, member = ""] of rest.matchAll(new RegExp(`\\b${name}\\.(\\w+)`, "gu")))
          uses.push(`${target} ${member}`)
        if (new RegExp(`(?<![.\\w"'/-])${name}(?![.\\w:"'/-])`, "u").test(rest)) uses.push(`${target} *`)
      }
    } else if (node.type === "ExportAllDeclaration") {
      if (target !== undefined) uses.push(`${target} *`)
    } else if (node.type === "ExportNamedDeclaration") {
      if (target !== undefined) for (const { local } of node.specifiers) uses.push(`${target} ${nameOf(local)}`)
      else exported.push(...node.specifiers.map(({ exported }) => nameOf(exported)))
      if (node.declaration?.type === "VariableDeclaration") {
        for (const { id } of node.declaration.declarations) if (id.type === "Identifier") exported.push(id.name)
      } else if (node.declaration && "id" in node.declaration && node.declaration.id)
        exported.push(nameOf(node.declaration.id))
    }
  }
  for (const [, specifier = ""] of rest.matchAll(/\bimport\(\s*"([^"]+)"\s*\)/gu)) {
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
