/** [4.16] Writes the envelope: the one form in which a model reads every outcome. */
import * as Envelope from "#domain/envelope/Envelope"
import * as Effect from "effect/Effect"
import type { CompiledTool } from "#pipeline/call/CompiledTool"
import type { ModelStage, Reading } from "#pipeline/call/ModelStage"

export const render: ModelStage = {
  name: "render",
  make: Effect.succeed((tool) => (reading) => ({
    ...reading,
    ...Envelope.render(reading.outcome, {
      access: tool.definition.access,
      encode: reading.encode,
      json: reading.json,
      kept: reading.kept,
      lookup: lookupOf(tool, reading),
      maxResultBytes: reading.maxResultBytes,
      parts: reading.notes,
      tool: reading.name,
      traceId: reading.traceId
    })
  }))
}

/** Returns the name of the tool's lookup, if the model has that tool. */
const lookupOf = ({ definition: { reconcile } }: CompiledTool, { tools }: Reading): string | undefined =>
  reconcile !== undefined && tools.has(reconcile.tool.toolName) ? reconcile.tool.toolName : undefined
