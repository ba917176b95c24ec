/**
 * Receives the events of a call as they happen, for user interfaces.
 *
 * The observer is a policy with a default, so it never appears in requirements. The guard's observer and an
 * observer around a call both receive every event. The guard calls observers synchronously. They must return quickly
 * and must not throw.
 */
import type { FailureTag } from "#domain/failure/Failure"
import * as Policy from "./Policy.ts"

/** An event of a call. */
export type CallEvent =
  | { readonly _tag: "AttemptStarted"; readonly callId: string; readonly tool: string; readonly attempt: number }
  | {
      readonly _tag: "AttemptEnded"
      readonly callId: string
      readonly tool: string
      readonly attempt: number
      /** `Success`, or the class of the failure. */
      readonly outcome: "Success" | FailureTag
      readonly code: string | undefined
      readonly durationMillis: number
    }
  | {
      readonly _tag: "RetryScheduled"
      readonly callId: string
      readonly tool: string
      readonly attempt: number
      readonly delayMillis: number
    }
  | {
      readonly _tag: "PersonAsked"
      readonly callId: string
      readonly tool: string
      readonly sentence: string
      /** The id of the request in the inbox; absent, like `approvalUrl`, if the person is asked in another way. */
      readonly requestId?: string
      readonly approvalUrl?: string
    }

type Observer = (event: CallEvent) => void

/** The observers that an observer made by `both` notifies. */
const membersOf = new WeakMap<Observer, ReadonlyArray<Observer>>()

/** Combines two observers. Each is notified once, even if one of them already notifies the other. */
export const both = (self: Observer | undefined, that: Observer): Observer => {
  if (self === undefined || self === that) return that
  const members = [...new Set([self, that].flatMap((it) => membersOf.get(it) ?? [it]))]
  const observe = (event: CallEvent) => {
    for (const member of members) notify(member, event)
  }
  membersOf.set(observe, members)
  return observe
}

/** Notifies an observer. If it throws, the other observers still receive the event. */
const notify = (observe: Observer, event: CallEvent): void => {
  try {
    observe(event)
  } catch {
    // `Trace` also ignores the error of a single observer.
  }
}

export const CallObserver: Policy.Policy<Observer | undefined> = Policy.make<Observer | undefined>(
  "effect-toolguard/CallObserver",
  {
    defaultValue: () => undefined,
    combine: (guard, caller) => (caller === undefined ? guard : both(guard, caller))
  }
)
