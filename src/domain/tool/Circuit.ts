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
 * - Ramp: after a successful probe a growing share of the attempts is admitted, from a tenth to all, for as long as the
 *   circuit was open, at most 10 seconds. An attempt is always admitted while no other is running. A failure opens the
 *   circuit again. At the end of the ramp the circuit is closed, and the count of openings starts again.
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
  | {
      readonly _tag: "Ramp"
      readonly epoch: number
      readonly openings: number
      readonly from: number
      readonly until: number
      readonly running: number
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

/** The time after which a probe without an outcome is replaced, in milliseconds. */
const probeMillis = 10_000

const longestRampMillis = 10_000

/** The share of the attempts that the ramp admits at its start. */
const firstShare = 0.1

/** True if every attempt is admitted, regardless of the time and the random number. */
export const isClosed = (state: CircuitState): boolean => state._tag === "Closed"

/** Decides about an attempt. `random` is in [0, 1). */
export const admit = (policy: CircuitPolicy, state: CircuitState, now: number, random: number): Admission => {
  switch (state._tag) {
    case "Closed":
      return { _tag: "Admitted", state }
    case "Open": {
      const { epoch, from, openings, until } = state
      if (now < until) return rejected(state, until - now + (Math.min(until - from, longestRampMillis) / 2) * random)
      return {
        _tag: "Admitted",
        state: { _tag: "Probing", epoch: epoch + 1, openings, openedMillis: until - from, until: now + probeMillis }
      }
    }
    case "Probing":
      return now < state.until
        ? rejected(state, openMillis(policy, 1, random))
        : { _tag: "Admitted", state: { ...state, epoch: state.epoch + 1, until: now + probeMillis } }
    case "Ramp":
      if (now >= state.until) return { _tag: "Admitted", state: { ...closed, epoch: state.epoch + 1 } }
      return state.running === 0 || random < sharePassing(state, now)
        ? { _tag: "Admitted", state: { ...state, running: state.running + 1 } }
        : rejected(state, (state.until - now) * (0.5 + random / 2))
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
      const until = now + Math.min(openedMillis, longestRampMillis)
      return { _tag: "Ramp", epoch: epoch + 1, openings, from: now, until, running: 0 }
    }
    case "Ramp":
      return outcome === "failure"
        ? opened(policy, state, state.openings + 1, now, random)
        : { ...state, running: Math.max(0, state.running - 1) }
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

/** Returns the open time of the n-th opening in a row: the equal jitter of retries, with the circuit's base and cap. */
const openMillis = ({ capMillis, openMillis: baseMillis }: CircuitPolicy, opening: number, random: number): number =>
  Math.ceil(RetryPolicy.delayMillis({ attempts: opening, baseMillis, capMillis, jitter: "equal" }, opening, random))

const isTripped = ({ minimum, share }: CircuitPolicy, outcomes: string): boolean => {
  const failures = outcomes.split("1").length - 1
  return outcomes.length >= minimum && failures / outcomes.length >= share
}

const sharePassing = ({ from, until }: { readonly from: number; readonly until: number }, now: number): number =>
  Math.max(firstShare, (now - from) / (until - from))
