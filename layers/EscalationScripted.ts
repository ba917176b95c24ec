/**
 * Answers questions by a script in place of a person, for tests.
 *
 * Each question gets the next answer: `approve`, `deny`, `pending` (the request stays open), `expire`, or words. After
 * the last answer, the layer answers `NoPerson`.
 */
import { Escalation, type EscalationAnswer, type EscalationRequest } from "#services/Escalation"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"

/** One answer of a script. An object is an answer in words. */
export type ScriptedAnswer = "approve" | "deny" | "pending" | "expire" | { readonly answer: string }

/** The notices and questions that the scripted person received, oldest first. */
export class EscalationTranscript extends Context.Service<
  EscalationTranscript,
  { readonly informed: Array<EscalationRequest>; readonly asked: Array<EscalationRequest> }
>()("effect-toolguard/EscalationTranscript") {}

const answers: Record<Extract<ScriptedAnswer, string>, (request: EscalationRequest) => EscalationAnswer> = {
  approve: () => ({ _tag: "Approved", by: "scripted person" }),
  deny: () => ({ _tag: "Denied", by: "scripted person", reason: "" }),
  pending: ({ traceId }) => ({ _tag: "Pending", approvalUrl: `https://approvals.example/${traceId}` }),
  expire: () => ({ _tag: "Expired" })
}

/** Answers by a script. */
export const layer = (script: ReadonlyArray<ScriptedAnswer>): Layer.Layer<Escalation | EscalationTranscript> =>
  Layer.effectContext(
    Effect.sync(() => {
      const transcript: EscalationTranscript["Service"] = { informed: [], asked: [] }
      let at = 0
      return Context.make(EscalationTranscript, transcript).pipe(
        Context.add(Escalation, {
          isShared: false,
          inform: (request) => Effect.sync(() => void transcript.informed.push(request)),
          ask: (request) =>
            Effect.sync(() => {
              transcript.asked.push(request)
              const answer = script[at]
              at += 1
              if (answer === undefined) return { _tag: "NoPerson" }
              if (typeof answer === "string") return answers[answer](request)
              return { _tag: "Answered", by: "scripted person", text: answer.answer }
            })
        })
      )
    })
  )
