/** Tests which field of an answer denies the action of its tool. */
import { assert, describe, it } from "@effect/vitest"
import { reportsAction, undoneIn } from "#domain/answers/statements/UndoneAction"

const undone = (tool: string, answer: unknown): string => {
  const found = undoneIn(answer, tool)
  return found === undefined ? "nothing" : `${found.path.join(".")}${found.isDoubtful ? ", doubtful" : ""}`
}

const nested = (levels: number): object => (levels === 0 ? { sent: false } : { data: nested(levels - 1) })

const data = (from: number, to: number): object =>
  Object.fromEntries(Array.from({ length: to - from }, (_, index) => [`k${from + index}`, index]))

describe("undoneIn", () => {
  for (const [tool, answer, expected] of [
    ["send_email", null, "nothing"],
    ["send_email", new Uint8Array([1]), "nothing"],
    ["send_email", { ...data(0, 100), sent: false, ...data(100, 200) }, "sent"],
    ["send_email", nested(4), "data.data.data.data.sent"],
    ["send_email", nested(5), "nothing"],
    ["send_email", { sent: false, total: 5 }, "sent"],
    ["send_email", { sent: false, failed: 3 }, "sent"],
    ["send_email", { sent: false, failed: 0 }, "sent"],
    ["send_email", { sent: 0, failed: 2 }, "sent"],
    ["send_email", { sent: 0, failed: 0 }, "nothing"],
    ["send_email", { sent: 0, failed: "0" }, "nothing"],
    ["send_email", { sent: "0" }, "sent"],
    ["send_email", { sent: "No" }, "sent"],
    ["send_email", { sent: "noon" }, "nothing"],
    ["send_email", { sent: "casino" }, "nothing"],
    ["send_email", { sent: null }, "nothing"],
    ["send_email", { sent: false, queued: 3 }, "nothing"],
    ["send_email", { sent: false, queued: "true" }, "nothing"],
    ["send_email", { queued: false }, "nothing"],
    ["send_email", { sent: false, success: true }, "sent, doubtful"],
    ["send_email", { sent: false, acknowledged: true }, "nothing"],
    ["send_email", { sent: false, acknowledged: false }, "sent"],
    ["verify_email", { verified: false }, "verified, doubtful"],
    ["delete_rows", { affected_rows: 0 }, "affected_rows, doubtful"],
    ["delete_rows", { deleted: 0 }, "deleted"],
    ["delete_rows", { deleted: 0, acknowledged: true }, "nothing"],
    ["delete_rows", { deleted: 0, ok: true }, "nothing"],
    ["delete_rows", { deleted: false, ok: true }, "deleted, doubtful"]
  ] as const)
    it(`3.3 ${tool}: in ${JSON.stringify(answer).slice(0, 80)}, ${expected} denies the action`, () =>
      assert.strictEqual(undone(tool, answer), expected))
})

describe("reportsAction", () => {
  for (const [tool, answer, expected] of [
    ["schedule_email", { scheduledAt: "2026-01-01T00:00:00Z" }, true],
    ["schedule_email", { scheduled_on: "2026-01-01" }, true],
    ["schedule_email", { scheduledFor: "2026-01-01" }, true],
    ["schedule_email", { scheduled: true }, true],
    ["schedule_email", { scheduled: 2 }, true],
    ["schedule_email", { createdAt: "2026-01-01" }, false],
    ["schedule_email", { scheduledAt: "not before 2026-01-01" }, false],
    ["schedule_email", { scheduledAt: "tomorrow" }, false],
    ["schedule_email", { scheduled: false }, false]
  ] as const)
    it(`3.3 ${JSON.stringify(answer)} of ${tool} ${expected ? "reports" : "does not report"} the action`, () =>
      assert.strictEqual(reportsAction(answer, tool), expected))
})
