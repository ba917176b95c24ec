/**
 * The tools that the guard calls for the one that is checked: alternatives answer, and a lookup tells the truth.
 *
 * A lookup's answer is drawn from its schema: one in which the tool's `found` sees the effect where it happened, and one in
 * which it does not where it did not. Where neither can be drawn the lookup fails, and the outcome stays unknown.
 */
import * as CallKey from "effect-toolguard/internal/domain/call/CallKey"
import { compiledOf } from "effect-toolguard/internal/pipeline/call/CompiledTool"
import type { AnyTool } from "effect-toolguard/internal/tool/ToolClass"
import * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import type { Pools } from "#kit/fuzz/cases/Pools"
import type { Subject } from "#kit/fuzz/cases/Subject"
import type { Execution, World } from "./World.ts"

/** What the alternatives did. */
export interface Alternative {
  readonly tool: string
  readonly callId: string
  readonly isRead: boolean
}

/** The layers of the other tools. `used` takes what alternatives do. */
export const layers = (
  subject: Subject,
  pools: Pools,
  world: World,
  used: Array<Alternative>
): ReadonlyArray<Layer.Layer<never>> =>
  subject.others.map((other) => {
    const { contract, definition } = compiledOf(other)
    const values = pools.others.get(other.toolName) ?? []
    const handler = (args: unknown, { callId }: { readonly callId: string }) =>
      Effect.suspend((): Effect.Effect<unknown, string> => {
        const asked = CallKey.canonical(contract.encode(args))
        const about = world.executions.find((execution) => lookupOf(subject, other, execution) === asked)
        if (about === undefined) {
          used.push({ tool: other.toolName, callId, isRead: definition.access === "read" })
          const [value] = values
          return value === undefined ? Effect.fail("nothing can be drawn from its schema") : Effect.succeed(value)
        }
        const isThere = world.effects.some(({ action }) => action === about.action)
        const value = values.find((value) => isFound(subject, value, about.arguments) === isThere)
        return value === undefined ? Effect.fail("it cannot be told") : Effect.succeed(value)
      })
    return other.layerTest(handler as never) as Layer.Layer<never>
  })

/** What the lookup is asked about an execution; undefined where this tool is none. */
const lookupOf = (
  { definition: { reconcile } }: Subject,
  other: AnyTool,
  { arguments: args, idempotencyKey }: Execution
): string | undefined => {
  if (reconcile === undefined || reconcile.tool.toolName !== other.toolName) return undefined
  const { contract } = compiledOf(other)
  try {
    const decoded = contract.decode(reconcile.arguments(args, idempotencyKey))
    return decoded._tag === "Success" ? CallKey.canonical(contract.encode(decoded.success)) : undefined
  } catch {
    return undefined
  }
}

const isFound = ({ definition: { reconcile } }: Subject, value: unknown, args: unknown): boolean | undefined => {
  try {
    return reconcile === undefined ? undefined : Option.isSome(reconcile.found(value, args))
  } catch {
    return undefined
  }
}
