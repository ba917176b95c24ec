/**
 * Asks people from a durable run: your program is told the question with a token, and whoever decides hands both over to
 * `DurableAgent.decide`, from any process. Until then the run is suspended and costs nothing.
 *
 * **Details**
 *
 * - A decision counts for the question that was asked: for the same call with the same arguments and contract, once.
 * - `tell` may hear of a question twice where a process dies; its token is then the same.
 * - Outside of durable runs nobody can be reached: `NoPerson`.
 *
 * **Gotchas**
 *
 * The token grants the decision. Keep it where approvers are known, and away from anything that a model reads.
 */
import { CurrentDurableWait, type DurableRun } from "#services/DurableWait"
import { Escalation, type EscalationAnswer, type EscalationRequest } from "#services/Escalation"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"

/** A question that waits for its decision. */
export interface DurableQuestion {
  readonly run: DurableRun
  readonly token: string
  readonly request: EscalationRequest
}

export interface EscalationDurableOptions {
  /** Brings a question to people: writes it where they look, sends a message. Its failure means that nobody is there. */
  readonly tell: (question: DurableQuestion) => Effect.Effect<unknown, unknown>
  /** Tells people something that waits for no answer. Default: dropped. */
  readonly inform?: (request: EscalationRequest) => Effect.Effect<void>
}

/** People by way of your program. */
export const layer = ({ inform = () => Effect.void, tell }: EscalationDurableOptions): Layer.Layer<Escalation> =>
  Layer.succeed(Escalation, {
    inform,
    ask: (request) =>
      Effect.flatMap(CurrentDurableWait, (wait): Effect.Effect<EscalationAnswer> => {
        if (wait === undefined) return Effect.succeed({ _tag: "NoPerson" })
        const decision = wait.decided(request.binding)
        if (decision !== undefined && decision._tag !== "AskAgain") return Effect.succeed(decision)
        const { agent, run, tenant, token } = wait
        return Effect.suspend(() => tell({ run: { agent, tenant, run }, token, request })).pipe(
          Effect.tap(Effect.sync(() => wait.open(request.binding))),
          Effect.as({ _tag: "Pending", approvalUrl: undefined } as const),
          Effect.catchCause((cause) =>
            Effect.as(Effect.logError("A question could not be brought to a person", cause), {
              _tag: "NoPerson"
            } as const)
          )
        )
      })
  })
