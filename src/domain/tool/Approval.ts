/** The escalation level of a call, and the sentence that the person and the model read [10.1], [10.2]. */
import type * as Effect from "effect/Effect"
import type { Level } from "./EscalationPolicy.ts"

/** `auto` runs the call, `inform` runs it and informs a person, `confirm` and `block` wait for a person. */
export interface Approval {
  readonly level: Level
  /**
   * What the call would do, such as `it would delete 2847 records`; empty for `auto`. The person reads it. If the call
   * waits for a person, or no person can be reached, the model reads it too, redacted and cut at 200 characters.
   */
  readonly sentence: string
}

/** A call as a shared approval reads it. */
export interface RequestedCall {
  /** The name of the tool. */
  readonly tool: string
  /** The arguments as JSON, as the model writes them. */
  readonly arguments: unknown
}

/** A level, or a function of the call. If the function fails, the level is `confirm`. */
export type SharedApproval = Level | ((call: RequestedCall) => Approval | Effect.Effect<Approval, unknown>)

/** Runs the call without informing a person. */
export const auto: Approval = { level: "auto", sentence: "" }

/** Runs the call and informs a person. */
export const inform = (sentence: string): Approval => ({ level: "inform", sentence })

/** Asks a person before the call runs. */
export const confirm = (sentence: string): Approval => ({ level: "confirm", sentence })

/** Stops the run until a person decides. */
export const block = (sentence: string): Approval => ({ level: "block", sentence })
