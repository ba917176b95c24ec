/**
 * Creates the service class of a tool, with its properties and the layers that implement it.
 *
 * The key of the service is unique in the process, so that a layer provides only the tool that created it [2.10].
 */
import { implementation } from "#pipeline/call/ToolCompiler"
import type { Implementation } from "#pipeline/call/CompiledTool"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as ToolProperties from "./ToolProperties.ts"
import { lazyImplementation } from "./LazyTool.ts"

/** Counts the tools of the process, on `globalThis` in case it has loaded this library more than once. */
const created: { count: number } = ((globalThis as { [key: symbol]: { count: number } | undefined })[
  Symbol.for("effect-toolguard/Created")
] ??= { count: 0 })

/** How a tool is created. */
interface Options extends Omit<ToolProperties.Parts, "find" | "owner"> {
  /** A second class with the same id is another tool. A dynamic tool may be created again for each session. */
  readonly kind: "class" | "dynamic"
}

/** Creates the class. `own` implements the tool if no layer does. Without either, a call fails. */
export const make = ({ kind, ...parts }: Options, own?: ToolProperties.Parts["find"]): unknown => {
  const { name } = parts.definition
  const id = `effect-toolguard/tool/${name}/${(created.count += 1)}`
  class GuardedToolService extends Context.Service<GuardedToolService, Implementation>()(id) {}
  // the implementation is found in any context, whatever its type
  const key: Context.Key<never, Implementation> = GuardedToolService as never
  const provide = (handler: unknown) =>
    Layer.effect(
      GuardedToolService,
      Effect.gen(function* () {
        // @effect-diagnostics-next-line unsafeEffectTypeAssertion:off -- `ToolClass.layer` typed the handler
        const built = Effect.isEffect(handler) ? yield* handler as Effect.Effect<Implementation["handler"]> : handler
        // a plain handler, typed by `ToolClass.layer` too
        return implementation(built as Implementation["handler"], yield* Effect.context<never>())
      })
    )
  return Object.assign(GuardedToolService, {
    ...ToolProperties.make({
      ...parts,
      owner: kind === "class" ? id : undefined,
      find: (context) => Context.getOrUndefined(context, key) ?? own?.(context)
    }),
    layer: provide,
    layerTest: provide,
    layerLazy: (layer: Layer.Layer<GuardedToolService, unknown>) =>
      Layer.effect(GuardedToolService, lazyImplementation(name, layer, GuardedToolService))
  })
}
