/**
 * Generates the imports and the expression with which a printed test refers to a tool: an export, or part of an
 * exported toolbox or backend.
 */
import type { Source } from "#kit/fuzz/CheckTool"
import type { AnyTool } from "effect-toolguard/internal/tool/ToolClass"
import * as Effect from "effect/Effect"
import * as Predicate from "effect/Predicate"
import { relative, resolve, sep } from "node:path"
import { pathToFileURL } from "node:url"

/**
 * Returns the imports and the expression of each tool, by name. Omits tools that the module, already loaded, does not
 * export.
 */
export const sources = (
  path: string,
  tools: Iterable<AnyTool>,
  isRun: boolean
): Effect.Effect<ReadonlyMap<string, Source>> =>
  Effect.promise(async () => {
    // every module is a record of its exports
    const module = (await import(pathToFileURL(resolve(path)).href)) as Readonly<Record<string, unknown>>
    const specifier = `./${relative(process.cwd(), resolve(path)).split(sep).join("/")}`
    return new Map(
      [...tools].flatMap((tool) => {
        const source = sourceOf(specifier, module, tool, isRun)
        return source === undefined ? [] : [[tool.toolName, source] as const]
      })
    )
  })

const sourceOf = (
  specifier: string,
  module: Readonly<Record<string, unknown>>,
  tool: AnyTool,
  isRun: boolean
): Source | undefined => {
  const found = Object.entries(module).flatMap(([name, value]) => {
    const expression = expressionOf(name, value, tool)
    return expression === undefined ? [] : [{ name, expression }]
  })
  // the shortest expression is the most readable: the class itself, if it is exported
  const [best] = found.sort((a, b) => a.expression.length - b.expression.length)
  if (best === undefined) return undefined
  const backend = Object.keys(module).includes("backend") ? "backend" : "default"
  const names = [...new Set([best.name, ...(isRun ? [backend] : [])])]
  return {
    imports: [
      `import { ${names.map((name) => (name === "default" ? "default as exported" : name)).join(", ")} } from ${JSON.stringify(specifier)}`,
      ...(isRun
        ? [`import * as Layer from "effect/Layer"`, `import * as FetchHttpClient from "effect/http/FetchHttpClient"`]
        : [])
    ],
    tool: best.expression,
    ...(isRun ? { options: [layerOf(backend === "default" ? "exported" : backend, module[backend])] } : {})
  }
}

const layerOf = (name: string, backend: unknown): string =>
  `layer: Layer.provide(${typeof backend === "function" ? `${name}({})` : name}.layer, FetchHttpClient.layer)`

/**
 * Returns the expression of the tool, or `undefined` if the export does not contain it. Only the functions `backend`
 * and `default` are called; loading the tools has already called them.
 */
const expressionOf = (export_: string, value: unknown, tool: AnyTool): string | undefined => {
  const name = export_ === "default" ? "exported" : export_
  if (value === tool) return name
  const inToolbox = `.tools.get(${JSON.stringify(tool.toolName)})!`
  if (contains(value, tool)) return `${name}${inToolbox}`
  if (Predicate.hasProperty(value, "tools") && contains(value.tools, tool)) return `${name}.tools${inToolbox}`
  const isBackend = export_ === "backend" || export_ === "default"
  if (!isBackend || typeof value !== "function" || /^class\b/.test(Function.prototype.toString.call(value))) {
    return undefined
  }
  const backend = attempt(value)
  return Predicate.hasProperty(backend, "tools") && contains(backend.tools, tool)
    ? `${name}({}).tools${inToolbox}`
    : undefined
}

const contains = (toolbox: unknown, tool: AnyTool): boolean =>
  Predicate.hasProperty(toolbox, "tools") && toolbox.tools instanceof Map && toolbox.tools.get(tool.toolName) === tool

/** Calls a function with empty settings. Returns `undefined` if the function throws. */
const attempt = (make: object): unknown => {
  try {
    // the caller has checked that it is a function
    return (make as (settings: object) => unknown)({})
  } catch {
    return undefined
  }
}
