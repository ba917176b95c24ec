/**
 * Asks and notifies people about a call, through an `Escalation` that may fail.
 *
 * A question that fails counts as unanswered, so an error never approves a call. A lost notice does not fail the
 * call.
 */
import { CurrentRun } from "#services/CurrentRun"
import type { Escalation, EscalationAnswer, EscalationRequest } from "#services/Escalation"
import type { CallEvent } from "#services/CallObserver"
import { RequestObserver, type StoredRequest } from "#services/RequestObserver"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { Call } from "./Call.ts"
import { untilDraining } from "./DrainedCall.ts"

const noPerson: EscalationAnswer = { _tag: "NoPerson" }

/** The process started to shut down before a person decided. The stored request stays open. */
interface DrainedCall {
  readonly _tag: "Drained"
}

const drained: DrainedCall = { _tag: "Drained" }

/** Asks a person to decide a call, and notifies its observer. Stops waiting when the process starts to shut down. */
export const ask = (
  escalation: Escalation["Service"],
  call: Call,
  request: EscalationRequest
): Effect.Effect<EscalationAnswer | DrainedCall> => {
  const { callId, name, trace } = call
  const asked = askObserved(escalation, request, { callId, tool: name, observe: trace.observe })
  return Effect.map(
    untilDraining(call, asked),
    Option.getOrElse(() => drained)
  )
}

/** The observer of a question, and the subject of the question. */
interface ObservedQuestion {
  /** Empty for a question about a run. */
  readonly callId: string
  readonly tool: string
  /** Must not throw. */
  readonly observe: ((event: CallEvent) => void) | undefined
}

/** Asks a person, and notifies an observer once: as soon as the request is stored, if the layer stores requests. */
export const askObserved = (
  escalation: Escalation["Service"],
  request: EscalationRequest,
  { callId, observe, tool }: ObservedQuestion
): Effect.Effect<EscalationAnswer> => {
  let isObserved = false
  const notify = (stored?: StoredRequest) => {
    if (isObserved) return
    isObserved = true
    observe?.({ _tag: "PersonAsked", callId, tool, sentence: request.sentence, ...stored })
  }
  if (escalation.namesRequests !== true) notify()
  return Effect.suspend(() => escalation.ask(request)).pipe(
    Effect.provideService(RequestObserver, notify),
    Effect.catchCause(() => Effect.succeed(noPerson)),
    // notifies the observer even if the layer stored no request
    Effect.tap(() => Effect.sync(() => notify()))
  )
}

/** Returns the ids of a call and of its run, for a request about the call. A program's call has no id. */
export const namesOf = ({ callId, context, traceId }: Call) => ({
  ...(callId === traceId ? {} : { callId }),
  ...ofRun(Context.get(context, CurrentRun))
})

/** Returns the id of a run, for a request about the run. */
export const ofRun = (run: string | undefined): { readonly run?: string } => (run === undefined ? {} : { run })

/** True if a person agreed. Consumes the approval; an approval that was used before does not count. */
export const agreed = (answer: EscalationAnswer): Effect.Effect<boolean> =>
  answer._tag === "Approved" ? (answer.consume ?? Effect.succeed(true)) : Effect.succeed(false)

/** The longest time that a notice may delay a call. */
const noticeTime = "5 seconds"

/** Notifies a person. */
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
