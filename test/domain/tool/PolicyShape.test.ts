import * as PolicyShape from "#domain/tool/PolicyShape"
import { assert, describe, it } from "@effect/vitest"

/** Returns the message with which a policy is refused. */
const fault = (input: unknown): string => {
  try {
    PolicyShape.check("search", input)
  } catch (error) {
    assert.instanceOf(error, RangeError)
    return error.message
  }
  return "accepted"
}

describe("PolicyShape", () => {
  it("2.12 a policy of known fields is accepted, and undefined fields count as unset", () => {
    assert.strictEqual(fault({}), "accepted")
    assert.strictEqual(
      fault({ timeout: 5, retry: { jitter: "full" }, circuit: false, enforce: undefined, critical: true }),
      "accepted"
    )
  })

  it("2.12 a misspelt field is refused with the nearest name, even inside another field", () => {
    assert.strictEqual(fault({ timeot: 5 }), "search: `timeot` is not a field here; did you mean `timeout`?")
    assert.strictEqual(
      fault({ retry: { atempts: 2 } }),
      "search: `retry.atempts` is not a field here; did you mean `retry.attempts`?"
    )
    assert.match(fault({ access: "read" }), /^search: `access` is not a field here; the fields are timeout, /)
  })

  it("2.12 a value of another kind is refused with the values that are accepted", () => {
    assert.strictEqual(
      fault({ enforce: "off" }),
      'search: `enforce` is "off"; write "enforce", "advise" or an object with `share`.'
    )
    assert.strictEqual(
      fault({ retry: { jitter: "lots" } }),
      'search: `retry.jitter` is "lots"; write "equal", "full", "decorrelated" or "none".'
    )
    assert.strictEqual(fault({ critical: "no" }), 'search: `critical` is "no"; write true or false.')
    assert.strictEqual(
      fault({ circuit: true }),
      "search: `circuit` is true; write an object with `share`, `window`, `minimum`, `open`, `cap`, or false."
    )
    assert.match(fault({ retry: null }), /^search: `retry` is null; write an object with `attempts`/)
    assert.match(fault({ limits: 5 }), /^search: `limits` is 5; write an object/)
  })

  it("2.12 a share of conversations is a number from 0 to 1", () => {
    for (const share of [0, 0.1, 1]) assert.strictEqual(fault({ enforce: { share } }), "accepted")
    for (const [share, shown] of [
      [-0.1, "-0.1"],
      [1.1, "1.1"],
      [10, "10"],
      [Number.NaN, "NaN"],
      [Infinity, "Infinity"],
      ["0.1", '"0.1"'],
      [true, "true"],
      [null, "null"],
      [undefined, "undefined"]
    ] as const)
      assert.strictEqual(
        fault({ enforce: { share } }),
        `search: \`enforce.share\` is ${shown}; write a number from 0 to 1, such as 0.1 for a tenth.`
      )
    assert.strictEqual(
      fault({ enforce: { share: 0.1, shares: 0.2 } }),
      "search: `enforce.shares` is not a field here; did you mean `enforce.share`?"
    )
    assert.match(fault({ enforce: {} }), /`enforce.share` is undefined/)
    for (const enforce of [0.1, ["enforce"], null]) assert.match(fault({ enforce }), /^search: `enforce` is /)
  })

  it("2.12 a policy that is not an object is refused", () => {
    for (const input of [null, "fast", 5, [], undefined])
      assert.match(fault(input), /^search: a policy must be an object/)
  })

  it("2.11 a shared policy has the levels or a function as `approval`, and only `derived` as `idempotency`", () => {
    for (const approval of ["auto", "inform", "confirm", "block", () => "auto"])
      assert.strictEqual(fault({ approval, idempotency: "derived" }), "accepted")
    assert.strictEqual(
      fault({ approval: "ask" }),
      'search: `approval` is "ask"; write "auto", "inform", "confirm", "block" or a function of the call.'
    )
    for (const [idempotency, shown] of [
      ["key", '"key"'],
      ["none", '"none"'],
      [{ mode: "derived" }, '{"mode":"derived"}']
    ] as const)
      assert.strictEqual(
        fault({ idempotency }),
        `search: \`idempotency\` is ${shown}; write "derived", or state another mode in the definition of the tool, because "key" adds a parameter to its contract.`
      )
  })

  it("2.12 the policy fields of a definition are separated from its other fields", () => {
    const policy = { timeout: 5, retry: { attempts: 2 }, circuit: false } as const
    assert.deepStrictEqual(
      PolicyShape.fieldsOf({ description: "Reads.", approval: "auto", ...policy, constructor: 1 } as object),
      policy
    )
  })
})
