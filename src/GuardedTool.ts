/**
 * Tools as Effect services: one declarative definition, its typed call, and the layers that implement it.
 *
 * **Gotchas**
 *
 * - Declare tool classes at module level; a class made inside a function cannot be exported in declaration files.
 * - `.pipe` overrides a policy where a tool is used and keeps its identity; it does not work inside `extends`.
 */
import type { Access } from "#domain/Access"
import * as Contract from "#domain/Contract"
import { type PolicyInput, resolvePolicy, type RetryInput, type ToolDefinition } from "#domain/ToolDefinition"
import { keyField } from "#pipeline/decodeArguments"
import type * as Duration from "effect/Duration"
import type { Definition, FailureOf, IdempotencyInput, RetryOf, RetrySafe, VerdictFor } from "./Definition.ts"
import { sound } from "./DefinitionRules.ts"
import * as Face from "./Face.ts"
import type { AnyTool, Codec, ErrorOf, RequirementsOf, ToolClass } from "./ToolClass.ts"
import * as ToolService from "./ToolService.ts"

export type { HandlerContext } from "#pipeline/CompiledTool"
export type * from "./Definition.ts"
export { dynamic, type DynamicDefinition, type DynamicTool } from "./DynamicTool.ts"
export type * from "./ToolClass.ts"

/** What the compiler shows where the class itself was forgotten: `GuardedTool.Service<MyTool>()("my_tool", …)`. */
export interface MissingSelf {
  readonly error: "Write `class MyTool extends GuardedTool.Service<MyTool>()(…) {}`."
}

/** Defines a tool. See `Service`. */
export interface Define<Self> {
  <
    const Name extends string,
    P extends Codec,
    S extends Codec,
    const A extends Access,
    Verdicts extends Record<string, VerdictFor<P["Type"]>> = {},
    const Idem extends IdempotencyInput<P["Type"]> | undefined = undefined,
    Rec extends AnyTool | undefined = undefined,
    Fs extends ReadonlyArray<AnyTool> = [],
    SalNext extends Partial<P["Type"]> & object = never,
    const SalNarrow extends string = never,
    RA = never
  >(
    name: Name,
    definition: Definition<P, S, A, Verdicts, Idem, Rec, Fs, SalNext, SalNarrow, RA> & {
      readonly retry?: RetryOf<A, Idem, Rec>
    }
  ): ToolClass<
    Self,
    Name,
    P,
    S,
    FailureOf<Verdicts[keyof Verdicts], SalNext, SalNarrow, S["Type"], P["Encoded"]> | ErrorOf<Fs[number]>,
    RequirementsOf<Fs[number] | Rec> | RA,
    RetrySafe<A, Idem, Rec>,
    A
  >
}

/**
 * Defines a tool as a service: `class SearchOrders extends GuardedTool.Service<SearchOrders>()("search_orders", {…}) {}`.
 *
 * **Details**
 *
 * - The name is snake_case, verb first; the definition's one schema validates, is advertised, and gives the types.
 * - Throws a `ContractError`, with path and remedy, where the parameters cannot be advertised exactly as they decode,
 *   and a `RangeError` where a rule is broken that the compiler cannot see: name, description, salvage, fallbacks.
 */
export const Service: <Self = never>() => [Self] extends [never] ? MissingSelf : Define<Self> = (() => define) as never

const keySchema = {
  type: "string",
  minLength: 16,
  maxLength: 200,
  description: "Optional. Names one action; send the same key to mean the same action."
}

const define = (name: string, input: PolicyInput): unknown => {
  const definition = sound(Face.resolve(name, input))
  const optional = definition.idempotency.mode === "key" ? { [keyField]: keySchema } : {}
  return ToolService.make({
    definition,
    contract: Contract.makeUnsafe(name, definition.parameters, { optional }),
    rules: sound
  })
}

/** Overrides policy fields of a tool where it is used. */
export const policy =
  (input: Omit<PolicyInput, "retry">) =>
  <T extends AnyTool>(tool: T): T =>
    Face.derive(tool, (definition) => ({ ...definition, ...only(input, resolvePolicy(input, true)) }))

const fields = {
  timeout: "attemptMillis",
  deadline: "deadlineMillis",
  budget: "budget",
  concurrency: "concurrency",
  circuit: "circuit",
  enforce: "enforce",
  retry: "retry"
} as const

const only = (input: PolicyInput, resolved: object): Partial<ToolDefinition> =>
  Object.fromEntries(
    Object.entries(fields).flatMap(([field, resolvedField]) =>
      field in input ? [[resolvedField, (resolved as Record<string, unknown>)[resolvedField]]] : []
    )
  )

/** Overrides the time of one attempt. */
export const timeout = (duration: Duration.Input): (<T extends AnyTool>(tool: T) => T) => policy({ timeout: duration })

/** The sentence in the place of a tool that must not be retried. */
export type RetryGuard<T extends AnyTool> = T["retrySafe"] extends true
  ? unknown
  : "A write is retried only with `idempotency` or `reconcile`: without them a retry may do it twice."

/** Overrides the retries of a tool that is safe to repeat. */
export const retry =
  (input: RetryInput) =>
  <T extends AnyTool>(tool: T & RetryGuard<T>): T =>
    Face.derive(tool as T, (definition) => {
      const resolved = resolvePolicy({ retry: input }, true).retry
      return { ...definition, retry: resolved, budget: Math.max(definition.budget, resolved.attempts) }
    })

/** Adds an alternative that answers when this tool cannot: same success type, access not higher, arguments mapped. */
export const fallback =
  <Self2, P2 extends Codec, S2 extends Codec, E2, R2, A2 extends Access, P extends Codec>(
    other: ToolClass<Self2, string, P2, S2, E2, R2, boolean, A2>,
    mapArguments: (args: P["Type"]) => P2["Encoded"]
  ) =>
  <Self, Name extends string, S extends Codec, E, R, Safe extends boolean, A extends Access>(
    tool: ToolClass<Self, Name, P, S, E, R, Safe, A> & FallbackGuard<S, S2, A, A2>
  ): ToolClass<Self, Name, P, S, E | E2, R | R2 | Self2, Safe, A> =>
    Face.derive(tool as never, (definition) => ({
      ...definition,
      fallbacks: [...definition.fallbacks, { tool: other, arguments: mapArguments }]
    }))

type FallbackGuard<
  S extends Codec,
  S2 extends Codec,
  A extends Access,
  A2 extends Access
> = S2["Type"] extends S["Type"]
  ? A2 extends { read: "read"; write: "read" | "write"; destructive: Access }[A]
    ? unknown
    : "A fallback's access is not higher than its tool's."
  : "The fallback's success type is not this tool's success type."
