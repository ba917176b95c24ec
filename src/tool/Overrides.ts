/** Overrides policies of a tool where it is used. The service and its layer remain the same. */
import type { Access } from "#domain/tool/Access"
import type { RetryInput, SharedPolicy } from "#domain/tool/PolicyInput"
import type * as PolicySources from "#domain/tool/PolicySources"
import * as ToolDefinition from "#domain/tool/ToolDefinition"
import type * as Duration from "effect/Duration"
import type { FallbackOn } from "./Definition.ts"
import * as ToolProperties from "./ToolProperties.ts"
import type { AnyTool, Codec, ToolClass } from "./ToolClass.ts"

/**
 * Overrides policy fields of a tool where it is used. If only the timeout or only the deadline is set, the other is
 * derived from it.
 *
 * Throws a `RangeError` if a time is not longer than zero, the deadline is below the timeout, or `idempotency` is set
 * for a read.
 */
export const policy =
  (input: Omit<SharedPolicy, "retry">) =>
  <T extends AnyTool>(tool: T): T =>
    withPolicy("useSite", input)(tool)

/** Returns a tool with policy fields of a source. Throws a `RangeError` if they contradict the fields of the tool. */
export const withPolicy =
  (source: keyof PolicySources.PolicySources, input: SharedPolicy) =>
  <T extends AnyTool>(tool: T): T =>
    ToolProperties.derive(tool, (definition) => ToolDefinition.withPolicy(definition, source, input))

/** Overrides the timeout of an attempt. */
export const timeout = (duration: Duration.Input): (<T extends AnyTool>(tool: T) => T) => policy({ timeout: duration })

/** Replaces the type of a tool that must not be retried with a sentence, which the compiler prints. */
export type RetryGuard<T extends AnyTool> = T["retrySafe"] extends true
  ? unknown
  : "A write is retried only with `idempotency` or `reconcile`: without them a retry may do it twice."

/** Overrides the retries of a tool that is safe to repeat. */
export const retry =
  (input: RetryInput) =>
  <T extends AnyTool>(tool: T & RetryGuard<T>): T =>
    // the intersection with `RetryGuard` does not change the tool
    withPolicy("useSite", { retry: input })(tool as T)

/**
 * Adds a fallback for when this tool cannot answer. The fallback must have the same success type and no higher access.
 * `mapArguments` maps this tool's arguments to the fallback's arguments. `on` names the codes of failures after which
 * the fallback is tried; default: every Permanent, SchemaMismatch and Transient failure except `permission_denied`.
 * Throws a `RangeError` for a code that does not exist, or after which no fallback runs.
 */
export const fallback =
  <Self2, P2 extends Codec, S2 extends Codec, E2, R2, A2 extends Access, P extends Codec, Id2 extends string>(
    other: ToolClass<Self2, string, P2, S2, E2, R2, boolean, A2, Id2>,
    mapArguments: (args: P["Type"]) => P2["Encoded"],
    { on }: { readonly on?: ReadonlyArray<FallbackOn<Record<string, never>>> } = {}
  ) =>
  <Self, Name extends string, S extends Codec, E, R, Safe extends boolean, A extends Access, Id extends string>(
    tool: ToolClass<Self, Name, P, S, E, R, Safe, A, Id> & FallbackGuard<S, S2, A, A2>
  ): ToolClass<Self, Name, P, S, E | E2, R | R2 | Self2, Safe, A, Id> =>
    // the fallback changes the types of errors and requirements
    ToolProperties.derive(tool as never, (definition) => ({
      ...definition,
      fallbacks: [
        ...definition.fallbacks,
        { tool: other, arguments: mapArguments, ...(on === undefined ? {} : { on }) }
      ],
      declared: { ...definition.declared, fallbacks: "use site" }
    }))

type FallbackGuard<
  S extends Codec,
  S2 extends Codec,
  A extends Access,
  A2 extends Access
> = S2["Type"] extends S["Type"]
  ? A2 extends { read: "read"; write: "read" | "write"; destructive: Access }[A]
    ? unknown
    : "A fallback's access must not be higher than its tool's."
  : "The fallback's success type is not this tool's success type."
