/**
 * Defines tools that are known only at run time, such as those of an MCP server or an OpenAPI document.
 *
 * A dynamic tool has its own JSON Schemas and handler. Otherwise it is like any guarded tool: it supports policies,
 * pipes, and a layer that replaces the handler in a test.
 */
import type { Access, AccessBy } from "#domain/tool/Access"
import type { Failure } from "#domain/failure/Failure"
import * as ForeignContract from "#domain/schema/foreign/ForeignContract"
import * as ForeignSchema from "#domain/schema/foreign/ForeignSchema"
import type { PolicyInput } from "#domain/tool/PolicyInput"
import type { Check } from "#domain/tool/ToolDefinition"
import { implementation } from "#pipeline/call/ToolCompiler"
import type { Implementation } from "#pipeline/call/CompiledTool"
import * as Context from "effect/Context"
import type * as JsonSchema from "effect/JsonSchema"
import type * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type { Definition, PollInput } from "./Definition.ts"
import * as DefinitionShape from "./DefinitionShape.ts"
import { checkedPolicy } from "./DefinitionRules.ts"
import type { Refusal, RefusalOf, RefusingDefinition } from "./Refusals.ts"
import * as ToolProperties from "./ToolProperties.ts"
import type { Guard } from "#src/guard/Guard"
import type { Codec, Handler, ToolClass } from "./ToolClass.ts"
import * as ToolService from "./ToolService.ts"

type Fields = Definition<Codec, Codec, Access, {}, undefined, undefined, [], never, never, never>

/** Describes a dynamic tool. */
export interface DynamicDefinition<EH, RH, Refs extends ReadonlyArray<Refusal> = []>
  extends PolicyInput, Pick<Fields, "access" | "approval">, RefusingDefinition<Refs> {
  /**
   * Identifies the tool outside the process. Default: its name. Dynamic tools with the same id share their stored
   * state.
   */
  readonly id?: string | undefined
  /**
   * Who states `access`. With `server` (hints, an HTTP method, or no statement at all), the calls of a destructive tool
   * get the approval level of a destructive tool, but its errors are answered like those of a write. Default `owner`.
   */
  readonly accessBy?: AccessBy | undefined
  /** The description from the tool's server, which can be empty. */
  readonly description?: string | undefined
  /**
   * The JSON Schema of the arguments, of any draft. Default: any object. Constraints that cannot be checked are listed
   * in `unchecked`.
   */
  readonly parameters?: JsonSchema.JsonSchema | undefined
  /**
   * The schema of results: a JSON Schema or a codec. Default: any JSON. With `Schema.String`, text is the value itself.
   */
  readonly success?: JsonSchema.JsonSchema | Codec | undefined
  /** `derived`: the guard computes the key of a write. Default `none`. */
  readonly idempotency?: "none" | "derived" | { readonly mode: "derived"; readonly upstreamHonoursKey?: boolean }
  /**
   * How the tool is polled. Default: a read is a poll while its result is the status of unfinished work [7.2]. `false`:
   * the tool is not a poll.
   */
  readonly poll?: PollInput<unknown> | false
  /** Checks of results, by name. `Recognisers` contains ready-made checks. */
  readonly checks?: Readonly<Record<string, Check["run"]>>
  /**
   * Implements the tool. The handler receives the validated arguments, and may fail with any error, which the guard
   * classifies.
   */
  readonly handler: Handler<unknown, unknown, EH, RH>
}

declare const Replaced: unique symbol

/**
 * The service that a layer of a dynamic tool provides. Calls do not require it, because the tool has its own handler.
 */
export interface Replacement<Name extends string> {
  readonly [Replaced]: Name
}

/** A constraint of a tool's schemas that is not checked. */
export interface UncheckedConstraint extends ForeignSchema.UncheckedConstraint {
  /** The schema that `pointer` leads into. */
  readonly of: "arguments" | "result"
}

/** A tool whose types are known only at run time. */
export interface DynamicTool<Name extends string = string, R = never, Refused = never> extends ToolClass<
  Replacement<Name>,
  Name,
  Codec,
  Codec,
  Failure | Refused,
  R,
  // `checkedPolicy` checks at run time whether the tool may be retried
  true
> {
  call(args: unknown): Effect.Effect<unknown, Failure | Refused, R | Guard>
  /** Constraints of its JSON Schemas that are not checked. */
  readonly unchecked: ReadonlyArray<UncheckedConstraint>
}

/**
 * Creates a guarded tool from JSON Schemas and a handler. Name and description are used unchanged.
 *
 * Throws a `RangeError` if a policy is unsafe (retries of a write without idempotency) or contradicts itself.
 */
export const dynamic = <
  const Name extends string,
  EH = never,
  RH = never,
  const Refs extends ReadonlyArray<Refusal> = []
>(
  name: Name,
  fields: DynamicDefinition<EH, RH, Refs>
): DynamicTool<Name, RH, RefusalOf<Refs[number]>> => {
  DefinitionShape.checkDynamic(name, fields)
  const { handler, parameters, success, ...input } = fields
  return ofSchemas(name, input, { contract: ForeignContract.make(parameters), result: resultOf(success), handler })
}

/** The compiled schemas of a tool, and its handler. */
interface ToolParts<EH, RH> {
  readonly contract: ForeignContract.ForeignContract
  readonly result: Pick<ForeignSchema.ForeignSchema, "schema" | "unchecked">
  readonly handler: Handler<unknown, unknown, EH, RH>
}

/** Creates a dynamic tool from compiled schemas. `input` has the other fields of its definition. */
export const ofSchemas = <Name extends string, EH, RH, Refs extends ReadonlyArray<Refusal> = []>(
  name: Name,
  input: Omit<DynamicDefinition<EH, RH, Refs>, "handler" | "parameters" | "success">,
  { contract, handler, result }: ToolParts<EH, RH>
): DynamicTool<Name, RH, RefusalOf<Refs[number]>> => {
  const definition = checkedPolicy({
    ...ToolProperties.resolve(name, {
      ...input,
      parameters: contract.schema,
      success: result.schema
      // `resolve` reads the other fields too
    } as PolicyInput),
    description: input.description ?? ""
  })
  // the contract has typed the arguments; the handler takes them as `unknown`
  const own = implementation(handler as Implementation["handler"], Context.empty())
  const tool = ToolService.make({ definition, contract, rules: checkedPolicy, kind: "dynamic" }, () => own)
  const unchecked = [
    ...contract.unchecked.map((each) => ({ ...each, of: "arguments" as const })),
    ...result.unchecked.map((each) => ({ ...each, of: "result" as const }))
  ]
  // the class has the members of a tool, which `make` does not type
  return Object.assign(tool as DynamicTool<Name, RH, RefusalOf<Refs[number]>>, { unchecked })
}

const resultOf = (
  success: JsonSchema.JsonSchema | Codec = Schema.Json
): Pick<ForeignSchema.ForeignSchema, "schema" | "unchecked"> =>
  // a schema in this position is a codec, as the type of `success` says
  Schema.isSchema(success) ? { schema: success as Codec, unchecked: [] } : ForeignSchema.compile(success)
