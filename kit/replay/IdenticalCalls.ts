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
import { type CheckedAnswer, isAnswered } from "./ResultFaults.ts"
import type { ReplayedCall } from "./ReplayedCall.ts"
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

/** Returns the record of a call that shares the answer of `first`. */
export const sharedRecord = (first: ReplayedCall): CallRecord => {
  const decision = { stage: "round", decision: "shared", reason: "An identical read of this round answers this call." }
  return { ...plain(first.record), attempts: [], decisions: [decision] }
}

/**
 * Creates a call that shares the answer of `first`. `isNew` means that the log has a different answer for this call.
 */
export const shared = (
  first: ReplayedCall,
  { answer, call, number }: TimelineCall,
  checked: CheckedAnswer,
  isNew: boolean
): ReplayedCall => {
  const record = sharedRecord(first)
  return {
    ...first,
    ...checked,
    number,
    arguments: call.arguments,
    answer,
    record,
    tally: CallTally.of(record),
    isSuspect: isNew && isAnswered(checked.loggedEnd),
    loop: undefined,
    isAsked: false
  }
}
