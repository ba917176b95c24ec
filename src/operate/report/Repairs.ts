/** Repair rate: the share of failures after which the model's next call of that tool succeeds (SPEC 15.2). */
import type { FailureTag } from "#domain/Failure"
import type { ReplayedCall } from "#src/operate/replay/ReplayedCall"
import { byCount, table } from "./Counter.ts"
import type { RepairRow } from "./Report.ts"

export const make = () => {
  const rows = table<{ -readonly [K in keyof RepairRow]: RepairRow[K] }>()
  return {
    add: (model: string, calls: ReadonlyArray<ReplayedCall>): void => {
      const open = new Map<string, FailureTag>()
      for (const { judged, record, tool } of calls) {
        const failed = open.get(tool)
        const failure = failureOf(judged, record)
        if (failed !== undefined && judged !== undefined) {
          const row = rowOf(tool, failed, model)
          row.failures += 1
          if (failure === undefined) row.repaired += 1
        }
        if (failure === undefined) open.delete(tool)
        else open.set(tool, failure)
      }
      // a failure that no call of the tool followed was not repaired
      for (const [tool, tag] of open) rowOf(tool, tag, model).failures += 1
    },
    rows: (): ReadonlyArray<RepairRow> =>
      rows.rows().toSorted(
        byCount(
          ({ failures }) => failures,
          ({ class: tag, model, tool }) => `${tool} ${tag} ${model}`
        )
      )
  }
  function rowOf(tool: string, tag: FailureTag, model: string) {
    return rows.at(JSON.stringify([tool, tag, model]), () => ({ tool, class: tag, model, failures: 0, repaired: 0 }))
  }
}

/** What really failed; arguments that the guard alone refuses are no failure of the log's. */
const failureOf = (judged: ReplayedCall["judged"], { outcome }: ReplayedCall["record"]): FailureTag | undefined => {
  if (judged?._tag === "Failure") return judged.class
  return judged === undefined && outcome._tag === "Failure" ? outcome.failure._tag : undefined
}
