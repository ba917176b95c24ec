/** The service that a tool is: its face, and the layers that implement it. */
import { implementation } from "#pipeline/call/Compile"
import type { Implementation } from "#pipeline/call/CompiledTool"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Face from "./Face.ts"
import { lazyImplementation } from "./LazyTool.ts"

/** The tool. `own`: what answers where no layer of it is provided; without it the tool is then missing. */
export const make = (parts: Omit<Face.Parts, "find">, own?: Face.Parts["find"]): unknown => {
  const { name } = parts.definition
  class GuardedToolService extends Context.Service<GuardedToolService, Implementation>()(
    `effect-toolguard/tool/${name}`
  ) {}
  const key: Context.Key<never, Implementation> = GuardedToolService as never
  const provide = (handler: unknown) =>
    Layer.effect(
      GuardedToolService,
      Effect.gen(function* () {
        // @effect-diagnostics-next-line unsafeEffectTypeAssertion:off -- `ToolClass.layer` has typed the handler
        const built = Effect.isEffect(handler) ? yield* handler as Effect.Effect<Implementation["handler"]> : handler
        return implementation(built as Implementation["handler"], yield* Effect.context<never>())
      })
    )
  return Object.assign(GuardedToolService, {
    ...Face.make({ ...parts, find: (context) => Context.getOrUndefined(context, key) ?? own?.(context) }),
    layer: provide,
    layerTest: provide,
    layerLazy: (layer: Layer.Layer<GuardedToolService, unknown>) =>
      Layer.effect(GuardedToolService, lazyImplementation(layer, GuardedToolService))
  })
}
