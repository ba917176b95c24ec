/**
 * Serves guarded tools as an MCP server over stdio and streamable HTTP, in every protocol version that Effect supports.
 *
 * **Details**
 *
 * - A tool is listed with its closed JSON Schema, the schema of its envelopes, and hints from its access. The tool
 *   answers with the envelope as text and as `structuredContent`, and with `isError` for errors, including wrong
 *   arguments.
 * - A session is a turn: its calls share budgets and recall. The turn ends after 10 minutes without a call (`silence`).
 *   In protocols without sessions, each credential has a turn, and clients without a credential share one turn.
 * - Attempts and waits are sent as progress if the client asks for it; cancelling a call interrupts its handler.
 * - A result that is too large becomes a link: `resources/read` returns all of it, and `read_result`, if it is in the
 *   toolbox, returns parts of it.
 * - `layerElicitation` lets the client's user approve.
 *
 * **Gotchas**
 *
 * Effect's server refuses calls of unknown tools and arguments that are not objects before the guard sees them.
 */
import type { Guard } from "#src/guard/Guard"
import type { Toolbox } from "#src/tool/Toolbox"
import type { AnyTool, RequirementsOf } from "#src/tool/ToolClass"
import * as McpProtocol from "effect/ai/McpProtocol"
import * as McpServer from "effect/ai/McpServer"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type * as HttpRouter from "effect/http/HttpRouter"
import * as Layer from "effect/Layer"
import type * as Stdio from "effect/Stdio"
import * as Admission from "./Admission.ts"
import * as Lines from "./InputLines.ts"
import { register } from "./Registration.ts"
import * as SessionEnd from "./SessionEnd.ts"

export { layer as layerElicitation } from "./Elicitation.ts"
export type { Identity } from "./Sessions.ts"

export interface ServeOptions {
  /** The server's name. */
  readonly name: string
  readonly version: string
  /** Instructions that the client may pass to its model. */
  readonly instructions?: string
  /** The time without a call after which a client's turn ends and its budgets are reset. Default 10 minutes. */
  readonly silence?: Duration.Input
}

export interface HttpOptions extends ServeOptions, Admission.AdmissionOptions {
  /** Default: `/mcp`. */
  readonly path?: `/${string}`
  /** Allowed origins of web pages. Default: none; programs send no origin and pass. */
  readonly allowedOrigins?: ReadonlyArray<string>
}

/**
 * The versions that Effect supports. The first is the newest version with sessions, which is offered to clients that
 * support none of them.
 */
const protocols = [
  McpProtocol.v2025_11_25,
  McpProtocol.v2026_07_28,
  McpProtocol.v2025_06_18,
  McpProtocol.v2025_03_26,
  McpProtocol.v2024_11_05
] as const

type NeededServices<Tools extends AnyTool> = RequirementsOf<Tools> | Guard

/** Registers the tools of a toolbox with your `McpServer`. `silence` is described in `ServeOptions`. */
export const layer = <Tools extends AnyTool>(
  box: Toolbox<Tools>,
  { silence = "10 minutes" }: Pick<ServeOptions, "silence"> = {}
): Layer.Layer<never, never, McpServer.McpServer | NeededServices<Tools>> => Layer.effectDiscard(register(box, silence))

/**
 * Serves a toolbox on standard input and output. Nothing else may write to standard output: logs go to standard error.
 */
export const layerStdio = <Tools extends AnyTool>(
  box: Toolbox<Tools>,
  options: ServeOptions
): Layer.Layer<never, never, Stdio.Stdio | NeededServices<Tools>> =>
  narrowed(
    Layer.provide(
      McpServer.layerStdio({ ...described(options), protocols, registrations: layer(box, options) }),
      Lines.layer
    )
  )

/** Serves a toolbox at a path of the router. */
export const layerHttp = <Tools extends AnyTool>(
  box: Toolbox<Tools>,
  options: HttpOptions
): Layer.Layer<never, never, HttpRouter.HttpRouter | NeededServices<Tools>> => {
  const path = options.path ?? "/mcp"
  const server = McpServer.layerHttp({
    ...described(options),
    path,
    protocols,
    allowSessionTermination: true,
    allowedOrigins: options.allowedOrigins ?? [],
    registrations: layer(box, options)
  })
  // each server has its own sessions
  const admitted = Effect.sync(() => {
    const sessionEnd = SessionEnd.make()
    return server.pipe(Layer.provide(Admission.layer(options, sessionEnd)), Layer.provide(sessionEnd.router))
  })
  return narrowed(Layer.unwrap(admitted))
}

const described = ({ instructions, name, version }: ServeOptions) => ({
  name,
  version,
  ...(instructions === undefined ? {} : { instructions })
})

/**
 * Narrows the layer of a running server, which provides nothing and cannot fail with the options that are passed.
 * TypeScript does not resolve its conditional requirements for tools that are a type parameter, so callers state them.
 */
const narrowed = <R>(server: object): Layer.Layer<never, never, R> =>
  Layer.orDie(server as Layer.Layer<never, unknown, R>)
