/** A stage of what the model reads: takes the outcome as it stands and makes it fit to be shown. */
import type { Outcome } from "#domain/Outcome"
import type * as Effect from "effect/Effect"
import type { CompiledTool } from "./CompiledTool.ts"

/** An outcome on its way to the model. */
export interface Reading {
  readonly outcome: Outcome
  /** The name that was called. */
  readonly name: string
  readonly traceId: string
  /** The arguments as the model sent them: what it wrote itself needs no hiding from it. */
  readonly input: unknown
  /** Turns the decoded result into JSON. */
  readonly encode: (value: unknown) => unknown
  /** The JSON text of what `encode` gives, where it has been written already. */
  readonly json: string | undefined
  /** Most bytes of a result, in UTF-8. */
  readonly maxResultBytes: number
  /** After `render`: what the model reads. */
  readonly text: string
}

export interface ModelStage<out R = never> {
  readonly name: string
  readonly make: Effect.Effect<(tool: CompiledTool) => (reading: Reading) => Reading, never, R>
}
