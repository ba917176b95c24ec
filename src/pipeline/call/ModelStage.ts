/** A stage between the outcome and the model: prepares the outcome for the model. */
import type { StoredResult, ContentKind } from "#domain/envelope/Envelope"
import type { Outcome } from "#domain/call/Outcome"
import type { PartNote, ShownPart } from "#domain/parts/ShownPart"
import type { ToolReference } from "#domain/tool/ToolDefinition"
import type { Turn } from "#domain/turn/Turn"
import type * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { CompiledTool } from "./CompiledTool.ts"
import type { GuardPolicies } from "./GuardPolicies.ts"

/** The largest result that the model reads whole, in bytes of UTF-8: 10 KB [2.9]. */
export const maxResultBytes = 10_240

/** An outcome that is being prepared for the model. */
export interface Reading {
  readonly outcome: Outcome
  /** The name that was called. */
  readonly name: string
  readonly traceId: string
  readonly turn: Turn | undefined
  /** The caller's context. */
  readonly context: Context.Context<never>
  /** The policies of the guard's layer. `policyOf` combines them with the policies of `context`. */
  readonly guardPolicies: GuardPolicies
  /** The tools that the model has. */
  readonly tools: ReadonlyMap<string, ToolReference>
  /** The arguments as the model sent them. Values that the model wrote itself need not be redacted. */
  readonly input: unknown
  /**
   * True if the result comes from the tool's decoder in this call: it then has no field that `success` does not name.
   */
  readonly isDecoded: boolean
  /** Encodes the decoded result as JSON. */
  readonly encode: (value: unknown) => unknown
  /** The JSON text of the encoded result, if it has already been written. */
  readonly json: string | undefined
  /** The largest result that is shown whole, in bytes of UTF-8. */
  readonly maxResultBytes: number
  /** After `limit`: where a larger result was stored; undefined if nothing stores results. */
  readonly kept: StoredResult | undefined
  /** The parts that accompany the envelope; absent if there are none. */
  readonly parts?: ReadonlyArray<ShownPart>
  /** After `limit`: the envelope's notes about parts that are too large to be shown with it. */
  readonly notes?: ReadonlyArray<PartNote>
  /** After `render`: the text that the model reads. */
  readonly text: string
  /** After `render`: whether the text shows the result, a preview or an error. */
  readonly shows: ContentKind
}

/** Applies a stage to a reading. Only a stage that waits returns an Effect. */
export type ReadingFilter = (reading: Reading) => Reading | Effect.Effect<Reading>

export interface ModelStage<out R = never> {
  readonly name: string
  readonly make: Effect.Effect<(tool: CompiledTool) => ReadingFilter, never, R>
}
