/**
 * Whose credential may decide (SPEC 10.3).
 *
 * **Details**
 *
 * - A token is 128 random bits; only its SHA-256 is kept, and it is compared in constant time.
 * - `verify` is asked at every request to the inbox: who is removed, or limited, while signed in decides nothing more.
 * - A token never enters a prompt, a log, a page or an argument: services take it `Redacted`.
 */
import type { Approver } from "#domain/approval/ApprovalRequest"
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type * as Redacted from "effect/Redacted"

export class Approvers extends Context.Service<
  Approvers,
  {
    /** The approver whose token it is, or nobody. */
    readonly verify: (token: Redacted.Redacted) => Effect.Effect<Approver | undefined>
  }
>()("effect-toolguard/Approvers") {}
