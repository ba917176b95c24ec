/**
 * Puts tools of a framework behind a guard, without changing their schemas and functions.
 *
 * **Details**
 *
 * - A tool's function returns the value, even if it is text. With `success` in the policy, text is the JSON of the value.
 *   A `Response` of `fetch` is read by the guard.
 * - Other values are read in their JSON form, as the frameworks send them: a `Date` is text, and `undefined` is null.
 */
import type { Access } from "#domain/tool/Access"
import * as Approval from "#domain/tool/Approval"
import { isJsonObject } from "#domain/json/JsonObject"
import type { Level } from "#domain/tool/EscalationPolicy"
import * as FieldKind from "#domain/tool/FieldKind"
import type { PolicyInput } from "#domain/tool/PolicyInput"
import { isStandard, type ToolSchema } from "#domain/schema/foreign/StandardContract"
import type { CheckContext } from "#domain/tool/ToolDefinition"
import type { Verdict } from "#domain/tool/Verdict"
import { createGuard, type GuardOptions, type HostedTool, type PromiseGuard } from "#src/promise/PromiseGuard"
import { type CallContext, type PromiseDefinition, type PromiseTool, tool } from "#src/promise/PromiseTool"
import type * as JsonSchema from "effect/JsonSchema"
import type { StandardSchemaV1 } from "effect/StandardSchema"

/** The policy of a tool of a framework. */
export interface ExistingPolicy<Arguments = unknown, Data = unknown> extends PolicyInput {
  /** `read` changes nothing; `destructive` asks a person before it runs, unless `approval` says otherwise. */
  readonly access: Access
  /** Identifies the tool outside the process. Default: its name. */
  readonly id?: string
  /** The JSON Schema of the arguments, if the library of the tool's schema cannot print one. */
  readonly jsonSchema?: JsonSchema.JsonSchema
  /** The schema of the result. Text that the tool returns is then the JSON of the result. Default: the tool's own. */
  readonly success?: ToolSchema
  /** Replaces what the tool says about its approval. */
  readonly approval?: Level | ((args: Arguments, host: unknown) => Approval.Approval | Promise<Approval.Approval>)
  /** `derived`: the guard computes the key of a write. Default `none`. */
  readonly idempotency?: "none" | "derived" | { readonly mode: "derived"; readonly upstreamHonoursKey?: boolean }
  readonly checks?: Readonly<Record<string, (result: Data, context: CheckContext<Arguments, Data>) => Verdict>>
}

/** The options of the guard of existing tools. `tools` are further tools, such as `readResult`. Default: none. */
export interface ExistingOptions<Tools extends HostedTool = never> extends Omit<GuardOptions, "tools"> {
  readonly tools?: ReadonlyArray<Tools>
}

/** A tool of a framework, as its adapter reads it. */
export interface ExistingTool {
  readonly name: string
  readonly description: string
  readonly parameters: ToolSchema | undefined
  /** The schema of the result, if the tool has one. */
  readonly success?: ToolSchema | undefined
  /** Whether a person must approve a call. If it says nothing (`undefined`), the access of the tool decides. */
  readonly needsApproval?: boolean | ((args: unknown, host: unknown) => unknown) | undefined
  /** Why the tool cannot be guarded, and what to do; undefined if it can. */
  readonly fault?: string | undefined
  readonly execute: (args: unknown, context: CallContext) => unknown
}

/**
 * Creates the guard of existing tools. Throws a `RangeError` that names all tools without a policy, policies without a
 * tool, and tools that cannot be guarded, or the first policy that is unsafe.
 */
