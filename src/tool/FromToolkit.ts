/**
 * Guards an existing effect/ai toolkit, with its tools, schemas and handlers unchanged.
 *
 * **Details**
 *
 * - The schema of the parameters decodes the arguments in their JSON form, and is advertised and enforced as closed.
 *   `unadvertised` lists constraints that decoding enforces but the advertised schema omits. For a raw JSON Schema,
 *   `unchecked` lists constraints that cannot be checked.
 * - A handler returns the value that `success` describes, even if that value is text. Its errors, declared or not, are
 *   classified; a model reads the fields of a declared failure in the message. The failures that a policy lists as
 *   `refusals` are declared refusals.
 * - `needsApproval` becomes an approval of the guard: `true` always asks, and a function asks if it returns true or
 *   fails. The function receives no call id and no messages.
 * - `access` comes from the policy, or else from `Tool.Readonly` and `Tool.Destructive`.
 *
 * **Gotchas**
 *
 * - A handler's `preliminary` reports and the tool's own `toModelOutput` are ignored: the model reads envelopes.
 * - A host of the toolbox's `toolkit` needs its `handlers`. The toolkit's own handlers are not enough.
 * - effect/ai finds a handler by the tool's name. If two toolkits have a tool with the same name, provide each its
 *   handlers separately, or use `layer` of the guarded tool, which no other tool finds.
 */
import { isJsonObject } from "#domain/json/JsonObject"
import type { Access } from "#domain/tool/Access"
import * as Approval from "#domain/tool/Approval"
import * as Contract from "#domain/schema/Contract"
import type { Level } from "#domain/tool/EscalationPolicy"
import type { Failure } from "#domain/failure/Failure"
import * as FieldKind from "#domain/tool/FieldKind"
import * as ForeignContract from "#domain/schema/foreign/ForeignContract"
import type { UncheckedConstraint } from "#domain/schema/foreign/ForeignSchema"
import type { PolicyInput } from "#domain/tool/PolicyInput"
import type { CheckContext } from "#domain/tool/ToolDefinition"
import type { Verdict } from "#domain/tool/Verdict"
import * as Result from "effect/Result"
import * as Tool from "effect/ai/Tool"
import type * as Toolkit from "effect/ai/Toolkit"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as DefinitionShape from "./DefinitionShape.ts"
import { checkedPolicy } from "./DefinitionRules.ts"
import type { Replacement } from "./DynamicTool.ts"
import type { TagOf } from "./ToolkitFailures.ts"
import * as ToolProperties from "./ToolProperties.ts"
import type { Guard } from "#src/guard/Guard"
import type { AnyTool, Codec, ToolClass } from "./ToolClass.ts"
import * as Toolbox from "./Toolbox.ts"
import * as ToolkitFailures from "./ToolkitFailures.ts"
import * as ToolkitHandler from "./ToolkitHandler.ts"
import * as ToolService from "./ToolService.ts"

/** The policy of a tool of a toolkit. */
export interface ToolkitPolicy<Arguments, Data, Tag extends string = string> extends PolicyInput {
  /** Identifies the tool outside the process. Default: its name. */
  readonly id?: string
  /** Required unless the tool is annotated with `Tool.Readonly` or `Tool.Destructive`. */
  readonly access?: Access
  /** Replaces the tool's `needsApproval`. */
  readonly approval?: Level | ((args: Arguments) => Approval.Approval | Effect.Effect<Approval.Approval, unknown>)
  /** `derived`: the guard computes the key of a write. Default `none`. */
  readonly idempotency?: "none" | "derived" | { readonly mode: "derived"; readonly upstreamHonoursKey?: boolean }
  /**
   * The tags of the tool's failures with which the handler says that it did nothing. These failures are refusals; all
   * other failures are classified. Default: none.
   */
  readonly refusals?: ReadonlyArray<Tag>
  readonly checks?: Readonly<Record<string, (result: Data, context: CheckContext<Arguments, Data>) => Verdict>>
}

/** Policies by tool name. */
export type ToolkitPolicies<Tools extends Record<string, Tool.Any>> = {
  readonly [K in keyof Tools]?: ToolkitPolicy<Tool.Parameters<Tools[K]>, Tool.Success<Tools[K]>, TagOf<Tools[K]>>
}

