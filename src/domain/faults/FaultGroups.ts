/**
 * Gathers the faults of many calls in groups by tool, path and kind, and suggests a change of the schema for each
 * group, or none.
 *
 * The collection is mutable and belongs to one reader. Its size is bounded: past a limit, further groups are counted
 * together, and no change is suggested for them.
 */
import * as Order from "effect/Order"
import { cut } from "#domain/text/Cut"
import { type Fault, keyOf } from "./Fault.ts"
import * as Suggestion from "./Suggestion.ts"
import * as ValueRange from "./ValueRange.ts"
import * as Widening from "./Widening.ts"

/** A call whose value was checked. `At` says where it is recorded. */
interface CheckedCall<At> {
  readonly tool: string
  /** The distinct faults of the value. Empty if the value conforms. */
  readonly faults: ReadonlyArray<Fault>
  readonly at: At
  /** Whether the call worked, as `Suggestion.Evidence` defines it. Absent if that is unknown. */
  readonly worked?: boolean | undefined
  /**
   * A text that is equal for equal results of the tool. Absent for arguments, because their schema is judged by the
   * arguments that the tool accepted.
   */
  readonly answer?: string | undefined
  /** True if the value may have more faults, because only the first of a large value is listed. Default: false. */
  readonly isFirstOnly?: boolean
}

/** A group of equal faults of one tool. */
export interface FaultGroup<At> {
  readonly tool: string
  /** One of the faults. All faults of the group have its kind, path, place and problem, which are redacted. */
  readonly fault: Fault
  /** The number of calls with the fault. */
  readonly count: number
  /** The number of these calls that worked. */
  readonly worked: number
  /** Up to three different values with the first call of each, as JSON of at most 80 characters, redacted. */
  readonly examples: ReadonlyArray<{ readonly sent: string; readonly at: At }>
  readonly suggestion: Suggestion.Suggestion
  /** The reason for the suggestion, in one sentence. */
  readonly reason: string
  /** All different values as JSON; absent if there are 20 or more, or if one is long. Not redacted. */
  readonly values?: ReadonlyArray<string>
  /** The smallest and the largest number, length or size of the values; absent if they have none. */
  readonly range?: ValueRange.ValueRange
  /** The number of rejected calls that would pass if the schema were relaxed as suggested; 0 if it is kept. */
  readonly passes: {
    /** By this change alone. */
    readonly alone: number
    /** By this change together with all others that are suggested for the tool. */
    readonly together: number
  }
  /** Present if a call of `passes` may have further faults; then fewer calls may pass. */
  readonly passesIsUpperBound?: true
  /** True for the group of all faults past the limit. */
  readonly isRest: boolean
}

/** A collection of faults. */
interface FaultGroups<At> {
  /** Adds a call. Calls without faults are needed too, because the share of faulty answers counts. */
  readonly add: (call: CheckedCall<At>) => void
  /** Returns the groups, the largest first. */
  readonly groups: () => ReadonlyArray<FaultGroup<At>>
  /** Returns the number of rejected calls of a tool, and how many of them would pass with all suggestions. */
  readonly rejected: (tool: string) => {
    readonly calls: number
    readonly passes: number
    /** Present if a call of `passes` may have further faults; then fewer calls may pass. */
    readonly passesIsUpperBound?: true
  }
}

/** The tool name and the path of the group that counts all faults past the limit. */
const rest = "(others)"

const maxGroups = 5_000
const maxExamples = 3
const longestExample = 80
const maxSent = 20
const longestSent = 1_000
/** The maximum numbers of different answers, and of different combinations of faults, that are kept for one tool. */
const maxAnswers = 100_000
const maxCombinations = 1_000

interface Group<At> {
  readonly key: string
  readonly tool: string
  readonly fault: Fault
  readonly isRest: boolean
  readonly examples: Map<string, At>
  readonly sent: Set<string>
  readonly answers: Set<string>
  count: number
  worked: number
  unknown: number
  range: ValueRange.ValueRange | undefined
  /** False if a rule judged a value other than the JSON, so that the range says nothing about the rule. */
  isMeasured: boolean
}

