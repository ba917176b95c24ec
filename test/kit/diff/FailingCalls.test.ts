/** Tests the count of recorded calls that would fail with the changed tools. */
import { assert, describe, it } from "@effect/vitest"
import { FailingCalls } from "#kit/diff/FailingCalls"
import type { Snapshot } from "#kit/diff/Snapshot"

const tools = (parameters: Readonly<Record<string, object>>): Snapshot =>
  new Map(
    Object.entries(parameters).map(([name, schema]) => [
      name,
      // a test schema needs no more than its keywords
      { description: "", parameters: schema as never, annotations: {}, isGuarded: false }
    ])
  )

const conversation = (line: number, ...calls: ReadonlyArray<readonly [name: string, args: unknown]>) => ({
  place: { file: "log.jsonl", line },
  messages: [
    { role: "user", text: "" } as const,
    { role: "assistant", text: "", calls: calls.map(([name, args]) => ({ id: "", name, arguments: args })) } as const
  ]
})

const number = { type: "object", properties: { n: { type: "number" } }, required: ["n"] }
const positive = { type: "object", properties: { n: { type: "number", minimum: 1 } }, required: ["n"] }

describe("recorded calls", () => {
  it("13.4 are counted, with the first place, if the old tool accepted them and the new tool refuses them", () => {
    const calls = new FailingCalls(tools({ a: number, b: number }), tools({ a: positive, c: number }))
    calls.add(conversation(1, ["a", `{"n": 1}`], ["a", { n: "x" }], ["unknown", {}]))
    calls.add(conversation(2, ["a", `{"n": 0}`], ["b", { n: 1 }], ["a", `{"n": -`], ["c", { n: 1 }], ["a", { n: -1 }]))
    assert.strictEqual(calls.calls, 7)
    assert.deepStrictEqual(calls.tools, [
      { tool: "a", isGone: false, calls: 5, refused: 4, broken: 2, first: { file: "log.jsonl", line: 2, call: 1 } },
      { tool: "b", isGone: true, calls: 1, refused: 1, broken: 1, first: { file: "log.jsonl", line: 2, call: 2 } },
      { tool: "c", isGone: false, calls: 1, refused: 0, broken: 0 }
    ])
  })
})
