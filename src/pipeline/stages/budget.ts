/**
 * [4.7] Counts the attempts of a model's calls without progress. Past the limit, a call is answered or refused without
 * an attempt.
 *
 * **Details**
 *
 * - The units of Transient failures without a side effect become available again after the delay that the model has
 *   read. A call that comes earlier is refused with the time (`readyAt`), until which `retry` may wait.
 * - A retry of a write after an attempt that did nothing needs no further unit. A write that has a unit therefore has
 *   all its attempts, and the model reads that number.
 */
import { type FailedOutcome, failed, isProven, type Outcome } from "#domain/call/Outcome"
import * as EffectHint from "#domain/failure/EffectHint"
import type { SideEffect } from "#domain/failure/Failure"
import type { Settlement } from "#domain/turn/Account"
import type { Turn } from "#domain/turn/Turn"
import * as RetryPolicy from "#domain/tool/RetryPolicy"
import { isRepeatable, type ToolDefinition } from "#domain/tool/ToolDefinition"
import { type BudgetLimit, Budgets, type Spending } from "#services/Budgets"
import { Digest } from "#services/Digest"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Random from "effect/Random"
import * as Call from "#pipeline/call/Call"
import { inSteps } from "#pipeline/call/LargeData"
import { interrupted, refuse } from "#pipeline/call/Refusal"
import * as ResultText from "#pipeline/record/ResultText"
import { revived } from "#pipeline/record/StoredOutcome"
import type { Stage } from "#pipeline/call/Stage"
import { lookupOf, lookUpFirst } from "./WriteLookup.ts"
import { notMadeAgain } from "./recall.ts"

export const budget: Stage<Budgets | Digest> = {
  name: "budget",
  question: "does this call have attempts left in this turn",
  make: Effect.gen(function* () {
    const budgets = yield* Budgets
    const { sha256 } = yield* Digest
    return (tool, dispatch) => (next) => {
      const { definition } = tool
      const reads = definition.access === "read"
      const limit = limitOf(definition)
      /** True if the attempt repeats, within its call, an attempt of a write that did nothing. */
      const isRepeat = ({ lastFailure }: Call.Call): boolean => !reads && lastFailure?.sideEffect === "none"
      const refund = (call: Call.Call, turn: Turn, key: string) => {
        take(call, key, -1)
        return Effect.ignore(budgets.refund(turn, key, isRepeat(call)))
      }
      /**
       * Refunds the unit of a write that is interrupted before its handler starts. Once the handler has started, the
       * effect of the write is unknown, and the unit stays spent.
       */
      const attempt = (call: Call.Call, turn: Turn, key: string): Effect.Effect<Outcome> =>
        reads
          ? next(call)
          : Effect.onExitIf(next(call), Exit.isFailure, () => {
              if (!call.trace.isStarted) return refund(call, turn, key)
              return Effect.ignore(budgets.settle(turn, key, settlementOf(limit, endOf(call), true)))
            })
      /** Runs a program's call without counting it. Other counts restart after a write that is progress. */
      const uncounted = (call: Call.Call, turn: Turn): Effect.Effect<Outcome> =>
        reads
          ? next(call)
          : Effect.tap(next(call), (outcome) =>
              isProgress(definition, outcome) ? Effect.ignore(budgets.progress(turn, call.key())) : Effect.void
            )
      const settle = (
        call: Call.Call,
        turn: Turn,
        key: string,
        attempted: Outcome,
        spending: Extract<Spending, { readonly _tag: "Spent" }>
      ): Effect.Effect<Outcome> => {
        const units = isUnitReturned(attempted) ? spending.remaining + spending.returning + 1 : spending.remaining
        const left = attemptsOf(definition, units)
        const isRefund = attempted._tag === "Failure" && attempted.isRefund === true
        if (isUnitReturned(attempted))
          return Effect.flatMap(Random.next, (random) => {
            const wait = RetryPolicy.statedMillis(definition.retry, call.attempt, attempted.failure, random)
            call.trace.readyAt = Math.max(call.trace.readyAt ?? 0, Call.now(call) + wait)
            return recorded(call, turn, key, attempted, spending.remaining, left)
          })
        return isRefund
          ? Effect.as(refund(call, turn, key), attempted)
          : recorded(call, turn, key, attempted, spending.remaining, left)
      }
      const recorded = (
        call: Call.Call,
        turn: Turn,
        key: string,
        attempted: Outcome,
        remaining: number,
        left: number
      ): Effect.Effect<Outcome> => {
        const settleWith = (outcome: Outcome): Effect.Effect<Outcome> => {
          const isLast = remaining === 0 || limit.onlyAfterTransient
          const readyAt = isUnitReturned(outcome) ? call.trace.readyAt : undefined
          const settling = budgets.settle(turn, key, { ...settlementOf(limit, outcome, isLast), readyAt })
          return Effect.flatMap(
            Effect.orElseSucceed(settling, () => false),
            (isUnchanged) => {
              const marked = markedWith(outcome, reads && isUnchanged, left)
              return isProgress(definition, marked)
                ? Effect.as(Effect.ignore(budgets.progress(turn, key)), marked)
                : Effect.succeed(marked)
            }
          )
        }
        const comparing = ResultText.compared(tool, attempted, sha256, call.traceId)
        const first = comparing.next()
        return first.done === true
          ? settleWith(first.value)
          : // the attempt has ended, so its unit is settled although the caller is interrupted between two steps
            Effect.uninterruptible(Effect.flatMap(inSteps(comparing), settleWith))
      }
      return (call) => {
        const { turn } = call
        if (turn === undefined || call.purpose === "lookup") return next(call)
        if (call.requester === "program") return uncounted(call, turn)
        if (isPoll(definition, call)) return next(call)
        // the same arguments, confirmed under another key, are another action
        const key = keyOf(call)
        const now = Math.max(Call.now(call), call.waitedUntil)
        const isFirst = call.lastFailure === undefined
        const spender = { now, isRepeat: isRepeat(call), isFirst }
        const { takenFrom } = call
        const spent = budgets.spend(turn, key, limit, spender)
        const taken =
          takenFrom === undefined || !isFirst
            ? spent
            : // the attempt of the process whose action was taken over is not running any more
              Effect.andThen(Effect.ignore(budgets.refund(turn, keyOf({ ...call, occasion: takenFrom }))), spent)
        return Effect.matchEffect(taken, {
          onSuccess: (spending) => {
            if (spending._tag === "Exhausted") return Effect.succeed(exhausted(call, spending))
            take(call, key, 1)
            const made = (one: Call.Call): Effect.Effect<Outcome> =>
              attempt({ ...one, remaining: spending.remaining }, turn, key)
            const lookup = lookupOf(definition, call, spending.isUnknown === true)
            if (lookup === undefined)
              return Effect.flatMap(made(call), (outcome) => settle(call, turn, key, outcome, spending))
            return Effect.flatMap(lookUpFirst(call, lookup, dispatch, made), (outcome) =>
              settle(call, turn, key, outcome, spending)
            )
          },
          onFailure: (error) => {
            Call.decide(
              call,
              "budget",
              reads ? "allowed uncounted" : "refused",
              "the store of budgets does not respond"
            )
            return reads
              ? next(call)
              : Effect.succeed(
                  refuse(call, "store_unavailable", { detail: "The store of budgets does not respond.", cause: error })
                )
          }
        })
      }
    }
  })
}

