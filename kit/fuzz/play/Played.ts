/** What happened while a case was played. */
import type { ModelAnswer } from "effect-toolguard/internal/guard/Guard"
import type * as Prompt from "effect/ai/Prompt"
import type * as Exit from "effect/Exit"
import type { FuzzCall } from "#kit/fuzz/cases/FuzzCase"
import type { Alternative } from "./Others.ts"
import type { World } from "./World.ts"

/** One call of the case, and what came of it. */
export interface PlayedCall {
  readonly call: FuzzCall
  readonly id: string
  readonly startedAt: number
  endedAt?: number
  /** Executions before it and after it. */
  readonly from: number
  to?: number
  /** What a model got. */
  answer?: ModelAnswer
  /** How a program's call ended, or how a model's did that ended without an answer. */
  exit?: Exit.Exit<unknown, unknown>
}

export interface Played {
  readonly calls: ReadonlyArray<PlayedCall>
  readonly world: World
  readonly alternatives: ReadonlyArray<Alternative>
  /** What a person was told or asked: the sentences and the arguments beside them. */
  readonly told: ReadonlyArray<string>
  /** The conversation of an agent loop that ended. */
  readonly transcript?: Prompt.Prompt
  /** All of the calls came to an end. */
  readonly isOver: boolean
}

/** Notes that a call begins; what comes back notes its end. */
export type Began = (
  call: FuzzCall,
  id: string
) => (ended: { readonly answer?: ModelAnswer; readonly exit?: Exit.Exit<unknown, unknown> }) => void

/** The id of a call: its own, or one that no other has. */
export const idOf = ({ id }: FuzzCall, index: number): string => id ?? `call_${index + 1}`
