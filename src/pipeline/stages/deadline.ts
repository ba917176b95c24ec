/**
 * [4.9] Sets when all attempts and waits of the call must be over. An earlier wait for a person does not count.
 *
 * If the call holds a claim, its time begins at most `longestClaim` after the request of the claim. A process that was
 * paused after the claim therefore does not start the action after the lease has expired.
 */
import { longestClaim } from "#services/IdempotencyKeys"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import { now } from "#pipeline/call/Call"
import type { Stage } from "#pipeline/call/Stage"

const longestClaimMillis = Duration.toMillis(longestClaim)

export const deadline: Stage = {
  name: "deadline",
  make: Effect.succeed((tool) => (next) => {
    const { deadlineMillis } = tool.definition
    return (call) => {
      const time = now(call)
      const startedAt = call.claim === undefined ? time : Math.min(time, call.claim.since + longestClaimMillis)
      return next({ ...call, startedAt, deadlineAt: startedAt + deadlineMillis })
    }
  })
}
