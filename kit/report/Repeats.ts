/** Collects the identical calls of each turn, and the loops that the guard would have stopped. */
import type { Conversation } from "#kit/traffic/Conversation"
import type { ReplayedConversation, ReplayedCall } from "#kit/replay/ReplayedCall"
import * as Lengths from "./Lengths.ts"
import { bounded } from "./Tables.ts"
import type { BoundedList, LoopRow, RepeatRow, Repeats } from "./Report.ts"

const maxRows = 500
const maxCalls = 20

/** Creates an empty collection. */
export const make = () => {
  const loops = bounded<LoopRow>(maxRows)
  const groups = bounded<RepeatRow>(maxRows)
  let calls = 0
  let sameAnswer = 0
  let longestRun = 0
  const lengths = Lengths.make()
  return {
    add: (conversation: Conversation, replayed: ReplayedConversation): void => {
      for (const turn of turnsOf(replayed.calls)) {
        const found = identicalIn(turn)
        longestRun = Math.max(longestRun, found.longestRun)
        sameAnswer += found.sameAnswer
        for (const run of found.runs) lengths.add(run)
        for (const group of found.groups) {
          calls += group.length - 1
          groups.add(() => rowOf(conversation, group))
        }
      }
      for (const row of loopsOf(conversation, replayed.calls)) loops.add(() => row)
    },
    repeats: (): Repeats => ({ calls, sameAnswer, longestRun, groups: groups.value() }),
    loops: (): BoundedList<LoopRow> => loops.value(),
    /** Returns the lengths of the sequences of two or more consecutive identical calls. */
    lengths: lengths.rows
  }
}

const turnsOf = (calls: ReadonlyArray<ReplayedCall>): ReadonlyArray<ReadonlyArray<ReplayedCall>> => {
  const turns: Array<Array<ReplayedCall>> = []
  for (const call of calls) {
    const last = turns.at(-1)
    if (last?.[0]?.turn === call.turn) last.push(call)
    else turns.push([call])
  }
  return turns
}

/** Groups the identical calls of a turn, in the order of their first calls. */
const identicalIn = (calls: ReadonlyArray<ReplayedCall>) => {
  const groups = new Map<string, Array<ReplayedCall>>()
  let sameAnswer = 0
  const runs: Array<number> = []
  let run = 0
  let before = ""
  const end = () => {
    if (run > 1) runs.push(run)
  }
  for (const call of calls) {
    const { key } = call
    const group = groups.get(key)
    if (group === undefined) groups.set(key, [call])
    else {
      if (group.at(-1)?.answer?.text === call.answer?.text) sameAnswer += 1
      group.push(call)
    }
    if (key !== before) {
      end()
      run = 0
    }
    run += 1
    before = key
  }
  end()
  const longestRun = Math.max(Math.min(1, calls.length), ...runs)
  return { groups: [...groups.values()].filter(({ length }) => length > 1), longestRun, runs, sameAnswer }
}

const rowOf = ({ id, place }: Conversation, group: ReadonlyArray<ReplayedCall>): RepeatRow => ({
  ...place,
  conversation: id,
  tool: group[0]?.tool ?? "",
  calls: group.slice(0, maxCalls).map(({ number }) => number),
  count: group.length,
  answers: new Set(group.map(({ answer }) => answer?.text)).size
})

/** Returns the loops of a conversation, in one row for each turn, tool and pattern. */
const loopsOf = ({ id, place }: Conversation, calls: ReadonlyArray<ReplayedCall>): ReadonlyArray<LoopRow> => {
  const rows = new Map<string, LoopRow & { calls: Array<number>; count: number }>()
  for (const { loop, number, tool, turn } of calls) {
    if (loop === undefined) continue
    const key = JSON.stringify([turn, tool, loop.pattern])
    const row = rows.get(key) ?? { ...place, conversation: id, tool, pattern: loop.pattern, turn, calls: [], count: 0 }
    row.count += 1
    if (row.calls.length < maxCalls) row.calls.push(number)
    rows.set(key, row)
  }
  return [...rows.values()]
}
