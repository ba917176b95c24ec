/**
 * [2.6] Builds a tool's layer once, on its first call, even if several calls arrive before the build completes.
 *
 * The build belongs to the layer, not to the call: a call that times out does not stop the build. The build is
 * interrupted when the layer's scope closes. If a build fails, the calls that wait for it fail and its resources are
 * released. The next call builds again.
 */
import * as Failure from "#domain/failure/Failure"
import { implementation } from "#pipeline/call/ToolCompiler"
import type { Implementation } from "#pipeline/call/CompiledTool"
import type * as Context from "effect/Context"
import * as ContextModule from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Scope from "effect/Scope"

/** Returns an implementation that builds the layer when it first runs. */
export const lazyImplementation = <I, RB>(
  tool: string,
  layer: Layer.Layer<I, unknown, RB>,
  service: Context.Key<I, Implementation>
): Effect.Effect<Implementation, never, RB | Scope.Scope> =>
  Effect.gen(function* () {
    const context = yield* Effect.context<RB | Scope.Scope>()
    const scope = ContextModule.get(context, Scope.Scope)
    const build = Effect.flatMap(Scope.fork(scope), (buildScope) =>
      Effect.onExitIf(Layer.buildWithScope(layer, buildScope), Exit.isFailure, (exit) => Scope.close(buildScope, exit))
    ).pipe(
      Effect.flatMap((built) => {
        const found = ContextModule.getOrUndefined(built, service)
        return found === undefined ? Effect.fail(otherTool(tool)) : Effect.succeed(found)
      }),
      Effect.provideContext(context)
    )
    let building: Fiber.Fiber<Implementation, unknown> | undefined
    yield* Scope.addFinalizer(
      scope,
      Effect.suspend(() => (building === undefined ? Effect.void : Fiber.interrupt(building)))
    )
    const built = Effect.suspend(() => {
      const current = building
      if (current !== undefined) return Fiber.join(current)
      const started = Effect.runForkWith(context)(
        Effect.tapCause(build, () =>
          Effect.sync(() => {
            building = undefined
          })
        )
      )
      if (started.pollUnsafe()?._tag !== "Failure") building = started
      return Fiber.join(started)
    })
    return implementation(
      (args, handlerContext) =>
        Effect.flatMap(
          built,
          (inner) =>
            Effect.contextWith((caller: Context.Context<never>) =>
              Effect.provideContext(inner.handler(args, handlerContext), inner.contextFor(caller))
            )
          // the inner context provides all requirements of the handler
        ) as Effect.Effect<unknown, unknown>,
      ContextModule.empty()
    )
  })

/** Returns the failure for a layer of another tool. The types do not reveal this mistake if both tools are alike. */
const otherTool = (tool: string): Failure.Failure =>
  Failure.ofCode("misconfigured", {
    tool,
    detail: `The layer in the layerLazy of ${tool} provides another tool: pass the layer of the same class.`
  })
