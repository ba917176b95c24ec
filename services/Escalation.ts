/**
 * Informs a person, or asks a person and returns the decision [10.1] [10.3].
 *
 * **Details**
 *
 * - `binding`, a digest of tenant, conversation, tool, canonical arguments and contract, identifies a request. If a
 *   request with the same binding is pending, `ask` joins that request. An approval is returned once.
 * - The layer decides whether `ask` waits for the person or immediately answers `Pending`.
 * - If no person can be reached, `ask` immediately answers `NoPerson`.
 *
 * Contract: `test/contracts/Escalation.ts`.
 */
import type { Guidance } from "#domain/approval/Guidance"
import type { NewSettlement } from "#domain/approval/UnknownOutcome"
import type { Level } from "#domain/tool/EscalationPolicy"
import type { Turn } from "#domain/turn/Turn"
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type * as Redacted from "effect/Redacted"

/** A question or a notice to a person. Texts are redacted. */
export interface EscalationRequest {
  readonly level: Level
  /** The cause of the request: `approval`, or the code of a failure. */
  readonly reason: string
  readonly tool: string
  /** The sentence that the person reads: the effect of the call, or the event. At most 200 characters. */
  readonly sentence: string
  /**
   * The actions of the guard, the choices of the person, and the consequence of no decision; absent in requests of
   * other programs.
   */
  readonly guidance?: Guidance | undefined
  /** The arguments, decoded, encoded again and redacted; undefined if there are none. */
  readonly arguments: unknown
  /** The arguments as the person reads them, with secrets masked; absent if there are none. */
  readonly shown?: string | undefined
  /** The number of masked parts of the arguments. The call has these parts as the model wrote them. Default 0. */
  readonly hidden?: number | undefined
  /** The arguments with the masked parts, for a person who asks to see them; absent if nothing is masked. */
  readonly revealed?: Redacted.Redacted | undefined
  readonly binding: string
  readonly turn: Turn | undefined
  /** Identifies the call in the logs. */
  readonly traceId: string
  /** The call that the question is about. */
  readonly callId?: string | undefined
  /** The id of the run that makes the call; see `CurrentRun`. */
  readonly run?: string | undefined
  /** The stored outcome that the notice is about, which a person can settle. */
  readonly outcomeId?: string | undefined
}

/** The decision of a person, or the reason why no decision was made. */
export type EscalationAnswer =
  | {
      readonly _tag: "Approved"
      readonly by: string
      /** True if the masked parts of the arguments were revealed before the decision. */
      readonly isRevealed?: boolean
      /**
       * Consumes the approval for one start of the call, in one atomic write. Returns false if the approval was
       * consumed before or has expired. The write belongs to the transaction that claims the call's key. Absent if
       * `ask` has already consumed the approval.
       */
      readonly consume?: Effect.Effect<boolean>
    }
  /**
   * The person answered in words. A call is not made, and the model reads the words instead of a result. A stopped run
   * continues, and the model reads the words as a message. At most 2,000 characters are used.
   */
  | { readonly _tag: "Answered"; readonly by: string; readonly text: string; readonly isRevealed?: boolean }
  | { readonly _tag: "Denied"; readonly by: string; readonly reason: string; readonly isRevealed?: boolean }
  | { readonly _tag: "Pending"; readonly approvalUrl: string | undefined }
  | { readonly _tag: "Expired" }
  | { readonly _tag: "NoPerson" }

export class Escalation extends Context.Service<
  Escalation,
  {
    /**
     * False if the state is only in this process, where tools with the same id can be kept apart. Default true [2.10].
     */
    readonly isShared?: boolean
    /**
     * False if `ask` never waits for the decision. A run that cannot be resumed then sends a notice that it ended,
     * instead of a question whose answer nothing would receive. Default true.
     */
    readonly waits?: boolean
    /** Informs a person, without waiting for an answer. */
    readonly inform: (request: EscalationRequest) => Effect.Effect<void>
    /** Asks a person to decide. */
    readonly ask: (request: EscalationRequest) => Effect.Effect<EscalationAnswer>
    /** Withdraws the pending requests of a turn whose run has ended [10.5]. Absent if the layer stores no requests. */
    readonly withdraw?: (turn: Turn) => Effect.Effect<void>
    /** Returns the URL at which a person can settle an unknown outcome. It grants nothing. Absent without such a page. */
    readonly outcomeUrl?: (id: string) => string
    /**
     * Asks a person who is present to settle an unknown outcome immediately. Undefined if the person leaves it open.
     * `faultIn` describes why a result violates the tool's contract; undefined if it does not.
     */
    readonly settle?: (
      request: EscalationRequest,
      faultIn: (result: unknown) => string | undefined
    ) => Effect.Effect<NewSettlement | undefined>
    /**
     * True if `ask` notifies `RequestObserver` of each request before it waits for the decision. The event
     * `PersonAsked` is then sent when the request is stored, and contains its id. Default false.
     */
    readonly namesRequests?: boolean
  }
>()("effect-toolguard/Escalation") {}
