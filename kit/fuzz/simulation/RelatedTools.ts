/**
 * Simulates the related tools of the tool under test: fallbacks return generated results, and lookups report the true
 * state of the world.
 *
 * A lookup returns a generated result from which the tool's `found` derives correctly whether the effect has happened.
 * If no generated result shows that, the lookup fails, and the side effect stays unknown.
 */
import * as CallKey from "effect-toolguard/internal/domain/call/CallKey"
import { compiledOf } from "effect-toolguard/internal/pipeline/call/CompiledTool"
import type { AnyTool } from "effect-toolguard/internal/tool/ToolClass"
import * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import type { Pools } from "#kit/fuzz/cases/Pools"
import { keyOf, type Subject } from "#kit/fuzz/cases/Subject"
import type { Execution, World } from "./World.ts"

/** An execution of a fallback. */
export interface FallbackExecution {
  readonly tool: string
  readonly callId: string
  readonly isRead: boolean
}

/** Returns the layers of the related tools, whose handlers record executions of fallbacks in `fallbacks`. */
export const layers = (
  subject: Subject,
  pools: Pools,
  world: World,
  fallbacks: Array<FallbackExecution>
): ReadonlyArray<Layer.Layer<never>> =>
  subject.relatedTools.map((related) => {
    const { contract, definition } = compiledOf(related)
    const values = pools.relatedResults.get(related.key) ?? []
    const handler = (args: unknown, { callId }: { readonly callId: string }) =>
      Effect.suspend((): Effect.Effect<unknown, string> => {
        const requested = CallKey.canonical(contract.encode(args))
        const lookedUp = world.executions.find((execution) => lookupOf(subject, related, execution) === requested)
        if (lookedUp === undefined) {
          fallbacks.push({ tool: related.toolName, callId, isRead: definition.access === "read" })
          const [value] = values
          return value === undefined ? Effect.fail("no result can be generated from the schema") : Effect.succeed(value)
        }
        const hasHappened = world.effects.some(({ action }) => action === lookedUp.action)
        const value = values.find((value) => isFound(subject, value, lookedUp.arguments) === hasHappened)
        return value === undefined
          ? Effect.fail("no generated result shows the state of the action")
          : Effect.succeed(value)
      })
    // the handler's types are known at run time only, and the layer has no requirements
    return related.layerTest(handler as never) as Layer.Layer<never>
  })

/**
 * Returns the arguments with which the guard looks up an execution, or `undefined` if the related tool is not the
 * lookup.
 */
const lookupOf = (
  { definition: { reconcile } }: Subject,
  related: AnyTool,
  { arguments: args, idempotencyKey }: Execution
): string | undefined => {
  if (reconcile === undefined || keyOf(reconcile.tool) !== related.key) return undefined
  const { contract } = compiledOf(related)
  try {
    const decoded = contract.decode(reconcile.arguments(args, idempotencyKey))
    return decoded._tag === "Success" ? CallKey.canonical(contract.encode(decoded.success)) : undefined
  } catch {
    return undefined
  }
}

/** Returns whether the tool finds its effect in a result of the lookup, or `undefined` if its `found` throws. */
const isFound = ({ definition: { reconcile } }: Subject, value: unknown, args: unknown): boolean | undefined => {
  try {
    return reconcile === undefined ? undefined : Option.isSome(reconcile.found(value, args))
  } catch {
    return undefined
  }
}
