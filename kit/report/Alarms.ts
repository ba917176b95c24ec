/**
 * Finds the calls at which the guard would have informed a person that the answers of a tool often violate its schema
 * [15.1]. The same fold watches live calls (`ContractWatch`), but the limit of notices per hour does not apply here.
 */
import * as ContractWatch from "effect-toolguard/internal/domain/faults/ContractWatch"
import type { ReplayedCall } from "#kit/replay/ReplayedCall"
import { hash } from "effect-toolguard/internal/domain/text/Hash"
import type { AlarmRow, BoundedList, CallPlace } from "./Report.ts"
import { bounded } from "./Tables.ts"

/** Creates an empty collection. `redact` removes secrets from all texts. */
export const make = (redact: (text: string) => string) => {
  const watches = new Map<string, ContractWatch.ContractWatch>()
  const alarms = bounded<AlarmRow>(100)
  return {
    /** Adds a call whose answer was checked. */
    add: ({ answer, key, resultFaults, resultSchema, tool }: ReplayedCall, at: CallPlace): void => {
      if (resultFaults === undefined) return
      const text = answer?.text ?? ""
      const before = watches.get(tool) ?? ContractWatch.empty
      const watch = ContractWatch.step(before, resultFaults, () => `${key} ${hash(text)} ${text.length}`)
      const finding = resultFaults.length === 0 ? undefined : ContractWatch.newFinding(watch, redact, resultSchema)
      watches.set(tool, finding === undefined ? watch : ContractWatch.reported(watch, finding))
      if (finding === undefined) return
      const { broken, calls, line: proposed = null, path } = finding
      alarms.add(() => ({ ...at, tool, answers: watch.count, watched: calls, broken, path, proposed }))
    },
    rows: (): BoundedList<AlarmRow> => alarms.value()
  }
}
