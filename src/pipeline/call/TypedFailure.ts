/** [3.5] Converts the failure of a call to the error that a typed caller catches, such as a declared refusal. */
import type { FailedOutcome } from "#domain/call/Outcome"
import { type Failure, isRefusal } from "#domain/failure/Failure"
import { type DeclaredRefusal, revive, type TaggedError } from "#domain/tool/DeclaredRefusal"
import type { ToolDefinition, ToolReference } from "#domain/tool/ToolDefinition"
import { compiledOf } from "./CompiledTool.ts"

/** An error that a typed caller of a tool catches: one of the eight failures, or a declared refusal. */
export type TypedFailure = Failure | TaggedError

/** Returns the refusals that a tool and its fallbacks declare. */
export const declaredBy = ({ fallbacks, refusals }: ToolDefinition): ReadonlyArray<DeclaredRefusal> => [
  ...refusals,
  ...fallbacks.flatMap(({ tool }) => declaredBy(compiledOf(tool).definition))
]

/**
 * Returns the error that a typed caller of the tool catches. If the tool has changed since a refusal was stored and
 * no schema decodes the refusal, the caller catches the Permanent or ToolArgError failure itself.
 */
export const typedFailure = (tool: ToolReference, { failure, usedFallback }: FailedOutcome): TypedFailure => {
  if (!isRefusal(failure)) return failure
  const { definition } = compiledOf(tool)
  const declared =
    usedFallback === undefined
      ? definition.refusals
      : definition.fallbacks.flatMap(({ tool: fallback }) => declaredBy(compiledOf(fallback).definition))
  return revive(declared, failure) ?? failure
}
