/** Defines the types of a model's call, as a host passes it to the guard, and of its answer. */
import type { UnknownOutcome } from "#domain/approval/UnknownOutcome"
import type { CallRecord, Decision } from "#domain/call/CallRecord"
import type { Outcome } from "#domain/call/Outcome"
import type { JournalledCall } from "#domain/journal/JournalledCall"
import type { ShownPart } from "#domain/parts/ShownPart"
import type { JournalState } from "#pipeline/call/Call"

/** A model's call, as a host passes it to the guard. */
export interface ModelCall {
  /** The name as the model wrote it. */
  readonly name: string
  /** The arguments: text as the model wrote it, or a value that the host has parsed. */
  readonly arguments: unknown
  /** The original text of parsed arguments, if the host has kept it. The call's record contains it. */
  readonly argumentsText?: string | undefined
  /**
   * True if the caller decodes the result by the tool's `success`, such as a client of an OpenAPI document. Results
   * that violate `success` are then failures even if the tool only advises. Default false.
   */
  readonly isTyped?: boolean
  /** The model's id of the call; if empty, the guard generates one. */
  readonly callId: string
  /** The round of the run, from 1; absent outside rounds. */
  readonly round?: number
  /**
   * True if the caller's loop asks a person about a failure at the level `confirm` or `block` before it continues. The
   * guard then does not inform a person of that failure too. Default false.
   */
  readonly loopAsks?: boolean
  /** True if the arguments may be incomplete because the model's output ended early. */
  readonly isCut?: boolean
  /** The idempotency key of the action, if the host has one. It replaces the derived key. A write refuses an empty key. */
  readonly idempotencyKey?: string
  /** True if the time of the call is not known, as in a log without times. Default false. */
  readonly isUntimed?: boolean
  /** How the call relates to the journal of its run; absent if the run has no journal. */
  readonly journal?: JournalState
  /** A person's finding about an earlier execution, if a resumed run repeats the call. */
  readonly settled?: UnknownOutcome | undefined
}

/** The answer that the model reads, with details for the program. */
export interface ModelAnswer {
  /** The envelope, as JSON text. */
  readonly text: string
  /**
   * Images, files and texts that accompany the envelope, in order; absent if there are none. `data` of a file is
   * base64 or an `http(s):` address. Parts that are too large are links in the envelope instead.
   */
  readonly parts?: ReadonlyArray<ShownPart>
  /** True if the envelope's `status` is `error`: the call failed, or its success could not be shown. */
  readonly isFailure: boolean
  readonly outcome: Outcome
  readonly traceId: string
  /** Executions of handlers: the tool's own, and those of the fallbacks and lookups that the guard called for it. */
  readonly attempts: number
  /** The decisions of the stages, in order. */
  readonly decisions: ReadonlyArray<Decision>
  /**
   * The record that the call log received; absent if it could not be written, or the answer comes from a run's journal.
   */
  readonly record?: CallRecord | undefined
  /** The answer as the run's journal stores it; absent if the run has no journal. */
  readonly journal?: JournalledCall
}
