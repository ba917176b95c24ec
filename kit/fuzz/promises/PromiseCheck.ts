/**
 * Checks a promise of the guard. Returns a sentence that says how a case broke the promise, or `undefined` if it was
 * kept.
 */
import type { FuzzCase } from "#kit/fuzz/cases/FuzzCase"
import type { Observation } from "#kit/fuzz/simulation/Observation"
import type { Subject } from "#kit/fuzz/cases/Subject"

export type PromiseCheck = (subject: Subject, fuzzCase: FuzzCase, observation: Observation) => string | undefined
