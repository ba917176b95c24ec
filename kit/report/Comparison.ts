/**
 * Folds the calls of a log under two versions of the tools into the calls whose outcome differs, by cause, in bounded
 * memory.
 */
import { cut } from "effect-toolguard/internal/domain/text/Cut"
import { nearest } from "effect-toolguard/internal/domain/text/NearestName"
import type { Conversation } from "#kit/traffic/Conversation"
import type { ReplayedConversation, ReplayedCall } from "#kit/replay/ReplayedCall"
import { beginning, byCount, others, table } from "./Tables.ts"
import * as CallChange from "./CallChange.ts"
import { reasonOf, statusOf } from "./Details.ts"
import type { CallPlace, Report } from "./Report.ts"

/** The outcome of a call under one version: the guard's decision and its reason. */
interface ShownOutcome {
  readonly verdict: string
  readonly detail: string
}

/** Counts the changed calls of one tool with one cause. */
export interface ChangeRow extends Omit<CallChange.CallChange, "isBroken"> {
  readonly tool: string
  readonly count: number
  /** The number of these calls that the log answered well. */
  readonly answered: number
  /** The number of these calls that the log answered well, and that only the first version lets succeed. */
  readonly broken: number
  /** The first of these calls. Its texts are redacted and truncated. */
  readonly example: CallPlace & {
    readonly arguments: string
    readonly before: ShownOutcome
    readonly after: ShownOutcome
  }
}

/** What changes if the second version replaces the first. */
export interface Comparison {
  /** The names of the versions: files, or `the log`. */
  readonly before: string
  readonly after: string
  /** The number of calls of the tools that either version has. */
  readonly calls: number
  /** The number of all calls whose outcome differs. */
  readonly changed: number
  /** The number of changed calls that the log answered well. */
  readonly answered: number
  /** The number of changed calls that the log answered well, and that only the first version lets succeed. */
  readonly broken: number
  readonly causes: ReadonlyArray<ChangeRow>
}

/** A report, with the comparison if the log was replayed under a second version. */
export interface ComparedReport extends Report {
  readonly comparison?: Comparison
}

/** The two versions. */
export interface Versions {
  readonly before: string
  readonly after: string
  /** The names of the tools that either version has. */
  readonly tools: ReadonlySet<string>
  /** The names of the tools that only the second version has. */
  readonly added: ReadonlyArray<string>
}

/** Collects a comparison. */
interface Fold {
  /** Adds a conversation, replayed under both versions. */
  readonly add: (conversation: Conversation, before: ReplayedConversation, after: ReplayedConversation) => void
  readonly comparison: () => Comparison
}

/** The maximum number of characters of a text of an example. */
const longest = 300

type Mutable<A> = { -readonly [K in keyof A]: A[K] }

/** Creates an empty comparison. `redact` removes secrets from the texts. */
export const make = ({ added, after, before, tools }: Versions, redact: (text: string) => string): Fold => {
  const counts = { calls: 0, changed: 0, answered: 0, broken: 0 }
  const rows = table<Mutable<ChangeRow>>()
  const shown = (text: string) => cut(redact(beginning(text, 4 * longest)), longest)
  const outcomeOf = (call: ReplayedCall): ShownOutcome => ({
    verdict: `${statusOf(call)}${call.isAsked ? ", after a person was asked" : ""}`,
    detail: shown(reasonOf(call))
  })
  const ruleOf = ({ cause, rule }: CallChange.CallChange, tool: string): string => {
    const [successor] = cause === "tool" ? nearest(tool, added) : []
    return successor === undefined ? shown(rule) : `${rule}; ${successor} is new`
  }
  const compare = (one: ReplayedCall, other: ReplayedCall, at: CallPlace): void => {
    if (tools.has(one.tool)) counts.calls += 1
    const change = CallChange.of(one, other)
    if (change === undefined) return
    const { cause } = change
    const [path, rule] = [shown(change.path), ruleOf(change, one.tool)]
    const rowOf = (tool: string, path: string, rule: string): Mutable<ChangeRow> => ({
      cause,
      tool,
      path,
      rule,
      count: 0,
      answered: 0,
      broken: 0,
      example: {
        ...at,
        arguments: shown(typeof one.arguments === "string" ? one.arguments : (JSON.stringify(one.arguments) ?? "")),
        before: outcomeOf(one),
        after: outcomeOf(other)
      }
    })
    const row = rows.at(
      JSON.stringify([cause, one.tool, path, rule]),
      () => rowOf(one.tool, path, rule),
      () => rowOf(others, "", "")
    )
    for (const each of [row, counts]) {
      if (one.isAnswered) each.answered += 1
      if (one.isAnswered && change.isBroken) each.broken += 1
    }
    row.count += 1
    counts.changed += 1
  }
  return {
    add: ({ id, place }, one, other) => {
      const byNumber = new Map(other.calls.map((call) => [call.number, call]))
      for (const call of one.calls) {
        const same = byNumber.get(call.number)
        if (same !== undefined) compare(call, same, { ...place, conversation: id, call: call.number })
      }
    },
    comparison: () => ({
      before,
      after,
      ...counts,
      causes: rows.rows().toSorted(
        byCount(
          ({ count }) => count,
          ({ cause, path, rule, tool }) => `${tool} ${cause} ${path} ${rule}`
        )
      )
    })
  }
}
