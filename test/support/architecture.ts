/**
 * Checks the rules for imports and for the shape of files, as a function from sources to violations.
 *
 * Every folder of the sources is a room and has a floor. A room imports only rooms on lower floors, so every import points down
 * and no two rooms import each other.
 *
 * **Gotchas**
 *
 * - Imports of types count too.
 * - A new folder needs an entry in `floors`. Without an entry, its files are violations.
 */
import { Visitor } from "oxc-parser"
import { posix } from "node:path"
import { parsed } from "./parseCache.ts"

/** All rooms by floor, from the lowest. Rooms on the same floor do not import each other. */
const floors: ReadonlyArray<ReadonlyArray<string>> = [
  ["src/domain/text", "src/domain/http", "src/domain/failure/codes", "src/domain/schema/pattern"],
  ["src/domain/failure"],
  ["src/domain/json"],
  ["src/domain/schema/json"],
  ["src/domain/parts", "src/domain/redaction", "src/domain/tool", "src/domain/classification/codes"],
  ["src/domain/schema", "src/domain/loop", "src/domain/classification/phrases", "src/domain/classification/grammar"],
  ["src/domain/schema/foreign", "src/domain/classification", "src/domain/call", "src/domain/faults"],
  ["src/domain/answers", "src/domain/turn", "src/domain/envelope"],
  [
    "src/domain/answers/statements",
    "src/domain/answers/texts",
    "src/domain/envelope/artifact",
    "src/domain/journal",
    "src/domain/approval",
    "src/domain/transcript"
  ],
  ["services"],
  [
    "layers/internal/model",
    "layers/internal/stores",
    "layers/internal/peer",
    "layers/internal/server",
    "layers/internal/terminal"
  ],
  ["layers/internal/openai", "layers/internal/anthropic", "layers/internal/sql", "layers/internal/inbox"],
  ["layers/internal/redis", "layers/internal/cluster", "layers/internal/responses"],
  ["layers"],
  ["src/pipeline/call"],
  ["src/pipeline/answer", "src/pipeline/record"],
  ["src/pipeline/stages"],
  ["src/pipeline"],
  ["src/checks", "src/guard"],
  ["src/tool"],
  ["src/openapi/document", "src/mcp/wire"],
  ["src/openapi/request"],
  ["src/agent", "src/host", "src/openapi", "src/mcp/serve", "src/mcp/remote", "src/promise"],
  ["src/durable", "src/live", "src/frameworks"],
  ["src"],
  ["kit/text"],
  ["kit/schema", "kit/lint/lists"],
  ["kit/traffic", "kit/containment", "kit/explain", "kit/lint/reading", "kit/fuzz/cases", "kit/proxy"],
  ["kit/traffic/formats", "kit/infer", "kit/lint/rules", "kit/fuzz/simulation"],
  ["kit/replay", "kit/propose", "kit/lint", "kit/fuzz/promises", "kit/diff"],
  ["kit/golden", "kit/report", "kit/lint/report", "kit/fuzz"],
  ["kit/report/html/elements"],
  ["kit/report/html/sections"],
  ["kit/report/html"],
  ["kit"],
  ["kit/cli/console"],
  [
    "kit/cli/traffic",
    "kit/cli/approvals",
    "kit/cli/describe",
    "kit/cli/forget",
    "kit/cli/halt",
    "kit/cli/outcomes",
    "kit/cli/openapi",
    "kit/cli/run",
    "kit/cli/runs"
  ],
  ["kit/cli/calls", "kit/cli/mcp", "kit/cli/fuzz", "kit/cli/lint"],
  ["kit/cli/replay"],
  ["kit/cli/diff", "kit/cli/explain", "kit/cli/golden", "kit/cli/infer"],
  ["kit/cli"]
]

const floorOf: ReadonlyMap<string, number> = new Map(
  floors.flatMap((rooms, floor) => rooms.map((room): readonly [string, number] => [room, floor]))
)

/** Folders with one item per file, which may contain more than 25 files. */
const catalogues: ReadonlySet<string> = new Set([
  "layers",
  "services",
  "src/pipeline/stages",
  "src/domain/transcript",
  "kit/lint/rules"
])

