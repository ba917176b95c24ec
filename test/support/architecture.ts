/**
 * The rules on who may import whom, and on how files are cut, as one function from sources to violations.
 *
 * src/domain ← services ← src/pipeline ← src/* ← src/operate, src/mcp ← src/cli; layers see src/domain and services.
 * src/testing.ts, which users import, is a list of what operate has for tests.
 *
 * **Gotchas**
 *
 * - An import of a type counts: it couples just as much.
 * - A folder below a zone belongs to the zone; any other folder of `src` belongs to the public face.
 */
import { parseSync, Visitor } from "oxc-parser"
import { posix } from "node:path"

type Zone =
  | "domain"
  | "services"
  | "pipeline"
  | "layers"
  | "face"
  | "operate"
  | "testing"
  | "mcp"
  | "openapi"
  | "cli"
  | "examples"

const folders: ReadonlyArray<readonly [prefix: string, zone: Zone]> = [
  ["src/domain/", "domain"],
  ["src/pipeline/", "pipeline"],
  ["src/operate/", "operate"],
  ["src/mcp", "mcp"],
  ["src/openapi", "openapi"],
  ["src/cli/", "cli"],
  ["src/testing.ts", "testing"],
  ["src/", "face"],
  ["services/", "services"],
  ["layers/", "layers"],
  ["examples/", "examples"]
]

/** What a zone may import besides itself. */
const mayImport: { readonly [From in Zone]: ReadonlyArray<Zone> } = {
  domain: [],
  services: ["domain"],
  pipeline: ["domain", "services"],
  layers: ["domain", "services"],
  face: ["domain", "services", "pipeline"],
  operate: ["domain", "services", "pipeline", "face"],
  testing: ["operate"],
  mcp: ["domain", "services", "pipeline", "face"],
  openapi: ["domain", "services", "pipeline", "face"],
  cli: ["domain", "services", "pipeline", "layers", "face", "operate", "mcp", "openapi", "examples"],
  examples: []
}

/** What users import: lists of what stands elsewhere. */
const barrels: ReadonlySet<string> = new Set([
  "src/index.ts",
  "src/live.ts",
  "src/mcp.ts",
  "src/openapi.ts",
  "src/testing.ts"
])

/** Zones that touch the outside world: only these import `node:` and packages other than `effect`. */
const outside: ReadonlySet<Zone> = new Set(["layers", "cli", "examples"])

const aliases: ReadonlyArray<readonly [alias: string, folder: string]> = [
  ["#domain/", "src/domain/"],
  ["#pipeline/", "src/pipeline/"],
  ["#services/", "services/"],
  ["#layers/", "layers/"],
  ["#src/", "src/"]
]

const zoneOf = (path: string): Zone | undefined => folders.find(([prefix]) => path.startsWith(prefix))?.[1]

/** The file that a specifier names, or undefined for a package. */
const resolve = (from: string, specifier: string): string | undefined => {
  if (specifier.startsWith(".")) return posix.join(posix.dirname(from), specifier)
  const alias = aliases.find(([prefix]) => specifier.startsWith(prefix))
  return alias && `${alias[1]}${specifier.slice(alias[0].length)}.ts`
}

/** Every module that a source names: imports, re-exports, dynamic imports and `import("…")` types. */
const imports = (path: string, source: string): ReadonlyArray<string> => {
  const found: Array<string> = []
  const add = (node: { readonly source: unknown }) => {
    const literal = node.source as { readonly value?: unknown } | null
    if (typeof literal?.value === "string") found.push(literal.value)
  }
  new Visitor({
    ImportDeclaration: add,
    ExportAllDeclaration: add,
    ExportNamedDeclaration: add,
    ImportExpression: add,
    TSImportType: add
  }).visit(parseSync(path, source).program)
  return found
}

const packageViolation = (zone: Zone, specifier: string): string | undefined => {
  if (zone === "examples") return undefined
  if (specifier === "effect" || specifier === "@effect/platform-node")
    return "sources import single modules, such as effect/Effect"
  if (specifier.startsWith("effect/")) return undefined
  if (specifier.startsWith("effect-toolguard")) return "sources import each other by # paths"
  return outside.has(zone) ? undefined : "node: and packages other than effect belong to layers and src/cli"
}

