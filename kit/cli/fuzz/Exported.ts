/** How a test reaches a tool of a module: by its own export, or by the toolbox or backend that holds it. */
import type { Source } from "#kit/fuzz/CheckTool"
import type { AnyTool } from "effect-toolguard/internal/tool/ToolClass"
import * as Effect from "effect/Effect"
import * as Predicate from "effect/Predicate"
import { relative, resolve, sep } from "node:path"
import { pathToFileURL } from "node:url"

/** The imports and the expression of each tool of a module that has been loaded before, where it exports them. */
export const sources = (
  path: string,
  tools: Iterable<AnyTool>,
  isRun: boolean
): Effect.Effect<ReadonlyMap<string, Source>> =>
  Effect.promise(async () => {
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
  // a class of its own reads best
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
 * The expression that is the tool; undefined where the export does not hold it. Only a `backend` or `default` is called,
 * which loading the tools has called before.
 */
const expressionOf = (export_: string, value: unknown, tool: AnyTool): string | undefined => {
  const name = export_ === "default" ? "exported" : export_
  if (value === tool) return name
  const inBox = `.tools.get(${JSON.stringify(tool.toolName)})!`
  if (holds(value, tool)) return `${name}${inBox}`
  if (Predicate.hasProperty(value, "tools") && holds(value.tools, tool)) return `${name}.tools${inBox}`
  const isBackend = export_ === "backend" || export_ === "default"
  if (!isBackend || typeof value !== "function" || /^class\b/.test(Function.prototype.toString.call(value))) {
    return undefined
  }
  const made = attempt(value)
  return Predicate.hasProperty(made, "tools") && holds(made.tools, tool) ? `${name}({}).tools${inBox}` : undefined
}

const holds = (box: unknown, tool: AnyTool): boolean =>
  Predicate.hasProperty(box, "tools") && box.tools instanceof Map && box.tools.get(tool.toolName) === tool

const attempt = (make: object): unknown => {
  try {
    return (make as (settings: object) => unknown)({})
  } catch {
    return undefined
  }
}
