/**
 * Loads the guarded tools of a module: all tool classes that it exports, and the tools of its toolboxes and backends.
 *
 * Fails with a `Problem` if the module does not exist, does not load, or exports no tools.
 */
import { Compiled } from "effect-toolguard/internal/pipeline/call/CompiledTool"
import type { AnyTool } from "effect-toolguard/internal/tool/ToolClass"
import * as Effect from "effect/Effect"
import * as Predicate from "effect/Predicate"
import { existsSync, statSync } from "node:fs"
import { resolve } from "node:path"
import { pathToFileURL } from "node:url"
import { lineOf, missingFile, misuse, type Problem, problem } from "./Problem.ts"

const howTo = "Export a toolbox (`Toolbox.make(…)`), a backend (`Backend.make(…)`), or the tool classes themselves."

/** Loads the tools of the module at a path, by name. `argument` names the argument with the path in messages. */
export const load = (
  path: string,
  argument = "The argument for the module"
): Effect.Effect<ReadonlyMap<string, AnyTool>, Problem> =>
  Effect.gen(function* () {
    if (path === "") {
      return yield* misuse(`${argument} has no file name.`, "Name a module of guarded tools, such as ./tools.ts.")
    }
    const file = resolve(path)
    if (!existsSync(file)) return yield* missingFile(path)
    if (!statSync(file).isFile()) return yield* problem(`${path} is not a file.`, howTo)
    const module = yield* Effect.tryPromise({
      try: (): Promise<Readonly<Record<string, unknown>>> => import(pathToFileURL(file).href),
      catch: (error) => problem(`${path} cannot be loaded: ${lineOf(error)}`, "Correct the module, and run again.")
    })
    const tools = new Map<string, AnyTool>()
    for (const [name, exported] of Object.entries(module)) {
      for (const tool of yield* toolsOf(path, exported, name === "backend" || name === "default")) {
        const known = tools.get(tool.toolName)
        if (known !== undefined && known !== tool) {
          return yield* problem(`${path} exports two tools named "${tool.toolName}".`, "Rename one of them.")
        }
        tools.set(tool.toolName, tool)
      }
    }
    return tools.size === 0 ? yield* problem(`${path} exports no tools.`, howTo) : tools
  })

const isTool = (value: unknown): value is AnyTool =>
  (typeof value === "function" || Predicate.isObject(value)) && Compiled in value

const isToolbox = (value: unknown): value is { readonly tools: ReadonlyMap<string, AnyTool> } =>
  Predicate.hasProperty(value, "tools") && value.tools instanceof Map

/**
 * Returns the tools of an exported value. A `backend` or `default` that is a function of settings is called with empty
 * settings; no other function of a module is called.
 */
const toolsOf = (
  path: string,
  exported: unknown,
  isBackend: boolean
): Effect.Effect<ReadonlyArray<AnyTool>, Problem> => {
  if (isTool(exported)) return Effect.succeed([exported])
  if (isToolbox(exported)) return Effect.succeed([...exported.tools.values()].filter(isTool))
  if (Predicate.hasProperty(exported, "tools") && isToolbox(exported.tools)) return toolsOf(path, exported.tools, false)
  if (
    !isBackend ||
    typeof exported !== "function" ||
    exported.length > 1 ||
    /^class\b/.test(Function.prototype.toString.call(exported))
  ) {
    return Effect.succeed([])
  }
  return Effect.flatMap(
    Effect.try({
      try: (): unknown => exported({}),
      catch: (error) => problem(`${path}: its backend cannot be created: ${lineOf(error)}`, howTo)
    }),
    (backend) => toolsOf(path, backend, false)
  )
}
