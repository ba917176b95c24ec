/** Equal reads of one round: the first is made and answers all, as in a run of the agent. */
import { plain } from "effect-toolguard/internal/domain/call/CallRecord"
import * as CallTally from "effect-toolguard/internal/domain/call/CallTally"
import type { Turn } from "effect-toolguard/internal/domain/turn/Turn"
import { compiledOf } from "effect-toolguard/internal/pipeline/call/CompiledTool"
import type { Callable } from "./Contracts.ts"
import type { Judged } from "./RecordedAnswer.ts"
import type { ReplayedCall } from "./ReplayedCall.ts"
import type { TimelineCall } from "#kit/traffic/Timeline"

/** The call of this round that answers an equal one; undefined where each is made. */
export const firstEqual = (
  tool: Callable | undefined,
  before: ReplayedCall | undefined,
  turn: Turn,
  round: number
): ReplayedCall | undefined =>
  tool !== undefined &&
  before?.round === round &&
  String(before.turn) === turn.turn &&
  compiledOf(tool).definition.access === "read"
    ? before
    : undefined

/** A call that another one of its round answers. `isNew`: the log has another answer to it. */
export const shared = (
  first: ReplayedCall,
  { answer, call, number }: TimelineCall,
  judged: Judged | undefined,
  isNew: boolean
): ReplayedCall => {
  const decision = { stage: "round", decision: "shared", reason: "The equal read of this round answers it." }
  const record = { ...plain(first.record), attempts: [], decisions: [decision] }
  return {
    ...first,
    number,
    arguments: call.arguments,
    answer,
    judged,
    record,
    tally: CallTally.of(record),
    isSuspect: isNew && judged !== undefined && judged._tag !== "Failure",
    loop: undefined,
    isAsked: false
  }
}
