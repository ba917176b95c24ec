/**
 * Decides whether a principal may use a tool, and with which arguments.
 *
 * `authorize` is called before the arguments are decoded, so that a principal without access learns nothing from decoding errors;
 * `authorizeArguments` after it. A denial becomes Permanent `unauthorized`, is never retried, and does not count against the tool.
 * A decision that fails counts as a denial.
 */
import type { Access } from "#domain/tool/Access"
import type { Turn } from "#domain/turn/Turn"
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"

/** The question whether this principal may use this tool. */
export interface AccessRequest {
  readonly tool: string
  readonly access: Access
  /** Undefined outside a turn. */
  readonly turn: Turn | undefined
}

/** Allows, or denies with a reason that the model may read. */
export type AccessDecision = { readonly _tag: "Allow" } | { readonly _tag: "Deny"; readonly reason: string }

export const allow: AccessDecision = { _tag: "Allow" }
export const deny = (reason: string): AccessDecision => ({ _tag: "Deny", reason })

export class Authorizer extends Context.Service<
  Authorizer,
  {
    readonly authorize: (request: AccessRequest) => Effect.Effect<AccessDecision>
    readonly authorizeArguments: (request: AccessRequest, args: unknown) => Effect.Effect<AccessDecision>
    /** True if every decision is `allow`: the guard then does not ask. */
    readonly allowsAll: boolean
  }
>()("effect-toolguard/Authorizer") {}
