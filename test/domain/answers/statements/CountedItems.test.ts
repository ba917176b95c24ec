/** Tests what the numbers of failed and successful items in an answer say. */
import { assert, describe, it } from "@effect/vitest"
import { countedIn, sentenceOf } from "#domain/answers/statements/CountedItems"
import { reportedBy } from "#domain/answers/statements/FieldWords"
import { actionOf } from "#domain/text/ToolAction"

const counted = (tool: string, answer: unknown): string => {
  const found = countedIn(answer, tool)
  return found === undefined ? "nothing" : `${found.failed}: ${found.path.join(".")}`
}

const failedOf = (levels: number): object => (levels === 0 ? { failed: 2, sent: 8 } : { data: failedOf(levels - 1) })

const data = (from: number, to: number): object =>
  Object.fromEntries(Array.from({ length: to - from }, (_, index) => [`k${from + index}`, index]))

describe("countedIn", () => {
  for (const [tool, answer, expected] of [
    ["send_emails", { failed: 2, sent: 8 }, "some: failed"],
    ["send_emails", { failed: "12", sent: "0" }, "all: failed"],
    ["send_emails", { failed: 2, sent: 8, warnings: [] }, "some: failed"],
    ["send_emails", { failed: 2, requested: 2 }, "all: failed"],
    ["send_emails", { failed: 2, requested: 3 }, "some: failed"],
    ["send_emails", { failed: 2, message: "ok" }, "unknown: failed"],
    ["send_emails", { failed: 2, request_id: "r-1" }, "unknown: failed"],
    ["send_emails", { failed: 2, to: "a" }, "nothing"],
    ["send_emails", { failed: ["a"] }, "nothing"],
    ["send_emails", { failed: 2, warnings: [] }, "nothing"],
    ["send_emails", { failed: 2, sent: -1 }, "nothing"],
    ["send_emails", { failed: 2, sent: "many" }, "nothing"],
    ["send_emails", { failed: "12a", sent: 1 }, "nothing"],
    ["send_emails", { failed: "a12", sent: 1 }, "nothing"],
    ["send_emails", { failed: "", sent: 1 }, "nothing"],
    ["send_emails", { failed: "1e3", sent: 1 }, "nothing"],
    ["send_emails", { failed: "0x10", sent: 1 }, "nothing"],
    ["send_emails", { failed: true, sent: 1 }, "nothing"],
    ["run_migration", { discounts_failed: 1, discounts_done: 2 }, "some: discounts_failed"],
    ["send_emails", null, "nothing"],
    ["send_emails", new Uint8Array([1]), "nothing"],
    ["send_emails", failedOf(4), "some: data.data.data.data.failed"],
    ["send_emails", failedOf(5), "nothing"],
    ["send_emails", { name: "a", summary: { failed: 2, sent: 8 } }, "some: summary.failed"],
    ["send_emails", { name: "a", summary: 5, stats: { failed: 2, sent: 8 } }, "some: stats.failed"],
    ["send_emails", { name: "a", other: { failed: 2, sent: 8 } }, "nothing"],
    ["send_emails", { ...data(0, 100), failed: 2, sent: 8, ...data(100, 200) }, "some: failed"],
    ["send_emails", { passed: 10, failed: 2 }, "nothing"],
    ["run", { failed: 1, succeeded: 3 }, "nothing"],
    ["run_nightly_tests", { failed: 1, succeeded: 3 }, "nothing"],
    ["run_migration", { failed: 1, succeeded: 3 }, "some: failed"],
    ["check_orders", { failed: 1, succeeded: 3 }, "nothing"],
    ["run_migration", { steps_failed: 1, steps_succeeded: 3 }, "some: steps_failed"],
    ["run_migration", { failed_steps: 1, steps_done: 2, failed_jobs: 3 }, "some: failed_steps"],
    ["run_migration", { order_id: 1, steps_failed: 1, steps_succeeded: 3 }, "nothing"],
    ["run_migration", { old_steps_failed: 2, steps_succeeded: 3, failed: 1 }, "nothing"],
    ["run_migration", { steps_total: 3, steps_left: 1, failed: 1, steps_done: 2 }, "nothing"],
    ["run_migration", { failed_attempts: 1, attempts_succeeded: 3 }, "nothing"]
  ] as const)
    it(`3.3 ${tool}: ${JSON.stringify(answer).slice(0, 80)} says ${expected}`, () =>
      assert.strictEqual(counted(tool, answer), expected))
})

describe("sentenceOf", () => {
  for (const [answer, expected] of [
    [{ pages: 7, failed: 2, sent: 8 }, 'The answer says that "failed" is 2 and "sent" is 8.'],
    [{ failed: 2, sent: 0, delivered: ["a", "b", "c"] }, 'The answer says that "failed" is 2 and "delivered" is 3.'],
    [{ failed: ["a"], sent: 0 }, 'The answer says that "failed" is 1.']
  ] as const)
    it(`3.3 ${JSON.stringify(answer)}: ${expected}`, () => {
      const found = countedIn(answer, "send_emails")
      assert.strictEqual(found === undefined ? undefined : sentenceOf(found, "send_emails"), expected)
    })
})

describe("reportedBy", () => {
  for (const [tool, name, expected] of [
    ["send_email", "_sent", "own"],
    ["send_email", "emails_sent_", "own"],
    ["send_email", "emailsSent", "own"],
    ["send_email", `sent${"_the".repeat(9)}`, "own"],
    ["send_email", `sent${"_the".repeat(8)}_item`, undefined],
    ["send_email", "reminder_sent", undefined],
    ["send_email", "queued", "done"],
    ["send_email", "skipped", undefined],
    ["send_email", "n_failed", "failed"],
    ["send_email", "attempted", "all"],
    ["send_email", "total_count", "all"],
    ["send_email", "all_items", "all"],
    ["send_email", "row_count", undefined],
    ["send_email", "42", undefined],
    ["send_email", "ready", "succeeded"],
    ["send_email", "address", undefined],
    ["delete_rows", "affected_rows", "affected"],
    ["create_table", "affected_rows", undefined]
  ] as const)
    it(`3.3 ${tool}: the field ${name} reports ${expected}`, () =>
      assert.strictEqual(reportedBy(name, actionOf(tool)), expected))
})
