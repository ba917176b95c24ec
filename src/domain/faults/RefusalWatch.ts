/**
 * Watches whether the schema of the arguments of one tool is stricter than the tool, as a pure fold over its calls
 * [15.1].
 *
 * **Details**
 *
 * - A call with invalid arguments counts against the schema if it was refused, or if it ran, because nothing was
 *   enforced, and worked. A call that ran and failed counts for the schema. It makes no difference whether the same
 *   call is refused in one conversation and runs in another.
 * - A missing field beside an unknown one is misnamed, which is no evidence against the schema.
 * - Equal arguments of one turn count once: a model that repeats a refused call proves nothing new.
 * - There is a finding if 10 of the last 500 calls count against the schema with the same fault (path and rule), and of
 *   those that ran, at least as many worked as failed. The values must suggest a change of the schema: a value that is
 *   not the kind of value that the schema describes does not.
 * - A fault is reported again only if fewer than 10 calls had it in between. After the first report about a tool, the
 *   second waits for 50 calls, and each further report for twice as many calls as the report before.
 * - The state of a tool is bounded: at most 20 faults with at most 20 calls each, without large values.
 */
import { type Fault, keyOf, withoutLargeValue } from "./Fault.ts"
import * as FaultGroups from "./FaultGroups.ts"
import * as SchemaLine from "./SchemaLine.ts"
import type * as SchemaAST from "effect/SchemaAST"

/** The number of calls against the schema with one fault at which there is a finding. */
const needed = 10
/** The number of calls that are watched. */
const window = 500
const maxFaults = 20
/** The maximum number of calls that are kept for a fault. */
const maxCalls = 20
const maxFaultsOfCall = 5
/** The number of calls after the first report about a tool before which nothing is reported. */
const pause = 50

/** How a call with invalid arguments ended: not run, or run with or without success. */
export type CallEnd = "refused" | "worked" | "failed"

/** A call with invalid arguments. */
export interface InvalidCall {
  /** The distinct faults of the arguments. */
  readonly faults: ReadonlyArray<Fault>
  readonly end: CallEnd
  /** A text that is equal for equal arguments of one turn. */
  readonly source: string
}

interface WatchedCall extends Pick<InvalidCall, "end" | "source"> {
  /** The number of the call among all calls of the tool, from 1. */
  readonly at: number
  readonly fault: Fault
}

/** The calls with one fault, the oldest first. */
interface WatchedFault {
  readonly key: string
  readonly calls: ReadonlyArray<WatchedCall>
  readonly isReported: boolean
}

/** The state of the watch: the last calls of one tool with each fault, and the reports about them. */
export interface RefusalWatch {
  /** The number of all calls. */
  readonly count: number
  /** The faults, the least recently seen first. */
  readonly faults: ReadonlyArray<WatchedFault>
  readonly reports: number
  /** The number of the call before which nothing is reported. */
  readonly quietUntil: number
}

/** A schema of arguments that seems stricter than its tool. */
export interface Finding {
  /** The number of watched calls, and how many of them were refused, or ran and worked, with this fault. */
  readonly calls: number
  readonly refused: number
  readonly worked: number
  /** The path of the fault, redacted; `""` for the whole arguments. */
  readonly path: string
  /** The fault in a few words, redacted. */
  readonly problem: string
  /** True if further calls may have the fault, because only the latest are kept. */
  readonly isLowerBound: boolean
  /** The proposed line of the schema; undefined if no change of one place would accept only these values. */
  readonly line: string | undefined
  /** The reason for the proposal, in one sentence. */
  readonly reason: string
  /** Equal for findings about the same fault. */
  readonly key: string
}

/** A tool without calls. */
export const empty: RefusalWatch = { count: 0, faults: [], reports: 0, quietUntil: 0 }

/** Adds a call. `invalid` is undefined if its arguments conform. */
export const step = (self: RefusalWatch, invalid: InvalidCall | undefined): RefusalWatch => {
  const count = self.count + 1
  if (self.faults.length === 0 && invalid === undefined) return { ...self, count }
  const known = recent(self.faults, count)
  if (invalid === undefined) return { ...self, count, faults: known }
  const { end, source } = invalid
  const faults = withoutMisnamed(invalid.faults)
    .slice(0, maxFaultsOfCall)
    .reduce<ReadonlyArray<WatchedFault>>(
      (all, fault) => withCall(all, { at: count, fault: withoutLargeValue(fault), end, source }),
      known
    )
  return { ...self, count, faults }
}

