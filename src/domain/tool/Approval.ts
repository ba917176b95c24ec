/** How much of a person a call needs, and the sentence that the person reads (SPEC 10.1, 10.2). */
import type { Level } from "./EscalationPolicy.ts"

/** `auto` runs, `inform` runs and tells a person, `confirm` and `block` wait for one. */
export interface Approval {
  readonly level: Level
  /** What the person reads; empty for `auto`. */
  readonly sentence: string
}

/** Runs without a person. */
export const auto: Approval = { level: "auto", sentence: "" }

/** Runs, and tells a person. */
export const inform = (sentence: string): Approval => ({ level: "inform", sentence })

/** Asks a person first. */
export const confirm = (sentence: string): Approval => ({ level: "confirm", sentence })

/** Stops until a person decides. */
export const block = (sentence: string): Approval => ({ level: "block", sentence })
