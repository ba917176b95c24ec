/**
 * Watches whether the answers of one tool violate its schema too often, as a pure fold over its calls [15.1].
 *
 * **Details**
 *
 * - A call counts if its handler answered with a result. Refused calls, wrong arguments, errors, timeouts and answers
 *   that state a failure do not count.
 * - There is a finding if more than 10 % of the last 50 calls that count, and at least 3, violated the schema. At least
 *   10 calls must count.
 * - A finding is new if its path, its kind or its verdict differs from that of the last reported finding, or if the
 *   tool was healthy in between.
 * - After the first report about a tool, the second waits for 50 calls, and each further report for twice as many calls
 *   as the report before. So a server that changes its faults with every call raises few reports: 6 in 2,000 calls.
 * - The state of a tool is bounded: at most 50 calls with at most 5 faults each, without large values.
 */
import { type Fault, withoutLargeValue } from "./Fault.ts"
import * as FaultGroups from "./FaultGroups.ts"
import * as SchemaLine from "./SchemaLine.ts"
import type * as SchemaAST from "effect/SchemaAST"

/** The number of calls that are watched. */
const window = 50
/** The largest share of these calls that may violate the schema. */
const tolerated = 0.1
const minCalls = 10
const minBroken = 3
const maxFaults = 5

/** A call that violated the schema. */
interface BrokenCall {
  /** The number of the call among those that count, from 1. */
  readonly at: number
  readonly faults: ReadonlyArray<Fault>
  readonly answer: string
}

/** The state of the watch: the last calls of one tool, and the reports about them. */
export interface ContractWatch {
  /** The number of all calls that count. */
  readonly count: number
  readonly broken: ReadonlyArray<BrokenCall>
  /** The last reported finding; undefined before the first, and once the tool is healthy. */
  readonly reported: string | undefined
  readonly reports: number
  /** The number of the call before which nothing is reported. */
  readonly quietUntil: number
}

/** A tool whose answers violate its schema too often. */
export interface Finding {
  /** The number of watched calls, and how many of them violated the schema. */
  readonly calls: number
  readonly broken: number
  /** The path of the most frequent fault, redacted; `""` for the whole answer. */
  readonly path: string
  /** The most frequent fault in a few words, redacted. */
  readonly problem: string
  /** The proposed line of the schema; undefined if the schema should be kept, because the answers are wrong. */
  readonly line: string | undefined
  /** The reason for the proposal, or for keeping the schema, in one sentence. */
  readonly reason: string
  /** Equal for findings with the same path, kind and verdict. */
  readonly identity: string
}

/** A tool without calls. */
export const empty: ContractWatch = { count: 0, broken: [], reported: undefined, reports: 0, quietUntil: 0 }

/**
 * Adds a call. `faults` has the distinct faults of its answer, and is empty if the answer conforms. `answer` returns
 * equal texts for equal answers to equal arguments.
 */
export const step = (self: ContractWatch, faults: ReadonlyArray<Fault>, answer: () => string): ContractWatch => {
  const count = self.count + 1
  if (faults.length === 0 && self.broken.length === 0) return { ...self, count, reported: undefined }
  const recent = self.broken.filter(({ at }) => at > count - window)
  const broken =
    faults.length === 0
      ? recent
      : [...recent, { at: count, faults: faults.slice(0, maxFaults).map(withoutLargeValue), answer: answer() }]
  const next = { ...self, count, broken }
  return isFrequent(next) ? next : { ...next, reported: undefined }
}

const callsOf = ({ count }: ContractWatch): number => Math.min(count, window)

const isFrequent = (self: ContractWatch): boolean =>
  self.broken.length >= minBroken && callsOf(self) >= minCalls && self.broken.length > tolerated * callsOf(self)

/**
 * Returns the finding about a tool if it is new and may be reported. `redact` removes secrets from its texts. The
 * proposed line has the notation of `schema`, the schema of results in the form that its author maintains.
 */
export const newFinding = (
  self: ContractWatch,
  redact: (text: string) => string,
  schema?: SchemaAST.AST
): Finding | undefined => {
  if (self.count < self.quietUntil || !isFrequent(self)) return undefined
  const groups = FaultGroups.make<undefined>(redact)
  const tool = ""
  for (const { answer, faults } of self.broken) groups.add({ tool, faults, at: undefined, answer })
  const calls = callsOf(self)
  // answers that conform are not kept, and each counts as a different answer
  for (let well = self.broken.length; well < calls; well++) {
    groups.add({ tool, faults: [], at: undefined, answer: `conforms ${well}` })
  }
  const [group] = groups.groups()
  if (group === undefined) return undefined
  const { fault, reason, suggestion } = group
  const { path, problem } = fault
  const identity = JSON.stringify([path, fault.kind, suggestion._tag])
  const proposed = SchemaLine.of(group, schema)
  const line = proposed === undefined ? undefined : redact(proposed)
  return identity === self.reported
    ? undefined
    : { calls, broken: self.broken.length, path, problem, line, reason, identity }
}

/** Records that a finding was reported. */
export const reported = (self: ContractWatch, { identity }: Finding): ContractWatch => ({
  ...self,
  reported: identity,
  reports: self.reports + 1,
  quietUntil: self.count + window * 2 ** self.reports
})
