/** Tests that patterns of foreign schemas that could block a process are left out and reported. */
import { assert, describe, it } from "@effect/vitest"
import * as ForeignContract from "#domain/schema/foreign/ForeignContract"

const leftOut = (pattern: string) =>
  ForeignContract.make({ type: "object", properties: { a: { type: "string", pattern } } }).unchecked.length === 1

describe("ForeignSchema", () => {
  it("13.1 leaves out patterns that take exponential time, in all their forms", () => {
    const slow = [
      "^(a+)+$",
      "^(a|a)*$",
      "^(a|aa)+$",
      "^((a+))+$",
      "^(?:(a*))*$",
      "^(a|a){1,}$",
      "([a)]+)*x",
      "^(a|a){1,30}$",
      "^((a|a){1,8}){1,8}$",
      "^(a+){2,3}$"
    ]
    assert.deepStrictEqual(slow.filter(leftOut), slow)
  })

  it("13.1 keeps patterns that take linear time", () => {
    const fast = [
      "^[a-z]+$",
      "^(abc)+$",
      "^\\d{4}-\\d{2}$",
      "^(a|b)$",
      "^\\(a+\\)+$",
      "^[(|]+([)])*$",
      "^(a+)b$",
      "^(a|b){2,3}$",
      "^((a|b){1,8})$",
      "^(a|b){0,1}$"
    ]
    assert.deepStrictEqual(fast.filter(leftOut), [])
  })

  it("13.1 leaves out slow patterns for field names, together with the rule for additional fields", () => {
    const { decode, unchecked } = ForeignContract.make({
      type: "object",
      patternProperties: { "^(a+)+$": { type: "string" } },
      additionalProperties: false
    })
    assert.strictEqual(unchecked.length, 1)
    assert.strictEqual(decode({ [`${"a".repeat(40)}b`]: 1 })._tag, "Success")
  })
})
