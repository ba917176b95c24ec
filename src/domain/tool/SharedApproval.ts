/**
 * Approvals in policies for several tools: of a guard, a toolbox, a use site, or around a call [2.11].
 *
 * The strictest level applies. A function marked by `weaken` replaces the escalation policy and the approvals of all
 * farther sources.
 */
import type { SharedApproval } from "./Approval.ts"
import { order, type Source } from "./PolicySources.ts"
import { isWeakened } from "./PolicyWeakening.ts"

/** A shared approval and where it was set. */
export interface SourcedApproval {
  readonly source: Source
  readonly approval: SharedApproval
}

/** Returns the approvals with another approval, the farthest first. Approvals of one source keep their order. */
export const add = (
  approvals: ReadonlyArray<SourcedApproval>,
  source: Source,
  approval: SharedApproval | undefined
): ReadonlyArray<SourcedApproval> =>
  approval === undefined
    ? approvals
    : [...approvals, { source, approval }].toSorted((a, b) => order.indexOf(a.source) - order.indexOf(b.source))

/** The sources that decide the level of a call. */
interface DecidingSources {
  /** True if the escalation policy decides too. */
  readonly policy: boolean
  /** True if the tool's own `approval` decides too. */
  readonly own: boolean
  readonly shared: ReadonlyArray<SourcedApproval>
}

/**
 * Returns the sources that decide: the nearest deliberate loosening and the nearer sources, or all sources. `own` is the
 * `approval` of the tool's definition.
 */
export const decidingOf = (own: unknown, approvals: ReadonlyArray<SourcedApproval>): DecidingSources => {
  const last = approvals.findLastIndex(({ approval }) => isWeakened(approval))
  const position = approvals.findIndex(({ source }) => order.indexOf(source) > order.indexOf("tool"))
  const nearer = position < 0 ? approvals.length : position
  // a loosening in the tool's definition is nearer than one of the guard or the toolbox
  if (isWeakened(own) && last < nearer) return { policy: false, own: true, shared: approvals.slice(nearer) }
  if (last < 0) return { policy: true, own: own !== undefined, shared: approvals }
  return { policy: false, own: own !== undefined && last < nearer, shared: approvals.slice(last) }
}
