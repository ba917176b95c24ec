/** [4.3] Asks whether this principal may use this tool, before anything is decoded. A denial is never retried. */
import type { AccessDecision } from "#services/Authorizer"
import { Authorizer } from "#services/Authorizer"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Call from "#pipeline/call/Call"
import * as Crash from "#pipeline/call/Crash"
import { refuse } from "#pipeline/call/Refusal"
import type { Next, Stage } from "#pipeline/call/Stage"

export const authorize: Stage<Authorizer> = {
  name: "authorize",
  question: "may this caller use the tool",
  make: Effect.map(Authorizer, (authorizer) => (tool) => (next) => {
    if (authorizer.allowsAll) return next
    const { access, name } = tool.definition
    return (call) =>
      Effect.flatMap(
        failClosed("authorize", call, () => authorizer.authorize({ tool: name, access, turn: call.turn })),
        admit("authorize", call, next)
      )
  })
}

/** Passes an allowed call to `next`. Refuses a denied call with Permanent `unauthorized`. */
export const admit = (stage: string, call: Call.Call, next: Next) => (decision: AccessDecision) => {
  if (decision._tag === "Allow") return next(call)
  Call.decide(call, stage, "denied", decision.reason)
  return Effect.succeed(refuse(call, "unauthorized", { detail: decision.reason }))
}

/** Returns the decision of the authorizer, and denies access if the authorizer fails or throws. */
export const failClosed = (
  stage: string,
  call: Call.Call,
  decision: () => Effect.Effect<AccessDecision>
): Effect.Effect<AccessDecision> =>
  Effect.catchCause(Effect.suspend(decision), (cause): Effect.Effect<AccessDecision> => {
    Crash.note(call, stage, "the authorizer", Cause.squash(cause))
    return Effect.succeed({ _tag: "Deny", reason: "Access could not be checked." })
  })
