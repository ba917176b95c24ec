/**
 * Defines tools as Effect services: a declarative definition, a typed call, and the layers that implement it.
 *
 * **Gotchas**
 *
 * - Declare tool classes at module level. A class inside a function cannot be exported in declaration files.
 * - `.pipe` overrides a policy where a tool is used, and keeps the identity of the tool. Do not use `.pipe` inside
 *   `extends`.
 */
import type { Access } from "#domain/tool/Access"
import * as Contract from "#domain/schema/Contract"
import type { PolicyInput } from "#domain/tool/PolicyInput"
import { keyField } from "#pipeline/stages/decodeArguments"
import type { Definition, FailureOf, IdempotencyInput, RetryOf, RetrySafe, VerdictFor } from "./Definition.ts"
import { checked } from "./DefinitionRules.ts"
import * as DefinitionSite from "./DefinitionSite.ts"
import type { Refusal, RefusalOf, RefusingDefinition } from "./Refusals.ts"
import * as ToolProperties from "./ToolProperties.ts"
import type { AnyTool, Codec, ErrorOf, RequirementsOf, ToolClass } from "./ToolClass.ts"
import * as ToolService from "./ToolService.ts"

export { type FilePart, type Part, type TextPart, withParts, type WithParts } from "#domain/parts/Part"
export type { HandlerContext } from "#pipeline/call/CompiledTool"
export type * from "./Definition.ts"
export { dynamic, type DynamicDefinition, type DynamicTool, type UncheckedConstraint } from "./DynamicTool.ts"
export {
  type FromToolkit,
  fromToolkit,
  type ToolkitPolicies,
  type ToolkitPolicy,
  type ToolkitTool
} from "./FromToolkit.ts"
export { done, nothingDone, type StatedEffect, unknown } from "#domain/failure/StatedEffect"
export { fallback, policy, retry, type RetryGuard, timeout } from "./Overrides.ts"
export type { Refusal, RefusalError, RefusalOf, Refusals, RefusingDefinition } from "./Refusals.ts"
export type * from "./ToolClass.ts"

/** The type that the compiler shows if the class is missing in `GuardedTool.Service<MyTool>()("my_tool", …)`. */
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
    RA = never,
    const Id extends string = Name,
    const Refs extends ReadonlyArray<Refusal> = []
  >(
    name: Name,
    definition: Definition<P, S, A, Verdicts, Idem, Rec, Fs, SalNext, SalNarrow, RA, Id> &
      RefusingDefinition<Refs> & {
        readonly retry?: RetryOf<A, Idem, Rec>
      }
  ): ToolClass<
    Self,
    Name,
    P,
    S,
    | FailureOf<Verdicts[keyof Verdicts], SalNext, SalNarrow, S["Type"], P["Encoded"]>
    | RefusalOf<Refs[number]>
    | ErrorOf<Fs[number]>,
    RequirementsOf<Fs[number] | Rec> | RA,
    RetrySafe<A, Idem, Rec>,
    A,
    Id
  >
}

/**
 * Defines a tool as a service:
 * `class SearchOrders extends GuardedTool.Service<SearchOrders>()("search_orders", {…}) {}`.
 *
 * **Details**
 *
 * - The name is snake_case, verb first. The same schema validates the arguments, is advertised to the model, and types
 *   the call.
 * - Throws a `ContractError` with the path and a remedy if the parameters cannot be advertised exactly as they decode,
 *   and a `RangeError` if the definition violates a rule that the compiler cannot check: name, description, times,
 *   salvage, refusals, fallbacks.
 */
// the cast adds `MissingSelf`, which reports a missing type argument
export const Service: <Self = never>() => [Self] extends [never] ? MissingSelf : Define<Self> = (() => define) as never

const keySchema = {
  type: "string",
  minLength: 16,
  maxLength: 200,
  description: "Optional. Identifies one action: send the same key again for the same action."
}

/** Creates the class of a tool. `Define` types the arguments and the result. */
const define = (name: string, input: PolicyInput): unknown => {
  const definition = checked(ToolProperties.resolve(name, input))
  const optional = definition.idempotency.mode === "key" ? { [keyField]: keySchema } : {}
  return ToolService.make({
    definition,
    contract: Contract.makeUnsafe(name, definition.parameters, { optional }),
    rules: checked,
    kind: "class",
    site: DefinitionSite.of(define)
  })
}
