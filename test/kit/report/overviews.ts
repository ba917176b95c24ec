/**
 * Checks what a report says first, against its totals: what changes, which schemas are too strict, the calls over time,
 * the lengths and the tokens. The text and the page must have the same figures.
 */
import { assert } from "@effect/vitest"
import * as ReportText from "#kit/cli/replay/Text"
import { changeName } from "#kit/report/ChangeNames"
import * as Page from "#kit/report/html/Page"
import type { LengthRow, Report } from "#kit/report/Report"
import { about, grouped, share } from "#kit/text/Numbers"
import { visibleTextOf } from "./markup.ts"

const sum = <A>(rows: ReadonlyArray<A>, of: (row: A) => number): number => rows.reduce((all, row) => all + of(row), 0)

/** Fails unless the rows of `changes` agree with the savings, the refusals and the suspects. */
const assertChanges = ({ changes, guarded, refused, saved, suspects }: Report): void => {
  const callsOf = (reason: string): number => changes.find((row) => row.reason === reason)?.calls ?? 0
  for (const [reason, calls] of Object.entries(saved.byReason)) assert.strictEqual(callsOf(reason), calls, reason)
  for (const { code, count } of refused) assert.strictEqual(callsOf(code), count, code)
  const ended = callsOf("ended")
  assert.strictEqual(
    sum(changes, (row) => row.calls),
    guarded.saved + guarded.refused + ended,
    "changes"
  )
  assert.strictEqual(
    sum(changes, (row) => row.suspects),
    suspects.total,
    "suspects"
  )
  for (const row of changes) {
    assert.isAbove(row.calls, 0, row.reason)
    assert.isAtMost(row.suspects, row.calls, row.reason)
    if (row.reason === "ended") assert.strictEqual(row.suspects, row.calls)
  }
}

/** Fails unless the rows of `strict` agree with the calls of their tools, and with the refused arguments. */
const assertStrict = ({ refused, rejected, strict, tools }: Report): void => {
  for (const { accepted, refused: own, tool, violating, worked } of strict) {
    const row = tools.find((one) => one.tool === tool)
    const groups = rejected.filter((one) => one.part === "arguments" && one.tool === tool)
    assert.isAbove(violating, 0, tool)
    assert.isAtMost(violating, row?.calls ?? 0, tool)
    assert.isAtMost(worked, row?.calls ?? 0, tool)
    assert.isAtMost(accepted, Math.min(violating, worked), tool)
    assert.isAtMost(own, Math.min(accepted, row?.refused ?? 0), tool)
    assert.isAtLeast(
      sum(groups, ({ count }) => count),
      violating,
      tool
    )
    for (const { accepted: worked } of groups) assert.isAtMost(worked, accepted, tool)
  }
  const invalid = refused.find(({ code }) => code === "invalid_arguments")?.count ?? 0
  assert.isAtMost(
    sum(strict, (row) => row.refused),
    invalid,
    "strict"
  )
}

/** Fails unless the columns over time agree with the totals. All calls are in them if all have a time. */
const assertTime = ({ guarded, time, totals }: Report): void => {
  if (time === null) return
  const sums = (["calls", "failed", "blocked"] as const).map((key) => sum(time.columns, (column) => column[key]))
  const [calls = 0, failed = 0, blocked = 0] = sums
  assert.strictEqual(calls, time.timed, "time")
  assert.isAtMost(time.timed, totals.calls)
  assert.isAtMost(failed, totals.failed)
  assert.isAtMost(blocked, guarded.saved + guarded.refused)
  if (time.timed === totals.calls)
    assert.deepStrictEqual(sums, [totals.calls, totals.failed, guarded.saved + guarded.refused])
  assert.strictEqual(time.from % time.stepMillis, 0)
  assert.isTrue((time.columns[0]?.calls ?? 0) > 0 && (time.columns.at(-1)?.calls ?? 0) > 0, "the ends of the axis")
  for (const column of time.columns) {
    assert.isAtMost(column.failed, column.calls)
    assert.isAtMost(column.blocked, column.calls)
  }
}

/** Fails unless a sum of lengths can be the sum that the rows count, and the rows are without gaps. */
const assertLengths = (rows: ReadonlyArray<LengthRow>, title: string): void => {
  for (const [index, { from, to }] of rows.entries()) {
    assert.isAtMost(from, to, title)
    const next = rows[index + 1]
    if (next !== undefined) assert.strictEqual(next.from, to + 1, title)
  }
  assert.isTrue(rows[0]?.count !== 0 && rows.at(-1)?.count !== 0, title)
}

