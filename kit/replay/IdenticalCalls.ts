/**
 * Finds identical calls, which call the same tool with the same arguments. The order of the fields is irrelevant.
 *
 * Within a round, only the first of several identical reads runs. Its result answers all of them, as in a run of the
 * agent.
 */
import * as CallKey from "effect-toolguard/internal/domain/call/CallKey"
import { type CallRecord, plain } from "effect-toolguard/internal/domain/call/CallRecord"
import * as CallTally from "effect-toolguard/internal/domain/call/CallTally"
import type { Turn } from "effect-toolguard/internal/domain/turn/Turn"
import { compiledOf } from "effect-toolguard/internal/pipeline/call/CompiledTool"
import type { CallableTool } from "./CallableTool.ts"
import type { CheckedAnswer } from "./ResultFaults.ts"
import type { PlayedCall } from "./ReplayedCall.ts"
import type { UnreviewedCall } from "./StopReview.ts"
import type { RecordedCall } from "#kit/traffic/Conversation"
import { parsed, type TimelineCall } from "#kit/traffic/Timeline"

/**
 * Returns a key that is equal for calls that the guard considers identical. Compares unparsable arguments as written.
 */
export const keyOf = ({ arguments: args, name }: Pick<RecordedCall, "arguments" | "name">): string => {
  const value = parsed(args)
  return value === undefined && typeof args === "string" ? `${name} ${args}` : CallKey.of(name, value)
}

/** Returns the identical read of this round whose answer a call shares, or `undefined` if the call must run. */
export const firstEqual = (
  tool: CallableTool | undefined,
  before: UnreviewedCall | undefined,
  turn: Turn,
  round: number
): UnreviewedCall | undefined =>
  tool !== undefined &&
  before?.round === round &&
  String(before.turn) === turn.turn &&
  compiledOf(tool).definition.access === "read"
    ? before
    : undefined

/** Returns the record of a call that shares the answer of `first`. */
export const sharedRecord = (first: UnreviewedCall): CallRecord => {
  const decision = { stage: "round", decision: "shared", reason: "An identical read of this round answers this call." }
  return { ...plain(first.record), attempts: [], decisions: [decision] }
}

/** Creates a call that shares the answer of `first`. */
export const shared = (
  first: UnreviewedCall,
  { answer, call, number }: TimelineCall,
  checked: CheckedAnswer,
  tokens: PlayedCall["tokens"]
): UnreviewedCall => {
  const record = sharedRecord(first)
  return {
    ...first,
    ...checked,
    number,
    tokens,
    arguments: call.arguments,
    answer,
    record,
    tally: CallTally.of(record),
    loop: undefined,
    isAsked: false
  }
}