const fileViolation = (path: string, specifier: string, target: string): string | undefined => {
  const from = zoneOf(path)
  const to = zoneOf(target)
  if (from === undefined || to === undefined) return `${target} is outside the sources`
  if (barrels.has(target)) return "the barrel is for users, not for us"
  if (from === "cli" && to === "examples") return undefined
  if (specifier.startsWith("../") && from !== "examples") return "other folders are imported by # paths"
  if (from === to) return undefined
  if (path === "src/Guard.ts" && /^layers\/[^/]*Memory\.ts$/.test(target)) return undefined
  if (!mayImport[from].includes(to)) return `${from} may not import ${to}`
  return specifier.startsWith(".") ? "other folders are imported by # paths" : undefined
}

const importViolations = (path: string, zone: Zone, specifiers: ReadonlyArray<string>): ReadonlyArray<string> =>
  specifiers.flatMap((specifier) => {
    const target = resolve(path, specifier)
    const reason = target === undefined ? packageViolation(zone, specifier) : fileViolation(path, specifier, target)
    return reason === undefined ? [] : [`${path} imports ${specifier}: ${reason}`]
  })

const shapeViolations = (path: string, source: string): ReadonlyArray<string> => {
  const { comments, program } = parseSync(path, source)
  const found: Array<string> = []
  const header = comments.find((comment) => comment.start === (program.hashbang ? program.hashbang.end + 1 : 0))
  if (!header?.value.startsWith("*")) found.push("begins without a header comment")
  const lines = source.trimEnd().split("\n").length
  if (lines > 300 && !/\blines\b/.test(header?.value ?? ""))
    found.push(`has ${lines} lines and no reason in its header`)
  if (/(^|\/)(utils?|helpers?|common)(\/|\.ts$)/i.test(path)) found.push("has a name that says nothing")
  const silencers = comments.filter((comment) => /oxlint-disable|@effect-diagnostics|@ts-/.test(comment.value))
  if (silencers.some((comment) => !/ -- \S/.test(comment.value))) found.push("silences a rule without `-- reason`")
  if (!barrels.has(path)) {
    const reExports = program.body.filter(
      (node) => node.type === "ExportAllDeclaration" || (node.type === "ExportNamedDeclaration" && node.source)
    )
    const own = program.body.some((node) => node.type !== "ImportDeclaration" && !reExports.includes(node))
    if (path.endsWith("/index.ts") || (reExports.length > 0 && !own)) found.push("is a barrel")
    else if (reExports.some((node) => node.type === "ExportAllDeclaration" && node.exportKind === "value"))
      found.push("re-exports all of a module")
  }
  return found.map((what) => `${path} ${what}`)
}

/** Each cycle once, from the first of its files in the alphabet. */
const cycles = (graph: ReadonlyMap<string, ReadonlyArray<string>>): ReadonlyArray<string> => {
  const found = new Set<string>()
  const done = new Set<string>()
  const walk = (path: string, above: ReadonlyArray<string>): void => {
    const start = above.indexOf(path)
    if (start >= 0) {
      const ring = above.slice(start)
      const first = ring.indexOf([...ring].sort()[0] ?? path)
      found.add([...ring.slice(first), ...ring.slice(0, first + 1)].join(" → "))
    } else if (!done.has(path)) {
      for (const next of graph.get(path) ?? []) walk(next, [...above, path])
      done.add(path)
    }
  }
  for (const path of graph.keys()) walk(path, [])
  return [...found].map((ring) => `cycle: ${ring}`)
}

/** What breaks the rules in these sources, one sentence each. */
export const violations = (sources: ReadonlyMap<string, string>): ReadonlyArray<string> => {
  const graph = new Map<string, ReadonlyArray<string>>()
  const found: Array<string> = []
  for (const [path, source] of sources) {
    const zone = zoneOf(path)
    if (zone === undefined) continue
    const specifiers = imports(path, source)
    found.push(...importViolations(path, zone, specifiers), ...shapeViolations(path, source))
    graph.set(
      path,
      specifiers.flatMap((specifier) => resolve(path, specifier) ?? [])
    )
  }
  return [...found, ...cycles(graph)]
}