/** The entry modules of both packages, which only re-export names for users. */
const barrels: ReadonlySet<string> = new Set([
  "src/aiSdk.ts",
  "src/index.ts",
  "src/langchain.ts",
  "src/live.ts",
  "src/mcp.ts",
  "src/openaiAgents.ts",
  "src/openapi.ts",
  "src/promise.ts",
  "kit/testing.ts"
])

/** True if a file may import `node:` modules and packages other than `effect`. */
const mayImportPackages = (path: string): boolean =>
  /^(layers|src\/durable|src\/mcp\/wire|src\/promise|kit|examples)\//.test(path)

const libraryAliases: ReadonlyArray<readonly [alias: string, folder: string]> = [
  ["#domain/", "src/domain/"],
  ["#pipeline/", "src/pipeline/"],
  ["#services/", "services/"],
  ["#layers/", "layers/"],
  ["#src/", "src/"]
]

/** The kit is a separate package. It imports the library's public modules by their paths, and its other modules under `internal`. */
const kitAliases: ReadonlyArray<readonly [alias: string, folder: string]> = [
  ["#kit/", "kit/"],
  ["effect-toolguard/internal/layers/", "layers/internal/"],
  ["effect-toolguard/internal/", "src/"],
  ["effect-toolguard/layers/", "layers/"],
  ["effect-toolguard/services/", "services/"]
]

const roomOf = (path: string): string => posix.dirname(path)

const isKit = (path: string): boolean => path.startsWith("kit/")

const isExample = (path: string): boolean => path.startsWith("examples/")

/** Returns the file that a specifier names, or undefined for a package. */
const resolve = (from: string, specifier: string): string | undefined => {
  if (specifier.startsWith(".")) return posix.join(roomOf(from), specifier)
  const aliases = isKit(from) ? kitAliases : isExample(from) ? [] : libraryAliases
  const alias = aliases.find(([prefix]) => specifier.startsWith(prefix))
  return alias && `${alias[1]}${specifier.slice(alias[0].length)}.ts`
}

