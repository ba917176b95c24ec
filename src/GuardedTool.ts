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
import * as Failure from "#domain/Failure"
import {
  type Check,
  type PolicyInput,
  resolvePolicy,
  type RetryInput,
  type ToolDefinition,
  type ToolReference
} from "#domain/ToolDefinition"
import { compile, implementation } from "#pipeline/Compile"
import { Compiled, type Implementation as Running } from "#pipeline/CompiledTool"
import { keyField } from "#pipeline/decodeArguments"
import * as Tool from "effect/ai/Tool"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import type {
  Definition,
  FailureOf,
  IdempotencyInput,
  PollInput,
  RetryOf,
  RetrySafe,
  VerdictFor
} from "./Definition.ts"
import { sound } from "./DefinitionRules.ts"
import { Guard } from "./Guard.ts"
import { lazyImplementation } from "./LazyTool.ts"
import type { AnyTool, Codec, ErrorOf, RequirementsOf, ToolClass } from "./ToolClass.ts"

export type { HandlerContext } from "#pipeline/CompiledTool"
export type * from "./Definition.ts"
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

const define = (name: string, input: PolicyInput): unknown => {
  const definition = sound(resolve(name, input))
  class GuardedToolService extends Context.Service<GuardedToolService, Running>()(`effect-toolguard/tool/${name}`) {}
  const provide = (handler: unknown) =>
    Layer.effect(
      GuardedToolService,
      Effect.gen(function* () {
        // @effect-diagnostics-next-line unsafeEffectTypeAssertion:off -- `ToolClass.layer` has typed the handler
        const built = Effect.isEffect(handler) ? yield* handler as Effect.Effect<Running["handler"]> : handler
        return implementation(built as Running["handler"], yield* Effect.context<never>())
      })
    )
  const contract = Contract.makeUnsafe(name, definition.parameters, {
    optional: definition.idempotency.mode === "key" ? { [keyField]: keySchema } : {}
  })
  return Object.assign(GuardedToolService, {
    ...faceOf(definition, contract, GuardedToolService as never),
    toolName: name,
    description: definition.description,
    access: definition.access,
    parameters: definition.parameters,
    success: definition.success,
    call(this: ToolReference, args: unknown) {
      return Effect.flatMap(Guard, (guard) => guard.call(this, args))
    },
    layer: provide,
    layerTest: provide,
    layerLazy: (layer: Layer.Layer<GuardedToolService, unknown>) =>
      Layer.effect(GuardedToolService, lazyImplementation(layer, GuardedToolService))
  })
}

const keySchema = {
  type: "string",
  minLength: 16,
  maxLength: 200,
  description: "Optional. Names one action; send the same key to mean the same action."
}

/** What follows from the definition, and changes where a policy is overridden. */
const faceOf = (definition: ToolDefinition, contract: Contract.Contract, key: Context.Key<never, Running>) => ({
  definition,
  serviceKey: key,
  contract,
  retrySafe:
    definition.access === "read" || definition.idempotency.mode !== "none" || definition.reconcile !== undefined,
  jsonSchema: contract.jsonSchema,
  failureSchema: Failure.codec(definition.success),
  [Compiled]: compile(definition, contract, key),
  ai: Tool.dynamic(definition.name, {
    description: contract.describe(definition.description),
    parameters: contract.jsonSchema,
    success: Schema.Json,
    failure: Schema.Json,
    failureMode: "return"
  })
})

/** The fields of a definition beside its policy, after the compiler has checked them. */
interface Fields extends Pick<
  ToolDefinition,
  "access" | "approval" | "description" | "parameters" | "reconcile" | "salvage" | "success"
> {
  readonly answers?: "json"
  readonly checks?: Readonly<Record<string, Check["run"]>>
  readonly critical?: boolean
  readonly fallbacks?: ToolDefinition["fallbacks"]
  readonly idempotency?: IdempotencyInput<never>
  readonly poll?: PollInput<unknown>
}

const resolve = (name: string, input: PolicyInput): ToolDefinition => {
  const {
    access,
    answers,
    approval,
    checks,
    critical,
    description,
    fallbacks,
    parameters,
    poll,
    reconcile,
    salvage,
    success,
    ...rest
  } = input as PolicyInput & Fields
  const idempotency = resolveIdempotency(rest.idempotency)
  const repeatable = access === "read" || idempotency.mode !== "none" || reconcile !== undefined
  return {
    ...resolvePolicy(input, repeatable),
    name,
    description,
    access,
    critical: critical ?? false,
    parameters,
    success,
    answers: answers ?? "value",
    checks: Object.entries(checks ?? {}).map(([check, run]) => ({ name: check, run })),
    fallbacks: fallbacks ?? [],
    idempotency,
    reconcile,
    salvage,
    poll:
      poll === undefined
        ? undefined
        : {
            intervalMillis: Duration.toMillis(Duration.fromInputUnsafe(poll.interval)),
            deadlineMillis: Duration.toMillis(Duration.fromInputUnsafe(poll.deadline)),
            until: poll.until
          },
    approval
  }
}

const resolveIdempotency = (input: IdempotencyInput<never> | undefined): ToolDefinition["idempotency"] => {
  const given = typeof input === "object" ? input : { mode: input ?? ("none" as const) }
  const options = given as Exclude<IdempotencyInput<never>, string>
  return {
    mode: given.mode,
    fields: options.fields,
    upstreamHonoursKey: options.upstreamHonoursKey ?? false,
    timeToLive: Duration.fromInputUnsafe(options.timeToLive ?? "24 hours")
  }
}

type Defined = AnyTool & ReturnType<typeof faceOf>

/** The same tool with another definition: same service, same layer, other policy. */
const derive = <T extends AnyTool>(tool: T, change: (definition: ToolDefinition) => ToolDefinition): T => {
  const { contract, definition, serviceKey } = tool as T & Defined
  const face = faceOf(sound(change(definition)), contract, serviceKey)
  return Object.create(tool, Object.getOwnPropertyDescriptors(face))
}

/** Overrides policy fields of a tool where it is used. */
export const policy =
  (input: Omit<PolicyInput, "retry">) =>
  <T extends AnyTool>(tool: T): T =>
    derive(tool, (definition) => ({ ...definition, ...only(input, resolvePolicy(input, true)) }))

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
    derive(tool as T, (definition) => {
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
    derive(tool as never, (definition) => ({
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
