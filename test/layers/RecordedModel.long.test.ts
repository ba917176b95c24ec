/** Plays recorded traffic as a model. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { LanguageModel, Prompt, type Response } from "effect/ai"
import * as Transcript from "#domain/transcript/Transcript"
import * as RecordedModel from "#layers/RecordedModel"
import { recordedData } from "../support/data.ts"
import { needs } from "../support/prerequisites.ts"
import { recordingsOf } from "../support/recordings.ts"

const next = Effect.map(
  LanguageModel.generateText({ prompt: "next", disableToolCallResolution: true, toolCallValidation: "deferred" }),
  ({ content }) => content as ReadonlyArray<Response.AnyPart>
)

describe("RecordedModel", needs(recordedData), () => {
  it.effect("9.2 plays every answer of twenty recorded conversations", () =>
    Effect.gen(function* () {
      for (const recording of recordingsOf("tau2-airline").slice(0, 20)) {
        const answers = Transcript.toOpenAi(Transcript.fromOpenAi(recording.messages)).filter(
          ({ role }) => role === "assistant"
        )
        const model = yield* RecordedModel.make(recording)
        for (const answer of answers) {
          const parts = yield* Effect.provideService(next, LanguageModel.LanguageModel, model)
          assert.deepStrictEqual(Transcript.toOpenAi(Prompt.fromResponseParts(parts)), [answer])
        }
      }
    })
  )
})
