/**
 * A person who answers by a script. For tests.
 *
 * `approve` and `deny` answer at once; `pending` leaves the request open, and the next question with the same binding
 * joins it and takes the script's next answer; `expire` lets it expire. An exhausted script answers `NoPerson`.
 */
import { Escalation, type EscalationAnswer, type EscalationRequest } from "#services/Escalation"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"

export type ScriptedAnswer = "approve" | "deny" | "pending" | "expire"

/** What the scripted person was told and asked, oldest first. */
export class EscalationTranscript extends Context.Service<
  EscalationTranscript,
  { readonly informed: Array<EscalationRequest>; readonly asked: Array<EscalationRequest> }
>()("effect-toolguard/EscalationTranscript") {}

const answers: Record<ScriptedAnswer, (request: EscalationRequest) => EscalationAnswer> = {
  approve: () => ({ _tag: "Approved", by: "scripted person" }),
  deny: () => ({ _tag: "Denied", by: "scripted person", reason: "" }),
  pending: ({ traceId }) => ({ _tag: "Pending", approvalUrl: `https://approvals.example/${traceId}` }),
  expire: () => ({ _tag: "Expired" })
}

export const layer = (script: ReadonlyArray<ScriptedAnswer>): Layer.Layer<Escalation | EscalationTranscript> =>
  Layer.effectContext(
    Effect.sync(() => {
      const transcript: EscalationTranscript["Service"] = { informed: [], asked: [] }
      let at = 0
      return Context.make(EscalationTranscript, transcript).pipe(
        Context.add(Escalation, {
          inform: (request) => Effect.sync(() => void transcript.informed.push(request)),
          ask: (request) =>
            Effect.sync(() => {
              transcript.asked.push(request)
              const answer = script[at]
              at += 1
              return answer === undefined ? { _tag: "NoPerson" } : answers[answer](request)
            })
        })
      )
    })
  )