const assertDistributions = ({ lengths: { conversations, repeats }, repeats: found, totals }: Report): void => {
  assertLengths(conversations, "conversations")
  assertLengths(repeats, "repeats")
  const least = (rows: ReadonlyArray<LengthRow>) => sum(rows, ({ count, from }) => count * from)
  const most = (rows: ReadonlyArray<LengthRow>) => sum(rows, ({ count, to }) => count * to)
  assert.strictEqual(
    sum(conversations, ({ count }) => count),
    totals.conversations,
    "lengths"
  )
  assert.isTrue(least(conversations) <= totals.calls && totals.calls <= most(conversations), "calls of conversations")
  assert.isAtMost(least(repeats) - sum(repeats, ({ count }) => count), found.calls, "repeats")
  const longest = repeats.at(-1)
  if (longest === undefined) assert.isAtMost(found.longestRun, 1)
  else assert.isTrue(longest.from <= found.longestRun && found.longestRun <= longest.to, "the longest sequence")
}

/** Fails unless the tokens and the money of the tools add up to those of the log, and those saved are a part of them. */
const assertTokens = ({ saved, tools, totals }: Report): void => {
  const tokens = [sum(tools, (row) => row.inputTokens), sum(tools, (row) => row.outputTokens)]
  assert.deepStrictEqual(tokens, [totals.inputTokens, totals.outputTokens], "tokens")
  assert.isAtMost(saved.inputTokens, totals.inputTokens)
  assert.isAtMost(saved.outputTokens, totals.outputTokens)
  assert.isAtMost(saved.rounds, totals.rounds)
  for (const { money, tool } of tools) assert.strictEqual(money === null, saved.money === null, tool)
  if (saved.money !== null) {
    // both are rounded to a hundredth of a cent
    assert.isAtMost(saved.money, sum(tools, ({ money }) => money ?? 0) + 0.0001 * (tools.length + 1))
  }
}

/** Fails unless the overviews of a report agree with its totals. */
export const assertOverviews = (report: Report): void => {
  assertChanges(report)
  assertStrict(report)
  assertTime(report)
  assertDistributions(report)
  assertTokens(report)
}

const words = (text: string): string => text.replaceAll(/\s+/gu, " ")

/**
 * Fails unless the text and the page have the figures of the overviews. The text has the first rows of each. Names are not
 * compared, because long ones are cut.
 */
export const assertRendered = (report: Report): void => {
  const lines: Array<string> = []
  const screen = {
    columns: 400,
    styled: (_: unknown, text: string) => text,
    line: (text: string) => void lines.push(text)
  }
  ReportText.write(screen, report, { commandWith: (tools) => tools.join(), isOwn: () => false })
  const printed = words(lines.join("\n"))
  const page = visibleTextOf(Page.page(report))
  const isIn = (whole: string, ...parts: ReadonlyArray<string>) => assert.include(whole, parts.join(" "))
  const { changes, lengths, strict, time, tools, totals } = report
  const all = totals.inputTokens + totals.outputTokens
  for (const row of tools.slice(0, 3)) {
    const tokens = row.inputTokens + row.outputTokens
    isIn(printed, grouped(row.calls), grouped(row.failed), about(tokens), share(tokens, all))
    isIn(page, about(tokens), "tokens for", grouped(row.calls), row.calls === 1 ? "call" : "calls")
  }
  for (const [index, row] of changes.entries()) {
    const cells = [changeName(row.reason), grouped(row.calls), share(row.calls, totals.calls), grouped(row.suspects)]
    if (index < (changes.length > 3 ? 2 : 3)) isIn(printed, ...cells)
    isIn(page, ...cells)
  }
  for (const row of strict.filter(({ accepted }) => accepted > 0)) {
    isIn(page, grouped(row.violating), grouped(row.accepted), share(row.accepted, row.worked))
  }
  // a distribution with one row is omitted
  for (const rows of [lengths.conversations, lengths.repeats].filter(({ length }) => length > 1)) {
    for (const { count, from, to } of rows) {
      const range = from === to ? grouped(from) : `${grouped(from)} to ${grouped(to)}`
      isIn(printed, range, grouped(count))
      isIn(page, range, to === 1 ? "call" : "calls")
    }
  }
  if (time !== null && time.columns.length > 1) {
    isIn(printed, grouped(sum(time.columns, ({ blocked }) => blocked)))
    if (time.timed !== totals.calls) isIn(page, grouped(time.timed), "of", grouped(totals.calls))
  }
}
