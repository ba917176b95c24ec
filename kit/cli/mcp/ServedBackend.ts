/** Prepares a backend for serving: its tools, the tool `read_result` for large results, and the guard. */
import * as EscalationMemory from "effect-toolguard/layers/EscalationMemory"
import { Escalation } from "effect-toolguard/services/Escalation"
import type { Backend } from "effect-toolguard/internal/tool/Backend"
import { lineOf, type Problem, problem } from "#kit/cli/console/Problem"
import { Guard, GuardedTurn } from "effect-toolguard/internal/guard/Guard"
import * as McpServe from "effect-toolguard/internal/mcp/serve/McpServe"
import { ReadResult } from "effect-toolguard/internal/tool/ReadResult"
import * as Toolbox from "effect-toolguard/internal/tool/Toolbox"
import type { AnyTool } from "effect-toolguard/internal/tool/ToolClass"
import * as Cause from "effect/Cause"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as FetchHttpClient from "effect/http/FetchHttpClient"
import * as Layer from "effect/Layer"

/** Returns the tools of a backend, and adds `read_result` unless they contain it. */
export const tools = (backend: Backend): Toolbox.Toolbox<AnyTool> => {
  // the type of a loaded module is unknown; loading has checked that its tools are a toolbox
  const toolbox = backend.tools as unknown as Toolbox.Toolbox<AnyTool>
  return toolbox.names.includes("read_result") ? toolbox : Toolbox.merge(toolbox, Toolbox.make(ReadResult))
}

/**
 * Provides the guard and the tools. A backend's layer may also provide an `Escalation`, which is asked if the client's
 * user cannot be asked, or a `Guard`, which is used unchanged.
 *
 * The services that a loaded layer provides are known only when it is built; each cast to `Context` precedes a lookup that
 * handles an absent service.
 */
export const services = (backend: Backend, isEliciting: boolean): Layer.Layer<Guard, Problem> =>
  Layer.unwrap(
    Effect.gen(function* () {
      const context = yield* Effect.catchCause(
        // an HTTP client is the only service that a backend's layer may require
        Layer.build(Layer.provide(backend.layer as unknown as Layer.Layer<never, unknown>, FetchHttpClient.layer)),
        (cause) => Effect.fail(unbuilt(backend.name, Cause.squash(cause)))
      )
      const provided = context as Context.Context<Guard>
      const own = Context.getOrUndefined(provided, Guard) && Context.pick(Guard, GuardedTurn)(provided)
      const person = Context.getOrUndefined(context as Context.Context<Escalation>, Escalation)
      const fallback = person === undefined ? EscalationMemory.layer : Layer.succeed(Escalation, person)
      const escalation = isEliciting ? Layer.provide(McpServe.layerElicitation, fallback) : fallback
      const guard = own === undefined ? Guard.layerMemoryWith(escalation) : Layer.succeedContext(own)
      const tools = Layer.merge(Layer.succeedContext(context), ReadResult.layerGuard)
      // the tools need no service other than the guard
      return Layer.provideMerge(tools, guard) as Layer.Layer<Guard>
    })
  )

const unbuilt = (name: string, error: unknown): Problem =>
  problem(`The layer of ${name} cannot be built: ${lineOf(error)}`, "Correct it, and run the command again.")