/** The tags that each policy lists as refusals, by tool name. Refuses a name that is not a tool of the toolkit. */
type ToolkitRefusals<Listed, Tools> = {
  readonly [K in keyof Listed]: { readonly refusals?: Listed[K] } & (K extends keyof Tools
    ? unknown
    : "The toolkit has no tool with this name.")
}

type ListedIn<Listed, K> = K extends keyof Listed
  ? Listed[K] extends ReadonlyArray<infer Tag extends string>
    ? Tag
    : never
  : never

/** A guarded tool of a toolkit, which requires the toolkit's handler. */
export interface ToolkitTool<Name extends string, T extends Tool.Any, Refused extends string = never> extends ToolClass<
  Replacement<Name>,
  Name,
  Schema.Codec<Tool.Parameters<T>, Tool.ParametersEncoded<T>>,
  Schema.Codec<Tool.Success<T>, Tool.SuccessEncoded<T>>,
  Failure | Extract<Tool.Failure<T>, { readonly _tag: Refused }>,
  Tool.Handler<Name> | Tool.Requirements<T>,
  // `checkedPolicy` checks at run time whether the tool may be retried
  true
> {
  call(
    args: Tool.ParametersEncoded<T>
  ): Effect.Effect<
    Tool.Success<T>,
    Failure | Extract<Tool.Failure<T>, { readonly _tag: Refused }>,
    Tool.Handler<Name> | Tool.Requirements<T> | Guard
  >
  /** Constraints of a raw JSON Schema that are not checked, by JSON pointer. */
  readonly unchecked: ReadonlyArray<UncheckedConstraint>
  /** Where the advertised JSON Schema differs from the schema that decodes. */
  readonly unadvertised: ReadonlyArray<Contract.Problem>
}

/** The guarded tools of a toolkit, as a union. */
export type FromToolkit<Tools extends Record<string, Tool.Any>, Listed = {}> = {
  readonly [K in keyof Tools & string]: ToolkitTool<K, Tools[K], ListedIn<Listed, K>>
}[keyof Tools & string]

type SchemaServices<Tools extends Record<string, Tool.Any>> = {
  [K in keyof Tools]: Tool.SchemaServices<Tools[K]>
}[keyof Tools]

/** Refuses schemas that require services, because the guard decodes synchronously. */
type Plain<Tools extends Record<string, Tool.Any>> =
  unknown extends SchemaServices<Tools>
    ? unknown // tools that are known only at run time
    : [SchemaServices<Tools>] extends [never]
      ? unknown
      : "A schema of this toolkit requires services: the guard cannot decode with it."

/**
 * Guards a toolkit: returns a toolbox with the names, types and handlers of its tools.
 *
 * Throws a `RangeError` if a tool's access is unknown, a policy is unsafe, contradicts itself or names an unknown tool,
 * or the provider runs a tool.
 */
export const fromToolkit = <Tools extends Record<string, Tool.Any>, const Listed = {}>(
  toolkit: Toolkit.Toolkit<Tools> & Plain<Tools>,
  policies: ToolkitPolicies<Tools> & ToolkitRefusals<Listed, Tools> = {} as never
): Toolbox.Toolbox<FromToolkit<Tools, Listed>> => {
  if (!isJsonObject(policies)) {
    throw new RangeError(
      `The policies of a toolkit are ${FieldKind.shown(policies)}: write an object with policies by name, such as { search: { access: "read" } }.`
    )
  }
  // the types of the policies depend on the tools, which are not known here
  const byName = policies as Readonly<Record<string, ToolkitPolicy<unknown, unknown> | undefined>>
  const tools: Readonly<Record<string, Tool.Any>> = toolkit.tools
  const faults = [
    ...Object.keys(byName).flatMap((name) =>
      Object.hasOwn(tools, name) ? [] : [`The toolkit has no tool named "${name}".`]
    ),
    ...Object.values(tools).flatMap((tool) => faultsOf(tool, byName[tool.name]))
  ]
  if (faults.length > 0) throw new RangeError(faults.join(" "))
  const make: (...tools: ReadonlyArray<AnyTool>) => unknown = Toolbox.make
  // the type of the toolbox depends on the tools
  return make(...Object.values(tools).map((tool) => guarded(tool, byName[tool.name] ?? {}))) as never
}

