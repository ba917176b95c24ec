/** Identical calls of a turn, and the loops that the guard stops, with the numbers of their calls. */
import type { Conversation } from "../traffic/Conversation.ts"
import type { Replayed, ReplayedCall } from "../replay/ReplayedCall.ts"
import { bounded } from "./Counter.ts"
import type { Bounded, LoopRow, Repeats } from "./Report.ts"

const mostLoops = 500
const mostCalls = 20

export const make = () => {
  const loops = bounded<LoopRow>(mostLoops)
  let calls = 0
  let sameAnswer = 0
  let longestRun = 0
  return {
    add: (conversation: Conversation, replayed: Replayed): void => {
      const answers = new Map<string, string | undefined>()
      let turn = 0
      let run = 1
      let before = ""
      for (const call of replayed.calls) {
        if (call.turn !== turn) {
          turn = call.turn
          answers.clear()
          before = ""
        }
        const key = `${call.tool} ${typeof call.arguments === "string" ? call.arguments : JSON.stringify(call.arguments)}`
        run = key === before ? run + 1 : 1
        before = key
        longestRun = Math.max(longestRun, run)
        if (answers.has(key)) {
          calls += 1
          if (answers.get(key) === call.answer?.text) sameAnswer += 1
        }
        answers.set(key, call.answer?.text)
      }
      for (const row of loopsOf(conversation, replayed.calls)) loops.add(() => row)
    },
    repeats: (): Repeats => ({ calls, sameAnswer, longestRun }),
    loops: (): Bounded<LoopRow> => loops.value()
  }
}

/** The loops of a conversation: one row a turn, tool and pattern. */
const loopsOf = ({ id, place }: Conversation, calls: ReadonlyArray<ReplayedCall>): ReadonlyArray<LoopRow> => {
  const rows = new Map<string, LoopRow & { calls: Array<number>; count: number }>()
  for (const { loop, number, tool, turn } of calls) {
    if (loop === undefined) continue
    const key = JSON.stringify([turn, tool, loop.pattern])
    const row = rows.get(key) ?? { ...place, conversation: id, tool, pattern: loop.pattern, turn, calls: [], count: 0 }
    row.count += 1
    if (row.calls.length < mostCalls) row.calls.push(number)
    rows.set(key, row)
  }
  return [...rows.values()]
}
