/**
 * Receives the stored request of a question to a person, while `Escalation.ask` still waits for the decision. The guard
 * sets the observer around a question. A layer of `Escalation` with `namesRequests` calls it when the request is
 * stored.
 */
import * as Context from "effect/Context"

/** A stored request. The URL identifies the request and grants no permission. */
export interface StoredRequest {
  readonly requestId: string
  readonly approvalUrl: string
}

/**
 * Called synchronously and at least once, with undefined if the request is not stored. The observer must not throw.
 */
export const RequestObserver = Context.Reference<((request: StoredRequest | undefined) => void) | undefined>(
  "effect-toolguard/RequestObserver",
  { defaultValue: () => undefined }
)
