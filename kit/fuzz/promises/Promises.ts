/** Lists the promises of the guard by name. They hold for any call of a model and any answer of a tool. */
import type { FuzzCase } from "#kit/fuzz/cases/FuzzCase"
import type { Observation } from "#kit/fuzz/simulation/Observation"
import type { Subject } from "#kit/fuzz/cases/Subject"
import { allowedRetries, circuitRespected, expectedRetries, repeatsLimited, writesNotRepeated } from "./Attempts.ts"
import { typed, unpolluted } from "./Channel.ts"
import { failureClasses, invalidCalls } from "./Classes.ts"
import { approved, correctSideEffect, noSecondWrite, oneEffect } from "./Effects.ts"
import type { PromiseCheck } from "./PromiseCheck.ts"
import { oneEnvelope, oneResult, withinDeadline } from "./Results.ts"
import { secrets } from "./Secrets.ts"

/** Each promise, as one clause, and its checks. The first broken promise in this order is reported. */
const promises = {
  secrets: { means: "no secret and no detail of the host reaches a model or a person", checks: [secrets] },
  effects: {
    means:
      "a write happens at most once and never without a required approval, and its side effect is reported correctly",
    checks: [oneEffect, noSecondWrite, approved, correctSideEffect]
  },
  results: { means: "n calls return n results", checks: [oneResult] },
  channel: { means: "every call ends with a result or a failure of the tool's type", checks: [typed, unpolluted] },
  envelope: {
    means: "a model reads one envelope format, with errors of at most 600 characters",
    checks: [oneEnvelope]
  },
  time: { means: "a call ends within its deadline", checks: [withinDeadline] },
  attempts: {
    means: "the tool runs as often as its policy requires, and not more often than its policy permits",
    checks: [allowedRetries, repeatsLimited, writesNotRepeated, circuitRespected, expectedRetries]
  },
  class: { means: "each fault is reported with the right failure class", checks: [invalidCalls, failureClasses] }
} as const satisfies Record<string, { readonly means: string; readonly checks: ReadonlyArray<PromiseCheck> }>

/** The name of a promise. */
export type PromiseName = keyof typeof promises

/** A broken promise, and how it was broken. */
export interface BrokenPromise {
  readonly promise: PromiseName
  readonly detail: string
}

/** Returns the meaning of a promise, as one clause. */
export const meaningOf = (name: PromiseName): string => promises[name].means

/** Returns the first promise that a case broke. */
export const broken = (subject: Subject, fuzzCase: FuzzCase, observation: Observation): BrokenPromise | undefined => {
  for (const [name, { checks }] of Object.entries(promises)) {
    for (const check of checks) {
      const detail = check(subject, fuzzCase, observation)
      if (detail !== undefined) return { promise: name as PromiseName /* Object.entries widens names */, detail }
    }
  }
  return undefined
}
