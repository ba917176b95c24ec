/**
 * Asks the client's user for approvals, by elicitation. If the client does not support elicitation, the existing
 * `Escalation` asks.
 *
 * Only an explicit yes is an approval: the user accepts the form with `approve` set. With only an `answer`, the model
 * reads this answer instead of a result. A dismissed form decides nothing.
 */
import { answerIn, longestAnswer } from "effect-toolguard/internal/domain/approval/PersonAnswer"
import { linesOf, questionOf } from "effect-toolguard/internal/domain/approval/ShownCall"
import { isJsonObject } from "effect-toolguard/internal/domain/json/JsonObject"
import { Escalation, type EscalationAnswer, type EscalationRequest } from "effect-toolguard/services/Escalation"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Peer from "effect-toolguard/internal/mcp/wire/Peer"
import type { Id } from "effect-toolguard/internal/mcp/wire/Message"
import { CurrentClientCall } from "./ClientCall.ts"

/** Asks the client's user first, then the existing `Escalation`. */
export const layer: Layer.Layer<Escalation, never, Escalation> = Layer.effect(
  Escalation,
  Effect.map(Escalation, ({ ask, inform, isShared = true }) => ({
    inform,
    isShared,
    ask: (request: EscalationRequest) =>
      Effect.flatMap(CurrentClientCall, (call) =>
        call?.elicit === undefined
          ? ask(request)
          : Effect.flatMap(call.elicit(request), (answer) =>
              answer === undefined ? ask(request) : Effect.succeed(answer)
            )
      )
  }))
)

/** The time that a form remains open, in milliseconds. It equals the expiry of an approval [2.9]. */
const openMillis = 3_600_000

/** True if a client can show forms. A client that supports elicitation without naming a kind can show forms. */
export const isOffered = (capabilities: unknown): boolean => {
  const elicitation = isJsonObject(capabilities) ? capabilities["elicitation"] : undefined
  if (!isJsonObject(elicitation)) return false
  return isJsonObject(elicitation["form"]) || !isJsonObject(elicitation["url"])
}

/** Asks the client's user. Returns `undefined` if the client's answer is invalid or an error. */
export const ask =
  (client: Peer.Peer, about: Id) =>
  (request: EscalationRequest): Effect.Effect<EscalationAnswer | undefined> =>
    client
      .request(
        "elicitation/create",
        {
          message: messageOf(request),
          requestedSchema: {
            type: "object",
            properties: {
              approve: { type: "boolean", title: "Approve this call", default: false },
              answer: {
                type: "string",
                title: "Answer instead",
                description: "What the model should do instead, in your words. Leave it empty if you approve.",
                maxLength: longestAnswer
              }
            },
            required: ["approve"]
          }
        },
        { millis: openMillis, about }
      )
      .pipe(
        Effect.map(({ result }) => answerOf(result)),
        Effect.catch((error) =>
          Effect.succeed<EscalationAnswer | undefined>(error.reason === "no_answer" ? { _tag: "Expired" } : undefined)
        )
      )

const messageOf = (request: EscalationRequest): string => [questionOf(request), ...linesOf(request)].join("\n")

const by = "The client's user"

const answerOf = (result: unknown): EscalationAnswer | undefined => {
  if (!isJsonObject(result)) return undefined
  const { action, content } = result
  switch (action) {
    case "accept": {
      if (!isJsonObject(content)) return { _tag: "Denied", by, reason: "" }
      if (content["approve"] === true) return { _tag: "Approved", by }
      const text = answerIn(content["answer"])
      return text === "" ? { _tag: "Denied", by, reason: "" } : { _tag: "Answered", by, text }
    }
    case "decline":
      return { _tag: "Denied", by, reason: "" }
    case "cancel":
      return { _tag: "Expired" }
    default:
      return undefined
  }
}