export const guard = <Tools extends HostedTool>(
  existing: ReadonlyArray<ExistingTool>,
  policies: Readonly<Record<string, ExistingPolicy<never, never> | undefined>>,
  { tools = [], ...options }: ExistingOptions<Tools> = {}
): PromiseGuard => {
  if (!isJsonObject(policies)) {
    throw new RangeError(
      `The policies are ${FieldKind.shown(policies)}: write an object with policies by name, such as { search: { access: "read" } }.`
    )
  }
  const names = new Set(existing.map(({ name }) => name))
  const faults = [
    ...Object.keys(policies).flatMap((name) => (names.has(name) ? [] : [`There is no tool named "${name}".`])),
    ...existing.flatMap(({ fault, name }) =>
      faultOf(name, fault, Object.hasOwn(policies, name) ? policies[name] : undefined)
    )
  ]
  if (faults.length > 0) throw new RangeError(faults.join(" "))
  return createGuard<HostedTool>({
    ...options,
    // `faultOf` has found the policy of each
    tools: [...existing.map((each) => guarded(each, policies[each.name] as ExistingPolicy)), ...tools]
  })
}

const faultOf = (name: string, fault: string | undefined, policy: unknown): ReadonlyArray<string> => {
  if (fault !== undefined) return [`"${name}" ${fault}`]
  // untyped programs can pass any value
  if (policy !== undefined && !isJsonObject(policy))
    return [`The policy of "${name}" is ${FieldKind.shown(policy)}: write { ${name}: { access: "read" } }.`]
  if (policy?.["access"] !== undefined) return []
  return [`The access of "${name}" is unknown: set { ${name}: { access: "read" } }, or "write" or "destructive".`]
}

const guarded = (
  { description, execute, name, needsApproval, parameters, success }: ExistingTool,
  { jsonSchema, ...policy }: ExistingPolicy
): PromiseTool => {
  const approval = policy.approval ?? approvalOf(`${name}: ${description}`, policy.access, needsApproval)
  const result = policy.success ?? success
  const isText = policy.success !== undefined
  const definition = {
    ...policy,
    ...(approval === undefined ? {} : { approval }),
    ...(parameters === undefined ? {} : { parameters }),
    ...(jsonSchema === undefined ? {} : { jsonSchema }),
    ...(result === undefined ? {} : { success: result }),
    name,
    description,
    execute: async (args: unknown, context: CallContext) => answerOf(await last(await execute(args, context)), isText)
  }
  // the types of arguments and result are those of the framework's tool
  return tool(definition as PromiseDefinition<ToolSchema, ToolSchema> & { readonly name: string })
}

/**
 * Returns a schema that validates as the given one, and returns the arguments as the model wrote them: a framework whose
 * tools validate their arguments themselves transforms them there.
 */
export const untransformed = (schema: ToolSchema): ToolSchema => {
  if (!isStandard(schema)) return schema
  const props = schema["~standard"]
  const kept = (value: unknown, result: StandardSchemaV1.Result<unknown>) =>
    result.issues === undefined ? { value } : result
  return {
    "~standard": {
      ...props,
      validate: (value) => {
        const result = props.validate(value)
        return result instanceof Promise ? result.then((each) => kept(value, each)) : kept(value, result)
      }
    }
  }
}

/** Converts what a tool says about its approval. A function that fails asks a person. */
const approvalOf = (
  sentence: string,
  access: Access,
  needsApproval: ExistingTool["needsApproval"]
): ExistingPolicy["approval"] => {
  if (typeof needsApproval !== "function") return needsApproval === true ? "confirm" : undefined
  return async (args, host) => {
    const isNeeded = (await needsApproval(args, host)) ?? access === "destructive"
    return isNeeded === false ? Approval.auto : Approval.confirm(sentence)
  }
}

/** Returns the last value of a stream of values, as the frameworks do. */
const last = async (value: unknown): Promise<unknown> => {
  if (typeof value !== "object" || value === null || !(Symbol.asyncIterator in value)) return value
  let final: unknown
  // the check above has found the iterator
  for await (const each of value as AsyncIterable<unknown>) final = each
  return final
}

/** Returns the answer of a guarded tool: the JSON text of a value. */
const answerOf = (value: unknown, isText: boolean): string | Response =>
  value instanceof Response || (isText && typeof value === "string") ? value : (JSON.stringify(value) ?? "null")