/**
 * True if the call is a poll. A call of a polled tool is not a poll after the awaited result has arrived or the time is
 * over.
 */
const isPoll = ({ poll }: ToolDefinition, { trace }: Call.Call): boolean =>
  trace.isPolling || (poll !== undefined && trace.polled === undefined)

/**
 * Returns the end of an interrupted attempt. If the tool has a lookup, the identical call may be made after the lookup.
 */
const endOf = (call: Call.Call): FailedOutcome =>
  call.tool.definition.reconcile === undefined
    ? interrupted(call)
    : refuse(call, "interrupted", { detail: `${call.name} was interrupted while it ran.`, sideEffect: "unknown" })

/** Returns the key of the budget of a call. */
const keyOf = (call: Call.Call): string => {
  const key = call.occasion === "" ? call.key() : `${call.key()} ${call.occasion}`
  return call.confirm === undefined ? key : `${key} ${call.idempotencyKey}`
}

/**
 * True if the unit of an attempt becomes available again after a delay: the failure is Transient and had no side
 * effect.
 */
export const isUnitReturned = (outcome: Outcome): outcome is FailedOutcome =>
  outcome._tag === "Failure" && outcome.failure._tag === "Transient" && outcome.failure.sideEffect === "none"

/** Adds to an outcome how many attempts are left after a failure, or that a result is unchanged. */
const markedWith = (outcome: Outcome, isUnchanged: boolean, remaining: number): Outcome => {
  if (outcome._tag === "Failure") return { ...outcome, remaining }
  return isUnchanged ? { ...outcome, unchanged: true } : outcome
}

/**
 * Returns how many attempts a call has if it may take this many units. A write repeats an attempt that did nothing
 * without a further unit.
 */
