/** Collects rejected fields by tool, path and fault, with examples and a suggested change to the schema. */
import * as FaultGroups from "effect-toolguard/internal/domain/faults/FaultGroups"
import type { ReplayedCall } from "#kit/replay/ReplayedCall"
import type { CallPlace, RejectedField } from "./Report.ts"

/** Creates an empty collection. `redact` removes secrets from all texts. */
export const make = (redact: (text: string) => string) => {
  const groups = FaultGroups.make<CallPlace>(redact)
  return {
    add: ({ argumentFaults: faults, judged, tool }: ReplayedCall, at: CallPlace): void => {
      const worked = judged?._tag === "Success" || judged?._tag === "Partial"
      groups.add({ tool, faults, at, worked })
    },
    rows: (): ReadonlyArray<RejectedField> => groups.groups().map(rowOf)
  }
}

const rowOf = ({
  count,
  examples,
  fault,
  passes,
  reason,
  suggestion,
  tool,
  worked
}: FaultGroups.FaultGroup<CallPlace>): RejectedField => ({
  tool,
  path: fault.path === "" ? "(whole)" : fault.path,
  problem: fault.problem,
  count,
  accepted: worked,
  examples,
  suggestion,
  reason,
  passes
})
