/** Runs `toolguard describe` as a process. */
import { policyFields } from "#domain/tool/PolicyFields"
import { assert, describe, it } from "@effect/vitest"
import { toolguard } from "../toolguard.ts"

const module = "examples/orders/main.ts"

describe("toolguard describe", () => {
  it("2.12 shows the fields that each tool sets, with their origins and the stages", async () => {
    const { code, stderr, stdout } = await toolguard(["describe", module])
    assert.deepStrictEqual([code, stderr], [0, ""])
    assert.match(stdout, /^search_orders\n {2}access +read +tool\n/u)
    assert.match(stdout, /\nrefund_order\n(?: {2}.*\n)* {2}reconcile +find_refund +tool\n/u)
    assert.notInclude(stdout, "default")
    assert.match(stdout, /\n {2}stages: record escalate drain locate /u)
  })

  it("2.12 shows every field of one tool, and prints JSON", async () => {
    const { stdout } = await toolguard(["describe", module, "refund_order"])
    assert.deepStrictEqual(
      [...stdout.matchAll(/^ {2}(\S+) {2,}\S/gmu)].map(([, field]) => field),
      policyFields.map(({ field }) => field)
    )
    assert.match(stdout, /\n {2}timeout +5s +default\n/u)
    assert.match(stdout, /\n {2}limits\.argumentBytes +1,000,000 characters +default\n/u)
    const { tools } = JSON.parse((await toolguard(["describe", module, "refund_order", "--json"])).stdout)
    assert.deepStrictEqual(
      tools.map(({ tool }: { readonly tool: string }) => tool),
      ["refund_order"]
    )
    assert.deepInclude(tools[0].fields, {
      field: "timeout",
      unit: "ms",
      stages: ["timeout"],
      value: 5_000,
      origin: "default"
    })
  })

  it("2.12 suggests the nearest tool for an unknown name", async () => {
    const { code, stderr } = await toolguard(["describe", module, "refund_ordr"])
    assert.deepStrictEqual(
      [code, stderr],
      [1, "toolguard: The module has no tool named refund_ordr.\nDid you mean refund_order?\n"]
    )
  })
})
