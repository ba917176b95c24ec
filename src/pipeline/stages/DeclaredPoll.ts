/** [7.2] Decides whether a tool that declares `poll` is still polled, and when it may be polled again. */
import type { Success } from "#domain/call/Outcome"
import type { Poll } from "#domain/tool/ToolDefinition"
import type { Turn } from "#domain/turn/Turn"
import * as TurnHistory from "#domain/turn/TurnHistory"
import type { TurnMemory } from "#services/TurnMemory"
import * as Call from "#pipeline/call/Call"
import * as Crash from "#pipeline/call/Crash"

/**
 * True if the awaited result has arrived. If `until` throws, the poll is over. A raw result may make any `until` throw.
 */
export const hasArrived = (call: Call.Call, poll: Poll, { isRaw, value }: Success): boolean => {
  try {
    return poll.until(value)
  } catch (error) {
    if (isRaw !== true) Crash.note(call, "loop", "the poll's `until`", error)
    return true
  }
}

/** Records another poll. Returns whether the tool is still polled, and how long this poll must wait. */
export const begin = (memory: TurnMemory["Service"], call: Call.Call, turn: Turn, poll: Poll) => {
  const at = Call.now(call)
  return memory.modifyTurn(turn, (history) => {
    const before = TurnHistory.polled(history, call.key())
    const startedAt = before?.startedAt ?? at
    const isPolling = before?.isOver !== true && at - startedAt <= poll.deadlineMillis
    const waitMillis = isPolling && before !== undefined ? Math.max(0, before.lastAt + poll.intervalMillis - at) : 0
    const polled = { startedAt, lastAt: at + waitMillis, isOver: before?.isOver ?? false }
    call.trace.polled = polled
    return [{ isPolling, waitMillis }, TurnHistory.polls(history, call.key(), polled)]
  })
}

/** Records that the poll is over. */
export const end = (memory: TurnMemory["Service"], call: Call.Call, turn: Turn) =>
  memory.modifyTurn(turn, (history) => {
    const before = TurnHistory.polled(history, call.key())
    if (before === undefined) return [undefined, history]
    call.trace.polled = { ...before, isOver: true }
    return [undefined, TurnHistory.polls(history, call.key(), call.trace.polled)]
  })
