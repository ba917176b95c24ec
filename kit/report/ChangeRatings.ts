/**
 * Rates the changes of tools by recorded calls: how many calls each change would have broken.
 *
 * Each conversation is replayed under both versions of the tools, as `replay --against` does. Each call is judged by
 * itself, by the faults of its arguments and of its result, so that repeats count too.
 *
 * **Details**
 *
 * - A change of the parameters, or a removed tool, breaks a call that the lock accepts and the new tool refuses.
 * - A change that allows fewer results breaks a call whose result violates only the new schema. A change that allows
 *   more results breaks the readers of a result that violates only the schema of the lock.
 * - Calls of tools that neither version has are ignored.
 */
import { cut } from "effect-toolguard/internal/domain/text/Cut"
import type { Fault } from "effect-toolguard/internal/domain/faults/Fault"
import type { Change } from "#kit/diff/Change"
import * as FaultCause from "#kit/diff/FaultCause"
import type { Snapshot } from "#kit/diff/Snapshot"
import type { ReplayedCall, ReplayedConversation } from "#kit/replay/ReplayedCall"
import * as Content from "#kit/traffic/Content"
import type { Conversation, Place } from "#kit/traffic/Conversation"
import * as Timeline from "#kit/traffic/Timeline"
import { beginning } from "./Tables.ts"

/** A recorded call that a change would have broken. Its texts are redacted and truncated. */
interface BrokenCall extends Place {
  readonly call: number
  readonly arguments: string
  /** The result, if the change is about results. */
  readonly result?: string
}

/** The recorded calls that one change would have broken. */
export interface Rating {
  /** The number of recorded calls of the tool; of a change of results, those with a result. */
  readonly calls: number
  /** The number of these calls that the change would have broken. */
  readonly broken: number
  /** The number of these broken calls that the log answered well. */
  readonly answered: number
  /** The first broken call. */
  readonly example?: BrokenCall
}

/** The number of recorded calls of one tool, and of the calls that would fail. */
export interface ToolCalls {
  readonly tool: string
  /** True if the tool was removed. */
  readonly isGone: boolean
  readonly calls: number
  /** The number of calls that the new tool refuses. */
  readonly refused: number
  /**
   * The number of calls that the changes break: only the new tool refuses their arguments or, as `brokenResults` counts,
   * their results.
   */
  readonly broken: number
  readonly brokenResults: number
  /** The first broken call. */
  readonly first?: Place & { readonly call: number }
}

/** Collects ratings. */
export interface ChangeRatings {
  /** Adds a conversation, replayed under both versions. */
  readonly add: (conversation: Conversation, before: ReplayedConversation, after: ReplayedConversation) => void
  /** Returns the number of calls of the tools that at least one version has. */
  readonly calls: () => number
  /** Returns the tools that were called, sorted by name. */
  readonly tools: () => ReadonlyArray<ToolCalls>
  readonly ratingOf: (change: Change) => Rating
}

/** The maximum number of characters of a text of an example. */
const longest = 300

type Mutable<A> = { -readonly [K in keyof A]: A[K] }

interface CountedTool extends Mutable<ToolCalls> {
  results: number
}

/** Creates empty ratings. `redact` removes secrets from the texts. */
export const make = (
  {
    after,
    before,
    changes
  }: { readonly before: Snapshot; readonly after: Snapshot; readonly changes: ReadonlyArray<Change> },
  redact: (text: string) => string
): ChangeRatings => {
  const names = new Set([...before.keys(), ...after.keys()])
  const tools = new Map<string, CountedTool>()
  const counts = new Map<string, Mutable<Omit<Rating, "calls">>>()
  const ofTool = Map.groupBy(changes, ({ tool }) => tool)
  let calls = 0

  const shown = (value: unknown): string => {
    const text = typeof value === "string" ? value : (JSON.stringify(value) ?? "")
    return cut(redact(beginning(text, 4 * longest)), longest)
  }
  const count = (causes: ReadonlyArray<Change>, call: ReplayedCall, at: Place & { readonly call: number }): void => {
    for (const { id, subject } of causes) {
      const known = counts.get(id) ?? { broken: 0, answered: 0 }
      counts.set(id, known)
      known.broken += 1
      if (call.isAnswered) known.answered += 1
      known.example ??= {
        ...at,
        arguments: shown(call.arguments),
        ...(subject === "result" ? { result: shown(call.answer?.text ?? "") } : {})
      }
    }
  }
  const compare = (one: ReplayedCall, other: ReplayedCall, at: Place & { readonly call: number }): void => {
    const { tool: name } = one
    if (!names.has(name)) return
    calls += 1
    const isGone = !after.has(name)
    const tool = tools.get(name) ?? {
      tool: name,
      isGone,
      calls: 0,
      refused: 0,
      broken: 0,
      brokenResults: 0,
      results: 0
    }
    tools.set(name, tool)
    tool.calls += 1
    const changesOf = (subject: Change["subject"], ...consequences: ReadonlyArray<Change["consequence"]>) =>
      (ofTool.get(name) ?? []).filter(
        (change) => change.subject === subject && consequences.includes(change.consequence)
      )
    const isBroken = (isGone || isRefused(other)) && before.has(name) && !isRefused(one)
    if (isGone || isRefused(other)) {
      tool.refused += 1
      if (isBroken) {
        tool.broken += 1
        tool.first ??= at
        const causes = isGone
          ? changesOf("tool", undefined)
          : FaultCause.of(changesOf("parameters", "refused"), Timeline.parsed(one.arguments), other.argumentFaults)
        count(causes, one, at)
      }
    }
    const [then, now] = [one.resultFaults, other.resultFaults]
    if (isGone || (then === undefined && now === undefined)) return
    tool.results += 1
    const [was, is] = [then ?? [], now ?? []]
    if (was.length > 0 === is.length > 0) return
    if (is.length > 0 && !isBroken && before.has(name)) {
      tool.broken += 1
      tool.brokenResults += 1
      tool.first ??= at
    }
    const possible = is.length > 0 ? changesOf("result", "impossible") : changesOf("result", "possible")
    count(FaultCause.of(possible, Content.parsed(one.answer?.text ?? ""), was.length > 0 ? was : is), one, at)
  }
  return {
    add: ({ place }, one, other) => {
      const byNumber = new Map(other.calls.map((call) => [call.number, call]))
      for (const call of one.calls) {
        const same = byNumber.get(call.number)
        if (same !== undefined) compare(call, same, { file: place.file, line: place.line, call: call.number })
      }
    },
    calls: () => calls,
    tools: () =>
      [...tools.values()].toSorted((a, b) => (a.tool < b.tool ? -1 : 1)).map(({ results: _, ...tool }) => tool),
    ratingOf: ({ id, subject, tool }) => {
      const found = tools.get(tool)
      const all = (subject === "result" ? found?.results : found?.calls) ?? 0
      return { calls: all, ...(counts.get(id) ?? { broken: 0, answered: 0 }) }
    }
  }
}

/** The codes of calls whose arguments cannot be read under any version. */
const unreadable: ReadonlySet<string | undefined> = new Set([
  "invalid_json",
  "truncated_arguments",
  "arguments_too_large"
])

const isRefused = ({
  argumentFaults,
  tally
}: {
  readonly argumentFaults: ReadonlyArray<Fault>
  readonly tally: ReplayedCall["tally"]
}): boolean => argumentFaults.length > 0 || unreadable.has(tally.refusal)
