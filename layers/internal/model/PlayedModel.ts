/**
 * A `LanguageModel` that plays prepared answers: the common part of `ScriptedModel` and `RecordedModel`.
 *
 * A streaming request gets the same answer, with each text and the arguments of each call in one piece.
 */
import type * as AiError from "effect/ai/AiError"
import * as LanguageModel from "effect/ai/LanguageModel"
import type * as Response from "effect/ai/Response"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import * as ModelResponse from "#domain/transcript/ModelResponse"
import * as CallArguments from "#domain/transcript/CallArguments"

/** Returns the answer to a request. Requests are numbered from 0. */
export type Play = (
  request: LanguageModel.ProviderOptions,
  index: number
) => Effect.Effect<ReadonlyArray<Response.PartEncoded>, AiError.AiError>

const textOf = ({ metadata = {}, params }: Response.ToolCallPartEncoded): string =>
  CallArguments.write({ params, options: metadata })

/** Creates the model. */
export const make = (play: Play): Effect.Effect<LanguageModel.LanguageModel> =>
  Effect.suspend(() => {
    let requests = 0
    const next = (request: LanguageModel.ProviderOptions) => Effect.suspend(() => play(request, requests++))
    return LanguageModel.make({
      supportsSystemMessagesInHistory: Effect.succeed(true),
      generateText: (request) => Effect.map(next(request), (parts) => [...parts]),
      streamText: (request) =>
        Stream.fromIterableEffect(Effect.map(next(request), (parts) => ModelResponse.toStream(parts, textOf)))
    })
  })
