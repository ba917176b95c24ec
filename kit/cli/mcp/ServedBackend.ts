/** A backend as it is served: its tools with the one that reads large results, and the guard around them. */
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

/** The tools, with the one that reads large results; the same box where it is there already. */
export const tools = (backend: Backend): Toolbox.Toolbox<AnyTool> => {
  // what a module exports is known when the program runs: it was checked that the layer goes with the tools
  const box = backend.tools as unknown as Toolbox.Toolbox<AnyTool>
  return box.names.includes("read_result") ? box : Toolbox.merge(box, Toolbox.make(ReadResult))
}

/**
 * The guard and the tools. A backend's layer may provide more than its tools: an `Escalation`, which is asked where the client's
 * user cannot be, or a `Guard` of its own, which is then taken as it is.
 */
export const services = (backend: Backend, isEliciting: boolean): Layer.Layer<Guard, Problem> =>
  Layer.unwrap(
    Effect.gen(function* () {
      const built = yield* Effect.catchCause(
        Layer.build(Layer.provide(backend.layer as unknown as Layer.Layer<never, unknown>, FetchHttpClient.layer)),
        (cause) => Effect.fail(unbuilt(backend.name, Cause.squash(cause)))
      )
      const context = built as Context.Context<never>
      const provided = context as Context.Context<Guard>
      const own = Context.getOrUndefined(provided, Guard) && Context.pick(Guard, GuardedTurn)(provided)
      const person = Context.getOrUndefined(context as Context.Context<Escalation>, Escalation)
      const beneath = person === undefined ? EscalationMemory.layer : Layer.succeed(Escalation, person)
      const escalation = isEliciting ? Layer.provide(McpServe.layerElicitation, beneath) : beneath
      const guard = own === undefined ? Guard.layerMemoryWith(escalation) : Layer.succeedContext(own)
      const tools = Layer.merge(Layer.succeedContext(context), ReadResult.layerGuard)
      return Layer.provideMerge(tools, guard) as Layer.Layer<Guard>
    })
  )

const unbuilt = (name: string, error: unknown): Problem =>
  problem(`The layer of ${name} cannot be built: ${lineOf(error)}`, "Correct it, and run again.")
