/**
 * Defines guarded tools for programs without Effect: the schema of any library, and a function that returns a promise.
 *
 * **Details**
 *
 * - `parameters` and `success` are Standard Schemas or JSON Schemas: see `StandardContract`.
 * - `execute` may return the value, its JSON as text or bytes, a byte stream, or a `Response` of `fetch` without reading
 *   it: the guard then reads its status, its headers and its body.
 * - Whatever `execute` throws is classified. `nothingDone`, `done` and `unknown`, around the thrown error, say what a
 *   write has changed.
 */
import type { Access } from "#domain/tool/Access"
import type { Approval } from "#domain/tool/Approval"
import type { Level } from "#domain/tool/EscalationPolicy"
import type { WithParts } from "#domain/parts/Part"
import type { PolicyInput } from "#domain/tool/PolicyInput"
import * as StandardContract from "#domain/schema/foreign/StandardContract"
import type { CheckContext } from "#domain/tool/ToolDefinition"
import type { Verdict } from "#domain/tool/Verdict"
import type { HandlerContext } from "#pipeline/call/CompiledTool"
import type { IdempotencyInput, PollInput } from "#src/tool/Definition"
import * as DefinitionShape from "#src/tool/DefinitionShape"
import { type DynamicTool, ofSchemas } from "#src/tool/DynamicTool"
import * as Effect from "effect/Effect"
import type * as JsonSchema from "effect/JsonSchema"
import * as Result from "effect/Result"
import type { StandardSchemaV1 } from "effect/StandardSchema"
import { HostValue } from "./HostValue.ts"
import * as Rejection from "./Rejection.ts"

export type { ToolSchema } from "#domain/schema/foreign/StandardContract"

type ToolSchema = StandardContract.ToolSchema

/** The arguments that `execute` receives: the output of a Standard Schema; `unknown` for a JSON Schema. */
export type ArgumentsOf<P> = P extends StandardSchemaV1 ? StandardSchemaV1.InferOutput<P> : unknown

/** The value that `execute` returns: the input of a Standard Schema; `unknown` without one. */
export type ResultOf<S> = S extends StandardSchemaV1 ? StandardSchemaV1.InferInput<S> : unknown

/** The forms in which `execute` may return a value. */
export type PromiseAnswer<Data> = Data | string | Uint8Array | Response

/** The details of a call that `execute` receives. */
export interface CallContext extends Omit<HandlerContext, "ensureLease"> {
  /**
   * Checks that the call may still act, and renews the claim on its key. Await it directly before each effect on the
   * upstream. It rejects if the call must no longer act; let `execute` fail with that error.
   */
  readonly ensureLease: () => Promise<void>
  /** What the host passed with the call (`HostCall.host`): the options or the context of a framework's call. */
  readonly host: unknown
}

/** Describes a tool and its policy. */
export interface PromiseDefinition<P extends ToolSchema, S extends ToolSchema> extends PolicyInput {
  readonly name: string
  /** Identifies the tool outside the process: in keys, circuits, quotas, approvals and records. Default: its name. */
  readonly id?: string
  /** What the tool does, whether it reads or writes, when to use it and when not. */
  readonly description: string
  /** `read` changes nothing; `destructive` asks a person before it runs, unless `approval` says otherwise. */
  readonly access: Access
  /** The schema of the arguments. Default: any object. */
  readonly parameters?: P
  /** The JSON Schema to advertise, if the library of `parameters` cannot print one. */
  readonly jsonSchema?: JsonSchema.JsonSchema
  /** The schema of the result, which is checked, and whose undeclared fields are dropped. Default: any JSON. */
  readonly success?: S
  /**
   * A level, or a function of the arguments and of what the host passed with the call. If the function fails, the level
   * is `confirm`.
   */
  readonly approval?: Level | ((args: ArgumentsOf<P>, host: unknown) => Approval | Promise<Approval>)
  /** Checks of results, by name. `Recognisers` and `Checks` have ready-made ones. */
  readonly checks?: Readonly<
    Record<string, (result: ResultOf<S>, context: CheckContext<ArgumentsOf<P>, ResultOf<S>>) => Verdict>
  >
  /** `derived`: the guard computes the key of a write from its arguments. Default `none`. */
  readonly idempotency?:
    | Extract<IdempotencyInput<never>, "none" | "derived">
    | { readonly mode: "derived"; readonly upstreamHonoursKey?: boolean }
  /** How a read is polled. Default: while its result is the status of unfinished work. `false`: it is not a poll. */
  readonly poll?: PollInput<ResultOf<S>> | false
  readonly execute: (
    args: ArgumentsOf<P>,
    context: CallContext
  ) =>
    | PromiseAnswer<ResultOf<S>>
    | WithParts<PromiseAnswer<ResultOf<S>>>
    | Promise<PromiseAnswer<ResultOf<S>> | WithParts<PromiseAnswer<ResultOf<S>>>>
}

declare const Types: unique symbol

/** A guarded tool. `Encoded` are its arguments as JSON, and `Data` is its result. */
export interface PromiseTool<
  in Encoded = never,
  out Data = unknown,
  out Name extends string = string
> extends DynamicTool {
  readonly toolName: Name
  readonly [Types]?: (args: Encoded) => Data
}

/**
 * Creates a guarded tool.
 *
 * Throws a `RangeError` that names the tool, the field and the remedy if the definition is invalid, if its library cannot
 * print `parameters` as JSON Schema, or if a policy is unsafe, such as retries of a write without idempotency.
 */
export const tool = <
  const Name extends string,
  const P extends ToolSchema = JsonSchema.JsonSchema,
  const S extends ToolSchema = JsonSchema.JsonSchema
>(
  definition: PromiseDefinition<P, S> & { readonly name: Name }
): PromiseTool<P extends StandardSchemaV1 ? StandardSchemaV1.InferInput<P> : object, ResultOf<S>, Name> => {
  const { name, ...fields } = definition
  DefinitionShape.checkPromise(name, fields)
  const { approval, execute, jsonSchema, parameters, success, ...input } = fields
  const contract = Result.getOrThrowWith(
    StandardContract.parametersOf(parameters, jsonSchema),
    (problem) =>
      new RangeError(
        `${name}: \`parameters\` cannot be advertised: ${problem}. Use types that JSON has, or add \`jsonSchema\`.`
      )
  )
  return ofSchemas(
    name,
    // the schemas have typed the arguments of checks and functions, which take them as `unknown`
    { ...(input as object), access: input.access, ...approvalOf(approval as ApprovalInput) },
    { contract, result: StandardContract.resultOf(success), handler: handlerOf(execute as Execute) }
    // the types of arguments and result exist only for the compiler
  ) as never
}

type ApprovalInput = Level | ((args: unknown, host: unknown) => Approval | Promise<Approval>) | undefined
type Execute = (args: unknown, context: CallContext) => unknown

const approvalOf = (approval: ApprovalInput) => {
  if (approval === undefined) return {}
  if (typeof approval === "string") return { approval }
  return {
    approval: (args: unknown) => Effect.flatMap(HostValue, (host) => Rejection.ofPromise(() => approval(args, host)))
  }
}

const handlerOf =
  (execute: Execute) =>
  (args: unknown, { ensureLease, ...context }: HandlerContext): Effect.Effect<unknown, unknown> =>
    Effect.flatMap(HostValue, (host) =>
      Rejection.ofPromise(() => execute(args, { ...context, host, ensureLease: () => Effect.runPromise(ensureLease) }))
    )
