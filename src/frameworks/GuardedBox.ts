/**
 * What the adapters of the frameworks share: the tools of a toolbox as promises, with their advertised schemas and typed
 * envelopes.
 */
import type { Envelope } from "#domain/envelope/Envelope"
import type { ModelAnswer } from "#pipeline/ModelCall"
import type { Guard } from "#src/guard/Guard"
import * as PromiseHost from "#src/promise/PromiseHost"
import type { PromiseTool } from "#src/promise/PromiseTool"
import type { AnyTool, ArgumentsOf, RequirementsOf } from "#src/tool/ToolClass"
import type { Toolbox } from "#src/tool/Toolbox"
import * as Tool from "effect/ai/Tool"
import type * as JsonSchema from "effect/JsonSchema"
import type * as Schema from "effect/Schema"
import type { StandardJSONSchemaV1, StandardSchemaV1 } from "effect/StandardSchema"

/**
 * The tools of an adapter: the value of `createGuard`, or a toolbox and the runtime of its layers. The runtime has the
 * guard and the services that the tools require.
 */
export type Source<Tools extends AnyTool> =
  | readonly [guard: PromiseHost.PromiseHost & { readonly toolbox: Toolbox<Tools> }]
  | readonly [runtime: PromiseHost.HostRuntime<Guard | RequirementsOf<Tools>>, box: Toolbox<Tools>]

/** The JSON of a tool's result. */
export type DataOf<T> =
  T extends PromiseTool<never, infer Data>
    ? Data
    : T extends { readonly success: infer S extends Schema.Top }
      ? S["Encoded"]
      : unknown

/** The JSON of a tool's arguments. */
export type JsonArgumentsOf<T> =
  T extends PromiseTool<infer Encoded> ? Encoded : T extends AnyTool ? ArgumentsOf<T> : unknown

/** A tool as an adapter describes it to its framework. */
export interface BoxTool {
  readonly name: string
  readonly description: string
  /** The closed JSON Schema of the arguments. */
  readonly jsonSchema: JsonSchema.JsonSchema
}

/** The calls of a toolbox, and its tools. */
interface GuardedBox extends PromiseHost.PromiseHost {
  readonly tools: ReadonlyArray<BoxTool>
}

/** Returns the calls and the tools of a source. */
export const make = <Tools extends AnyTool>(source: Source<Tools>): GuardedBox => {
  const box = source.length === 1 ? source[0].toolbox : source[1]
  const host = source.length === 1 ? source[0] : PromiseHost.make(...source)
  return {
    answer: host.answer,
    answerAll: host.answerAll,
    turn: host.turn,
    tools: [...box.tools.values()].map(({ ai, jsonSchema, toolName }) => ({
      name: toolName,
      description: Tool.getDescription(ai) ?? "",
      jsonSchema
    }))
  }
}

/** A schema that accepts every value and advertises a JSON Schema, so that only the guard checks the arguments. */
export interface AdvertisedSchema<Arguments>
  extends StandardSchemaV1<unknown, Arguments>, StandardJSONSchemaV1<unknown, Arguments> {
  readonly "~standard": StandardSchemaV1.Props<unknown, Arguments> & StandardJSONSchemaV1.Props<unknown, Arguments>
}

/** Returns the schema that advertises a tool's arguments. Frameworks may change the copy of it that they receive. */
export const advertised = <Arguments>({ jsonSchema }: BoxTool): AdvertisedSchema<Arguments> => {
  const print = () => structuredClone(jsonSchema) as Record<string, unknown> // a JSON Schema is an object
  return {
    "~standard": {
      version: 1,
      vendor: "effect-toolguard",
      // the guard checks the arguments
      validate: (value) => ({ value: value as Arguments }),
      jsonSchema: { input: print, output: print }
    }
  }
}

/** Returns the envelope of an answer as a value. */
export const envelopeOf = ({ text }: ModelAnswer): Envelope => JSON.parse(text) as Envelope // the guard has written it
