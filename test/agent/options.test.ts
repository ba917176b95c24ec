/** Tests of options of a run that only plain JavaScript can pass. */
import * as ScriptedModel from "#layers/ScriptedModel"
import * as CheckpointsMemory from "#layers/CheckpointsMemory"
import * as Agent from "#src/agent/Agent"
import { Guard } from "#src/guard/Guard"
import { assert, describe, it } from "@effect/vitest"
import { Cause, Effect, Exit, Layer } from "effect"
import { toolbox } from "./support.ts"

const services = Layer.mergeAll(Guard.layerMemory, ScriptedModel.layer(["Done."]), CheckpointsMemory.layer)

/** Runs what JavaScript passes, and returns the message of the error. */
const messageOf = (run: Effect.Effect<unknown, any, any>) =>
  Effect.map(Effect.exit(Effect.provide(run, services) as Effect.Effect<unknown, unknown>), (exit) =>
    Exit.isFailure(exit) ? Cause.prettyErrors(exit.cause)[0]?.message : "no failure"
  )

describe("a run with options from JavaScript", () => {
  for (const [name, tools] of [
    ["a list", []],
    ["nothing", undefined],
    ["null", null],
    ["a record", { search: {} }]
  ] as const) {
    it.effect(`2.11 with ${name} in place of a toolbox, it fails with a sentence that names \`Toolbox.make\``, () =>
      Effect.gen(function* () {
        const options = { run: "run", prompt: "Go.", tools } as never
        for (const run of [Agent.run(options), Agent.checkpointed(options)]) {
          assert.include(yield* messageOf(run), "`tools` of a run must be a toolbox: `tools: Toolbox.make(")
        }
      })
    )
  }

  it.effect("12.1 without an id, a run with a journal is refused, and the refusal says what an id is", () =>
    Effect.gen(function* () {
      const options = { prompt: "Go.", tools: toolbox([]) } as never
      assert.include(yield* messageOf(Agent.checkpointed(options)), "A run id must be a text of 1 to 200 characters.")
    })
  )
})
