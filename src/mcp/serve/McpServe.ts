/**
 * Guarded tools as an MCP server, over stdio and streamable HTTP, in every version of the protocol that Effect speaks.
 *
 * **Details**
 *
 * - A tool is listed with its closed JSON Schema, the schema of its envelopes and hints from its access. What it answers is
 *   the envelope, as text and as `structuredContent`; `isError` where it is an error. Wrong arguments are such a result.
 * - A session is a turn: its calls share budgets and recall. 10 minutes of silence end it (`silence`). In protocols without
 *   sessions a credential stands for one; all without a credential share one.
 * - Attempts and waits are told as progress where the client asks for it; a cancelled call interrupts its handler.
 * - A result that is too large is a link: `resources/read` reads all of it, and `read_result` parts, where it is in the box.
 * - `layerElicitation` lets the client's user approve.
 *
 * **Gotchas**
 *
 * The protocol itself refuses calls of unknown tools and arguments that are no object: the guard does not see them.
 */
import type { Guard } from "#src/guard/Guard"
import type { Toolbox } from "#src/tool/Toolbox"
import type { AnyTool, RequirementsOf } from "#src/tool/ToolClass"
import * as McpProtocol from "effect/ai/McpProtocol"
import * as McpServer from "effect/ai/McpServer"
import type * as Duration from "effect/Duration"
import type * as HttpRouter from "effect/http/HttpRouter"
import * as Layer from "effect/Layer"
import type * as Stdio from "effect/Stdio"
import * as Admission from "./Admission.ts"
import * as Lines from "./Lines.ts"
import { register } from "./Registration.ts"

export { layer as layerElicitation } from "./Elicitation.ts"
export type { Identity } from "./Sessions.ts"

export interface ServeOptions {
  /** What the server is called. */
  readonly name: string
  readonly version: string
  /** What the client may tell its model of the server. */
  readonly instructions?: string
  /** How long a client may be quiet before its turn ends, and its budgets begin anew. Default 10 minutes. */
  readonly silence?: Duration.Input
}

export interface HttpOptions extends ServeOptions, Admission.AdmissionOptions {
  /** Default: `/mcp`. */
  readonly path?: `/${string}`
  /** Origins of pages that may speak to it. Default: none; programs send none and pass. */
  readonly allowedOrigins?: ReadonlyArray<string>
}

/** Every version that Effect speaks, the newest first: it is offered to clients that know none of them. */
const protocols = [
  McpProtocol.v2025_11_25,
  McpProtocol.v2026_07_28,
  McpProtocol.v2025_06_18,
  McpProtocol.v2025_03_26,
  McpProtocol.v2024_11_05
] as const

type Needed<Tools extends AnyTool> = RequirementsOf<Tools> | Guard

/** Registers the tools of a box with an `McpServer` of yours. `silence`: as in `ServeOptions`. */
export const layer = <Tools extends AnyTool>(
  box: Toolbox<Tools>,
  { silence = "10 minutes" }: Pick<ServeOptions, "silence"> = {}
): Layer.Layer<never, never, McpServer.McpServer | Needed<Tools>> => Layer.effectDiscard(register(box, silence))

/** Serves a box on standard input and output. Nothing else may write there: logs go to standard error. */
export const layerStdio = <Tools extends AnyTool>(
  box: Toolbox<Tools>,
  options: ServeOptions
): Layer.Layer<never, never, Stdio.Stdio | Needed<Tools>> =>
  served(
    Layer.provide(
      McpServer.layerStdio({ ...described(options), protocols, registrations: layer(box, options) }),
      Lines.layer
    )
  )

/** Serves a box at a path of a router. */
export const layerHttp = <Tools extends AnyTool>(
  box: Toolbox<Tools>,
  options: HttpOptions
): Layer.Layer<never, never, HttpRouter.HttpRouter | Needed<Tools>> => {
  const path = options.path ?? "/mcp"
  const server = McpServer.layerHttp({
    ...described(options),
    path,
    protocols,
    allowSessionTermination: true,
    allowedOrigins: options.allowedOrigins ?? [],
    registrations: layer(box, options)
  })
  return served(Layer.provide(server, Admission.layer(options)))
}

const described = ({ instructions, name, version }: ServeOptions) => ({
  name,
  version,
  ...(instructions === undefined ? {} : { instructions })
})

/**
 * What a running server provides is nobody's, and what could be refused of its options is not given. Its requirements are
 * conditional types that TypeScript does not resolve for tools that are a parameter: the callers state them.
 */
const served = <R>(server: object): Layer.Layer<never, never, R> =>
  Layer.orDie(server as Layer.Layer<never, unknown, R>)
