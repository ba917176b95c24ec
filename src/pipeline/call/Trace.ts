/**
 * Records the work of the stages in one call. The trace is the only part of a call that changes in place.
 *
 * **Details**
 *
 * - An inner stage writes facts that an outer stage needs even if the call fails or is interrupted.
 * - `record` and the journal of a run persist the trace.
 * - Some decisions of stages depend on the trace: on `isStarted`, `mayHaveRun`, `isTakenOver`, `running` and the
 *   attempts.
 */
import type { Attempt, CallRecord, Decision } from "#domain/call/CallRecord"
import type { UnenforcedFailure } from "#domain/call/UnenforcedFailure"
import type { Outcome } from "#domain/call/Outcome"
import type { Fault } from "#domain/faults/Fault"
import type { LoopEvent } from "#domain/loop/LoopDetector"
import type { PollTimes } from "#domain/turn/TurnHistory"
import type { CallEvent } from "#services/CallObserver"
import type * as Cause from "effect/Cause"

type Observer = (event: CallEvent) => void

/** The end of a call in a pipeline that enforced nothing. */
interface UnguardedEnd {
  readonly outcome: Outcome
  readonly attempts: ReadonlyArray<Attempt>
  /** When the call was made, in epoch milliseconds. */
  readonly startedAt: number
}

/** The SHA-256 of the canonical form of received arguments, alone and after the name of the tool. */
interface ReceivedDigests {
  readonly alone: string
  readonly named: string
}

export interface Trace {
  readonly decisions: Array<Decision>
  /** The failures that the guard found and did not enforce. */
  readonly notEnforced: Array<UnenforcedFailure>
  /**
   * The end of the call for its caller, if this guard is a shadow; undefined if the caller gets the outcome of this
   * pipeline.
   */
  unguarded: UnguardedEnd | undefined
  readonly attempts: Array<Attempt>
  /** The number of executions of handlers in the calls that the guard made for this call: fallbacks and lookups. */
  innerAttempts: number
  /** The decoded arguments; undefined before `decodeArguments`. */
  arguments: unknown
  /** The key of the decoded arguments; undefined before `decodeArguments`. */
  key: (() => string) | undefined
  /** The digests of large arguments that were refused before `decodeArguments`; undefined for any other call. */
  received: ReceivedDigests | undefined
  /** Where the arguments violate `parameters`, even if the call ran; empty if they do not. */
  argumentFaults: ReadonlyArray<Fault>
  /** Where the last answer violates `success`; empty if it does not. */
  faults: ReadonlyArray<Fault>
  /** The last answer as the tool's decoder returned it. */
  decoded: unknown
  /**
   * The number of handlers of this call that have not ended. A handler that outlived its timeout may still do its work.
   */
  running: number
  /** True if the call polls for a result that is not available yet. */
  isPolling: boolean
  /** True if the outcome comes from an identical read that ran at the same time. */
  isShared: boolean
  /** True if a handler has been started. */
  isStarted: boolean
  /** An earlier process may have started the action, and its outcome is not known. */
  mayHaveRun: boolean
  /** True if the action was done before this execution of the call, by an earlier process or according to a person. */
  wasDoneBefore: boolean
  /** True if a check before an effect found that another process has taken the action over. */
  isTakenOver: boolean
  /** The defect of the handler, of a check or of the guard; undefined without a defect. */
  crash: Cause.Cause<unknown> | undefined
  /**
   * When the call reads the status of unfinished work (after the guard's wait), or when it came too soon after a
   * pending result; in epoch milliseconds.
   */
  statusAt: number | undefined
  /** The turn of the call for the loop detector, if the counts of the call have lapsed in its session. */
  countedIn: string | undefined
  /** The event of this call for the loop detector. */
  event: LoopEvent | undefined
  /** The key of the action; empty if the action has no key. */
  idempotencyKey: string
  /** The units of its budget that the call has spent and not refunded, and their key. */
  spent: { readonly key: string; readonly units: number } | undefined
  /** When the model may make the call again after a Transient failure, in epoch milliseconds. */
  readyAt: number | undefined
  /** The id of the stored outcome, if the side effect of the call is unknown; empty if no outcome was stored. */
  unknownOutcome: string
  /** True if a person who is present was asked to settle the unknown outcome, and left it open. */
  isLeftOpen: boolean
  /** How long the call has been polled. */
  polled: PollTimes | undefined
  /** After `record`: the record of the call; undefined if it could not be written. */
  record: CallRecord | undefined
  /** Notifies the observer of the call, if there is one. Never throws. */
  readonly observe: Observer | undefined
}

/** Creates the trace of a call that no stage has seen yet. */
export const make = (observe: Observer | undefined): Trace => ({
  decisions: [],
  notEnforced: [],
  argumentFaults: [],
  faults: [],
  unguarded: undefined,
  attempts: [],
  innerAttempts: 0,
  arguments: undefined,
  decoded: undefined,
  key: undefined,
  received: undefined,
  running: 0,
  isPolling: false,
  isShared: false,
  isStarted: false,
  mayHaveRun: false,
  wasDoneBefore: false,
  isTakenOver: false,
  crash: undefined,
  statusAt: undefined,
  countedIn: undefined,
  event: undefined,
  idempotencyKey: "",
  spent: undefined,
  readyAt: undefined,
  unknownOutcome: "",
  isLeftOpen: false,
  polled: undefined,
  record: undefined,
  observe: observe && harmless(observe)
})

/** Wraps the observer so that it cannot break the call that it observes. */
export const harmless =
  (observe: Observer): Observer =>
  (event) => {
    try {
      observe(event)
    } catch {
      // an observer that throws must not change the call
    }
  }
