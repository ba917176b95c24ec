/**
 * Describes a backend for `toolguard run`, `openapi serve` and `mcp serve`: tools with their layer, a prompt, and
 * models.
 *
 * A module exports the backend as `backend`, as a value or as a function of the command line's settings:
 * `export const backend = Backend.make({ name: "…", tools, layer, prompt: "…" })`, then `toolguard run ./backend.ts`.
 */
import type * as LanguageModel from "effect/ai/LanguageModel"
import type * as HttpClient from "effect/http/HttpClient"
import type * as Layer from "effect/Layer"
import type { AnyTool, RequirementsOf } from "./ToolClass.ts"
import type { Toolbox } from "./Toolbox.ts"

/** Settings from the command line. */
export interface Settings {
  /** Bytes after which the backend's gateway truncates answers (`--gateway-limit`). Default: the backend's choice. */
  readonly gatewayLimit?: number
}

export interface Backend<Tools extends AnyTool = AnyTool> {
  /** The name shown on the screen. */
  readonly name: string
  /** One line shown before the run. */
  readonly note?: string
  readonly tools: Toolbox<Tools>
  /** The implementation of the tools, built for each run. The command provides an `HttpClient`. */
  readonly layer: Layer.Layer<RequirementsOf<Tools>, unknown, HttpClient.HttpClient>
  /** The user's message, unless `--prompt` replaces it. */
  readonly prompt: string
  /** The system message. Default: none. */
  readonly system?: string
  /** The backend's own models by name (`--model`). The first is the default if the environment selects no model. */
  readonly models?: Readonly<Record<string, Layer.Layer<LanguageModel.LanguageModel, unknown, HttpClient.HttpClient>>>
  /**
   * True if the bare loop may run first, for comparison. Default: true only if every tool is a read, because without
   * the guard no person approves writes.
   */
  readonly compareBare?: boolean
}

/** The value that a module exports as `backend`. */
export type BackendExport = Backend | ((settings: Settings) => Backend)

/** Returns the backend, with inferred types. */
export const make = <Tools extends AnyTool>(backend: Backend<Tools>): Backend<Tools> => backend
