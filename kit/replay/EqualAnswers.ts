/**
 * Classifies equal answers to equal calls once: a log contains the same call with the same answer many times, and how a
 * call ended depends on nothing else. Memory is bounded.
 */
import type { TimelineCall } from "#kit/traffic/Timeline"
import type { CallableTool } from "./CallableTool.ts"
import * as RecordedOutcome from "./RecordedOutcome.ts"

/** The longest call with its answer that is kept, in characters. */
const longestKept = 8_000

/** The number of characters at which everything is forgotten. */
const maxKept = 4_000_000

/** From where the arguments of a call come: as the guard decoded them, or as the log has them. */
export type ArgumentSource = "decoded" | "logged"

/** Returns how a call ended, as `RecordedOutcome.loggedEnd` does. */
type EqualAnswers = (
  call: TimelineCall,
  tool: CallableTool | undefined,
  source: ArgumentSource,
  args: () => unknown
) => RecordedOutcome.LoggedEnd | undefined

type Ends = Map<string, RecordedOutcome.LoggedEnd>

const noTool = {}

/** Creates a classifier that keeps the ends of calls of each tool. `characters` is the number at which it forgets all. */
export const make = (characters = maxKept): EqualAnswers => {
  let byTool = new WeakMap<object, Ends>()
  let kept = 0
  const endsOf = (tool: object): Ends => {
    const known = byTool.get(tool)
    if (known !== undefined) return known
    const created: Ends = new Map()
    byTool.set(tool, created)
    return created
  }
  return (call, tool, source, args) => {
    const key = keyOf(call, source)
    if (key === undefined) return RecordedOutcome.loggedEnd(call, args, tool)
    const known = endsOf(tool ?? noTool).get(key)
    if (known !== undefined) return known
    const end = RecordedOutcome.loggedEnd(call, args, tool)
    if (end === undefined) return undefined
    if (kept > characters) {
      byTool = new WeakMap()
      kept = 0
    }
    kept += key.length
    endsOf(tool ?? noTool).set(key, end)
    return end
  }
}

/**
 * Returns what the classification of an answer depends on, apart from the tool; undefined for a call without an answer,
 * for the guard's own records, and for long texts, most of which occur once.
 */
const keyOf = ({ answer, call }: TimelineCall, source: ArgumentSource): string | undefined => {
  if (answer === undefined || call.end !== undefined || answer.text.length > longestKept) return undefined
  const { arguments: args, name } = call
  const written = typeof args === "string" ? `"${args}` : String(JSON.stringify(args))
  if (written.length + answer.text.length > longestKept) return undefined
  // the lengths tell where the name and the arguments end
  return `${source} ${String(answer.isError)} ${name.length} ${written.length} ${name}${written}${answer.text}`
}
