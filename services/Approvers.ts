/**
 * Verifies the tokens of approvers [10.3].
 *
 * **Details**
 *
 * - A token is 128 random bits. Layers keep only its SHA-256, and compare digests in constant time.
 * - The inbox calls `verify` for every request, so that removing or limiting an approver takes effect while the
 *   approver is signed in.
 * - A token never enters a prompt, a log, a page or an argument. Services take it as `Redacted`.
 *
 * Contract: `test/contracts/Approvers.ts`.
 */
import type { Approver } from "#domain/approval/ApprovalRequest"
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type * as Redacted from "effect/Redacted"

export class Approvers extends Context.Service<
  Approvers,
  {
    /** Returns the approver with this token, or undefined if there is none. */
    readonly verify: (token: Redacted.Redacted) => Effect.Effect<Approver | undefined>
  }
>()("effect-toolguard/Approvers") {}
