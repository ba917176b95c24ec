/**
 * The way to a person: informs one, or asks one and hands over the decision (SPEC 10).
 *
 * **Details**
 *
 * - A request is bound to `binding` (a digest of tenant, conversation, tool, canonical arguments and contract). Asking again while a request
 *   with the same binding is pending joins it; an approval is handed out once.
 * - Whether `ask` waits for the person (suspends) or answers `Pending` at once is the layer's configuration.
 * - Where nobody can be reached it answers `NoPerson` and never waits.
 */
import type { Level } from "#domain/tool/EscalationPolicy"
import type { Turn } from "#domain/turn/Turn"
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"

/** What a person is told or asked. Texts are redacted. */
export interface EscalationRequest {
  readonly level: Level
  /** Why: `approval`, or the code of a failure. */
  readonly reason: string
  readonly tool: string
  /** The sentence that the person reads. */
  readonly sentence: string
  /** The decoded and encoded arguments, redacted; absent where there are none. */
  readonly arguments: unknown
  readonly binding: string
  readonly turn: Turn | undefined
  /** Finds the call in the logs. */
  readonly traceId: string
}

export type EscalationAnswer =
  | {
      readonly _tag: "Approved"
      readonly by: string
      /**
       * Takes the approval for one start of the call, in one write; false where it is used or over. Run in the write that
       * claims the call's key. Absent: this answer was the one that is handed out.
       */
      readonly consume?: Effect.Effect<boolean>
    }
  | { readonly _tag: "Denied"; readonly by: string; readonly reason: string }
  | { readonly _tag: "Pending"; readonly approvalUrl: string | undefined }
  | { readonly _tag: "Expired" }
  | { readonly _tag: "NoPerson" }

export class Escalation extends Context.Service<
  Escalation,
  {
    readonly inform: (request: EscalationRequest) => Effect.Effect<void>
    readonly ask: (request: EscalationRequest) => Effect.Effect<EscalationAnswer>
  }
>()("effect-toolguard/Escalation") {}