interface Tool {
  readonly answers: Set<string>
  /** The number of calls for each combination of groups. */
  readonly combinations: Map<string, { readonly keys: ReadonlyArray<string>; calls: number; isFirstOnly: boolean }>
  calls: number
  isResult: boolean
}

/** Copies the beginning of a text, because a plain slice would keep the whole text in memory. */
const beginning = (text: string, length: number): string => ` ${text.slice(0, length)}`.slice(1)

const jsonOf = (value: unknown): string => {
  try {
    return JSON.stringify(value) ?? "(nothing)"
  } catch {
    // a value of a program, such as a bigint, or one whose `toJSON` throws
    return "(not JSON)"
  }
}

/** The parts of a group that a change of the schema needs. */
export type Change = Pick<FaultGroup<unknown>, "tool" | "fault" | "suggestion" | "range" | "values">

const noFault: Fault = { kind: "unreadable", path: rest, problem: rest }

/**
 * Creates an empty collection. `redact` removes secrets from all texts. `canChange` decides whether a suggestion can
 * be written as a change of the schema; if it cannot, no call would pass with it. Default: every suggestion can be
 * written.
 */
export const make = <At>(
  redact: (text: string) => string,
  canChange: (change: Change) => boolean = () => true
): FaultGroups<At> => {
  const groups = new Map<string, Group<At>>()
  const tools = new Map<string, Tool>()
  const groupOf = (tool: string, fault: Fault): Group<At> => {
    const key = JSON.stringify([tool, keyOf(fault)])
    const known = groups.get(key)
    if (known !== undefined) return known
    const isRest = groups.size >= maxGroups
    const own = isRest ? groups.get(rest) : undefined
    if (own !== undefined) return own
    const group: Group<At> = {
      key: isRest ? rest : key,
      tool: isRest ? rest : tool,
      fault: isRest ? noFault : fault,
      isRest,
      examples: new Map(),
      sent: new Set(),
      answers: new Set(),
      count: 0,
      worked: 0,
      unknown: 0,
      range: undefined,
      isMeasured: true
    }
    groups.set(group.key, group)
    return group
  }
  const toolOf = (name: string): Tool => {
    const known = tools.get(name)
    if (known !== undefined) return known
    const tool: Tool = { answers: new Set(), combinations: new Map(), calls: 0, isResult: false }
    if (tools.size < maxGroups) tools.set(name, tool)
    return tool
  }
  const suggested = (group: Group<At>): Suggestion.ReasonedSuggestion => {
    if (group.isRest) return { suggestion: { _tag: "keep" }, reason: "The log has too many kinds of faults." }
    const tool = tools.get(group.tool)
    const { count, unknown, worked } = group
    const answers =
      tool?.isResult === true
        ? { different: Math.max(1, tool.answers.size), faulty: Math.max(1, group.answers.size) }
        : undefined
    // a value inside a text, which the schema converts, has no place
    const isInside = tool?.isResult === true && group.fault.place === undefined
    const widening = isInside ? { _tag: "keep" as const } : Widening.of(group.fault, [...group.sent], redact)
    const reasoned = Suggestion.of(group.fault.kind, widening, { count, unknown, worked, answers })
    const change = { tool: group.tool, fault: group.fault, suggestion: reasoned.suggestion, ...knownValues(group) }
    return canChange(change) ? reasoned : Suggestion.byHand(reasoned)
  }
  /**
   * Returns the number of calls of a tool whose listed faults are all in `keys`. If `has` is set, one of the faults
   * must be `has`. `isUpperBound` is true if one of these calls may have further faults.
   */
  const passing = (tool: string, keys: ReadonlySet<string>, has?: string) => {
    let calls = 0
    let isUpperBound = false
    for (const combination of tools.get(tool)?.combinations.values() ?? []) {
      if (has !== undefined && !combination.keys.includes(has)) continue
      if (!combination.keys.every((key) => keys.has(key))) continue
      calls += combination.calls
      isUpperBound ||= combination.isFirstOnly
    }
    return { calls, isUpperBound }
  }
  const relaxed = (tool: string): ReadonlySet<string> =>
    new Set(
      [...groups.values()]
        .filter((group) => group.tool === tool && Suggestion.isWritten(suggested(group).suggestion))
        .map(({ key }) => key)
    )
  return {
    add: ({ answer, at, faults, isFirstOnly = false, tool: name, worked }) => {
      const tool = toolOf(name)
      if (answer !== undefined) {
        tool.isResult = true
        if (tool.answers.size < maxAnswers) tool.answers.add(answer)
      }
      if (faults.length === 0) return
      tool.calls += 1
      const keys = faults.map((fault) => {
        const group = groupOf(name, fault)
        group.count += 1
        if (worked === undefined) group.unknown += 1
        else if (worked) group.worked += 1
        if (answer !== undefined && group.answers.size < maxAnswers) group.answers.add(answer)
        note(group, fault, at)
        return group.key
      })
      const distinct = [...new Set(keys)].sort()
      const combination = JSON.stringify(distinct)
      const known = tool.combinations.get(combination)
      if (known !== undefined) {
        known.calls += 1
        known.isFirstOnly ||= isFirstOnly
      } else if (tool.combinations.size < maxCombinations) {
        tool.combinations.set(combination, { keys: distinct, calls: 1, isFirstOnly })
      }
    },
    groups: () => {
      const byTool = new Map<string, ReadonlySet<string>>()
      return [...groups.values()]
        .map((group): FaultGroup<At> => {
          const { count, examples, fault, isRest, key, tool, worked } = group
          const all = byTool.get(tool) ?? relaxed(tool)
          byTool.set(tool, all)
          const { reason, suggestion } = suggested(group)
          const isKept = !Suggestion.isWritten(suggestion)
          const together = passing(tool, all, key)
          return {
            tool,
            fault: { ...fault, path: redact(fault.path), problem: redact(fault.problem) },
            count,
            worked,
            examples: [...examples].map(([text, first]) => ({ sent: cut(redact(text), longestExample), at: first })),
            suggestion,
            reason,
            ...knownValues(group),
            passes: {
              alone: isKept ? 0 : passing(tool, new Set([key])).calls,
              together: isKept ? 0 : together.calls
            },
            ...(!isKept && together.isUpperBound ? { passesIsUpperBound: true } : {}),
            isRest
          }
        })
        .sort(byCount)
    },
    rejected: (tool) => {
      const { calls, isUpperBound } = passing(tool, relaxed(tool))
      const all = tools.get(tool)?.calls ?? 0
      return { calls: all, passes: calls, ...(isUpperBound ? { passesIsUpperBound: true } : {}) }
    }
  }
}

/** Returns the values of a group if all of them are known, and their range. */
const knownValues = ({ isMeasured, range, sent }: Group<unknown>): Pick<FaultGroup<unknown>, "range" | "values"> => ({
  ...(range === undefined || !isMeasured ? {} : { range }),
  ...(sent.size < maxSent && [...sent].every((text) => text.length < longestSent) ? { values: [...sent] } : {})
})

const byCount = Order.combine(
  Order.mapInput(Order.Number, ({ count }: FaultGroup<unknown>) => -count),
  Order.mapInput(Order.String, ({ fault, tool }: FaultGroup<unknown>) => `${tool} ${fault.path} ${fault.problem}`)
)

const note = <At>(group: Group<At>, { isConverted, range, value }: Fault, at: At): void => {
  if (isConverted === true) group.isMeasured = false
  const sent = beginning(jsonOf(value), longestSent)
  if (group.sent.size < maxSent) group.sent.add(sent)
  if (group.examples.size < maxExamples && !group.examples.has(sent)) group.examples.set(sent, at)
  const own = range ?? ValueRange.of(value)
  if (own !== undefined) group.range = ValueRange.join(group.range, own)
}