const attemptsOf = ({ access, retry }: ToolDefinition, units: number): number =>
  access === "read" || units <= 0 ? units : Math.max(units, retry.attempts)

/** Returns how many attempts without progress a call key has. */
export const limitOf = (definition: ToolDefinition): BudgetLimit => ({
  limit: definition.budget,
  onlyAfterTransient: definition.access !== "read" && isRepeatable(definition),
  ...(definition.access !== "read" && definition.repeats === "allowed" ? { countsFailures: true } : {})
})

/** Returns the end of an attempt as the store of budgets records it. */
export const settlementOf = ({ countsFailures }: BudgetLimit, outcome: Outcome, isLast: boolean): Settlement => ({
  outcome,
  digest: outcome.digest ?? "",
  isLast,
  ...(countsFailures === true ? { countsFailures } : {})
})

/** True if the call has changed something. */
export const isProgress = ({ access }: ToolDefinition, outcome: Outcome): boolean =>
  access !== "read" && (outcome._tag === "Success" || outcome.failure.sideEffect === "committed")

/** Records the units that the call spends, for the journal of its run. */
const take = ({ trace }: Call.Call, key: string, units: number): void => {
  trace.spent = { key, units: (trace.spent?.units ?? 0) + units }
}

const exhausted = (
  call: Call.Call,
  { answeredEffect, back, isAnswered, last: stored }: Extract<Spending, { _tag: "Exhausted" }>
): Outcome => {
  const last = stored === undefined ? undefined : revived(call, stored)
  if (last?._tag === "Success") {
    Call.decide(call, "budget", "answered again", "the same call returned the same result before")
    return call.tool.definition.access === "read"
      ? { ...last, unchanged: true }
      : notMadeAgain(call, { first: last, isProven: isProven(last), times: 1 })
  }
  const remaining = attemptsOf(call.tool.definition, back?.units ?? 0)
  call.trace.readyAt = back?.at
  if (back === undefined) Call.decide(call, "budget", "refused", "the attempts for this call are used up in this turn")
  else
    Call.decide(call, "budget", "too early", `the wait that the model has read ends in ${back.at - Call.now(call)} ms`)
  // a call that was retrying fails with the failure of its last attempt
  if (call.lastFailure !== undefined) return { ...failed(call.lastFailure), remaining, isFinal: true }
  if (last === undefined) {
    const refusal = isAnswered
      ? answeredAbove(call, answeredEffect)
      : refuse(call, "in_progress", { detail: "The same call is already running; its result is next to this one." })
    return { ...refusal, remaining, isFinal: true }
  }
  const readyAt = back === undefined ? {} : { readyAt: back.at }
  return { ...failedAbove(call, last, back !== undefined), ...readyAt, remaining, isFinal: true }
}

/**
 * Returns the refusal of a call that failed before, with the class and the side effect of that failure. The classes
 * PartialData and SemanticGarbage become Transient.
 */
const failedAbove = (
  call: Call.Call,
  { failure: before, isAnswered }: FailedOutcome,
  isEarly: boolean
): FailedOutcome => {
  const hint = isEarly
    ? "Wait until retry_after_ms is over, then call again, or use another tool."
    : before.sideEffect === "unknown" && isAnswered === true
      ? EffectHint.uncertain()
      : undefined
  const refusal = refuse(call, "retry_budget_exceeded", {
    tag: before._tag === "PartialData" || before._tag === "SemanticGarbage" ? "Transient" : before._tag,
    detail: isEarly
      ? `This call comes too early and was not made. It last failed with: ${before.detail}`
      : `The attempts for this call are used up. It last failed with: ${before.detail}`,
    ...(hint === undefined ? {} : { hint }),
    sideEffect: before.sideEffect
  })
  return isAnswered === true ? { ...refusal, isAnswered } : refusal
}

/**
 * Returns the refusal of a call whose result was returned before and is no longer stored. For a write, the refusal
 * contains the side effect that the result proved.
 */
const answeredAbove = (call: Call.Call, answeredEffect: SideEffect = "unknown"): FailedOutcome => {
  const sideEffect = call.tool.definition.access === "read" ? "none" : answeredEffect
  const refusal = refuse(call, "retry_budget_exceeded", {
    detail: "This call was made before in this turn; its result is above.",
    ...(sideEffect === "unknown" ? { hint: EffectHint.unproven() } : {}),
    sideEffect
  })
  // the earlier result was an answer; without this field, the call would end as `outcome_unknown`
  return sideEffect === "unknown" ? { ...refusal, isAnswered: true } : refusal
}
