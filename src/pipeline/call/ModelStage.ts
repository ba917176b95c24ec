/** A stage of what the model reads: takes the outcome as it stands and makes it fit to be shown. */
import type { Kept, Shows } from "#domain/envelope/Envelope"
import type { Outcome } from "#domain/call/Outcome"
import type { PartNote, ShownPart } from "#domain/parts/ShownPart"
import type { ToolReference } from "#domain/tool/ToolDefinition"
import type { Turn } from "#domain/turn/Turn"
import type * as Effect from "effect/Effect"
import type { CompiledTool } from "./CompiledTool.ts"

/** Most bytes of a result that the model reads: 10 KB (SPEC 2.9). */
export const maxResultBytes = 10_240

/** An outcome on its way to the model. */
export interface Reading {
  readonly outcome: Outcome
  /** The name that was called. */
  readonly name: string
  readonly traceId: string
  readonly turn: Turn | undefined
  /** The tools that the model has. */
  readonly tools: ReadonlyMap<string, ToolReference>
  /** The arguments as the model sent them: what it wrote itself needs no hiding from it. */
  readonly input: unknown
  /** The result is what the tool's decoder made in this very call: it has no field that `success` does not name. */
  readonly isDecoded: boolean
  /** Turns the decoded result into JSON. */
  readonly encode: (value: unknown) => unknown
  /** The JSON text of what `encode` gives, where it has been written already. */
  readonly json: string | undefined
  /** Most bytes of a result, in UTF-8. */
  readonly maxResultBytes: number
  /** After `limit`: what became of the whole of a result that is larger; absent where nothing keeps it. */
  readonly kept: Kept | undefined
  /** What stands beside the envelope; absent where nothing does. */
  readonly parts?: ReadonlyArray<ShownPart>
  /** After `limit`: what the envelope says of parts that are too large to stand beside it. */
  readonly notes?: ReadonlyArray<PartNote>
  /** After `render`: what the model reads. */
  readonly text: string
  /** After `render`: what the text shows. */
  readonly shows: Shows
}

/** What a stage does to a reading. One that has to wait gives an Effect; all others cost none. */
export type Read = (reading: Reading) => Reading | Effect.Effect<Reading>

export interface ModelStage<out R = never> {
  readonly name: string
  readonly make: Effect.Effect<(tool: CompiledTool) => Read, never, R>
}
