/** The type of a tool class: a service with its typed call and its layers. */
import type { Access } from "#domain/tool/Access"
import type { WithParts } from "#domain/parts/Part"
import type { HandlerContext } from "#pipeline/call/CompiledTool"
import type * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { HttpClientResponse } from "effect/http/HttpClientResponse"
import type * as JsonSchema from "effect/JsonSchema"
import type * as Layer from "effect/Layer"
import type * as Schema from "effect/Schema"
import type * as Scope from "effect/Scope"
import type * as Stream from "effect/Stream"
import type * as Tool from "effect/ai/Tool"
import type { Guard } from "#src/guard/Guard"

// oxlint-disable-next-line typescript/no-explicit-any -- any codec: because of variance `unknown` is too narrow
export type Codec = Schema.Codec<any, any, never, never>

declare const Run: unique symbol

/** The service that a tool's layer provides. Opaque: only the guard runs it. */
export interface Implementation<P extends Codec> {
  readonly [Run]: (args: P["Type"], context: HandlerContext) => Effect.Effect<unknown, unknown>
}

/** An answer of a handler: the value, its encoded JSON as text or bytes, an HTTP response, or a byte stream. */
export type HandlerAnswer<Data, E> = Data | string | Uint8Array | HttpClientResponse | Stream.Stream<Uint8Array, E>

/**
 * Implements a tool: receives decoded arguments and returns an answer, optionally with images or files
 * (`GuardedTool.withParts`). A handler may fail with any error, which the guard classifies.
 */
export type Handler<Arguments, Data, E, R> = (
  args: Arguments,
  context: HandlerContext
) => Effect.Effect<HandlerAnswer<Data, E> | WithParts<HandlerAnswer<Data, E>>, E, R>

/** Refuses handlers that fail with a verdict, because only checks return verdicts. */
export type NoVerdict<E> = [Extract<E, { readonly _tag: "PartialData" | "SemanticGarbage" }>] extends [never]
  ? unknown
  : "A handler must not fail with PartialData or SemanticGarbage: a check returns these verdicts on the decoded result."

/** The effect/ai `Tool` of a guarded tool: arguments reach the guard undecoded, results are envelopes. */
export type AiTool<Name extends string, P extends Codec> = Tool.Tool<
  Name,
  {
    readonly parameters: P
    readonly success: typeof Schema.Json
    readonly failure: typeof Schema.Json
    readonly failureMode: "return"
  }
>

export interface ToolClass<
  Self,
  Name extends string,
  P extends Codec,
  S extends Codec,
  E,
  R = never,
  Safe extends boolean = boolean,
  A extends Access = Access,
  Id extends string = Name
> extends Context.Service<Self, Implementation<P>> {
  new (_: never): Context.ServiceClass.Shape<`effect-toolguard/${Id}`, Implementation<P>>
  /** The name that a model calls. */
  readonly toolName: Name
  /** Identifies the tool in keys, circuits, quotas, approvals and records. */
  readonly toolId: Id
  readonly description: string
  readonly access: A
  readonly retrySafe: Safe
  readonly parameters: P
  readonly success: S
  /** The closed JSON Schema of the arguments, draft-07, as it is sent to the model. */
  readonly jsonSchema: JsonSchema.JsonSchema
  /** The failures of a call, as a codec. */
  readonly failureSchema: Schema.Codec<E, unknown>
  /** Calls the tool through the guard. The arguments are encoded, as a model sends them. */
  call(args: P["Encoded"]): Effect.Effect<S["Type"], E, Self | R | Guard>
  /** Returns a layer with the implementation: a handler, or an Effect that builds a handler once. */
  layer<EH, RH = never, EB = never, RB = never>(
    handler: (Handler<P["Type"], S["Type"], EH, RH> | Effect.Effect<Handler<P["Type"], S["Type"], EH, RH>, EB, RB>) &
      NoVerdict<EH>
  ): Layer.Layer<Self, EB, Exclude<RB | RH, Scope.Scope>>
  /** Returns a layer with an implementation for tests, without requirements. */
  layerTest<EH>(handler: Handler<P["Type"], S["Type"], EH, never> & NoVerdict<EH>): Layer.Layer<Self>
  /**
   * Builds an expensive layer once, on the first call. If the build fails, the call fails and the next call builds
   * again.
   */
  layerLazy<EB, RB>(layer: Layer.Layer<Self, EB, RB>): Layer.Layer<Self, never, RB>
  readonly ai: AiTool<Name, P>
}

// oxlint-disable-next-line typescript/no-explicit-any -- any tool class: because of variance `unknown` is too narrow
export type AnyTool = ToolClass<any, any, any, any, any, any, any, any>

export type ArgumentsOf<T> = T extends { readonly parameters: infer P extends Codec } ? P["Encoded"] : never
export type SuccessOf<T> = T extends { readonly success: infer S extends Codec } ? S["Type"] : never
export type ErrorOf<T> = T extends { call(args: never): Effect.Effect<unknown, infer E, unknown> } ? E : never
/** The requirements of a call besides the guard: the services of the tool, its fallbacks and its lookup. */
export type RequirementsOf<T> = T extends { call(args: never): Effect.Effect<unknown, unknown, infer R> }
  ? Exclude<R, Guard>
  : never
