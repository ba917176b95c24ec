/** The agent of the benchmarks of durable runs: it saves something in each round, and then answers. */
import * as ScriptedModel from "#layers/ScriptedModel"
import * as GuardedTool from "#src/tool/GuardedTool"
import * as Toolbox from "#src/tool/Toolbox"
import { Effect, Layer, Schema } from "effect"

class Save extends GuardedTool.Service<Save>()("save", {
  description: "Saves. Writes.",
  access: "write",
  parameters: Schema.Struct({ n: Schema.Int }),
  success: Schema.Struct({ id: Schema.String }),
  idempotency: "derived"
}) {}

export const tools = Toolbox.make(Save)

/** Provides the handler, and a model that makes one call in each of a number of rounds. Both answer immediately. */
export const implementationsFor = (rounds: number) =>
  Layer.mergeAll(
    ScriptedModel.layer((prompt) => {
      const n = prompt.content.filter(({ role }) => role === "assistant").length
      return n < rounds ? ScriptedModel.call("save", { n }, `call_${n}`) : "It is done."
    }),
    Save.layerTest(({ n }) => Effect.succeed({ id: `S-${n}` }))
  )
