/**
 * Loads a backend: the `backend` that a module exports, or the example that comes with the package.
 *
 * Fails with a `Problem` if the module does not exist, does not load, or exports no backend.
 */
import type { Backend, Settings } from "effect-toolguard/internal/tool/Backend"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Predicate from "effect/Predicate"
import { existsSync, statSync } from "node:fs"
import { resolve } from "node:path"
import { pathToFileURL } from "node:url"
import { lineOf, missingFile, misuse, type Problem, problem } from "./Problem.ts"

const howTo = "A backend is a module with `export const backend = Backend.make({ name, tools, layer, prompt })`."

/** Loads the backend at a path, or the example if there is no path. */
export const load = (path: string | undefined, settings: Settings): Effect.Effect<Backend, Problem> =>
  Effect.gen(function* () {
    const exported = yield* path === undefined ? example : exportedBy(path)
    const name = path ?? "the example"
    if (typeof exported !== "function") {
      return settings.gatewayLimit === undefined
        ? yield* checked(name, exported)
        : yield* misuse(
            `--gateway-limit does not apply to ${name}: its backend has no settings.`,
            "Leave the flag out."
          )
    }
    const backend = yield* Effect.try({
      // a function of unknown type; `checked` examines its result
      try: () => (exported as (settings: Settings) => unknown)(settings),
      catch: (error) => problem(`${name}: its backend cannot be created: ${lineOf(error)}`, howTo)
    })
    return yield* checked(name, backend)
  })

const example = Effect.promise(async (): Promise<unknown> => (await import("../../../examples/orders/main.ts")).backend)

const exportedBy = (path: string): Effect.Effect<unknown, Problem> => {
  const file = resolve(path)
  if (!existsSync(file)) return Effect.fail(missingFile(path))
  if (!statSync(file).isFile()) return Effect.fail(problem(`${path} is not a file.`, howTo))
  const loaded = Effect.tryPromise({
    try: (): Promise<unknown> => import(pathToFileURL(file).href),
    catch: (error) => problem(`${path} cannot be loaded: ${lineOf(error)}`, "Correct the module, and run again.")
  })
  return Effect.flatMap(loaded, (module) => {
    // `import` returns an object, whose exports are unknown
    const { backend, default: fallback } = module as { readonly backend?: unknown; readonly default?: unknown }
    const exported = backend ?? fallback
    return exported === undefined
      ? Effect.fail(problem(`${path} does not export \`backend\`.`, howTo))
      : Effect.succeed(exported)
  })
}

const isToolbox = (value: unknown): boolean => Predicate.hasProperty(value, "tools") && value.tools instanceof Map

/** Checks that a value has the fields of a backend. */
const checked = (name: string, value: unknown): Effect.Effect<Backend, Problem> => {
  // the fields are checked below
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
