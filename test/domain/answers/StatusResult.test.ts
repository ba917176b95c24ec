import { assert, describe, it } from "@effect/vitest"
import * as StatusResult from "#domain/answers/StatusResult"

describe("StatusResult", () => {
  const words = ["queued", "scheduled", "running", "in_progress", "processing", "building"]
  for (const [what, result, expected] of [
    ...words.map((word) => [`status ${word}`, { id: 1, status: word }, true] as const),
    ["a state", { state: "running" }, true],
    ["a phase", { phase: "building" }, true],
    ["done: false", { done: false }, true],
    ["percent between 0 and 100", { percent: 0.5 }, true],
    ["pending alongside done: false", { status: "pending", done: false }, true],
    ["the JSON text of an object", ' {"status":"running"}', true],
    ["the text of an MCP result", { content: [{ type: "text", text: '{"status":"queued"}' }] }, true],
    ["the structured content of an MCP result", { content: [], structuredContent: { percent: 20 } }, true],
    ["pending alone", { status: "pending" }, false],
    ["another word", { status: "done" }, false],
    ["a word in another case", { status: "Running" }, false],
    ["done: true", { done: true }, false],
    ["0 percent", { percent: 0 }, false],
    ["100 percent", { percent: 100 }, false],
    ["percent as text", { percent: "20" }, false],
    ["a nested status", { job: { status: "running" } }, false],
    ["a list", [{ status: "running" }], false],
    ["a word", "running", false],
    ["broken JSON", '{"status":"running"', false],
    ["a long text", `{"status":"running","log":"${"x".repeat(20_000)}"}`, false],
    ["an inherited field", Object.create({ status: "running" }), false],
    ["nothing", null, false]
  ] as const) {
    it(`7.2 ${what} is ${expected ? "the status of unfinished work" : "not the status of unfinished work"}`, () =>
      assert.strictEqual(StatusResult.isUnfinished(result), expected))
  }

  for (const [what, result, expected] of [
    ["the word pending", "pending", true],
    ["a word with punctuation, in another case", "In progress…", true],
    ["a word in quotes", '"PENDING"', true],
    ["a pending status", { status: "pending" }, true],
    ["a state in another case", { state: "In-Progress" }, true],
    ["JSON text", '{"phase":"Pending"}', true],
    ["the text of an MCP result", { content: [{ type: "text", text: "pending" }] }, true],
    ["the structured content of an MCP result", { content: [], structuredContent: { status: "pending" } }, true],
    ["a sentence", "The order is pending since Monday.", false],
    ["a nested status", { order: { status: "pending" } }, false],
    ["JSON text with the word elsewhere", '{"note":"pending"}', false],
    ["another word", { status: "done" }, false],
    ["an inherited field", Object.create({ status: "pending" }), false],
    ["a list", ["pending"], false],
    ["nothing", null, false]
  ] as const) {
    it(`7.2 ${what} ${expected ? "says" : "does not say"} that something is pending`, () =>
      assert.strictEqual(StatusResult.isPending(result), expected))
  }
})
