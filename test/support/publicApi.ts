/**
 * Lists the names that users can import, one per line, from the sources of the modules that the package exports.
 *
 * A namespace (`export * as Agent from …`) is listed with the names in it. Signatures are not listed: the type tests and the
 * compiler check those.
 */
import { parseSync } from "oxc-parser"
import { posix } from "node:path"

/** Kinds by exported name. A value and a type may have the same name. */
type Names = ReadonlyMap<string, ReadonlyArray<string>>

const kinds: Readonly<Record<string, string>> = {
  ClassDeclaration: "class",
  FunctionDeclaration: "function",
  TSDeclareFunction: "function",
  TSInterfaceDeclaration: "type",
  TSTypeAliasDeclaration: "type",
  TSModuleDeclaration: "namespace"
}

const folders: Readonly<Record<string, string>> = {
  "#domain/": "src/domain/",
  "#pipeline/": "src/pipeline/",
  "#services/": "services/",
  "#layers/": "layers/",
  "#src/": "src/",
  "#kit/": "kit/"
}

const locate = (from: string, specifier: string): string => {
  const alias = Object.keys(folders).find((prefix) => specifier.startsWith(prefix))
  if (alias !== undefined) return `${folders[alias]}${specifier.slice(alias.length)}.ts`
  return posix.join(posix.dirname(from), specifier)
}

/** Returns the exported names of a module. A name whose declaration cannot be found has no kind. */
const namesOf = (path: string, read: (path: string) => string): Names => {
  const names = new Map<string, ReadonlyArray<string>>()
  const add = (name: string, ...found: ReadonlyArray<string>) =>
    names.set(name, [...new Set([...(names.get(name) ?? []), ...found])].sort())
  const inside = (specifier: string): Names =>
    /^[.#]/.test(specifier) ? namesOf(locate(path, specifier), read) : new Map()
  const nameOf = (node: { readonly type: string }): string =>
    "name" in node ? String(node.name) : "value" in node ? String(node.value) : ""

  for (const node of parseSync(path, read(path)).program.body) {
    if (node.type === "ExportAllDeclaration") {
      const prefix = node.exported === null ? "" : `${nameOf(node.exported)}.`
      for (const [name, found] of inside(node.source.value)) add(`${prefix}${name}`, ...found)
    } else if (node.type === "ExportNamedDeclaration") {
      const from = node.source === null ? new Map() : inside(node.source.value)
      for (const { exported, local } of node.specifiers) add(nameOf(exported), ...(from.get(nameOf(local)) ?? []))
      if (node.declaration === null) continue
      if (node.declaration.type === "VariableDeclaration") {
        for (const { id } of node.declaration.declarations) add(nameOf(id), "const")
      } else if ("id" in node.declaration && node.declaration.id !== null) {
        add(nameOf(node.declaration.id), kinds[node.declaration.type] ?? node.declaration.type)
      }
    }
  }
  return names
}

/** Returns all public names: modules in the given order (specifier and file), names in alphabetical order. */
export const publicApi = (
  modules: ReadonlyArray<readonly [specifier: string, path: string]>,
  read: (path: string) => string
): string =>
  modules
    .map(([specifier, path]) => {
      const names = [...namesOf(path, read)].sort(([a], [b]) => (a < b ? -1 : 1))
      return [
        specifier,
        ...names.map(([name, found]) => `  ${name}${found.length === 0 ? "" : ` (${found.join(", ")})`}`)
      ].join("\n")
    })
    .join("\n\n") + "\n"
