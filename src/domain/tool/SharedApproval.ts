/**
 * Approvals that a policy of several tools sets: for a guard, a toolbox, where a tool is used, or around a call [2.11].
 *
 * The strictest level applies. A function that `weaken` marked replaces everything that was set farther away: the
 * escalation policy, and the approvals of the sources before its own.
 */
import type { SharedApproval } from "./Approval.ts"
import { order, type Source } from "./PolicySources.ts"
import { isWeakened } from "./Weakened.ts"

/** A shared approval and where it was set. */
export interface SourcedApproval {
  readonly source: Source
  readonly approval: SharedApproval
}

/** Returns the approvals with another one, the farthest first. Approvals of one source keep their order. */
export const add = (
  approvals: ReadonlyArray<SourcedApproval>,
  source: Source,
  approval: SharedApproval | undefined
): ReadonlyArray<SourcedApproval> =>
  approval === undefined
    ? approvals
    : [...approvals, { source, approval }].toSorted((a, b) => order.indexOf(a.source) - order.indexOf(b.source))

/** What decides the level of a call. */
interface Deciding {
  /** True if the escalation policy decides too. */
  readonly policy: boolean
  /** True if the tool's own `approval` decides too. */
  readonly own: boolean
  readonly shared: ReadonlyArray<SourcedApproval>
}

/** Returns what decides, after the last deliberate loosening. `own` is the `approval` of the tool's definition. */
export const decidingOf = (own: unknown, approvals: ReadonlyArray<SourcedApproval>): Deciding => {
  const last = approvals.findLastIndex(({ approval }) => isWeakened(approval))
  const position = approvals.findIndex(({ source }) => order.indexOf(source) > order.indexOf("tool"))
  const nearer = position < 0 ? approvals.length : position
  // a loosening of the tool itself is nearer than those of the guard and the toolbox
  if (isWeakened(own) && last < nearer) return { policy: false, own: true, shared: approvals.slice(nearer) }
  if (last < 0) return { policy: true, own: own !== undefined, shared: approvals }
  return { policy: false, own: own !== undefined && last < nearer, shared: approvals.slice(last) }
}
