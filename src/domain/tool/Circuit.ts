/**
 * Decides whether the circuit of a tool admits an attempt, as a pure state machine [4.11].
 *
 * **Details**
 *
 * - Closed: every attempt is admitted. The circuit opens if at least `minimum` of the last `window` outcomes are known and
 *   at least `share` of them failed.
 * - Open: no attempt is admitted. The n-th opening in a row lasts `openMillis * 2^(n-1)`, at most `capMillis`, with equal
 *   jitter: half of that time and a random part of the other half.
 * - Probing: after the open time one attempt is the probe. If it fails, the circuit opens again.
 * - Ramp: the successes pay for the attempts, so that the attempts follow what the upstream serves. An attempt costs 5
 *   credits, a success earns 6, and a failure earns none. The probe is the first success. An attempt without credits is
 *   rejected. If the last running attempt fails without credits, the circuit opens again for a quarter of the first open
 *   time, which doubles with each probe that fails. The circuit is closed with 100 credits, because the upstream serves
 *   more than is asked of it, or after ten seconds without attempts.
 *
 * Every wait that a rejection states has jitter, so that rejected attempts do not return together.
 */
import * as RetryPolicy from "./RetryPolicy.ts"

/** When a circuit opens and for how long. */
export interface CircuitPolicy {
  /** The share of failures that opens the circuit, above 0 and at most 1. */
  readonly share: number
  /** The number of latest outcomes that are counted. */
  readonly window: number
  /** The number of outcomes below which the circuit stays closed, at most `window`. */
  readonly minimum: number
  /** The first open time, in milliseconds. */
  readonly openMillis: number
  /** The longest open time, in milliseconds. */
  readonly capMillis: number
}

/**
 * The defaults: the circuit opens if at least 5 of the last 20 outcomes are known and half of them failed, first for 1
 * s and then for 2 s. Source: [2.9].
 */
export const defaults: CircuitPolicy = { share: 0.5, window: 20, minimum: 5, openMillis: 1_000, capMillis: 2_000 }

/**
 * The state of a circuit, which can be stored as JSON. Times are in milliseconds. `epoch` changes with each transition;
 * an outcome counts only in the epoch in which its attempt was admitted.
 */
export type CircuitState =
  /** `outcomes` has one character for each counted outcome, the oldest first: `1` for a failure, `0` for a success. */
  | { readonly _tag: "Closed"; readonly epoch: number; readonly outcomes: string }
  | {
      readonly _tag: "Open"
      readonly epoch: number
      readonly openings: number
      readonly from: number
      readonly until: number
    }
  /** `until`: when another attempt may become the probe, if the outcome of this probe was not recorded. */
  | {
      readonly _tag: "Probing"
      readonly epoch: number
      readonly openings: number
      readonly openedMillis: number
      readonly until: number
    }
  /** `until`: when the ramp ends, or starts again if attempts run, unless one is admitted or ends before. */
  | {
      readonly _tag: "Ramp"
      readonly epoch: number
      readonly openings: number
      readonly until: number
      readonly running: number
      readonly credits: number
    }

/** The decision about an attempt, and the state after it. */
type Admission =
  | { readonly _tag: "Admitted"; readonly state: CircuitState }
  | { readonly _tag: "Rejected"; readonly state: CircuitState; readonly retryAfterMillis: number }

/**
 * The outcome of an admitted attempt. An `ignored` attempt was interrupted or did not run, so it says nothing about its
 * tool.
 */
export type CircuitOutcome = "success" | "failure" | "ignored"

/** The state of a circuit without outcomes. */
export const closed: CircuitState = { _tag: "Closed", epoch: 0, outcomes: "" }

/** The time after which a probe, or the attempts of a ramp, without an outcome are replaced, in milliseconds. */
const patienceMillis = 10_000

/** The longest wait that is stated beyond the open time, in milliseconds. */
const longestWaitMillis = 10_000

/**
 * The credits of a ramp. Attempts exceed what the upstream serves by a fifth, so that it is soon found how much that is,
 * and one attempt in six is refused. `closing` is more than the successes that usually arrive together.
 */
const credits = { attempt: 5, success: 6, closing: 100 } as const

/** The number of the opening after a ramp: its time doubles twice until it is that of the first opening. */
const openingAfterRamp = -1

/** True if every attempt is admitted, regardless of the time and the random number. */
export const isClosed = (state: CircuitState): boolean => state._tag === "Closed"

