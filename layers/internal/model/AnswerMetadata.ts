/** The model, the time and the token counts of an answer, as both APIs of OpenAI report them. */
import type * as Response from "effect/ai/Response"
import * as DateTime from "effect/DateTime"
import * as Fields from "#domain/json/Fields"

/** The latest time that a date can have, in epoch seconds. */
const latest = 8_640_000_000_000

/** Creates the part with the id, the model and the time of an answer, where the server reports them. */
export const of = (id: unknown, model: unknown, seconds: unknown): Response.ResponseMetadataPartEncoded => {
  const created = Fields.count(seconds)
  return {
    type: "response-metadata",
    id: Fields.string(id) || undefined,
    modelId: Fields.string(model) || undefined,
    timestamp:
      created === undefined || created > latest ? undefined : DateTime.formatIso(DateTime.makeUnsafe(created * 1000))
  }
}

/** Token counts. A count that the server omitted is undefined. */
interface TokenCounts {
  readonly input: number | undefined
  readonly cacheRead: number | undefined
  readonly cacheWrite: number | undefined
  readonly output: number | undefined
  readonly reasoning: number | undefined
}

/** Returns the usage of an answer. Cached tokens are part of the input, and reasoning is part of the output. */
export const usageOf = (counts: TokenCounts): Response.FinishPartEncoded["usage"] => {
  const { cacheRead, cacheWrite, input, output, reasoning } = counts
  return {
    inputTokens: {
      total: input,
      cacheRead,
      cacheWrite,
      uncached: input === undefined ? undefined : Math.max(0, input - (cacheRead ?? 0))
    },
    outputTokens: {
      total: output,
      reasoning,
      text: output === undefined ? undefined : Math.max(0, output - (reasoning ?? 0))
    }
  }
}
