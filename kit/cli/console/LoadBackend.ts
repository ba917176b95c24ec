/**
 * Finds the backend that is to be run: a module's `backend`, or the example that comes with the package.
 *
 * What is wrong with a module is said in one line: it is not there, does not load, or exports something else.
 */
import type { Backend, Settings } from "effect-toolguard/internal/tool/Backend"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Predicate from "effect/Predicate"
import { existsSync, statSync } from "node:fs"
import { resolve } from "node:path"
import { pathToFileURL } from "node:url"
import { lineOf, misuse, type Problem, problem } from "./Problem.ts"

const howTo = "A backend is a module with `export const backend = Backend.make({ name, tools, layer, prompt })`."

/** Loads the backend at a path, or the example where there is none. */
export const load = (path: string | undefined, settings: Settings): Effect.Effect<Backend, Problem> =>
  Effect.gen(function* () {
    const exported = yield* path === undefined ? example : exportedBy(path)
    const name = path ?? "the example"
    if (typeof exported !== "function") {
      return settings.gatewayLimit === undefined
        ? yield* checked(name, exported)
        : yield* misuse(`--gateway-limit is not for ${name}: its backend takes no settings.`, "Leave the flag out.")
    }
    const made = yield* Effect.try({
      try: () => (exported as (settings: Settings) => unknown)(settings),
      catch: (error) => problem(`${name}: its backend cannot be made: ${lineOf(error)}`, howTo)
    })
    return yield* checked(name, made)
  })

const example = Effect.promise(async (): Promise<unknown> => (await import("../../../examples/orders/main.ts")).backend)

const exportedBy = (path: string): Effect.Effect<unknown, Problem> => {
  const file = resolve(path)
  if (!existsSync(file)) return Effect.fail(problem(`There is no file ${path}.`, howTo))
  if (!statSync(file).isFile()) return Effect.fail(problem(`${path} is no file.`, howTo))
  const loaded = Effect.tryPromise({
    try: () => import(pathToFileURL(file).href) as Promise<unknown>,
    catch: (error) => problem(`${path} cannot be loaded: ${lineOf(error)}`, "Correct the module, and run again.")
  })
  return Effect.flatMap(loaded, (module) => {
    const { backend, default: fallback } = module as { readonly backend?: unknown; readonly default?: unknown }
    const exported = backend ?? fallback
    return exported === undefined
      ? Effect.fail(problem(`${path} does not export \`backend\`.`, howTo))
      : Effect.succeed(exported)
  })
}

const isToolbox = (value: unknown): boolean => Predicate.hasProperty(value, "tools") && value.tools instanceof Map

const checked = (name: string, value: unknown): Effect.Effect<Backend, Problem> => {
  const backend = value as Backend
  const fields = Predicate.isObject(value)
    ? [
        ...(typeof backend.name === "string" ? [] : ["name"]),
        ...(isToolbox(backend.tools) ? [] : ["tools"]),
        ...(Layer.isLayer(backend.layer) ? [] : ["layer"]),
        ...(typeof backend.prompt === "string" ? [] : ["prompt"])
      ]
    : ["name", "tools", "layer", "prompt"]
  return fields.length === 0
    ? Effect.succeed(backend)
    : Effect.fail(problem(`The backend of ${name} lacks ${fields.join(", ")}.`, howTo))
}
