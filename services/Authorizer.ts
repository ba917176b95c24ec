/**
 * Decides whether a principal may use a tool, and with which arguments.
 *
 * The guard calls `authorize` before the arguments are decoded, so that a principal without access learns nothing from
 * decoding errors, and `authorizeArguments` afterwards. A denial becomes Permanent `unauthorized`, is never retried,
 * and does not count against the tool. A decision that fails counts as a denial.
 */
import type { Access } from "#domain/tool/Access"
import type { Turn } from "#domain/turn/Turn"
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"

/** The question whether a principal may use a tool. */
export interface AccessRequest {
  readonly tool: string
  readonly access: Access
  /** Undefined outside a turn. */
  readonly turn: Turn | undefined
}

/** The answer: to allow, or to deny with a reason that the model may read. */
export type AccessDecision = { readonly _tag: "Allow" } | { readonly _tag: "Deny"; readonly reason: string }

export const allow: AccessDecision = { _tag: "Allow" }
export const deny = (reason: string): AccessDecision => ({ _tag: "Deny", reason })

export class Authorizer extends Context.Service<
  Authorizer,
  {
    readonly authorize: (request: AccessRequest) => Effect.Effect<AccessDecision>
    readonly authorizeArguments: (request: AccessRequest, args: unknown) => Effect.Effect<AccessDecision>
    /** True if every decision is `allow`. The guard then does not ask. */
    readonly allowsAll: boolean
  }
>()("effect-toolguard/Authorizer") {}
