/** Checks that the tables of a report agree with its totals and with each other, and that the text and the page agree too. */
import { assert } from "@effect/vitest"
import type { Report } from "#kit/report/Report"
import { assertOverviews, assertRendered } from "./overviews.ts"

const sum = <A>(rows: ReadonlyArray<A>, of: (row: A) => number): number => rows.reduce((all, row) => all + of(row), 0)

const count = ({ count: own }: { readonly count: number }): number => own

/** Fails unless the tables of a report agree with its totals and with each other, and the text and the page with them. */
export const assertAgreement = (report: Report): void => {
  const { declared, failures, files, guarded, refused, rejected, repair, results, saved, tools, totals } = report
  const { calls } = totals
  const { declared: refusedByTool, failed, partial, succeeded, unanswered } = totals
  assert.strictEqual(succeeded + partial + failed + refusedByTool + unanswered, calls, "the log")
  assert.strictEqual(sum(Object.values(guarded), Number), calls, "the guard")
  assert.strictEqual(
    sum(files, (row) => row.calls),
    calls,
    "files"
  )
  assert.strictEqual(
    sum(files, (row) => row.conversations),
    totals.conversations,
    "conversations"
  )
  assert.deepStrictEqual([sum(tools, (row) => row.calls), sum(tools, (row) => row.failed)], [calls, failed], "tools")
  assert.deepStrictEqual(
    [sum(tools, (row) => row.refused), sum(refused, count), guarded.refused],
    [guarded.refused, guarded.refused, sum(refused, count)],
    "refused"
  )
  assert.deepStrictEqual(
    [sum(tools, (row) => row.saved), saved.calls, sum(Object.values(saved.byReason), Number)],
    [guarded.saved, guarded.saved, guarded.saved],
    "saved"
  )
  assert.strictEqual(
    sum(failures, count),
    guarded.partial + guarded.failed + guarded.refused + guarded.unanswered,
    "failures"
  )
  assert.strictEqual(sum(declared, count), guarded.declared, "declared")
  assert.strictEqual(
    sum(repair, (row) => row.failures),
    failed,
    "repair"
  )
  assert.isAtMost(totals.notEnforced, calls, "not enforced")
  for (const { answers, broken, tool, watched } of report.alarms.shown) {
    assert.isAtMost(broken, watched, tool)
    assert.isAtMost(watched, answers, tool)
    const row = results.find((one) => one.tool === tool)
    assert.isAtMost(answers, row?.checked ?? 0, tool)
    assert.isAtMost(broken, row?.rejected ?? 0, tool)
  }
  const returned = rejected.filter(({ part }) => part === "result")
  assert.isAtMost(
    sum(results, (row) => row.enforced),
    failed,
    "results"
  )
  for (const row of results) {
    const own = returned.filter(({ tool }) => tool === row.tool)
    const mismatches = failures.filter(({ class: tag, tool }) => tag === "SchemaMismatch" && tool === row.tool)
    assert.isAtMost(row.failed, sum(mismatches, count), row.tool)
    assert.isAtMost(row.failed, row.enforced)
    assert.isAtMost(row.enforced, row.rejected)
    assert.isAtMost(row.passes, row.rejected)
    assert.isAtMost(row.rejected, row.checked)
    assert.isAtLeast(sum(own, count), row.rejected, row.tool)
    for (const group of own) {
      assert.isAtMost(group.count, row.rejected)
      assert.isAtMost(group.accepted, group.count)
      assert.isAtMost(group.passes.alone, group.passes.together)
      assert.isAtMost(group.passes.together, Math.min(group.count, row.passes))
    }
  }
  for (const { tool } of returned)
    assert.isTrue(
      results.some((row) => row.tool === tool && row.rejected > 0),
      tool
    )
  assertOverviews(report)
  assertRendered(report)
}
