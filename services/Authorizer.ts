/**
 * Decides whether a principal may use a tool, and with which arguments.
 *
 * `authorize` is asked before the arguments are decoded, so that a stranger learns nothing from decoding errors;
 * `authorizeArguments` after it. A denial becomes Permanent `unauthorized` and is never retried or remembered as a
 * fault of the tool. A decision that fails counts as a denial.
 */
import type { Access } from "#domain/tool/Access"
import type { Turn } from "#domain/turn/Turn"
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"

/** What is asked: may this principal use this tool? */
export interface AccessRequest {
  readonly tool: string
  readonly access: Access
  /** Absent outside of a turn. */
  readonly turn: Turn | undefined
}

/** Yes, or no with the reason that the model may read. */
export type AccessDecision = { readonly _tag: "Allow" } | { readonly _tag: "Deny"; readonly reason: string }

export const allow: AccessDecision = { _tag: "Allow" }
export const deny = (reason: string): AccessDecision => ({ _tag: "Deny", reason })

export class Authorizer extends Context.Service<
  Authorizer,
  {
    readonly authorize: (request: AccessRequest) => Effect.Effect<AccessDecision>
    readonly authorizeArguments: (request: AccessRequest, args: unknown) => Effect.Effect<AccessDecision>
    /** True where every answer is `allow`: the guard then does not ask. */
    readonly allowsAll: boolean
  }
>()("effect-toolguard/Authorizer") {}