/** Decides about an attempt. `random` is in [0, 1). */
export const admit = (policy: CircuitPolicy, state: CircuitState, now: number, random: number): Admission => {
  switch (state._tag) {
    case "Closed":
      return { _tag: "Admitted", state }
    case "Open": {
      const { epoch, from, openings, until } = state
      if (now < until) return rejected(state, until - now + (Math.min(until - from, longestWaitMillis) / 2) * random)
      return {
        _tag: "Admitted",
        state: { _tag: "Probing", epoch: epoch + 1, openings, openedMillis: until - from, until: now + patienceMillis }
      }
    }
    case "Probing":
      return now < state.until
        ? rejected(state, openMillis(policy, 1, random))
        : { _tag: "Admitted", state: { ...state, until: now + patienceMillis } }
    case "Ramp": {
      const isIdle = now >= state.until
      if (isIdle && state.running === 0) return { _tag: "Admitted", state: { ...closed, epoch: state.epoch + 1 } }
      const ramp = isIdle ? { ...state, running: 0, credits: credits.attempt } : state
      if (ramp.credits < credits.attempt)
        return rejected(state, openMillis(longestWait(policy), Math.max(1, state.openings), random))
      const [running, rest] = [ramp.running + 1, ramp.credits - credits.attempt]
      return { _tag: "Admitted", state: { ...ramp, until: now + patienceMillis, running, credits: rest } }
    }
  }
}

/**
 * Returns the state after the outcome of an attempt that was admitted in `epoch`. `random` is in [0, 1).
 */
export const record = (
  policy: CircuitPolicy,
  state: CircuitState,
  epoch: number,
  outcome: CircuitOutcome,
  now: number,
  random: number
): CircuitState => {
  if (state.epoch !== epoch) return state
  switch (state._tag) {
    case "Closed": {
      if (outcome === "ignored") return state
      const outcomes = (state.outcomes + (outcome === "failure" ? "1" : "0")).slice(-policy.window)
      if (outcome === "failure" && isTripped(policy, outcomes)) return opened(policy, state, 1, now, random)
      return outcomes === state.outcomes ? state : { ...state, outcomes }
    }
    case "Open":
      return state
    case "Probing": {
      const { openedMillis, openings } = state
      if (outcome === "failure") return opened(policy, state, openings + 1, now, random)
      if (outcome === "ignored")
        return { _tag: "Open", epoch: epoch + 1, openings, from: now - openedMillis, until: now }
      const ramp = { epoch: epoch + 1, openings, until: now + patienceMillis, running: 0 }
      return { _tag: "Ramp", ...ramp, credits: credits.success }
    }
    case "Ramp": {
      const running = Math.max(0, state.running - 1)
      const earned = outcome === "success" ? credits.success : outcome === "ignored" ? credits.attempt : 0
      const owned = state.credits + earned
      if (running === 0 && owned < credits.attempt) return opened(policy, state, openingAfterRamp, now, random)
      return owned < credits.closing
        ? { ...state, until: now + patienceMillis, running, credits: owned }
        : { ...closed, epoch: epoch + 1 }
    }
  }
}

const rejected = (state: CircuitState, millis: number): Admission => ({
  _tag: "Rejected",
  state,
  retryAfterMillis: Math.max(1, Math.ceil(millis))
})

const opened = (
  policy: CircuitPolicy,
  { epoch }: CircuitState,
  openings: number,
  now: number,
  random: number
): CircuitState => ({
  _tag: "Open",
  epoch: epoch + 1,
  openings,
  from: now,
  until: now + openMillis(policy, openings, random)
})

/**
 * Returns the open time of the n-th opening in a row: the equal jitter of retries, with the circuit's base and cap. Before
 * the first opening are the shorter ones after a ramp.
 */
const openMillis = ({ capMillis, openMillis: baseMillis }: CircuitPolicy, opening: number, random: number): number =>
  Math.ceil(RetryPolicy.delayMillis({ attempts: opening, baseMillis, capMillis, jitter: "equal" }, opening, random))

const isTripped = ({ minimum, share }: CircuitPolicy, outcomes: string): boolean => {
  const failures = outcomes.split("1").length - 1
  return outcomes.length >= minimum && failures / outcomes.length >= share
}

const longestWait = (policy: CircuitPolicy): CircuitPolicy => ({
  ...policy,
  capMillis: Math.min(policy.capMillis, longestWaitMillis)
})
