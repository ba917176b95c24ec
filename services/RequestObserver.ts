/**
 * Receives the stored request of a question to a person, while `Escalation.ask` still waits for the decision. The guard sets it
 * around a question, and a layer of `Escalation` with `namesRequests` calls it as soon as the request is stored.
 */
import * as Context from "effect/Context"

/** A stored request. The URL identifies it and grants nothing. */
export interface StoredRequest {
  readonly requestId: string
  readonly approvalUrl: string
}

/** Called synchronously, at least once; with undefined if a person is asked without a stored request. Must not throw. */
export const RequestObserver = Context.Reference<((request: StoredRequest | undefined) => void) | undefined>(
  "effect-toolguard/RequestObserver",
  { defaultValue: () => undefined }
)
