/** Tells a request's span who answered, why the answer ended and what it cost. */
import type * as Response from "effect/ai/Response"
import * as Telemetry from "effect/ai/Telemetry"
import type { Span } from "effect/Tracer"

/** Tells what a part of the answer says of it. */
export const annotate = (span: Span, part: Response.AnyPartEncoded): void => {
  if (part.type === "response-metadata") {
    Telemetry.addGenAIAnnotations(span, { response: { id: part.id, model: part.modelId } })
  } else if (part.type === "finish") {
    const { inputTokens, outputTokens } = part.usage
    Telemetry.addGenAIAnnotations(span, {
      response: { finishReasons: [part.reason] },
      usage: { inputTokens: inputTokens.total, outputTokens: outputTokens.total }
    })
  }
}
