/**
 * Finds suspects: calls that the guard would have blocked, and that the log contradicts [13.1].
 *
 * **Details**
 *
 * - A refused call is a suspect if the log answered it well: a schema can be stricter than its server.
 * - A saved call is a suspect if its answer in the log is good and differs from the answer to the previous identical
 *   call, or if the guard refused that call, so that it never got the answer.
 * - With such a call, the blocked identical calls before it are suspects too, back to the last one that the guard would
 *   have made: the model asked until there was a new answer.
 * - After the stop of a loop, the run may end. The first later call of the turn with a new, successful answer is then a
 *   suspect: the identical call, for the same failure a call of the tool, for a cycle a repeated call, and without
 *   progress any call.
 */
import type { LoopPattern } from "effect-toolguard/internal/domain/loop/LoopDetector"
import type { Contradiction, PlayedCall, ReplayedCall } from "./ReplayedCall.ts"
import * as ResultFaults from "./ResultFaults.ts"

/** A call that is not reviewed. */
export type UnreviewedCall = Omit<PlayedCall, "contradiction">

/** A stop after a call that ran. */
interface OpenStop {
  readonly pattern: Exclude<LoopPattern, "identical">
  readonly tool: string
}

/** Reviews the calls of a conversation, in their order. */
export const of = (calls: ReadonlyArray<UnreviewedCall>): ReadonlyArray<PlayedCall> => {
  const found = new Map<UnreviewedCall, Contradiction>()
  /** For each key, the latest identical call that has an answer in the log, otherwise the first. */
  const latest = new Map<string, UnreviewedCall>()
  /** The blocked calls of the turn since the last identical call that the guard would have made, by key. */
  const blocked = new Map<string, Array<UnreviewedCall>>()
  let stops: Array<OpenStop> = []
  let turn = 0
  for (const call of calls) {
    if (call.turn !== turn) {
      blocked.clear()
      stops = []
      turn = call.turn
    }
    const { key, loop, tool } = call
    const before = latest.get(key)
    let run: Array<UnreviewedCall> = []
    if (isBlocked(call) || hasEnded(before, turn)) {
      run = blocked.get(key) ?? run
      run.push(call)
    }
    if (ResultFaults.isAnswered(call.loggedEnd) && isNew(call, before)) {
      const open = stops.filter((stop) => !contradicts(stop, call, before))
      const contradicted = open.length < stops.length ? [...run, call] : run
      for (const one of contradicted) found.set(one, { call: call.number, answer: call.answer?.text ?? "" })
      stops = open
      run = []
    }
    if (run.length > 0) blocked.set(key, run)
    else blocked.delete(key)
    if (loop !== undefined && loop.pattern !== "identical" && !isBlocked(call)) {
      stops.push({ pattern: loop.pattern, tool })
    }
    if (call.answer !== undefined || before === undefined) latest.set(key, call)
  }
  return calls.map((call): PlayedCall => ({ ...call, contradiction: found.get(call) }))
}

/** True if the guard would not have made the call. */
export const isBlocked = ({ tally }: Pick<ReplayedCall, "tally">): boolean =>
  tally.saving !== undefined || tally.refusal !== undefined

/** True if the previous identical call ended the run, because the guard let it pass and then detected a loop. */
const hasEnded = (before: UnreviewedCall | undefined, turn: number): boolean =>
  before !== undefined && before.turn === turn && before.loop !== undefined && before.tally.saving === undefined

/** True if the guard would not have had the log's answer from the previous identical call. */
const isNew = (call: UnreviewedCall, before: UnreviewedCall | undefined): boolean =>
  before === undefined ||
  before.answer?.text !== call.answer?.text ||
  (before.tally.refusal !== undefined && before.tally.saving === undefined)

const contradicts = (
  { pattern, tool }: OpenStop,
  call: UnreviewedCall,
  before: UnreviewedCall | undefined
): boolean => {
  switch (pattern) {
    case "same_failure":
      return call.tool === tool
    case "cycle":
      return before !== undefined && before.turn === call.turn
    case "no_progress":
      return true
  }
}
