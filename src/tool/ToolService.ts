/** Creates the service class of a tool, with its properties and the layers that implement it. */
import { implementation } from "#pipeline/call/ToolCompiler"
import type { Implementation } from "#pipeline/call/CompiledTool"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as ToolProperties from "./ToolProperties.ts"
import { lazyImplementation } from "./LazyTool.ts"

/** Creates the class. `own` implements the tool if no layer is provided. Without both, a call fails. */
export const make = (parts: Omit<ToolProperties.Parts, "find">, own?: ToolProperties.Parts["find"]): unknown => {
  const { name } = parts.definition
  class GuardedToolService extends Context.Service<GuardedToolService, Implementation>()(
    `effect-toolguard/tool/${name}`
  ) {}
  // the implementation is found in any context, whatever its type
  const key: Context.Key<never, Implementation> = GuardedToolService as never
  const provide = (handler: unknown) =>
    Layer.effect(
      GuardedToolService,
      Effect.gen(function* () {
        // @effect-diagnostics-next-line unsafeEffectTypeAssertion:off -- `ToolClass.layer` typed the handler
        const built = Effect.isEffect(handler) ? yield* handler as Effect.Effect<Implementation["handler"]> : handler
        // as above
        return implementation(built as Implementation["handler"], yield* Effect.context<never>())
      })
    )
  return Object.assign(GuardedToolService, {
    ...ToolProperties.make({ ...parts, find: (context) => Context.getOrUndefined(context, key) ?? own?.(context) }),
    layer: provide,
    layerTest: provide,
    layerLazy: (layer: Layer.Layer<GuardedToolService, unknown>) =>
      Layer.effect(GuardedToolService, lazyImplementation(layer, GuardedToolService))
  })
}
