/** Defines the type of the functions that check the promises of the guard. */
import type { FuzzCase } from "#kit/fuzz/cases/FuzzCase"
import type { Observation } from "#kit/fuzz/simulation/Observation"
import type { Subject } from "#kit/fuzz/cases/Subject"

/** Returns a sentence that says how a case broke the promise, or `undefined` if the promise was kept. */
export type PromiseCheck = (subject: Subject, fuzzCase: FuzzCase, observation: Observation) => string | undefined
