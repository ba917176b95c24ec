/**
 * The way from a call to a person, and who listens hears of it.
 *
 * A service that breaks is a person who cannot be reached: nothing is approved by an accident, and a notice that is lost
 * fails no call.
 */
import type { Escalation, EscalationAnswer, EscalationRequest } from "#services/Escalation"
import * as Effect from "effect/Effect"
import type { Call } from "./Call.ts"

const noPerson: EscalationAnswer = { _tag: "NoPerson" }

/** Asks a person about a call. */
export const ask = (
  escalation: Escalation["Service"],
  call: Call,
  request: EscalationRequest
): Effect.Effect<EscalationAnswer> => {
  const { callId, name, trace } = call
  trace.observe?.({ _tag: "PersonAsked", callId, tool: name, sentence: request.sentence })
  return Effect.catchCause(
    Effect.suspend(() => escalation.ask(request)),
    () => Effect.succeed(noPerson)
  )
}

/** Whether a person agreed, with an approval that nobody has used: it is used by this. */
export const agreed = (answer: EscalationAnswer): Effect.Effect<boolean> =>
  answer._tag === "Approved" ? (answer.consume ?? Effect.succeed(true)) : Effect.succeed(false)

/** Longest time that a notice may hold up a call. */
const noticeTime = "5 seconds"

/** Tells a person something that waits for no answer. */
export const inform = (escalation: Escalation["Service"], request: EscalationRequest): Effect.Effect<void> =>
  Effect.catchCause(
    Effect.asVoid(
      Effect.timeoutOption(
        Effect.suspend(() => escalation.inform(request)),
        noticeTime
      )
    ),
    () => Effect.void
  )
