/**
 * [3.3, 8.1] Runs the tool's lookup before a write is repeated, if the effect of earlier identical calls is unknown.
 *
 * The effect is unknown if, for example, the lookup of an earlier call failed or another process made the call. An
 * upstream that honours the key needs no lookup, and a call that a person has confirmed under another key is another
 * action.
 */
import { type Outcome, success } from "#domain/call/Outcome"
import type { Reconcile, ToolDefinition } from "#domain/tool/ToolDefinition"
import * as Effect from "effect/Effect"
import * as Call from "#pipeline/call/Call"
import * as Lookup from "#pipeline/call/Lookup"
import { refuse } from "#pipeline/call/Refusal"
import type { Dispatch, Next } from "#pipeline/call/Stage"

/** Returns the lookup of a write that must be looked up before its first attempt; undefined if no lookup is needed. */
export const lookupOf = (
  { idempotency, reconcile }: ToolDefinition,
  { confirm, doubt, lastFailure }: Call.Call,
  isUnknown: boolean
): Reconcile | undefined =>
  lastFailure === undefined &&
  confirm === undefined &&
  (isUnknown || doubt !== undefined) &&
  !(idempotency.mode !== "none" && idempotency.upstreamHonoursKey)
    ? reconcile
    : undefined

/**
 * Makes the write if nothing was done, and returns its result if it was done. If the lookup fails, the write is not
 * made, unless the model has checked the effect itself and may repeat the write, or a person found that it was not done.
 */
export const lookUpFirst = (
  call: Call.Call,
  reconcile: Reconcile,
  dispatch: Dispatch,
  made: Next
): Effect.Effect<Outcome> =>
  Effect.flatMap(Lookup.lookUp(call, reconcile, dispatch), (lookedUp) => {
    const { toolName } = reconcile.tool
    if (lookedUp._tag === "Found") {
      call.trace.wasDoneBefore = true
      Call.decide(call, "budget", "committed", `${toolName} found the effect of an earlier identical call`)
      return Effect.succeed<Outcome>(success(lookedUp.value))
    }
    const isAbsent = lookedUp._tag === "Absent" && call.doubt?.isRunning() !== true
    if (isAbsent) {
      Call.decide(call, "budget", "absent", `${toolName} found no effect of the earlier identical calls`)
      return Effect.map(made({ ...call, doubt: undefined }), asAbsent)
    }
    const reason = lookedUp._tag === "Unknown" ? lookedUp.reason : "the handler of an earlier call has not ended"
    Call.decide(call, "budget", "unknown", reason)
    if (call.isLookedAt || call.settled !== undefined) return made(call)
    const detail = `It is not known whether an earlier identical call of ${call.name} took effect: ${reason}. The tool was not called again.`
    return Effect.succeed<Outcome>({
      ...refuse(call, "outcome_unknown", { detail, sideEffect: "unknown" }),
      // the unit is refunded, and the earlier effect remains unknown
      isRefund: true
    })
  })

/** Returns the outcome of a call before which a lookup found that nothing was done. */
const asAbsent = (outcome: Outcome): Outcome =>
  outcome._tag === "Failure" && outcome.failure.sideEffect === "none" ? { ...outcome, isAbsent: true } : outcome