const faultsOf = (tool: Tool.Any, policy: ToolkitPolicy<unknown, unknown> | undefined): ReadonlyArray<string> => {
  const { name } = tool
  // untyped programs can pass any value
  if (policy !== undefined && !isJsonObject(policy)) {
    return [
      `The policy of "${name}" is ${FieldKind.shown(policy)}: write { ${name}: { access: "read" } }, or remove it.`
    ]
  }
  if (Tool.isProviderDefined(tool) && !tool.requiresHandler) {
    return [
      `"${name}" is run by the provider, where it cannot be guarded: remove it from this toolkit, and merge it into the toolbox's toolkit.`
    ]
  }
  if ((policy?.access ?? annotated(tool)) !== undefined) return []
  return [`The access of "${name}" is unknown: set { ${name}: { access: "read" } }, or annotate it with Tool.Readonly.`]
}

/** Returns the access that a tool's annotations declare, if any. */
const annotated = ({ annotations }: Tool.Any): Access | undefined => {
  const isReadonly = annotations.mapUnsafe.get(Tool.Readonly.key)
  if (isReadonly === true) return "read"
  const isDestructive = annotations.mapUnsafe.get(Tool.Destructive.key)
  if (isDestructive === undefined) return isReadonly === undefined ? undefined : "destructive"
  return isDestructive === false ? "write" : "destructive"
}

const guarded = (tool: Tool.Any, policy: ToolkitPolicy<unknown, unknown>): AnyTool => {
  DefinitionShape.checkToolkit(tool.name, policy)
  const { contract, schema, unadvertised, unchecked } = contractOf(tool)
  const description = Tool.getDescription(tool) ?? ""
  const definition = checkedPolicy({
    ...ToolProperties.resolve(tool.name, {
      ...policy,
      access: policy.access ?? annotated(tool),
      approval: policy.approval ?? approvalOf(tool, description),
      refusals: ToolkitFailures.refusalsOf(tool, policy.refusals ?? []),
      fieldsOfError: ToolkitFailures.fieldsOf(tool),
      parameters: schema,
      success: tool.successSchema
      // `resolve` reads the other fields too
    } as PolicyInput),
    description
  })
  const provider = "the handlers of its toolkit, `toolkit.toLayer({ … })`"
  const service = ToolService.make(
    { definition, contract, rules: checkedPolicy, kind: "dynamic", provider },
    ToolkitHandler.finding(tool)
  )
  // the class has the members of a tool, which `make` does not type
  return Object.assign(service as AnyTool, { unadvertised, unchecked })
}

interface Parts {
  readonly contract: Contract.Contract
  readonly schema: Codec
  readonly unadvertised: ReadonlyArray<Contract.Problem>
  readonly unchecked: ReadonlyArray<UncheckedConstraint>
}

const contractOf = (tool: Tool.Any): Parts => {
  if (Tool.isDynamic(tool) && tool.jsonSchema !== undefined) {
    const contract = ForeignContract.make(tool.jsonSchema)
    return { contract, schema: contract.schema, unadvertised: [], unchecked: contract.unchecked }
  }
  // `Plain` has refused schemas with services, so the others are codecs
  const parameters = tool.parametersSchema as unknown as Codec
  const schema: Codec = tool.parametersSchema === Tool.EmptyParams ? Schema.Struct({}) : parameters
  const exact = Contract.make(tool.name, schema)
  if (Result.isSuccess(exact)) return { contract: exact.success, schema, unadvertised: [], unchecked: [] }
  const { contract, problems } = Contract.lenient(schema)
  return { contract, schema, unadvertised: problems, unchecked: [] }
}

/** Converts the tool's `needsApproval` to an approval of the guard, which asks a person if it fails. */
const approvalOf = ({ name, needsApproval }: Tool.Any, description: string) => {
  if (typeof needsApproval !== "function") return needsApproval === true ? "confirm" : undefined
  const approval = (isNeeded: boolean) => (isNeeded ? Approval.confirm(`${name}: ${description}`) : Approval.auto)
  return (args: unknown) => {
    const needed = needsApproval(args, { toolCallId: "", messages: [] })
    return Effect.isEffect(needed) ? Effect.map(needed, approval) : approval(needed)
  }
}
