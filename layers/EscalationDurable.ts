/**
 * Asks people from a durable run: your program receives the question with a token, and passes the token with the
 * decision to `DurableAgent.decide`, in any process. Until then, the run is suspended and occupies no process.
 *
 * **Details**
 *
 * - A decision is valid once, for the same call with the same arguments and contract.
 * - If a process crashes, `tell` may get a question twice, with the same token.
 * - Outside durable runs, the answer is `NoPerson`.
 *
 * **Gotchas**
 *
 * The token authorises the decision. Keep it where approvers are verified, and keep it out of everything that a model
 * reads.
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

/** How questions and notices reach people. */
export interface EscalationDurableOptions {
  /** Delivers a question to people, for example as a message. If it fails, the answer is `NoPerson`. */
  readonly tell: (question: DurableQuestion) => Effect.Effect<unknown, unknown>
  /** Delivers a notice that needs no answer. Default: dropped. */
  readonly inform?: (request: EscalationRequest) => Effect.Effect<void>
}

/** Asks people through your program. */
export const layer = ({ inform = () => Effect.void, tell }: EscalationDurableOptions): Layer.Layer<Escalation> =>
  Layer.succeed(Escalation, {
    inform,
    ask: (request) =>
      Effect.flatMap(CurrentDurableWait, (wait): Effect.Effect<EscalationAnswer> => {
        if (wait === undefined) return Effect.succeed({ _tag: "NoPerson" })
        const decision = wait.decided(request.binding)
        if (decision !== undefined && decision._tag !== "AskAgain") return Effect.succeed(decision)
        const { agent, run, tenant, token } = wait
        const principal = request.turn?.principal
        const asking = { agent, tenant, run, ...(principal === undefined ? {} : { principal }) }
        return Effect.suspend(() => tell({ run: asking, token, request })).pipe(
          Effect.tap(Effect.sync(() => wait.open(request.binding))),
          Effect.as({ _tag: "Pending", approvalUrl: undefined } as const),
          Effect.catchCause((cause) =>
            Effect.as(Effect.logError("A question could not be delivered to a person", cause), {
              _tag: "NoPerson"
            } as const)
          )
        )
      })
  })