/** Removes the fields that are missing in an object with an unknown field, and these fields: the model misnamed them. */
const withoutMisnamed = (faults: ReadonlyArray<Fault>): ReadonlyArray<Fault> => {
  const objectsWith = (kind: Fault["kind"]): ReadonlySet<string> =>
    new Set(faults.flatMap((fault) => (fault.kind === kind ? [parentOf(fault.path)] : [])))
  const [missing, excess] = [objectsWith("missing"), objectsWith("excess")]
  if (missing.size === 0 || excess.size === 0) return faults
  return faults.filter(({ kind, path }) => {
    if (kind === "missing") return !excess.has(parentOf(path))
    return kind !== "excess" || !missing.has(parentOf(path))
  })
}

/** Returns the path without its last field. */
const parentOf = (path: string): string => path.replace(/(?:(?:^|\.)[^.[\]]+|\["(?:[^"\\]|\\.)*"\])$/u, "")

/** Removes the calls that are no longer watched, and the faults without calls. */
const recent = (faults: ReadonlyArray<WatchedFault>, count: number): ReadonlyArray<WatchedFault> => {
  const isOld = ({ calls, isReported }: WatchedFault): boolean =>
    calls[0] === undefined || calls[0].at <= count - window || (isReported && against(calls) < needed)
  return faults.some(isOld) ? faults.flatMap((fault) => latest(fault, count)) : faults
}

const latest = ({ calls, isReported, key }: WatchedFault, count: number): ReadonlyArray<WatchedFault> => {
  const watched = calls.filter(({ at }) => at > count - window)
  return watched.length === 0 ? [] : [{ key, calls: watched, isReported: isReported && against(watched) >= needed }]
}

const against = (calls: ReadonlyArray<WatchedCall>): number => calls.filter(({ end }) => end !== "failed").length

const withCall = (faults: ReadonlyArray<WatchedFault>, call: WatchedCall): ReadonlyArray<WatchedFault> => {
  const key = keyOf(call.fault)
  const known = faults.find((each) => each.key === key) ?? { key, calls: [], isReported: false }
  const isRepeated = known.calls.some(({ end, source }) => source === call.source && end === call.end)
  const calls = isRepeated ? known.calls : [...known.calls, call].slice(-maxCalls)
  return [...faults.filter((each) => each.key !== key), { ...known, calls }].slice(-maxFaults)
}

/**
 * Returns the finding about a fault of the last call if it is new and may be reported. `redact` removes secrets from
 * its texts. The proposed line has the notation of `schema`, the schema of the arguments.
 */
export const newFinding = (
  self: RefusalWatch,
  redact: (text: string) => string,
  schema?: SchemaAST.AST
): Finding | undefined => {
  if (self.count < self.quietUntil) return undefined
  for (const { calls, isReported, key } of self.faults) {
    if (isReported || calls.at(-1)?.at !== self.count || against(calls) < needed) continue
    const found = findingOf(calls, redact, schema)
    if (found !== undefined) return { ...found, calls: Math.min(self.count, window), key }
  }
  return undefined
}

const findingOf = (
  calls: ReadonlyArray<WatchedCall>,
  redact: (text: string) => string,
  schema: SchemaAST.AST | undefined
): Omit<Finding, "calls" | "key"> | undefined => {
  const groups = FaultGroups.make<undefined>(redact)
  for (const { end, fault } of calls) {
    groups.add({ tool: "", faults: [fault], at: undefined, ...(end === "refused" ? {} : { worked: end === "worked" }) })
  }
  const [group] = groups.groups()
  if (group === undefined || group.suggestion._tag === "keep") return undefined
  const { fault, reason } = group
  const proposed = SchemaLine.of(group, schema)
  const count = (of: CallEnd): number => calls.filter(({ end }) => end === of).length
  return {
    refused: count("refused"),
    worked: count("worked"),
    isLowerBound: calls.length === maxCalls,
    path: fault.path,
    problem: fault.problem,
    line: proposed === undefined ? undefined : redact(proposed),
    reason
  }
}

/** Records that a finding was reported. */
export const reported = (self: RefusalWatch, { key }: Finding): RefusalWatch => ({
  ...self,
  faults: self.faults.map((each) => (each.key === key ? { ...each, isReported: true } : each)),
  reports: self.reports + 1,
  quietUntil: self.count + pause * 2 ** self.reports
})
