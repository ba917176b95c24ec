/**
 * Counts repairs. A failure is repaired if the model's next call of the tool in a later round succeeds, fully or in
 * part [15.2]. Unanswered calls and declared refusals do not count as the next call.
 */
import type { FailureTag } from "effect-toolguard/internal/domain/failure/Failure"
import type { ReplayedCall } from "#kit/replay/ReplayedCall"
import { byCount, others, table } from "./Tables.ts"

/** Counts the repairs of one tool, class and model. */
export interface RepairRow {
  readonly tool: string
  readonly class: FailureTag
  readonly model: string
  readonly failures: number
  /** The number of failures after which the model's next call of the tool succeeded. */
  readonly repaired: number
}

/** The failures of a tool in one round. The model reads them when the round is over. */
interface OpenFailures {
  readonly turn: number
  readonly round: number
  readonly tags: Array<FailureTag>
}

/** Creates an empty count. */
export const make = () => {
  const rows = table<{ -readonly [K in keyof RepairRow]: RepairRow[K] }>()
  return {
    add: (model: string, calls: ReadonlyArray<ReplayedCall>): void => {
      const open = new Map<string, OpenFailures>()
      for (const { loggedEnd, round, tool, turn } of calls) {
        // an unanswered call or a declared refusal is neither a failure nor a repair
        if (loggedEnd === undefined || loggedEnd._tag === "Refused") continue
        const before = open.get(tool)
        const isSameRound = before?.turn === turn && before.round === round
        if (before !== undefined && !isSameRound) {
          close(tool, before, model, loggedEnd._tag !== "Failure")
          open.delete(tool)
        }
        if (loggedEnd._tag !== "Failure") continue
        if (isSameRound) before.tags.push(loggedEnd.class)
        else open.set(tool, { turn, round, tags: [loggedEnd.class] })
      }
      // without another call of the tool, a failure was not repaired
      for (const [tool, failed] of open) close(tool, failed, model, false)
    },
    rows: (): ReadonlyArray<RepairRow> =>
      rows.rows().toSorted(
        byCount(
          ({ failures }) => failures,
          ({ class: tag, model, tool }) => `${tool} ${tag} ${model}`
        )
      )
  }
  function close(tool: string, { tags }: OpenFailures, model: string, isRepaired: boolean) {
    for (const tag of tags) {
      const rowOf = (tool: string, model: string) => ({ tool, class: tag, model, failures: 0, repaired: 0 })
      const row = rows.at(
        JSON.stringify([tool, tag, model]),
        () => rowOf(tool, model),
        () => rowOf(others, others)
      )
      row.failures += 1
      if (isRepaired) row.repaired += 1
    }
  }
}
