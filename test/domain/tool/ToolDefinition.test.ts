import type { SharedPolicy } from "#domain/tool/PolicyInput"
import * as ToolDefinition from "#domain/tool/ToolDefinition"
import { compiledOf } from "#pipeline/call/CompiledTool"
import { assert, describe, it } from "@effect/vitest"
import { define } from "../../pipeline/support.ts"

const definitionOf = (fields: object) => compiledOf(define("set_it", { access: "write", ...fields })).definition

const poll = { interval: 1, deadline: 2, until: () => true }
const reconcile = { tool: define("find_it"), arguments: () => ({ q: "a" }), found: () => undefined }

describe("ToolDefinition", () => {
  it("4.7 reads, keyed writes and reconciled writes may be repeated after a failed attempt", () => {
    const definitions = [{}, { access: "read" }, { idempotency: "derived" }, { reconcile }, { access: "destructive" }]
    assert.deepStrictEqual(
      definitions.map((fields) => ToolDefinition.isRepeatable(definitionOf(fields))),
      [false, true, true, true, false]
    )
  })

  it("3.3 failures of a destructive tool are handled as those of a write, unless its owner called it destructive", () => {
    const cases = (["read", "write", "destructive"] as const).flatMap((access) =>
      (["owner", "server"] as const).map((accessBy) => ({ access, accessBy }))
    )
    assert.deepStrictEqual(
      cases.map((each) => [ToolDefinition.isOwnedDestructive(each), ToolDefinition.answeredAs(each)]),
      [
        [false, "read"],
        [false, "read"],
        [false, "write"],
        [false, "write"],
        [true, "destructive"],
        [false, "write"]
      ]
    )
  })
})

describe("ToolDefinition.withPolicy", () => {
  const shared = (fields: object, policy: SharedPolicy) =>
    ToolDefinition.withPolicy(definitionOf(fields), "toolbox", policy)

  it("2.11 a policy of several tools changes the fields that it sets, its source, and the approvals", () => {
    const before = definitionOf({ timeout: "1 second", approval: "inform" })
    const policy = { timeout: "2 seconds", concurrency: 3 } as const
    assert.deepStrictEqual(ToolDefinition.withPolicy(before, "toolbox", { ...policy, approval: "confirm" }), {
      ...before,
      concurrency: 3,
      sources: { tool: { timeout: "1 second" }, toolbox: policy },
      sharedApprovals: [{ source: "toolbox", approval: "confirm" }]
    })
    const nearer = ToolDefinition.withPolicy(before, "useSite", policy)
    assert.deepStrictEqual([nearer.attemptMillis, nearer.concurrency, nearer.sharedApprovals], [2_000, 3, []])
  })

  it("2.11 a policy of several tools with a misspelt field is refused", () => {
    assert.throws(
      () => shared({}, { timeot: 1 } as object),
      RangeError,
      "set_it: `timeot` is not a field here; did you mean `timeout`?"
    )
  })

  it("8.1 shared idempotency applies to writes whose definition sets none, except polled writes", () => {
    const derived: SharedPolicy = { idempotency: "derived" }
    const key = { mode: "derived", fields: ["q"], timeToLive: "1 hour" }
    assert.deepStrictEqual(
      [
        shared({}, derived),
        shared({}, { concurrency: 3 }),
        shared({ access: "destructive" }, derived),
        shared({ access: "read" }, derived),
        shared({ poll }, derived),
        shared({ idempotency: "none" }, derived),
        shared({ idempotency: key }, derived)
      ].map(({ budget, idempotency: { fields, mode } }) => [mode, fields, budget]),
      [
        ["derived", undefined, 4],
        ["none", undefined, 1],
        ["derived", undefined, 4],
        ["none", undefined, 4],
        ["none", undefined, 1],
        ["none", undefined, 1],
        ["derived", ["q"], 4]
      ]
    )
    const { idempotency } = definitionOf({})
    assert.deepStrictEqual(shared({}, derived).idempotency, { ...idempotency, mode: "derived" })
  })

  it("4.6 the repeats of a policy apply, otherwise those of the definition, otherwise its default", () => {
    assert.deepStrictEqual(
      [
        shared({}, {}),
        shared({ idempotency: "none" }, {}),
        shared({}, { repeats: "allowed" }),
        shared({ repeats: "once" }, { repeats: "allowed" })
      ].map(({ repeats }) => repeats),
      ["once", "allowed", "allowed", "once"]
    )
  })
})
