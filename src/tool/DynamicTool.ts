/**
 * Tools that are known only at run time: those of an MCP server, an OpenAPI document, a toolkit of effect/ai.
 *
 * Such a tool brings its JSON Schemas and its handler. Everything else works as for any guarded tool: policies, pipes, a
 * layer that replaces the handler in a test.
 */
import type { Access } from "#domain/tool/Access"
import type { Failure } from "#domain/failure/Failure"
import * as ForeignContract from "#domain/schema/foreign/ForeignContract"
import * as ForeignSchema from "#domain/schema/foreign/ForeignSchema"
import type { Check, PolicyInput } from "#domain/tool/ToolDefinition"
import { implementation } from "#pipeline/call/ToolCompiler"
import type { Implementation } from "#pipeline/call/CompiledTool"
import * as Context from "effect/Context"
import type * as JsonSchema from "effect/JsonSchema"
import type * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type { Definition } from "./Definition.ts"
import { safe } from "./DefinitionRules.ts"
import * as ToolProperties from "./ToolProperties.ts"
import type { Guard } from "#src/guard/Guard"
import type { Codec, Handler, ToolClass } from "./ToolClass.ts"
import * as ToolService from "./ToolService.ts"

type Fields = Definition<Codec, Codec, Access, {}, undefined, undefined, [], never, never, never>

/** Describes a dynamic tool. */
export interface DynamicDefinition<EH, RH> extends PolicyInput, Pick<Fields, "access" | "critical" | "approval"> {
  /** The description from the tool's server; may be empty. */
  readonly description?: string | undefined
  /** JSON Schema of the arguments, any draft. Default: any object. Constraints that cannot be checked are listed in `unchecked`. */
  readonly parameters?: JsonSchema.JsonSchema | undefined
  /** The schema of results: a JSON Schema or a codec. Default: any JSON. With `Schema.String`, text is the value itself. */
  readonly success?: JsonSchema.JsonSchema | Codec | undefined
  /** `derived`: the guard computes the key of a write. Default `none`. */
  readonly idempotency?: "none" | "derived" | { readonly mode: "derived"; readonly upstreamHonoursKey?: boolean }
  /** Checks of results, by name; `Recognisers` has ready-made ones. */
  readonly checks?: Readonly<Record<string, Check["run"]>>
  /** Implements the tool. It receives the checked arguments, and may fail with any error; the guard classifies it. */
  readonly handler: Handler<unknown, unknown, EH, RH>
}

declare const Replaced: unique symbol

/** What a layer of a dynamic tool provides. Nothing requires it: the tool has its own handler. */
export interface Replacement<Name extends string> {
  readonly [Replaced]: Name
}

/** A tool whose types are known only at run time. */
export interface DynamicTool<Name extends string = string, R = never> extends ToolClass<
  Replacement<Name>,
  Name,
  Codec,
  Codec,
  Failure,
  R,
  // whether it may be retried is checked at run time, with a RangeError
  true
> {
  call(args: unknown): Effect.Effect<unknown, Failure, R | Guard>
  /** Constraints of its parameters that are not checked, by JSON pointer. */
  readonly unchecked: ReadonlyArray<ForeignSchema.Unchecked>
}

/**
 * Makes a guarded tool from JSON Schemas and a handler. Names and descriptions are used unchanged.
 *
 * Throws a `RangeError` if a policy is unsafe: retries of a write without idempotency.
 */
export const dynamic = <const Name extends string, EH = never, RH = never>(
  name: Name,
  { handler, parameters, success, ...input }: DynamicDefinition<EH, RH>
): DynamicTool<Name, RH> => {
  const contract = ForeignContract.make(parameters)
  const definition = safe({
    ...ToolProperties.resolve(name, {
      ...input,
      parameters: contract.schema,
      success: codecOf(success)
    } as PolicyInput),
    description: input.description ?? ""
  })
  const own = implementation(handler as Implementation["handler"], Context.empty())
  const tool = ToolService.make({ definition, contract, rules: safe }, () => own)
  return Object.assign(tool as DynamicTool<Name, RH>, { unchecked: contract.unchecked })
}

const codecOf = (success: JsonSchema.JsonSchema | Codec | undefined): Codec => {
  if (success === undefined) return Schema.Json
  return Schema.isSchema(success) ? (success as Codec) : ForeignSchema.compile(success).schema
}
