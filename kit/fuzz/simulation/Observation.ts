/** Describes the observations made while a case ran. */
import type { ModelAnswer } from "effect-toolguard/internal/guard/Guard"
import type * as Prompt from "effect/ai/Prompt"
import type * as Exit from "effect/Exit"
import type { FuzzCall } from "#kit/fuzz/cases/FuzzCase"
import type { FallbackExecution } from "./RelatedTools.ts"
import type { World } from "./World.ts"

/** A call of the case and its outcome. */
export interface ObservedCall {
  readonly call: FuzzCall
  readonly id: string
  /** Milliseconds since the case started. */
  readonly startedAt: number
  /** Absent until the call ends. */
  endedAt?: number
  /** The number of executions of the tool when the call started (`from`) and when it ended (`to`). */
  readonly from: number
  to?: number
  /** The answer to a model. */
  answer?: ModelAnswer
  /** The exit of a program's call, or of a model's call that ended without an answer. */
  exit?: Exit.Exit<unknown, unknown>
}

/** Everything observed in a case. */
export interface Observation {
  readonly calls: ReadonlyArray<ObservedCall>
  readonly world: World
  readonly fallbacks: ReadonlyArray<FallbackExecution>
  /** The sentences and arguments shown to a person. */
  readonly escalated: ReadonlyArray<string>
  /** The conversation of an agent loop that has ended. */
  readonly transcript?: Prompt.Prompt
}

/** Records the start of a call. The returned function records its end. */
export type StartCall = (
  call: FuzzCall,
  id: string
) => (ended: { readonly answer?: ModelAnswer; readonly exit?: Exit.Exit<unknown, unknown> }) => void

/** Returns the id of a call, by default an id that is unique in the case. */
export const idOf = ({ id }: FuzzCall, index: number): string => id ?? `call_${index + 1}`
