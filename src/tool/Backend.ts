/**
 * A backend as `toolguard run` takes it: tools with their layer, a question, and models to ask.
 *
 * A module exports it as `backend`, as a value or as a function of what the command line says:
 * `export const backend = Backend.make({ tools, layer, prompt: "…" })`, then `toolguard run ./backend.ts`.
 */
import type * as LanguageModel from "effect/ai/LanguageModel"
import type * as HttpClient from "effect/http/HttpClient"
import type * as Layer from "effect/Layer"
import type { AnyTool, RequirementsOf } from "./ToolClass.ts"
import type { Toolbox } from "./Toolbox.ts"

/** What the command line says to a backend. */
export interface Settings {
  /** Bytes after which a gateway of the backend cuts answers (`--gateway-limit`). Absent: the backend's own choice. */
  readonly gatewayLimit?: number
}

export interface Backend<Tools extends AnyTool = AnyTool> {
  /** What it is called on the screen. */
  readonly name: string
  /** One line on what is special about it, shown before the run. */
  readonly note?: string
  readonly tools: Toolbox<Tools>
  /** The tools' implementation. Built anew for each run; the command provides an `HttpClient`. */
  readonly layer: Layer.Layer<RequirementsOf<Tools>, unknown, HttpClient.HttpClient>
  /** What the user asks, unless `--prompt` says otherwise. */
  readonly prompt: string
  /** The system message. Default: none. */
  readonly system?: string
  /** Models of the backend's own by name (`--model`); the first is asked where no other is chosen. */
  readonly models?: Readonly<Record<string, Layer.Layer<LanguageModel.LanguageModel, unknown, HttpClient.HttpClient>>>
  /**
   * Whether the bare loop may run first, to compare. Default: only where every tool reads, since without the guard nobody
   * is asked before a write.
   */
  readonly compareBare?: boolean
}

/** What a module may export as `backend`. */
export type Exported = Backend | ((settings: Settings) => Backend)

/** A backend, its types inferred. */
export const make = <Tools extends AnyTool>(backend: Backend<Tools>): Backend<Tools> => backend
