/**
 * [4.11] Takes each retry from an allowance that all callers of the tool share, so that retries do not worsen an
 * outage. An attempt is no retry while the tool has not run in this call, for example because its circuit was open.
 */
import { failed } from "#domain/call/Outcome"
import { RetryQuota } from "#services/RetryQuota"
import * as Effect from "effect/Effect"
import * as Call from "#pipeline/call/Call"
import { refuse } from "#pipeline/call/Refusal"
import type { Next, Stage } from "#pipeline/call/Stage"

export const quota: Stage<RetryQuota> = {
  name: "quota",
  question: "does the quota allow another retry",
  make: Effect.map(RetryQuota, (quotas) => (tool) => (next) => {
    const { scope } = tool
    const counted: Next = (call) => {
      quotas.called(scope)
      return next(call)
    }
    return (call) => {
      if (call.attempt === 1) return counted(call)
      if (call.trace.attempts.length === 0) return next(call)
      return Effect.flatMap(quotas.take(scope), (granted) => {
        if (granted) return next(call)
        Call.decide(call, "quota", "no retry", "the tool's retries are used up for now")
        const outcome =
          call.lastFailure === undefined
            ? refuse(call, "unavailable", { detail: "The tool's retries are used up for now." })
            : failed(call.lastFailure)
        return Effect.succeed({ ...outcome, isFinal: true, isRefund: true })
      })
    }
  })
}