/** Returns the specifiers in a source: imports, re-exports, dynamic imports and `import("…")` types. */
const imports = (path: string, source: string): ReadonlyArray<string> => {
  const { module, program } = parsed(path, source)
  // only dynamic imports and `import("…")` types require a visit to the whole tree
  if (!/\bimport\s*\(/.test(source)) {
    return [...module.staticImports, ...module.staticExports.flatMap(({ entries }) => entries.slice(0, 1))].flatMap(
      ({ moduleRequest }) => moduleRequest?.value ?? []
    )
  }
  const specifiers: Array<string> = []
  const add = (node: { readonly source: unknown }) => {
    const literal = node.source as { readonly value?: unknown } | null
    if (typeof literal?.value === "string") specifiers.push(literal.value)
  }
  new Visitor({
    ImportDeclaration: add,
    ExportAllDeclaration: add,
    ExportNamedDeclaration: add,
    ImportExpression: add,
    TSImportType: add
  }).visit(program)
  return specifiers
}

const packageViolation = (from: string, specifier: string): string | undefined => {
  if (specifier.startsWith("#"))
    return `${isKit(from) ? "the kit" : isExample(from) ? "an example" : "the library"} has no such path`
  if (isExample(from)) return undefined
  if (specifier === "effect" || specifier === "@effect/platform-node")
    return "sources import single modules, such as effect/Effect"
  if (specifier.startsWith("effect/")) return undefined
  if (specifier.startsWith("effect-toolguard"))
    return isKit(from) ? "the entry modules are only for users" : "sources import each other by # paths"
  return mayImportPackages(from)
    ? undefined
    : "node: and packages other than effect belong to layers, mcp/wire, durable, promise and kit"
}

/**
 * True if `layers` imports a room of `src` other than the domain, or if a room of `src` imports `layers`. Only a backend
 * combines the two.
 */
const isAcross = (from: string, to: string): boolean => {
  const isLayer = (room: string) => room === "layers" || room.startsWith("layers/")
  if (isLayer(from)) return to.startsWith("src/") && !to.startsWith("src/domain/")
  return isLayer(to) && from.startsWith("src/")
}

const floorViolation = (from: string, to: string): string | undefined => {
  const [above, below] = [floorOf.get(from), floorOf.get(to)]
  if (below === undefined) return `${to} is outside the sources`
  if (above === undefined || isAcross(from, to)) return `${from} may not import ${to}`
  return below < above ? undefined : `${from} may not import ${to}, which is not below it`
}

const fileViolation = (path: string, specifier: string, target: string): string | undefined => {
  const [from, to] = [roomOf(path), roomOf(target)]
  if (isExample(path)) return isExample(target) ? undefined : `${target} is outside the examples`
  if (isKit(path) && isExample(target)) return undefined
  if (barrels.has(target)) return "the entry modules are only for users"
  if (from === to) return undefined
  if (path === "src/guard/Guard.ts" && /^layers\/[^/]*Memory\.ts$/.test(target)) return undefined
  const upward = floorViolation(from, to)
  if (upward !== undefined) return upward
  return specifier.startsWith(".") ? "other folders are imported by # paths" : undefined
}

const importViolations = (path: string, specifiers: ReadonlyArray<string>): ReadonlyArray<string> =>
  specifiers.flatMap((specifier) => {
    const target = resolve(path, specifier)
    const reason = target === undefined ? packageViolation(path, specifier) : fileViolation(path, specifier, target)
    return reason === undefined ? [] : [`${path} imports ${specifier}: ${reason}`]
  })

/** Reports the folders with more than 25 files. */
const crowdedRooms = (paths: ReadonlyArray<string>): ReadonlyArray<string> => {
  const rooms = new Map<string, number>()
  for (const path of paths) rooms.set(roomOf(path), (rooms.get(roomOf(path)) ?? 0) + 1)
  return [...rooms].flatMap(([room, files]) =>
    files > 25 && !catalogues.has(room) ? [`${room} has ${files} files; the maximum is 25`] : []
  )
}

/** True if a file contains statements other than imports and re-exports. */
const hasOwnStatements = (path: string, source: string): boolean =>
  parsed(path, source).program.body.some(
    (node) =>
      node.type !== "ImportDeclaration" &&
      node.type !== "ExportAllDeclaration" &&
      !(node.type === "ExportNamedDeclaration" && node.source)
  )

const shapeViolations = (path: string, source: string): ReadonlyArray<string> => {
  const { comments, module } = parsed(path, source)
  const found: Array<string> = []
  const header = comments.find((comment) => comment.start === (/^#!.*\n/.exec(source)?.[0].length ?? 0))
  if (!header?.value.startsWith("*")) found.push("begins without a header comment")
  const lines = source.trimEnd().split("\n").length
  if (lines > 300 && !/\blines\b/.test(header?.value ?? ""))
    found.push(`has ${lines} lines and no reason in its header`)
  if (/(^|\/)(utils?|helpers?|common)(\/|\.ts$)/i.test(path)) found.push("has a meaningless name")
  const silencers = comments.filter((comment) => /oxlint-disable|@effect-diagnostics|@ts-/.test(comment.value))
  if (silencers.some((comment) => !/ -- \S/.test(comment.value))) found.push("silences a rule without `-- reason`")
  if (!barrels.has(path)) {
    const reExports = module.staticExports.flatMap(({ entries }) => entries.filter((entry) => entry.moduleRequest))
    if (path.endsWith("/index.ts") || (reExports.length > 0 && !hasOwnStatements(path, source)))
      found.push("is a barrel")
    else if (reExports.some(({ importName, isType }) => importName.kind === "AllButDefault" && !isType))
      found.push("re-exports all of a module")
  }
  return found.map((what) => `${path} ${what}`)
}

/** Reports import cycles, each once, starting with its alphabetically first file. */
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

/** Returns the violations in these sources, one sentence each. */
export const violations = (sources: ReadonlyMap<string, string>): ReadonlyArray<string> => {
  const graph = new Map<string, ReadonlyArray<string>>()
  const found: Array<string> = []
  for (const [path, source] of sources) {
    if (!isExample(path) && !floorOf.has(roomOf(path))) found.push(`${path} is in a room that has no floor`)
    const specifiers = imports(path, source)
    found.push(...importViolations(path, specifiers), ...shapeViolations(path, source))
    graph.set(
      path,
      specifiers.flatMap((specifier) => resolve(path, specifier) ?? [])
    )
  }
  return [...found, ...crowdedRooms([...sources.keys()]), ...cycles(graph)]
}

/** Returns the rooms in `floors` that contain no files. */
export const emptyRooms = (paths: Iterable<string>): ReadonlyArray<string> => {
  const rooms = new Set([...paths].map(roomOf))
  return [...floorOf.keys()].filter((room) => !rooms.has(room))
}
